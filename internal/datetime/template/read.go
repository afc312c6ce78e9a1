package template

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/datum"
)

// reading is what a text gave for the fields of a template; 0 is not given.
type reading struct {
	mode                                          mode
	hh, pm, mi, ss, ssss, d, dd, ddd, mm, ms, us  int
	year, yearDigits, bc, ww, w, cc, j, precision int
	halfDay                                       bool // 12-hour clock
	zoneSign, zoneHour, zoneMinute                int
}

// reader walks the text along the template.
type reader struct {
	nodes []node
	i     int // the current node
	text  string
	pos   int
	out   reading
	exact bool
	extra int // characters skipped beyond what the template has
}

func (r *reader) rest() string { return r.text[r.pos:] }

func (r *reader) end() bool { return r.pos >= len(r.text) }

func (r *reader) skipSpaces() {
	for !r.end() && isSpace(r.text[r.pos]) {
		r.pos++
		r.extra++
	}
}

func (r *reader) skipChar() {
	if !r.end() {
		r.pos += charLen(r.rest())
	}
}

// run reads the whole template or text, whichever ends first.
func (r *reader) run() error {
	for r.i = 0; r.i < len(r.nodes) && !r.end(); r.i++ {
		n := &r.nodes[r.i]
		isExact := n.kind == nField && n.key.id == exactField
		if !r.exact && !isExact && (n.kind == nField || r.i == 0) {
			r.skipSpaces()
		}
		if n.kind != nField {
			r.literal(n)
			continue
		}
		if err := r.setMode(n.key.mode); err != nil {
			return err
		}
		if err := r.field(n); err != nil {
			return err
		}
		if n.th != "" && takesOrdinal(n.key.id) {
			r.skipChar()
			r.skipChar()
		}
		if !r.exact {
			r.extra = 0
			r.skipSpaces()
		}
	}
	return nil
}

// takesOrdinal lists the fields that are not followed by an ending when read.
func takesOrdinal(f id) bool {
	switch f {
	case exactField, ampmField, eraField, monthNameField, monthShortField, dayNameField, dayShortField, romanField, zoneHourField, zoneMinuteField:
		return false
	}
	return true
}

// literal passes over what is no field. Nobody insists that the characters match.
func (r *reader) literal(n *node) {
	switch {
	case n.kind == nChar && !r.exact && r.extra > 0:
		r.extra--
	case n.kind == nChar, r.exact:
		r.skipChar()
	default:
		r.extra--
		if !r.end() && (isSpace(r.text[r.pos]) || isSeparator(r.text[r.pos])) {
			r.pos++
			r.extra++
		}
	}
}

func (r *reader) setMode(m mode) error {
	switch {
	case m == anyMode:
	case r.out.mode == anyMode:
		r.out.mode = m
	case r.out.mode != m:
		return fault(datum.CodeInvalidDatetime, "invalid combination of date conventions", "",
			"Do not mix Gregorian and ISO week date conventions in a formatting template.")
	}
	return nil
}

// set stores a field, once.
func (r *reader) set(dest *int, v int, n *node) error {
	if dest == nil {
		return nil
	}
	if *dest != 0 && *dest != v {
		return fault(datum.CodeInvalidDatetime, fmt.Sprintf("conflicting values for \"%s\" field in formatting string", n.key.name),
			"This value contradicts a previous setting for the same field type.", "")
	}
	*dest = v
	return nil
}

// freeWidth tells that the number may have any number of digits, since what follows is no digit.
func (r *reader) freeWidth(n *node) bool {
	if n.fm || n.th != "" || r.i+1 == len(r.nodes) {
		return true
	}
	next := &r.nodes[r.i+1]
	if next.kind == nField {
		return !next.key.digit
	}
	return len(next.text) != 1 || next.text[0]-'0' > 9
}

// cInt reads an integer as C's strtol does: blanks, a sign, digits.
func cInt(s string) (v int64, n int, ok bool) {
	for n < len(s) && isSpace(s[n]) {
		n++
	}
	start := n
	if n < len(s) && (s[n] == '-' || s[n] == '+') {
		n++
	}
	digits := n
	for n < len(s) && s[n]-'0' <= 9 {
		n++
	}
	if n == digits {
		return 0, 0, true
	}
	v, err := strconv.ParseInt(s[start:n], 10, 64)
	return v, n, err == nil && v >= math.MinInt32 && v <= math.MaxInt32
}

const hintFM = "If your source string is not fixed-width, try using the \"FM\" modifier."

// number reads a field of width digits into dest and gives how many characters it took.
func (r *reader) number(dest *int, width int, n *node) (used int, err error) {
	start := r.pos
	for !r.end() && isSpace(r.text[r.pos]) {
		r.pos++
	}
	have := r.rest()
	part := have[:min(width, len(have))]
	var v int64
	ok := true
	if r.freeWidth(n) {
		var size int
		v, size, ok = cInt(r.text[start:])
		r.pos = start + size
	} else {
		if len(have) < width {
			return 0, fault(datum.CodeInvalidDatetime, fmt.Sprintf("source string too short for \"%s\" formatting field", n.key.name),
				fmt.Sprintf("Field requires %d characters, but only %d remain.", width, len(have)), hintFM)
		}
		var size int
		if v, size, ok = cInt(part); size > 0 && size < width {
			return 0, fault(datum.CodeInvalidDatetime, fmt.Sprintf("invalid value \"%s\" for \"%s\"", part, n.key.name),
				fmt.Sprintf("Field requires %d characters, but only %d could be parsed.", width, size), hintFM)
		}
		r.pos += size
	}
	if r.pos == start {
		return 0, fault(datum.CodeInvalidDatetime, fmt.Sprintf("invalid value \"%s\" for \"%s\"", part, n.key.name), "Value must be an integer.", "")
	}
	if !ok {
		return 0, fault(datum.CodeDatetimeOverflow, fmt.Sprintf("value for \"%s\" in source string is out of range", n.key.name),
			"Value must be in the range -2147483648 to 2147483647.", "")
	}
	return r.pos - start, r.set(dest, int(v), n)
}

// oneOf reads one of the words and gives its index; case does not matter.
func (r *reader) oneOf(n *node, words ...string) (int, error) {
	s := r.rest()
	for i, w := range words {
		if len(s) >= len(w) && strings.EqualFold(s[:len(w)], w) {
			r.pos += len(w)
			return i, nil
		}
	}
	end := strings.IndexFunc(s, func(c rune) bool { return c == ' ' || c >= '\t' && c <= '\r' && c != '\v' })
	if end < 0 {
		end = len(s)
	}
	return 0, fault(datum.CodeInvalidDatetime, fmt.Sprintf("invalid value \"%s\" for \"%s\"", s[:end], n.key.name),
		"The given value did not match any of the allowed values for this field.", "")
}

// field reads one field.
func (r *reader) field(n *node) (err error) {
	o := &r.out
	width := len(n.key.name)
	switch n.key.id {
	case exactField:
		r.exact = true
	case hour12Field:
		_, err = r.number(&o.hh, 2, n)
		o.halfDay = true
	case hour24Field:
		_, err = r.number(&o.hh, 2, n)
	case minuteField:
		_, err = r.number(&o.mi, width, n)
	case secondField:
		_, err = r.number(&o.ss, width, n)
	case secondOfDayField:
		_, err = r.number(&o.ssss, width, n)
	case millisecondField:
		var used int
		used, err = r.number(&o.ms, 3, n)
		o.ms *= tens(3 - used)
	case microsecondField, fractionField:
		digits := 6
		if n.key.id == fractionField {
			digits = int(n.key.name[2] - '0')
			o.precision = digits
		}
		var used int
		used, err = r.number(&o.us, digits, n)
		o.us *= tens(6 - used)
	case zoneNameField, offsetField:
		return fault(datum.CodeFeatureNotSupported, fmt.Sprintf("formatting field \"%s\" is only supported in to_char", n.key.name), "", "")
	case zoneHourField:
		return r.zoneHour(n)
	case zoneMinuteField:
		if o.zoneSign == 0 {
			o.zoneSign = 1
		}
		_, err = r.number(&o.zoneMinute, 2, n)
	default:
		return r.dayField(n)
	}
	return err
}

// tens is 10^n, 1 for what is not within 0..5.
func tens(n int) int {
	t := 1
	for ; n > 0 && n < 6; n-- {
		t *= 10
	}
	return t
}

// zoneHour reads a sign and hours. A minus may have been passed over as a separator.
func (r *reader) zoneHour(n *node) error {
	r.out.zoneSign = 1
	switch c := r.text[r.pos]; {
	case c == '+' || c == '-' || c == ' ':
		if c == '-' {
			r.out.zoneSign = -1
		}
		r.pos++
	case r.extra > 0 && r.pos > 0 && r.text[r.pos-1] == '-':
		r.out.zoneSign = -1
	}
	_, err := r.number(&r.out.zoneHour, 2, n)
	return err
}

// dayField reads a field of the day.
func (r *reader) dayField(n *node) (err error) {
	o := &r.out
	width := len(n.key.name)
	switch n.key.id {
	case dayOfYearField:
		_, err = r.number(&o.ddd, width, n)
	case isoDayOfYearField:
		_, err = r.number(&o.ddd, 3, n)
	case dayField:
		_, err = r.number(&o.dd, width, n)
	case weekdayField:
		_, err = r.number(&o.d, width, n)
	case isoWeekdayField:
		_, err = r.number(&o.d, 1, n)
		if o.d++; o.d > 7 {
			o.d = 1
		}
	case weekField, isoWeekNoField:
		_, err = r.number(&o.ww, width, n)
	case weekOfMonthField:
		_, err = r.number(&o.w, width, n)
	case quarterField:
		_, err = r.number(nil, width, n) // no day follows from it
	case centuryField:
		_, err = r.number(&o.cc, width, n)
	case julianField:
		_, err = r.number(&o.j, width, n)
	case monthField:
		_, err = r.number(&o.mm, width, n)
	case yearField, isoYearField:
		err = r.year(n, width)
	case yearCommaField:
		err = r.yearComma(n)
	default:
		err = r.nameField(n)
	}
	return err
}

func (r *reader) nameField(n *node) error {
	o := &r.out
	switch n.key.id {
	case ampmField:
		i, err := r.oneOf(n, dotted("AM", n.key), dotted("PM", n.key))
		if err != nil {
			return err
		}
		o.halfDay = true
		return r.set(&o.pm, i, n)
	case eraField:
		i, err := r.oneOf(n, dotted("AD", n.key), dotted("BC", n.key))
		if err != nil {
			return err
		}
		return r.set(&o.bc, i, n)
	case romanField:
		i, err := r.oneOf(n, romanMonths...)
		if err != nil {
			return err
		}
		return r.set(&o.mm, 12-i, n)
	case monthNameField, monthShortField:
		i, err := r.oneOf(n, shortened(monthNames, n.key.id == monthShortField)...)
		if err != nil {
			return err
		}
		return r.set(&o.mm, i+1, n)
	}
	i, err := r.oneOf(n, shortened(dayNames, n.key.id == dayShortField)...)
	if err != nil {
		return err
	}
	if err := r.set(&o.d, i, n); err != nil {
		return err
	}
	o.d++
	return nil
}

func shortened(names []string, short bool) []string {
	if !short {
		return names
	}
	out := make([]string, len(names))
	for i, s := range names {
		out[i] = s[:3]
	}
	return out
}

// year reads a year of up to width digits; fewer than four mean one near 2020.
func (r *reader) year(n *node, width int) error {
	used, err := r.number(&r.out.year, width, n)
	if err != nil {
		return err
	}
	if r.out.yearDigits = width; width < 4 && used < 4 {
		r.out.year = nearYear(r.out.year)
	}
	return nil
}

func nearYear(y int) int {
	switch {
	case y < 70:
		return y + 2000
	case y < 100:
		return y + 1900
	case y < 520:
		return y + 2000
	case y < 1000:
		return y + 1000
	}
	return y
}

func (r *reader) yearComma(n *node) error {
	bad := fault(datum.CodeInvalidDatetime, "invalid input string for \"Y,YYY\"", "", "")
	thousands, size, ok := cInt(r.rest())
	rest := r.rest()[size:]
	if !ok || size == 0 || !strings.HasPrefix(rest, ",") {
		return bad
	}
	rest = rest[1:]
	blanks := len(rest) - len(strings.TrimLeft(rest, " \t\n\r\f\v"))
	rest = rest[blanks:]
	years, more, _ := cInt(rest[:min(3, len(rest))])
	if more == 0 {
		return bad
	}
	r.out.yearDigits = 4
	r.pos += size + 1 + blanks + more
	return r.set(&r.out.year, int(years+thousands*1000), n)
}
