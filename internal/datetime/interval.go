package datetime

import (
	"math"

	"github.com/weirstream/weir/internal/datum"
)

// AddIntervals is a + b, part by part.
func AddIntervals(a, b datum.Interval) (datum.Interval, error) {
	return parts(int64(a.Months)+int64(b.Months), int64(a.Days)+int64(b.Days), a.Micros, b.Micros)
}

// SubIntervals is a - b, part by part.
func SubIntervals(a, b datum.Interval) (datum.Interval, error) {
	if b.Micros == math.MinInt64 {
		if a.Micros >= 0 {
			return datum.Interval{}, errIntervalRange
		}
		return parts(int64(a.Months)-int64(b.Months), int64(a.Days)-int64(b.Days), a.Micros-b.Micros, 0)
	}
	return parts(int64(a.Months)-int64(b.Months), int64(a.Days)-int64(b.Days), a.Micros, -b.Micros)
}

// NegInterval is -v.
func NegInterval(v datum.Interval) (datum.Interval, error) {
	return SubIntervals(datum.Interval{}, v)
}

func parts(months, days, m1, m2 int64) (datum.Interval, error) {
	micros := m1 + m2
	if months != int64(int32(months)) || days != int64(int32(days)) || (m1 < 0) == (m2 < 0) && (micros < 0) != (m1 < 0) {
		return datum.Interval{}, errIntervalRange
	}
	return datum.Interval{Months: int32(months), Days: int32(days), Micros: micros}, nil
}

const (
	secondsPerDay = 86400.0
	daysPerMonth  = 30.0
)

// MulInterval is v × f. Fractions of months become days, of days time.
func MulInterval(v datum.Interval, f float64) (datum.Interval, error) {
	return scaleInterval(v, func(x float64) float64 { return x * f })
}

// DivInterval is v / f.
func DivInterval(v datum.Interval, f float64) (datum.Interval, error) {
	if f == 0 {
		return datum.Interval{}, errDivideZero
	}
	return scaleInterval(v, func(x float64) float64 { return x / f })
}

func scaleInterval(v datum.Interval, scale func(float64) float64) (datum.Interval, error) {
	months, days := scale(float64(v.Months)), scale(float64(v.Days))
	if !fits32(months) || !fits32(days) {
		return datum.Interval{}, errIntervalRange
	}
	wholeMonths, wholeDays := math.Trunc(months), math.Trunc(days)
	monthDays := toMicros((months - wholeMonths) * daysPerMonth)
	seconds := toMicros((days - wholeDays + monthDays - math.Trunc(monthDays)) * secondsPerDay)
	day := int64(wholeDays)
	if math.Abs(seconds) >= secondsPerDay {
		over := math.Trunc(seconds / secondsPerDay)
		day += int64(over)
		seconds -= over * secondsPerDay
	}
	day += int64(monthDays)
	micros := math.RoundToEven(scale(float64(v.Micros)) + float64(seconds*datum.Second))
	if !(micros >= math.MinInt64 && micros < -math.MinInt64) || day != int64(int32(day)) {
		return datum.Interval{}, errIntervalRange
	}
	return datum.Interval{Months: int32(wholeMonths), Days: int32(day), Micros: int64(micros)}, nil
}

// toMicros rounds to six digits after the point.
func toMicros(x float64) float64 { return math.RoundToEven(x*datum.Second) / datum.Second }

func fits32(x float64) bool { return x >= math.MinInt32 && x <= math.MaxInt32 }

// JustifyHours makes days of each 24 hours.
func JustifyHours(v datum.Interval) (datum.Interval, error) {
	days := int64(v.Days) + v.Micros/datum.Day
	v.Micros %= datum.Day
	switch {
	case days > 0 && v.Micros < 0:
		v.Micros, days = v.Micros+datum.Day, days-1
	case days < 0 && v.Micros > 0:
		v.Micros, days = v.Micros-datum.Day, days+1
	}
	if days != int64(int32(days)) {
		return datum.Interval{}, errIntervalRange
	}
	v.Days = int32(days)
	return v, nil
}

// JustifyDays makes months of each 30 days.
func JustifyDays(v datum.Interval) (datum.Interval, error) {
	months := int64(v.Months) + int64(v.Days)/30
	v.Days %= 30
	switch {
	case months > 0 && v.Days < 0:
		v.Days, months = v.Days+30, months-1
	case months < 0 && v.Days > 0:
		v.Days, months = v.Days-30, months+1
	}
	if months != int64(int32(months)) {
		return datum.Interval{}, errIntervalRange
	}
	v.Months = int32(months)
	return v, nil
}

// JustifyInterval does both, and gives all parts one sign.
func JustifyInterval(v datum.Interval) (datum.Interval, error) {
	days := int64(v.Days) + v.Micros/datum.Day
	micros := v.Micros % datum.Day
	months := int64(v.Months) + days/30
	days %= 30
	switch {
	case months > 0 && (days < 0 || days == 0 && micros < 0):
		days, months = days+30, months-1
	case months < 0 && (days > 0 || days == 0 && micros > 0):
		days, months = days-30, months+1
	}
	switch {
	case days > 0 && micros < 0:
		micros, days = micros+datum.Day, days-1
	case days < 0 && micros > 0:
		micros, days = micros-datum.Day, days+1
	}
	if months != int64(int32(months)) {
		return datum.Interval{}, errIntervalRange
	}
	return datum.Interval{Months: int32(months), Days: int32(days), Micros: micros}, nil
}

// CompareIntervals is -1, 0 or 1; a month counts as 30 days, a day as 24 hours.
func CompareIntervals(a, b datum.Interval) int {
	d1, m1 := span(a)
	d2, m2 := span(b)
	switch {
	case d1 < d2 || d1 == d2 && m1 < m2:
		return -1
	case d1 == d2 && m1 == m2:
		return 0
	}
	return 1
}

func span(v datum.Interval) (days, micros int64) {
	days, micros = v.Micros/datum.Day, v.Micros%datum.Day
	if micros < 0 {
		days, micros = days-1, micros+datum.Day
	}
	return days + 30*int64(v.Months) + int64(v.Days), micros
}
