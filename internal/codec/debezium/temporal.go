package debezium

import (
	"math"
	"math/big"
	"strconv"

	"github.com/weirstream/weir/internal/datum"
)

// What Debezium writes for timestamps that are no points in time.
const (
	timestampInfinity         = 9223372036825200000
	timestampNegativeInfinity = -9223372036832400000
)

func (w *writer) temporal(dst []byte, e *encoding, v []byte) ([]byte, error) {
	switch e.kind {
	case asDate:
		d, err := datum.ParseDate(v)
		if err == nil && d.IsInfinite() {
			return strconv.AppendInt(dst, int64(d), 10), nil
		}
		return strconv.AppendInt(dst, d.UnixDays(), 10), err
	case asTime:
		t, err := datum.ParseTime(v)
		if e.n <= 3 {
			return strconv.AppendInt(dst, int64(t)/1000, 10), err
		}
		return strconv.AppendInt(dst, int64(t), 10), err
	case asTimeTZ:
		t, err := datum.ParseTimeTZ(v)
		return appendZonedTime(dst, t), err
	case asTimestamp:
		t, err := datum.ParseTimestamp(v)
		return appendTimestamp(dst, t, e.n <= 3), err
	case asTimestampTZ:
		t, err := datum.ParseTimestampTZ(v)
		return appendZonedTimestamp(dst, t, e.n), err
	case asDuration:
		i, err := datum.ParseInterval(v)
		return appendDuration(dst, i), err
	default:
		i, err := datum.ParseInterval(v)
		return appendDurationText(dst, i), err
	}
}

// appendTimestamp appends microseconds, or milliseconds, since 1970.
func appendTimestamp(dst []byte, t datum.Timestamp, millis bool) []byte {
	switch {
	case t == datum.TimestampInfinity:
		return strconv.AppendInt(dst, timestampInfinity, 10)
	case t == datum.TimestampNegativeInfinity:
		return strconv.AppendInt(dst, timestampNegativeInfinity, 10)
	}
	us, ok := t.UnixMicros()
	switch {
	case !ok: // only late ones overflow, and those fit without a sign
		late := uint64(t) + datum.EpochMicros
		if millis {
			late /= 1000
		}
		return strconv.AppendUint(dst, late, 10)
	case millis: // exact: the type has no finer ones
		return strconv.AppendInt(dst, us/1000, 10)
	}
	return strconv.AppendInt(dst, us, 10)
}

// appendZonedTime appends a time of day in UTC, without trailing zeros.
func appendZonedTime(dst []byte, t datum.TimeTZ) []byte {
	utc := (int64(t.Time) - int64(t.East)*datum.Second) % datum.Day
	if utc < 0 {
		utc += datum.Day
	}
	dst = datum.AppendTime(append(dst, '"'), datum.Time(utc))
	return append(dst, 'Z', '"')
}

// appendZonedTimestamp appends ISO 8601 in UTC with a fraction of so many digits.
// Years beyond 9999 have a sign, years before Christ are counted from 1 BC = 0.
func appendZonedTimestamp(dst []byte, t datum.Timestamp, digits int) []byte {
	switch t {
	case datum.TimestampInfinity:
		return append(dst, `"infinity"`...)
	case datum.TimestampNegativeInfinity:
		return append(dst, `"-infinity"`...)
	}
	day, clock := t.Split()
	year, month, dom := day.Civil()
	dst = append(dst, '"')
	switch {
	case year < 0:
		dst, year = append(dst, '-'), -year
	case year > 9999:
		dst = append(dst, '+')
	}
	dst = datum.AppendPadded(dst, uint64(year), 4)
	dst = datum.AppendPadded(append(dst, '-'), uint64(month), 2)
	dst = datum.AppendPadded(append(dst, '-'), uint64(dom), 2)
	seconds := datum.Time(int64(clock) / datum.Second * datum.Second)
	dst = datum.AppendTime(append(dst, 'T'), seconds)
	if digits > 0 {
		frac := uint64(clock % datum.Second)
		for range 6 - digits {
			frac /= 10
		}
		dst = datum.AppendPadded(append(dst, '.'), frac, digits)
	}
	return append(dst, 'Z', '"')
}

// monthMicros is an average month: 30.4375 days.
const monthMicros = 304375 * datum.Day / 10000

// appendDuration appends an interval in microseconds.
func appendDuration(dst []byte, v datum.Interval) []byte {
	switch v {
	case datum.IntervalInfinity:
		return strconv.AppendInt(dst, math.MaxInt64, 10)
	case datum.IntervalNegativeInfinity:
		return strconv.AppendInt(dst, math.MinInt64, 10)
	}
	const months, days, micros = 1 << 60 / monthMicros, 1 << 60 / datum.Day, 1 << 60 // three of these cannot overflow
	if within(int64(v.Months), months) && within(int64(v.Days), days) && within(v.Micros, micros) {
		return strconv.AppendInt(dst, int64(v.Months)*monthMicros+int64(v.Days)*datum.Day+v.Micros, 10)
	}
	sum := new(big.Int).Mul(big.NewInt(int64(v.Months)), big.NewInt(monthMicros))
	sum.Add(sum, new(big.Int).Mul(big.NewInt(int64(v.Days)), big.NewInt(datum.Day)))
	return sum.Add(sum, big.NewInt(v.Micros)).Append(dst, 10)
}

func within(v, bound int64) bool { return -bound <= v && v <= bound }

// appendDurationText appends an interval as ISO 8601 writes durations, all parts
// always there, each with its own sign.
func appendDurationText(dst []byte, v datum.Interval) []byte {
	switch v {
	case datum.IntervalInfinity:
		return append(dst, `"infinity"`...)
	case datum.IntervalNegativeInfinity:
		return append(dst, `"-infinity"`...)
	}
	part := func(n int64, unit string) {
		dst = strconv.AppendInt(dst, n, 10)
		dst = append(dst, unit...)
	}
	dst = append(dst, '"', 'P')
	part(int64(v.Months/12), "Y")
	part(int64(v.Months%12), "M")
	part(int64(v.Days), "DT")
	part(v.Micros/datum.Hour, "H")
	part(v.Micros/datum.Minute%60, "M")
	seconds, frac := v.Micros/datum.Second%60, v.Micros%datum.Second
	if frac < 0 {
		frac = -frac
		if seconds == 0 {
			dst = append(dst, '-')
		}
	}
	part(seconds, "")
	if frac != 0 {
		dst = datum.AppendPadded(append(dst, '.'), uint64(frac), 6)
		for dst[len(dst)-1] == '0' {
			dst = dst[:len(dst)-1]
		}
	}
	return append(dst, 'S', '"')
}
