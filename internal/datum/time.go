package datum

import "math"

// Time is a time of day: microseconds since midnight, up to and including 24:00:00.
type Time int64

// Units of a Time, a Timestamp and an Interval.
const (
	Second = 1_000_000
	Minute = 60 * Second
	Hour   = 60 * Minute
	Day    = 24 * Hour
)

// TimeTZ is a time of day at a fixed distance from UTC.
type TimeTZ struct {
	Time Time
	East int32 // seconds east of UTC
}

// Timestamp is a point in time, with or without zone: microseconds since
// 2000-01-01 00:00:00 (UTC, when with zone). PostgreSQL's own epoch is kept
// because its latest timestamps, of the years 294247 to 294276, do not fit 64 bits
// of microseconds since 1970.
type Timestamp int64

// The two timestamps that are no points in time.
const (
	TimestampInfinity         Timestamp = math.MaxInt64
	TimestampNegativeInfinity Timestamp = math.MinInt64
)

// EpochMicros is 2000-01-01 00:00:00 in microseconds since 1970-01-01.
const EpochMicros = epochDays * Day

// IsInfinite tells the infinities from points in time.
func (t Timestamp) IsInfinite() bool {
	return t == TimestampInfinity || t == TimestampNegativeInfinity
}

// UnixMicros is t in microseconds since 1970-01-01; false when that overflows
// (see Timestamp) or t is infinite.
func (t Timestamp) UnixMicros() (int64, bool) {
	if t.IsInfinite() || t > math.MaxInt64-EpochMicros {
		return 0, false
	}
	return int64(t) + EpochMicros, true
}

// Split gives the day and the time of day.
func (t Timestamp) Split() (Date, Time) {
	day := floorDiv(int64(t), Day)
	return Date(day), Time(int64(t) - day*Day)
}

// ParseTime reads 12:34:56.789012 or 24:00:00.
func ParseTime(b []byte) (Time, error) {
	v, n, ok := scanTime(b)
	if !ok || n != len(b) {
		return 0, bad("time", b)
	}
	return Time(v), nil
}

// ParseTimeTZ reads 12:34:56.789012+05:30.
func ParseTimeTZ(b []byte) (TimeTZ, error) {
	v, n, ok := scanTime(b)
	if !ok {
		return TimeTZ{}, bad("time with time zone", b)
	}
	east, m, ok := scanZone(b[n:])
	if !ok || n+m != len(b) {
		return TimeTZ{}, bad("time with time zone", b)
	}
	return TimeTZ{Time(v), int32(east)}, nil
}

// ParseTimestamp reads 2024-02-29 12:34:56.789012, with BC behind for years before
// Christ, infinity or -infinity.
func ParseTimestamp(b []byte) (Timestamp, error) {
	t, ok := parseTimestamp(b, false)
	if !ok {
		return 0, bad("timestamp", b)
	}
	return t, nil
}

// ParseTimestampTZ is ParseTimestamp for values with a zone: 2024-02-29 12:34:56+00.
func ParseTimestampTZ(b []byte) (Timestamp, error) {
	t, ok := parseTimestamp(b, true)
	if !ok {
		return 0, bad("timestamp with time zone", b)
	}
	return t, nil
}

func parseTimestamp(b []byte, zoned bool) (Timestamp, bool) {
	switch string(b) {
	case "infinity":
		return TimestampInfinity, true
	case "-infinity":
		return TimestampNegativeInfinity, true
	}
	text, bc := cutBC(b)
	days, n, ok := scanDate(text, bc)
	if !ok || n == len(text) || text[n] != ' ' {
		return 0, false
	}
	n++
	clock, m, ok := scanTime(text[n:])
	if !ok {
		return 0, false
	}
	n += m
	if zoned {
		east, m, ok := scanZone(text[n:])
		if !ok {
			return 0, false
		}
		n += m
		clock -= east * Second
	}
	// Beyond 300 centuries either way lies outside the type, and would overflow.
	if days -= epochDays; n != len(text) || days < -110_000_000 || days > 106_751_991 {
		return 0, false
	}
	v := days * Day
	if clock > 0 && v > math.MaxInt64-1-clock {
		return 0, false
	}
	return Timestamp(v + clock), true
}

// scanTime reads HH:MM:SS with up to six digits of fraction at the start of b.
func scanTime(b []byte) (micros int64, n int, ok bool) {
	if len(b) < 8 || b[2] != ':' || b[5] != ':' {
		return 0, 0, false
	}
	h, ok1 := twoDigits(b[0], b[1])
	m, ok2 := twoDigits(b[3], b[4])
	s, ok3 := twoDigits(b[6], b[7])
	if !ok1 || !ok2 || !ok3 || m > 59 || s > 59 {
		return 0, 0, false
	}
	frac, n, ok := scanFraction(b[8:])
	micros = h*Hour + m*Minute + s*Second + frac
	return micros, 8 + n, ok && micros <= Day
}

// scanFraction reads .d to .dddddd as microseconds; nothing is zero.
func scanFraction(b []byte) (micros int64, n int, ok bool) {
	if len(b) == 0 || b[0] != '.' {
		return 0, 0, true
	}
	scale := int64(100_000)
	for n = 1; n < len(b) && n <= 6 && b[n]-'0' <= 9; n++ {
		micros += int64(b[n]-'0') * scale
		scale /= 10
	}
	return micros, n, n > 1
}

// scanZone reads ±HH, ±HH:MM or ±HH:MM:SS at the start of b, as seconds east.
func scanZone(b []byte) (east int64, n int, ok bool) {
	if len(b) < 3 || b[0] != '+' && b[0] != '-' {
		return 0, 0, false
	}
	neg, unit := b[0] == '-', int64(3600)
	for n = 0; unit > 0 && len(b) >= n+3 && (n == 0 || b[n] == ':'); n += 3 {
		v, ok := twoDigits(b[n+1], b[n+2])
		if !ok || n > 0 && v > 59 {
			return 0, 0, false
		}
		east += v * unit
		unit /= 60
	}
	if neg {
		east = -east
	}
	return east, n, true
}

// AppendTime appends what PostgreSQL prints: the fraction without trailing zeros.
func AppendTime(dst []byte, t Time) []byte { return appendClock(dst, uint64(t)) }

// AppendTimeTZ appends what PostgreSQL prints.
func AppendTimeTZ(dst []byte, t TimeTZ) []byte {
	dst = appendClock(dst, uint64(t.Time))
	east := int64(t.East)
	if east < 0 {
		dst, east = append(dst, '-'), -east
	} else {
		dst = append(dst, '+')
	}
	dst = AppendPadded(dst, uint64(east/3600), 2)
	if m, s := east/60%60, east%60; m != 0 || s != 0 {
		dst = AppendPadded(append(dst, ':'), uint64(m), 2)
		if s != 0 {
			dst = AppendPadded(append(dst, ':'), uint64(s), 2)
		}
	}
	return dst
}

// AppendTimestamp appends what PostgreSQL prints with DateStyle ISO.
func AppendTimestamp(dst []byte, t Timestamp) []byte { return appendTimestamp(dst, t, "") }

// AppendTimestampTZ appends what PostgreSQL prints with DateStyle ISO in UTC.
func AppendTimestampTZ(dst []byte, t Timestamp) []byte { return appendTimestamp(dst, t, "+00") }

func appendTimestamp(dst []byte, t Timestamp, zone string) []byte {
	if t.IsInfinite() {
		if t < 0 {
			dst = append(dst, '-')
		}
		return append(dst, "infinity"...)
	}
	day, clock := t.Split()
	dst, bc := appendCivil(dst, day.UnixDays())
	dst = appendClock(append(dst, ' '), uint64(clock))
	dst = append(dst, zone...)
	if bc {
		dst = append(dst, " BC"...)
	}
	return dst
}

// appendClock appends HH:MM:SS[.ffffff]; hours may have more than two digits.
func appendClock(dst []byte, micros uint64) []byte {
	dst = AppendPadded(dst, micros/Hour, 2)
	dst = AppendPadded(append(dst, ':'), micros/Minute%60, 2)
	dst = AppendPadded(append(dst, ':'), micros/Second%60, 2)
	frac := micros % Second
	if frac == 0 {
		return dst
	}
	dst = AppendPadded(append(dst, '.'), frac, 6)
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}
