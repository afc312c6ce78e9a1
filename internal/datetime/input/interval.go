package input

import (
	"fmt"
	"math"
	"strings"

	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datum"
)

// span gathers an interval; years and months apart, as PostgreSQL checks them.
type span struct {
	years, months, days int64
	micros              int64
	bad                 bool // something overflowed
}

func (s *span) addYears(v, scale int64, frac float64) {
	s.years = s.add32(s.years, v, scale)
	s.months = s.add32(s.months, int64(math.RoundToEven(frac*float64(scale)*12)), 1)
}

func (s *span) addMonths(v int64, frac float64) {
	s.months = s.add32(s.months, v, 1)
	s.addFracDays(frac, 30)
}

func (s *span) addDays(v, scale int64, frac float64) {
	s.days = s.add32(s.days, v, scale)
	if scale == 1 {
		s.addFracMicros(frac, datum.Day)
		return
	}
	s.addFracDays(frac, scale)
}

func (s *span) addFracDays(frac float64, scale int64) {
	frac *= float64(scale)
	whole := int64(frac)
	s.days = s.add32(s.days, whole, 1)
	s.addFracMicros(frac-float64(whole), datum.Day)
}

func (s *span) addMicros(v int64, frac float64, scale int64) {
	p := v * scale
	if p/scale != v {
		s.bad = true
		return
	}
	s.addExact(p)
	s.addFracMicros(frac, scale)
}

func (s *span) addFracMicros(frac float64, scale int64) {
	frac *= float64(scale)
	micros := int64(frac)
	switch frac -= float64(micros); {
	case frac > 0.5:
		micros++
	case frac < -0.5:
		micros--
	}
	s.addExact(micros)
}

func (s *span) addExact(micros int64) {
	r := s.micros + micros
	s.bad = s.bad || (micros > 0) != (r > s.micros) && micros != 0
	s.micros = r
}

// add32 is a + v × scale in 32 bits.
func (s *span) add32(a, v, scale int64) int64 {
	if v != int64(int32(v)) || v*scale != int64(int32(v*scale)) {
		s.bad = true
		return a
	}
	r := a + v*scale
	s.bad = s.bad || r != int64(int32(r))
	return r
}

// addUnit adds v and a fraction of a unit.
func (s *span) addUnit(unit datetime.Unit, v int64, frac float64) bool {
	switch unit {
	case datetime.Microsecond:
		s.addMicros(v, frac, 1)
	case datetime.Millisecond:
		s.addMicros(v, frac, 1000)
	case datetime.Second:
		s.addMicros(v, frac, datum.Second)
	case datetime.Minute:
		s.addMicros(v, frac, datum.Minute)
	case datetime.Hour:
		s.addMicros(v, frac, datum.Hour)
	case datetime.Day:
		s.addDays(v, 1, frac)
	case datetime.Week:
		s.addDays(v, 7, frac)
	case datetime.Month:
		s.addMonths(v, frac)
	case datetime.Year:
		s.addYears(v, 1, frac)
	case datetime.Decade:
		s.addYears(v, 10, frac)
	case datetime.Century:
		s.addYears(v, 100, frac)
	case datetime.Millennium:
		s.addYears(v, 1000, frac)
	default:
		return false
	}
	return true
}

func (s *span) negate() bool {
	if s.micros == math.MinInt64 || s.days == math.MinInt32 || s.months == math.MinInt32 || s.years == math.MinInt32 {
		return false
	}
	s.years, s.months, s.days, s.micros = -s.years, -s.months, -s.days, -s.micros
	return true
}

// Interval reads an interval: units in words, clocks, years-months, ISO 8601. mod is the type's
// modifier, -1: none: its fields say what a bare number is, and what is cut off.
func Interval(text []byte, mod int32) (datum.Interval, error) {
	var s span
	tokens, ok := split(string(text))
	p := badFormat
	if ok && len(text) <= 256 {
		p = s.words(tokens, mod)
	}
	if p == badFormat {
		s = span{}
		p = s.iso(string(text))
	}
	switch p {
	case badFormat:
		return datum.Interval{}, fault(p, "interval", text)
	case overflow:
		return datum.Interval{}, &datum.Error{Code: datum.CodeIntervalOverflow, Message: fmt.Sprintf("interval field value out of range: \"%s\"", text)}
	}
	months := s.years*12 + s.months
	if months != int64(int32(months)) {
		return datum.Interval{}, &datum.Error{Code: datum.CodeDatetimeOverflow, Message: "interval out of range"}
	}
	return FitInterval(datum.Interval{Months: int32(months), Days: int32(s.days), Micros: s.micros}, mod)
}

// unitMask is what the fields given so far are told apart by.
type unitMask uint32

func maskOf(u datetime.Unit) unitMask { return 1 << u }

const clockMask = unitMask(1<<datetime.Hour | 1<<datetime.Minute | 1<<datetime.Second | 1<<datetime.Millisecond | 1<<datetime.Microsecond)

// words reads from right to left, since units follow their numbers.
func (s *span) words(tokens []token, mod int32) problem {
	unit, have, before := datetime.UnknownUnit, unitMask(0), false
	for i := len(tokens) - 1; i >= 0; i-- {
		t := tokens[i]
		if t.kind == kWord || t.kind == kSpecial {
			switch f := datetime.FieldOf(t.text); {
			case t.text == "ago":
				before, unit = true, datetime.UnknownUnit
			case f.Unit == datetime.UnknownUnit:
				return badFormat
			default:
				unit = f.Unit
			}
			continue
		}
		got, p := s.token(t, &unit, mod)
		if p != fine {
			return p
		}
		if got&have != 0 {
			return badFormat
		}
		have |= got
	}
	if have == 0 {
		return badFormat
	}
	if s.bad || before && !s.negate() {
		return overflow
	}
	return fine
}

// token reads a clock or a number of unit.
func (s *span) token(t token, unit *datetime.Unit, mod int32) (unitMask, problem) {
	clock, negative := t.text, false
	if t.kind == kZone {
		clock, negative = t.text[1:], t.text[0] == '-'
	}
	if t.kind == kTime || t.kind == kZone && strings.IndexByte(clock, ':') >= 0 {
		if p := s.clock(clock, negative, mod); p == fine || t.kind == kTime {
			*unit = datetime.Day
			return clockMask, p
		}
	}
	if *unit == datetime.UnknownUnit {
		*unit = lastUnit(mod)
	}
	v, n, ok := leadingInt64(t.text)
	if !ok {
		return 0, overflow
	}
	rest, frac := t.text[n:], 0.0
	switch {
	case rest == "":
	case rest[0] == '-':
		var p problem
		if v, p = yearsMonths(v, rest[1:], t.text[0] == '-'); p != fine {
			return 0, p
		}
		*unit = datetime.Month
	case rest[0] == '.':
		var p problem
		if frac, p = fraction(rest); p != fine {
			return 0, p
		}
		if t.text[0] == '-' {
			frac = -frac
		}
	default:
		return 0, badFormat
	}
	u := *unit
	if !s.addUnit(u, v, frac) {
		return 0, badFormat
	}
	if s.bad {
		return 0, overflow
	}
	got := maskOf(u)
	switch {
	case u == datetime.Second && frac != 0:
		got |= maskOf(datetime.Millisecond) | maskOf(datetime.Microsecond)
	case u == datetime.Hour:
		*unit = datetime.Day
	}
	return got, fine
}

// clock reads HH:MM:SS, without bounds on the hours.
func (s *span) clock(text string, negative bool, mod int32) problem {
	c, p := readClock(text)
	if p != fine {
		return p
	}
	if strings.Count(text, ":") == 1 && c.micro == 0 && c.second == 0 && !strings.Contains(text, ".") && rangeOf(mod) == fMinute|fSecond {
		c.second, c.minute, c.hour = c.minute, int(c.hour), 0
	}
	if c.hour > math.MaxInt64/datum.Hour {
		return overflow
	}
	s.micros = c.hour*datum.Hour + int64(c.minute)*datum.Minute + int64(c.second)*datum.Second + int64(c.micro)
	if s.micros < 0 {
		return overflow
	}
	if negative {
		s.micros = -s.micros
	}
	return fine
}

// yearsMonths is SQL's years-months in months.
func yearsMonths(years int64, s string, negative bool) (int64, problem) {
	months, n, ok := leadingInt(s)
	if !ok || months < 0 || months >= 12 {
		return 0, overflow
	}
	if n != len(s) {
		return 0, badFormat
	}
	if negative {
		months = -months
	}
	if years > math.MaxInt64/12-1 || years < math.MinInt64/12+1 {
		return 0, overflow
	}
	return years*12 + int64(months), fine
}
