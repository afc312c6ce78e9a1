package datetime

import (
	"math"
	"time"

	"github.com/weirstream/weir/internal/datum"
)

// DateToTimestamp is d at midnight.
func DateToTimestamp(d datum.Date) (datum.Timestamp, error) {
	switch d {
	case datum.DateInfinity:
		return datum.TimestampInfinity, nil
	case datum.DateNegativeInfinity:
		return datum.TimestampNegativeInfinity, nil
	}
	if int64(d) >= int64(EndTimestamp)/datum.Day {
		return 0, fault(datum.CodeDatetimeOverflow, "date out of range for timestamp")
	}
	return datum.Timestamp(d) * datum.Day, nil
}

// DateToTimestampTZ is d at midnight in zone.
func DateToTimestampTZ(d datum.Date, zone *time.Location) (datum.Timestamp, error) {
	t, err := DateToTimestamp(d)
	if err != nil {
		return 0, err
	}
	return FromLocal(t, zone)
}

// TimestampToDate is the day of t.
func TimestampToDate(t datum.Timestamp) datum.Date {
	switch t {
	case datum.TimestampInfinity:
		return datum.DateInfinity
	case datum.TimestampNegativeInfinity:
		return datum.DateNegativeInfinity
	}
	d, _ := t.Split()
	return d
}

// TimestampTZToDate is the day in zone.
func TimestampTZToDate(t datum.Timestamp, zone *time.Location) datum.Date {
	if t.IsInfinite() {
		return TimestampToDate(t)
	}
	return TimestampToDate(localUnchecked(t, zone))
}

// TimestampToTime is the time of day; false (NULL) for infinities.
func TimestampToTime(t datum.Timestamp) (datum.Time, bool) {
	if t.IsInfinite() {
		return 0, false
	}
	_, clock := t.Split()
	return clock, true
}

// TimestampTZToTime is the time of day in zone; false (NULL) for infinities.
func TimestampTZToTime(t datum.Timestamp, zone *time.Location) (datum.Time, bool) {
	if t.IsInfinite() {
		return 0, false
	}
	return TimestampToTime(localUnchecked(t, zone))
}

// IntervalToTime is what is left of v's time when whole days are taken away.
func IntervalToTime(v datum.Interval) datum.Time {
	r := v.Micros % datum.Day
	if r < 0 {
		r += datum.Day
	}
	return datum.Time(r)
}

// TimeToInterval is t as a span.
func TimeToInterval(t datum.Time) datum.Interval { return datum.Interval{Micros: int64(t)} }

// FromUnix is to_timestamp(seconds since 1970).
func FromUnix(seconds float64) (datum.Timestamp, error) {
	switch {
	case seconds != seconds:
		return 0, fault(datum.CodeDatetimeOverflow, "timestamp cannot be NaN")
	case math.IsInf(seconds, 1):
		return datum.TimestampInfinity, nil
	case math.IsInf(seconds, -1):
		return datum.TimestampNegativeInfinity, nil
	}
	const day = 86400
	out := fault(datum.CodeDatetimeOverflow, "timestamp out of range: \"%g\"", seconds)
	if seconds < -day*UnixJulian || seconds >= float64(int64(EndTimestamp)/datum.Second)+day*(EpochJulian-UnixJulian) {
		return 0, out
	}
	t := math.RoundToEven((seconds - day*(EpochJulian-UnixJulian)) * datum.Second)
	if r := datum.Timestamp(t); InRange(r) {
		return r, nil
	}
	return 0, out
}

// micros has the units of the digits after the second's point.
var precisionUnit = [7]int64{1e6, 1e5, 1e4, 1e3, 1e2, 10, 1}

// RoundMicros rounds to precision digits of a second, ties away from zero: what the
// modifier of time(p), timestamp(p) and interval(p) does. It may overflow by half a unit.
func RoundMicros(micros int64, precision int32) int64 {
	if precision < 0 || precision >= 6 {
		return micros
	}
	unit := precisionUnit[precision]
	if micros < 0 {
		return -((-micros + unit/2) / unit * unit)
	}
	return (micros + unit/2) / unit * unit
}

// RoundTimestamp applies timestamp(p).
func RoundTimestamp(t datum.Timestamp, precision int32) datum.Timestamp {
	if t.IsInfinite() {
		return t
	}
	return datum.Timestamp(RoundMicros(int64(t), precision))
}
