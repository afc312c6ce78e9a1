package template

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datum"
)

// Date is a compiled template of dates and times.
type Date struct{ nodes []node }

// CompileDate compiles a template. An empty one gives NULL, as PostgreSQL has it: see Empty.
func CompileDate(template string) *Date {
	nodes, _ := compile(template, dateKeys, true, func(*node) error { return nil })
	return &Date{nodes}
}

// moment is what a template is filled from.
type moment struct {
	datetime.Fields
	hour     int64 // of an interval without bounds
	yday     int
	interval bool
	east     int
	zone     string
	zoned    bool
}

// AppendTimestamp appends t, which is finite, as the template says.
func (d *Date) AppendTimestamp(dst []byte, t datum.Timestamp) []byte {
	m := fieldsOf(t)
	dst, _ = d.fill(dst, &m)
	return dst
}

// AppendTimestampTZ appends t, which is finite, as clocks in zone show it.
func (d *Date) AppendTimestampTZ(dst []byte, t datum.Timestamp, zone *time.Location) []byte {
	east, name := datetime.Offset(zone, t)
	m := fieldsOf(t + datum.Timestamp(east)*datum.Second)
	m.east, m.zone, m.zoned = east, name, true
	dst, _ = d.fill(dst, &m)
	return dst
}

func fieldsOf(t datum.Timestamp) moment {
	m := moment{Fields: datetime.Split(t)}
	m.hour = int64(m.Hour)
	m.yday = datetime.JulianDay(m.Year, m.Month, m.Day) - datetime.JulianDay(m.Year, 1, 1) + 1
	return m
}

// AppendInterval appends v as the template says. Fields that only a day of the calendar
// has are an error (22007).
func (d *Date) AppendInterval(dst []byte, v datum.Interval) ([]byte, error) {
	m := moment{interval: true}
	m.Year, m.Month, m.Day = int(v.Months/12), int(v.Months%12), int(v.Days)
	m.hour = v.Micros / datum.Hour
	m.Minute, m.Second, m.Micro = int(v.Micros/datum.Minute%60), int(v.Micros/datum.Second%60), int(v.Micros%datum.Second)
	m.yday = (m.Year*12+m.Month)*30 + m.Day
	return d.fill(dst, &m)
}

var errInterval = fault(datum.CodeInvalidDatetime, "invalid format specification for an interval value", "",
	"Intervals are not tied to specific calendar dates.")

func (d *Date) fill(dst []byte, m *moment) ([]byte, error) {
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.kind != nField {
			dst = append(dst, n.text...)
			continue
		}
		var ok bool
		if dst, ok = m.word(dst, n); ok {
			continue
		}
		if m.interval && calendarOnly(n.key.id) {
			return dst, errInterval
		}
		off := len(dst)
		if dst = m.number(dst, n); n.th != "" && len(dst) > off {
			dst = append(dst, ordinal(dst[off:], n.th == "TH")...)
		}
	}
	return dst, nil
}

// calendarOnly lists the fields that intervals do not have.
func calendarOnly(f id) bool {
	switch f {
	case zoneNameField, zoneHourField, zoneMinuteField, offsetField, eraField, monthNameField, monthShortField, dayNameField, dayShortField,
		weekdayField, isoWeekdayField:
		return true
	}
	return false
}

var (
	monthNames = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	dayNames   = []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
	// From December down to January, so that of two that begin alike the longer is found first.
	romanMonths = []string{"XII", "XI", "X", "IX", "VIII", "VII", "VI", "V", "IV", "III", "II", "I"}
)

// word writes fields that are words; false when n is none, or one that intervals lack.
func (m *moment) word(dst []byte, n *node) ([]byte, bool) {
	switch n.key.id {
	case exactField:
	case ampmField:
		return append(dst, m.half(n.key)...), true
	case romanField:
		return m.roman(dst, n), true
	case eraField, zoneNameField, offsetField, monthNameField, monthShortField, dayNameField, dayShortField, zoneHourField, zoneMinuteField:
		if m.interval {
			return dst, false
		}
		return m.calendarWord(dst, n), true
	default:
		return dst, false
	}
	return dst, true
}

func (m *moment) calendarWord(dst []byte, n *node) []byte {
	switch n.key.id {
	case eraField:
		era := "AD"
		if m.Year <= 0 {
			era = "BC"
		}
		return append(dst, dotted(era, n.key)...)
	case zoneNameField:
		if n.key.lower {
			return append(dst, strings.ToLower(m.zone)...)
		}
		return append(dst, m.zone...)
	case zoneHourField, offsetField:
		return m.offset(dst, n)
	case zoneMinuteField:
		return datum.AppendPadded(dst, uint64(abs(m.east)/60%60), 2)
	case monthNameField:
		return appendName(dst, monthNames[m.Month-1], n, 9)
	case monthShortField:
		return appendName(dst, monthNames[m.Month-1][:3], n, 0)
	case dayNameField:
		return appendName(dst, dayNames[m.weekday()], n, 9)
	}
	return appendName(dst, dayNames[m.weekday()][:3], n, 0)
}

func (m *moment) weekday() int {
	return (datetime.JulianDay(m.Year, m.Month, m.Day)%7 + 8) % 7
}

func abs(x int) int {
	if x < 0 {
		return -x
	}
	return x
}

// dotted writes AM as the field is written: a.m., AM, ….
func dotted(s string, k *key) string {
	if strings.Contains(k.name, ".") {
		s = s[:1] + "." + s[1:] + "."
	}
	if k.lower {
		return strings.ToLower(s)
	}
	return s
}

// half is AM or PM.
func (m *moment) half(k *key) string {
	if m.hour%24 >= 12 {
		return dotted("PM", k)
	}
	return dotted("AM", k)
}

// appendName appends a name in the letters of the field, padded unless FM is there.
func appendName(dst []byte, name string, n *node, width int) []byte {
	switch {
	case n.key.lower:
		name = strings.ToLower(name)
	case n.key.name[1] < 'a':
		name = strings.ToUpper(name)
	}
	dst = append(dst, name...)
	if n.fm || n.tm {
		return dst
	}
	return append(dst, spaces(width-len(name))...)
}

func spaces(n int) []byte { return bytes.Repeat([]byte{' '}, max(n, 0)) }

func (m *moment) offset(dst []byte, n *node) []byte {
	sign := byte('+')
	if m.east < 0 {
		sign = '-'
	}
	width := 2
	if n.fm && n.key.id == offsetField {
		width = 1
	}
	dst = datum.AppendPadded(append(dst, sign), uint64(abs(m.east)/3600), width)
	if n.key.id == offsetField && m.east%3600 != 0 {
		dst = datum.AppendPadded(append(dst, ':'), uint64(abs(m.east)%3600/60), 2)
	}
	return dst
}

// roman is the month in Roman numerals; of an interval, -1 month is XII.
func (m *moment) roman(dst []byte, n *node) []byte {
	if m.Month == 0 && m.Year == 0 {
		return dst
	}
	i := 12 - m.Month
	switch {
	case m.Month == 0 && m.Year >= 0:
		i = 0
	case m.Month == 0:
		i = 11
	case m.Month < 0:
		i = -(m.Month + 1)
	}
	s := romanMonths[i]
	if n.key.lower {
		s = strings.ToLower(s)
	}
	dst = append(dst, s...)
	if n.fm {
		return dst
	}
	return append(dst, spaces(4-len(s))...)
}

// appendInt appends v with at least width characters, zeros in front; a sign takes one
// more. FM takes the zeros away.
func appendInt(dst []byte, v int64, width int, fm bool) []byte {
	if v < 0 {
		dst, v = append(dst, '-'), -v
	}
	if fm {
		width = 1
	}
	if v == 0 && width <= 1 {
		return append(dst, '0')
	}
	return datum.AppendPadded(dst, uint64(v), width)
}

// number writes fields that are numbers.
func (m *moment) number(dst []byte, n *node) []byte {
	switch n.key.id {
	case hour12Field:
		h := m.hour % 12
		if h == 0 {
			h = 12
		}
		if m.hour < 0 && h > 0 {
			return appendInt(dst, h, 3, n.fm) // the width is that of a negative hour
		}
		return appendInt(dst, h, 2, n.fm)
	case hour24Field:
		return appendInt(dst, m.hour, 2, n.fm)
	case minuteField:
		return appendInt(dst, int64(m.Minute), 2, n.fm)
	case secondField:
		return appendInt(dst, int64(m.Second), 2, n.fm)
	case millisecondField:
		return appendFraction(dst, int64(m.Micro/1000), 3)
	case microsecondField:
		return appendFraction(dst, int64(m.Micro), 6)
	case fractionField:
		digits := int(n.key.name[2] - '0')
		unit := [7]int{0, 100000, 10000, 1000, 100, 10, 1}[digits]
		return appendFraction(dst, int64(m.Micro/unit), digits)
	case secondOfDayField:
		return strconv.AppendInt(dst, m.hour*3600+int64(m.Minute)*60+int64(m.Second), 10)
	}
	return m.dayNumber(dst, n)
}

// appendFraction is C's %0*d: of a negative number the sign counts as one of the characters.
func appendFraction(dst []byte, v int64, width int) []byte {
	if v < 0 {
		return appendInt(dst, v, width-1, false)
	}
	return appendInt(dst, v, width, false)
}

func (m *moment) dayNumber(dst []byte, n *node) []byte {
	switch n.key.id {
	case monthField:
		return appendInt(dst, int64(m.Month), 2, n.fm)
	case dayField:
		return appendC(dst, int64(m.Day), 2, n.fm)
	case dayOfYearField:
		return appendC(dst, int64(m.yday), 3, n.fm)
	case isoDayOfYearField:
		return appendC(dst, int64(datetime.ISODayOfYear(m.Year, m.Month, m.Day)), 3, n.fm)
	case weekdayField:
		return appendInt(dst, int64(m.weekday()+1), 1, false)
	case isoWeekdayField:
		return appendInt(dst, int64((m.weekday()+6)%7+1), 1, false)
	case weekField:
		return appendC(dst, int64((m.yday-1)/7+1), 2, n.fm)
	case isoWeekNoField:
		_, w := datetime.ISOWeek(m.Year, m.Month, m.Day)
		return appendC(dst, int64(w), 2, n.fm)
	case quarterField:
		if m.Month == 0 {
			return dst
		}
		return appendInt(dst, int64((m.Month-1)/3+1), 1, false)
	case weekOfMonthField:
		return appendInt(dst, int64((m.Day-1)/7+1), 1, false)
	case julianField:
		return appendInt(dst, int64(datetime.JulianDay(m.Year, m.Month, m.Day)), 1, false)
	}
	return m.yearNumber(dst, n)
}

// appendC is C's %0*d.
func appendC(dst []byte, v int64, width int, fm bool) []byte {
	if fm {
		return strconv.AppendInt(dst, v, 10)
	}
	return appendFraction(dst, v, width)
}

// shownYear counts years before Christ from 1; of an interval it is the number of years.
func (m *moment) shownYear(y int) int {
	if m.interval || y > 0 {
		return y
	}
	return 1 - y
}

func (m *moment) yearNumber(dst []byte, n *node) []byte {
	y := m.shownYear(m.Year)
	switch n.key.id {
	case centuryField:
		return m.century(dst, n)
	case yearCommaField:
		dst = strconv.AppendInt(dst, int64(y/1000), 10)
		return appendFraction(append(dst, ','), int64(y%1000), 3)
	}
	signed := y
	width := len(n.key.name)
	if n.key.id == isoYearField {
		iso, _ := datetime.ISOWeek(m.Year, m.Month, m.Day)
		y = m.shownYear(iso)
	}
	switch width {
	case 3:
		y %= 1000
	case 2:
		y %= 100
	case 1:
		return strconv.AppendInt(dst, int64(y%10), 10)
	}
	if signed < 0 {
		width++
	}
	return appendC(dst, int64(y), width, n.fm)
}

func (m *moment) century(dst []byte, n *node) []byte {
	c := m.Year / 100
	if !m.interval {
		if m.Year > 0 {
			c = (m.Year-1)/100 + 1
		} else {
			c--
		}
	}
	return appendInt(dst, int64(c), 2, n.fm)
}
