package template

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/numeric"
)

// Empty tells whether the template has nothing in it; to_char is an empty text then.
func (n *Number) Empty() bool { return len(n.nodes) == 0 }

// AppendNumeric appends v as the template says.
func (n *Number) AppendNumeric(dst []byte, v numeric.Val) ([]byte, error) {
	s := n.shape
	switch {
	case s.roman:
		r, arena, err := numeric.Round(nil, v, 0)
		if err != nil {
			return dst, err
		}
		i, err := numeric.ToInt64(numeric.Val{Num: r, Arena: arena}, math.MinInt32, math.MaxInt32, "integer")
		if err != nil {
			return dst, err
		}
		return n.write(dst, s, romanOf(i), '+', 0)
	case s.exponent:
		return append(dst, scientific(&s, v)...), nil
	}
	if s.shifted {
		ten, arena, err := numeric.Power(nil, numeric.V(numeric.FromInt64(10)), numeric.V(numeric.FromInt64(int64(s.shift))))
		if err != nil {
			return dst, err
		}
		r, arena, err := numeric.Mul(arena, v, numeric.Val{Num: ten, Arena: arena})
		if err != nil {
			return dst, err
		}
		v = numeric.Val{Num: r, Arena: arena}
		s.pre += s.shift
	}
	r, arena, err := numeric.Round(nil, v, s.post)
	if err != nil {
		return dst, err
	}
	return n.digits(dst, s, numeric.AppendText(nil, numeric.Val{Num: r, Arena: arena}))
}

// digits writes a number that is in text, rounded to the template's digits.
func (n *Number) digits(dst []byte, s shape, text []byte) ([]byte, error) {
	sign := byte('+')
	if text[0] == '-' {
		sign, text = '-', text[1:]
	}
	whole := bytes.IndexByte(text, '.')
	if whole < 0 {
		whole = len(text)
	}
	spaces := 0
	switch {
	case whole < s.pre:
		spaces = s.pre - whole
	case whole > s.pre:
		text = bytes.Repeat([]byte{'#'}, s.pre+s.post+1)
		text[s.pre] = '.'
	}
	return n.write(dst, s, text, sign, spaces)
}

// AppendFloat appends v, of so many significant digits (15 of double precision, 6 of real),
// as the template says.
func (n *Number) AppendFloat(dst []byte, v float64, significant int) ([]byte, error) {
	s := n.shape
	switch {
	case s.roman:
		i := int64(0)
		if math.Abs(v) < 1e6 {
			i = int64(math.RoundToEven(v))
		}
		return n.write(dst, s, romanOf(i), '+', 0)
	case s.exponent && (v != v || math.IsInf(v, 0)):
		return append(dst, hashes(&s)...), nil
	case s.exponent:
		if !math.Signbit(v) {
			dst = append(dst, ' ')
		}
		return strconv.AppendFloat(dst, v, 'e', s.post, 64), nil
	}
	if s.shifted {
		v *= math.Pow(10, float64(s.shift))
		s.pre += s.shift
	}
	whole := len(cFloat(math.Abs(v), 0))
	switch {
	case whole >= significant:
		s.post = 0
	case whole+s.post > significant:
		s.post = significant - whole
	}
	return n.digits(dst, s, []byte(cFloat(v, s.post)))
}

// cFloat is C's %.*f.
func cFloat(v float64, digits int) string {
	switch {
	case v != v:
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// hashes stand for what has no digits.
func hashes(s *shape) []byte {
	b := bytes.Repeat([]byte{'#'}, s.pre+s.post+6)
	b[0] = ' '
	b[s.pre+1] = '.'
	return b
}

// scientific is d.ddde±dd with a place for the sign.
func scientific(s *shape, v numeric.Val) []byte {
	if !v.IsFinite() {
		return hashes(s)
	}
	exp := 0
	if v.Sign() != 0 {
		exp = numeric.Exponent(v)
	}
	// Rounding may leave two digits before the point: PostgreSQL writes 99.99 as 10e+01.
	r, arena, err := numeric.Round(nil, numeric.Shift(v, -exp), s.post)
	if err != nil {
		return hashes(s)
	}
	text := numeric.AppendText(nil, numeric.Val{Num: r, Arena: arena})
	if text[0] != '-' {
		text = append([]byte{' '}, text...)
	}
	sign := "+"
	if exp < 0 {
		sign, exp = "-", -exp
	}
	text = append(append(text, 'e'), sign...)
	if exp < 10 {
		text = append(text, '0')
	}
	return strconv.AppendInt(text, int64(exp), 10)
}

// romanOf is v in Roman numerals; what has none is hashes.
func romanOf(v int64) []byte {
	if v < 1 || v > 3999 {
		return bytes.Repeat([]byte{'#'}, 15)
	}
	values := [13]int64{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1}
	marks := [13]string{"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"}
	var out []byte
	for i, n := range values {
		for ; v >= n; v -= n {
			out = append(out, marks[i]...)
		}
	}
	return out
}

// writer fills a number template. It goes digit by digit, as PostgreSQL's does, since what
// FM, 0 and signs mean depends on where in the number one is.
type writer struct {
	shape
	dst         []byte
	number      []byte // digits, maybe a point
	pos         int    // in number
	last        int    // the last digit that FM leaves, -1: all stay
	sign        byte
	spaces      int // digits that the template has more before the point
	cur         int // which digit of the template
	count       int
	signWritten bool
	inNumber    bool
	err         error
}

// write fills the template with a number in text.
func (n *Number) write(dst []byte, s shape, number []byte, sign byte, spaces int) ([]byte, error) {
	start := len(dst)
	w := writer{shape: s, dst: dst, number: number, sign: sign, spaces: spaces, last: -1}
	w.prepare()
	for i := range n.nodes {
		if f := &n.nodes[i]; f.kind == nField {
			w.field(f)
		} else {
			w.dst = append(w.dst, f.text...)
		}
	}
	// A digit that the number does not have ends the text.
	if end := bytes.IndexByte(w.dst[start:], 0); end >= 0 {
		w.dst = w.dst[:start+end]
	}
	return w.dst, w.err
}

func (w *writer) prepare() {
	if w.roman {
		w.shape = shape{roman: true, fill: w.fill}
		w.spaces, w.sign = 0, 0
	}
	if w.plus || w.minus {
		w.signWritten = !w.plus || w.minus
	} else {
		if w.sign != '-' && w.fill {
			w.bracket = false
		}
		w.signWritten = w.sign == '+' && w.fill && !w.signed
		if w.shape.sign == signBefore && w.pre == w.preAtSign {
			w.shape.sign = signAfter
		}
	}
	w.zeroStart = max(w.zeroStart-1, 0) // from here on counted from 0
	w.count = w.post + w.pre - 1
	if w.fill && w.decimal {
		w.keepRelevant()
	}
	if !w.signWritten && w.spaces == 0 {
		w.count++
	}
}

// keepRelevant finds the last digit that FM does not strip.
func (w *writer) keepRelevant() {
	point := bytes.IndexByte(w.number, '.')
	if point < 0 {
		return
	}
	w.last = point
	for i := point + 1; i < len(w.number); i++ {
		if w.number[i] != '0' {
			w.last = i
		}
	}
	if w.zeroEnd > w.spaces {
		w.last = max(w.last, min(len(w.number)-1, w.zeroEnd-w.spaces))
	}
}

// at is the current character of the number; 0 beyond it.
func (w *writer) at(i int) byte {
	if i < 0 || i >= len(w.number) {
		return 0
	}
	return w.number[i]
}

func (w *writer) field(f *node) {
	switch f.key.id {
	case nineField, zeroField, pointField, localPointField:
		if !w.roman {
			w.digit(f.key.id)
		}
	case commaField, groupField:
		w.mark(w.inNumber, ',')
	case currencyField:
		w.dst = append(w.dst, ' ')
	case romanNumberField:
		s := string(w.number)
		if f.key.lower {
			s = strings.ToLower(s)
		}
		if !w.fill {
			w.dst = append(w.dst, spaces(15-len(s))...)
		}
		w.dst = append(w.dst, s...)
	case thField:
		if !w.roman && w.at(0) != '#' && w.sign != '-' && !w.decimal {
			w.ordinal(!f.key.lower)
		}
	case minusField:
		w.mark(w.sign == '-', '-')
	case plusField:
		w.mark(w.sign == '+', '+')
	case plusMinusField:
		w.dst = append(w.dst, w.sign)
	}
}

func (w *writer) ordinal(upper bool) {
	if last := w.at(len(w.number) - 1); last-'0' > 9 {
		w.err = fault("22P02", "\""+string(w.number)+"\" is not a number", "", "")
		return
	}
	w.dst = append(w.dst, ordinal(w.number, upper)...)
}

// mark writes c, or a blank in its place unless FM is there.
func (w *writer) mark(there bool, c byte) {
	switch {
	case there:
		w.dst = append(w.dst, c)
	case !w.fill:
		w.dst = append(w.dst, ' ')
	}
}

// hiddenZero tells that the number's only digit before the point is a 0 that is not written.
func (w *writer) hiddenZero() bool {
	return !w.zero && w.pos == 0 && w.at(0) == '0' && w.post != 0
}

// bareWhole tells that FM leaves nothing after the point.
func (w *writer) bareWhole() bool { return w.last >= 0 && w.at(w.last) == '.' }

// digit writes what belongs in the place of a 9, 0 or point.
func (w *writer) digit(f id) {
	w.inNumber = false
	if !w.signWritten && (w.cur >= w.spaces || w.zero && w.zeroStart == w.cur) && (!w.hiddenZero() || w.bareWhole()) {
		w.leadingSign()
	}
	switch {
	case w.cur < w.spaces && (w.zeroStart > w.cur || !w.zero):
		w.mark(false, 0)
	case w.cur < w.spaces:
		w.dst = append(w.dst, '0')
		w.inNumber = true
	default:
		w.own(f)
		if w.pos < len(w.number) {
			w.pos++
		}
	}
	end := w.count
	if w.spaces != 0 {
		end++
	}
	if w.decimal {
		end++
	}
	if w.last >= 0 && w.last == w.pos {
		end = w.cur
	}
	if w.cur+1 == end {
		w.trailingSign()
	}
	w.cur++
}

// own writes a character of the number itself.
func (w *writer) own(f id) {
	switch {
	case w.at(w.pos) == '.':
		w.dst = append(w.dst, '.')
	case w.last >= 0 && w.pos > w.last && f != zeroField:
	case w.hiddenZero():
		if !w.fill {
			w.dst = append(w.dst, ' ')
		} else if w.bareWhole() {
			w.dst = append(w.dst, '0')
		}
	default:
		w.dst = append(w.dst, w.at(w.pos))
		w.inNumber = true
	}
}

func (w *writer) leadingSign() {
	switch {
	case w.signed:
		if w.shape.sign == signBefore {
			w.dst = append(w.dst, w.sign)
			w.signWritten = true
		}
		return
	case w.bracket:
		c := byte('<')
		if w.sign == '+' {
			c = ' '
		}
		w.dst = append(w.dst, c)
	case w.sign == '+':
		w.mark(false, 0)
	case w.sign == '-':
		w.dst = append(w.dst, '-')
	}
	w.signWritten = true
}

func (w *writer) trailingSign() {
	switch {
	case w.signWritten && w.bracket:
		c := byte('>')
		if w.sign == '+' {
			c = ' '
		}
		w.dst = append(w.dst, c)
	case w.signed && w.shape.sign == signAfter:
		w.dst = append(w.dst, w.sign)
	}
}
