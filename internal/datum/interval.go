package datum

import (
	"bytes"
	"math"
	"strconv"
)

// Interval is a span of time. Its three parts are kept apart: a month has no
// fixed number of days, a day no fixed number of hours.
type Interval struct {
	Months int32
	Days   int32
	Micros int64
}

// The infinite intervals of PostgreSQL 17.
var (
	IntervalInfinity         = Interval{math.MaxInt32, math.MaxInt32, math.MaxInt64}
	IntervalNegativeInfinity = Interval{math.MinInt32, math.MinInt32, math.MinInt64}
)

// ParseInterval reads the form of IntervalStyle postgres: 1 year 2 mons -3 days
// +04:05:06.78. Every part has a sign of its own.
func ParseInterval(b []byte) (Interval, error) {
	switch string(b) {
	case "infinity":
		return IntervalInfinity, nil
	case "-infinity":
		return IntervalNegativeInfinity, nil
	case "":
		return Interval{}, bad("interval", b)
	}
	var months, days, micros int64
	ok := true
	for rest := b; ok && len(rest) > 0; {
		var word, unit []byte
		word, rest = cutWord(rest)
		if bytes.IndexByte(word, ':') >= 0 {
			micros, ok = parseClock(word)
			ok = ok && len(rest) == 0
			break
		}
		unit, rest = cutWord(rest)
		v, isInt := parseInt(word)
		ok = isInt && v >= math.MinInt32 && v <= math.MaxInt32
		switch string(unit) {
		case "year", "years":
			months += v * 12
		case "mon", "mons":
			months += v
		case "day", "days":
			days += v
		default:
			ok = false
		}
	}
	if !ok || months != int64(int32(months)) || days != int64(int32(days)) {
		return Interval{}, bad("interval", b)
	}
	return Interval{int32(months), int32(days), micros}, nil
}

func cutWord(b []byte) (word, rest []byte) {
	if i := bytes.IndexByte(b, ' '); i >= 0 {
		return b[:i], b[i+1:]
	}
	return b, nil
}

// parseClock reads [+-]H…:MM:SS[.ffffff]; the sign is of the whole.
func parseClock(b []byte) (int64, bool) {
	rest, neg := cutSign(b)
	colon := bytes.IndexByte(rest, ':')
	h, ok := parseUint(rest[:max(colon, 0)])
	tail := rest[max(colon, 0):]
	if !ok || len(tail) < 6 || tail[3] != ':' || h > math.MaxInt64/Hour {
		return 0, false
	}
	m, ok1 := twoDigits(tail[1], tail[2])
	s, ok2 := twoDigits(tail[4], tail[5])
	frac, n, ok3 := scanFraction(tail[6:])
	if !ok1 || !ok2 || !ok3 || m > 59 || s > 59 || n != len(tail)-6 {
		return 0, false
	}
	v := h*Hour + uint64(m*Minute+s*Second+frac)
	switch {
	case neg && v <= 1<<63:
		return int64(-v), true
	case !neg && v <= math.MaxInt64:
		return int64(v), true
	}
	return 0, false
}

// AppendInterval appends what PostgreSQL prints with IntervalStyle postgres.
func AppendInterval(dst []byte, v Interval) []byte {
	switch v {
	case IntervalInfinity:
		return append(dst, "infinity"...)
	case IntervalNegativeInfinity:
		return append(dst, "-infinity"...)
	}
	p := intervalPrinter{dst: dst}
	p.part(int64(v.Months/12), "year")
	p.part(int64(v.Months%12), "mon")
	p.part(int64(v.Days), "day")
	if p.any && v.Micros == 0 {
		return p.dst
	}
	micros := uint64(v.Micros)
	if p.any {
		p.dst = append(p.dst, ' ')
	}
	if v.Micros < 0 {
		p.dst, micros = append(p.dst, '-'), -micros
	} else if p.negative {
		p.dst = append(p.dst, '+')
	}
	return appendClock(p.dst, micros)
}

// intervalPrinter remembers whether the part before was negative: then a positive
// one gets a plus sign.
type intervalPrinter struct {
	dst           []byte
	any, negative bool
}

func (p *intervalPrinter) part(v int64, unit string) {
	if v == 0 {
		return
	}
	if p.any {
		p.dst = append(p.dst, ' ')
	}
	if p.negative && v > 0 {
		p.dst = append(p.dst, '+')
	}
	p.dst = strconv.AppendInt(p.dst, v, 10)
	p.dst = append(append(p.dst, ' '), unit...)
	if v != 1 {
		p.dst = append(p.dst, 's')
	}
	p.any, p.negative = true, v < 0
}
