package datetime

import (
	"fmt"
	"math"
	"time"

	"github.com/weirstream/weir/internal/datum"
)

// MakeDate is make_date; a negative year is before Christ.
func MakeDate(year, month, day int) (datum.Date, error) {
	d, ok := checkedDay(year, month, day)
	if !ok {
		return 0, fault(datum.CodeDatetimeOverflow, "date field value out of range: %d-%02d-%02d", astronomical(year), month, day)
	}
	if !DateInRange(d) {
		return 0, fault(datum.CodeDatetimeOverflow, "date out of range: %d-%02d-%02d", year, month, day)
	}
	return datum.Date(d), nil
}

// checkedDay is a day of the calendar since 2000-01-01; false when there is no such day.
func checkedDay(year, month, day int) (int64, bool) {
	if year == 0 {
		return 0, false
	}
	year = astronomical(year)
	if month < 1 || month > 12 || day < 1 || day > 31 || year > 6_000_000 || year < -6_000_000 || day > DaysIn(year, month) {
		return 0, false
	}
	return int64(JulianDay(year, month, day)) - EpochJulian, true
}

// astronomical counts 1 BC, -1, as year 0.
func astronomical(year int) int {
	if year < 0 {
		return year + 1
	}
	return year
}

// MakeTime is make_time; 24:00:00 is the latest.
func MakeTime(hour, minute int, sec float64) (datum.Time, error) {
	t, ok := checkedClock(hour, minute, sec)
	if !ok {
		return 0, fault(datum.CodeDatetimeOverflow, "time field value out of range: %d:%02d:%s", hour, minute, secondText(sec))
	}
	return datum.Time(t), nil
}

func checkedClock(hour, minute int, sec float64) (int64, bool) {
	if hour < 0 || hour > 24 || minute < 0 || minute > 59 || !(sec >= 0) || sec > 60 {
		return 0, false
	}
	t := int64(hour)*datum.Hour + int64(minute)*datum.Minute + int64(math.RoundToEven(sec*datum.Second))
	return t, t <= datum.Day
}

// secondText is C's %02g.
func secondText(sec float64) string { return fmt.Sprintf("%02s", shortG(sec)) }

func shortG(v float64) string {
	s := fmt.Sprintf("%.6g", v)
	switch {
	case v != v:
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	}
	return s
}

// MakeTimestamp is make_timestamp.
func MakeTimestamp(year, month, day, hour, minute int, sec float64) (datum.Timestamp, error) {
	d, ok := checkedDay(year, month, day)
	if !ok {
		return 0, fault(datum.CodeDatetimeOverflow, "date field value out of range: %d-%02d-%02d", astronomical(year), month, day)
	}
	clock, clockOK := checkedClock(hour, minute, sec)
	if t, ok := joinDay(d, clock); ok && clockOK && InRange(t) {
		return t, nil
	}
	if !clockOK {
		return 0, fault(datum.CodeDatetimeOverflow, "time field value out of range: %d:%02d:%s", hour, minute, secondText(sec))
	}
	return 0, fault(datum.CodeDatetimeOverflow, "timestamp out of range: %d-%02d-%02d %d:%02d:%s",
		year, month, day, hour, minute, secondText(sec))
}

// MakeTimestampTZ is make_timestamptz of what clocks in zone show.
func MakeTimestampTZ(year, month, day, hour, minute int, sec float64, zone *time.Location) (datum.Timestamp, error) {
	t, err := MakeTimestamp(year, month, day, hour, minute, sec)
	if err != nil {
		return 0, err
	}
	return FromLocal(t, zone)
}

// MakeInterval is make_interval.
func MakeInterval(years, months, weeks, days, hours, minutes int32, secs float64) (datum.Interval, error) {
	if math.IsInf(secs, 0) || secs != secs {
		return datum.Interval{}, errIntervalRange
	}
	micros := math.RoundToEven(secs * datum.Second)
	clock := int64(hours)*datum.Hour + int64(minutes)*datum.Minute
	if math.Abs(micros) >= 9e18-math.Abs(float64(clock)) {
		return datum.Interval{}, errIntervalRange
	}
	return parts(int64(years)*12+int64(months), int64(weeks)*7+int64(days), clock, int64(micros))
}
