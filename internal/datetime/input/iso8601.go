package input

import (
	"math"
	"strconv"

	"github.com/weirstream/weir/internal/datetime"
)

// isoReader reads an ISO 8601 duration: P1Y2M3DT4H5M6S, P0001-02-03T04:05:06 or
// P00010203T040506.
type isoReader struct {
	span *span
	rest string
}

func (s *span) iso(text string) problem {
	if len(text) < 2 || text[0] != 'P' {
		return badFormat
	}
	r := isoReader{s, text[1:]}
	p := r.run()
	if p == fine && s.bad {
		return overflow
	}
	return p
}

func (r *isoReader) run() problem {
	date, any := true, false
	for r.rest != "" {
		if r.rest[0] == 'T' {
			date, any, r.rest = false, false, r.rest[1:]
			continue
		}
		start := r.rest
		v, frac, p := r.number()
		if p != fine {
			return p
		}
		unit := byte(0)
		if r.rest != "" {
			unit, r.rest = r.rest[0], r.rest[1:]
		}
		done := false
		if date {
			done, date, p = r.datePart(start, unit, v, frac, any)
			any = any || date
		} else {
			done, p = r.timePart(start, unit, v, frac, any)
			any = true
		}
		if p != fine || done {
			return p
		}
		if !date && unit == 'T' {
			any = false
		}
	}
	return fine
}

// number reads digits with a sign and a fraction, maybe.
func (r *isoReader) number() (v int64, frac float64, p problem) {
	n := 0
	if n < len(r.rest) && r.rest[n] == '-' {
		n++
	}
	start := n
	for n < len(r.rest) && (isDigit(r.rest[n]) || r.rest[n] == '.') {
		n++
	}
	if n == start {
		return 0, 0, badFormat
	}
	f, err := strconv.ParseFloat(r.rest[:n], 64)
	if err != nil {
		return 0, 0, badFormat
	}
	if f < -1e15 || f > 1e15 {
		return 0, 0, overflow
	}
	r.rest = r.rest[n:]
	whole := math.Trunc(f)
	return int64(whole), f - whole, fine
}

// width is how many digits the number at the start of s has before its point.
func width(s string) (n int) {
	if s != "" && s[0] == '-' {
		s = s[1:]
	}
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

// datePart adds a number before T. date tells whether the next one is before T too.
func (r *isoReader) datePart(start string, unit byte, v int64, frac float64, any bool) (done, date bool, p problem) {
	switch unit {
	case 'Y':
		r.span.addYears(v, 1, frac)
	case 'M':
		r.span.addMonths(v, frac)
	case 'W':
		r.span.addDays(v, 7, frac)
	case 'D':
		r.span.addDays(v, 1, frac)
	case 'T', 0, '-':
		if unit != '-' && width(start) == 8 && !any {
			r.span.addYears(v/10000, 1, 0)
			r.span.addMonths(v/100%100, 0)
			r.span.addDays(v%100, 1, frac)
			return unit == 0, false, fine
		}
		if any {
			return false, false, badFormat
		}
		r.span.addYears(v, 1, frac)
		if unit != '-' {
			return unit == 0, false, fine
		}
		return r.extendedDate()
	default:
		return false, false, badFormat
	}
	return false, true, fine
}

// extendedDate reads months and days of P0001-02-03.
func (r *isoReader) extendedDate() (done, date bool, p problem) {
	for _, unit := range []datetime.Unit{datetime.Month, datetime.Day} {
		v, frac, p := r.number()
		if p != fine {
			return false, false, p
		}
		r.span.addUnit(unit, v, frac)
		switch {
		case r.rest == "":
			return true, false, fine
		case r.rest[0] == 'T':
			r.rest = r.rest[1:]
			return false, false, fine
		case unit == datetime.Day || r.rest[0] != '-':
			return false, false, badFormat
		}
		r.rest = r.rest[1:]
	}
	return false, false, badFormat
}

// timePart adds a number after T.
func (r *isoReader) timePart(start string, unit byte, v int64, frac float64, any bool) (done bool, p problem) {
	switch unit {
	case 'H':
		r.span.addUnit(datetime.Hour, v, frac)
	case 'M':
		r.span.addUnit(datetime.Minute, v, frac)
	case 'S':
		r.span.addUnit(datetime.Second, v, frac)
	case 0, ':':
		if unit == 0 && width(start) == 6 && !any {
			r.span.addUnit(datetime.Hour, v/10000, 0)
			r.span.addUnit(datetime.Minute, v/100%100, 0)
			r.span.addUnit(datetime.Second, v%100, 0)
			r.span.addFracMicros(frac, 1)
			return true, fine
		}
		if any {
			return false, badFormat
		}
		r.span.addUnit(datetime.Hour, v, frac)
		if unit == 0 {
			return true, fine
		}
		return true, r.extendedTime()
	default:
		return false, badFormat
	}
	return false, fine
}

// extendedTime reads minutes and seconds of T04:05:06.
func (r *isoReader) extendedTime() problem {
	for _, unit := range []datetime.Unit{datetime.Minute, datetime.Second} {
		v, frac, p := r.number()
		if p != fine {
			return p
		}
		r.span.addUnit(unit, v, frac)
		switch {
		case r.rest == "":
			return fine
		case unit == datetime.Second || r.rest[0] != ':':
			return badFormat
		}
		r.rest = r.rest[1:]
	}
	return badFormat
}
