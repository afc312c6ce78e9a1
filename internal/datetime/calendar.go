package datetime

import (
	"github.com/weirstream/weir/internal/datum"
)

// The bounds of timestamps (the upper one exclusive) and dates.
const (
	MinTimestamp datum.Timestamp = -211813488000000000 // 4714-11-24 BC
	EndTimestamp datum.Timestamp = 9223371331200000000 // 294277-01-01
	minDate      int64           = -2451545
	endDate      int64           = 2147483494 - 2451545 // 5874898-01-01
)

// EpochJulian is the Julian day of 2000-01-01; UnixJulian of 1970-01-01.
const (
	EpochJulian = 2451545
	UnixJulian  = 2440588
)

// Fields is a timestamp in the calendar. Year 0 is 1 BC.
type Fields struct {
	Year, Month, Day     int
	Hour, Minute, Second int
	Micro                int
}

// JulianDay numbers the days of the Gregorian calendar. Days beyond the month run on;
// months are 1 to 12.
func JulianDay(year, month, day int) int {
	if month > 2 {
		month++
		year += 4800
	} else {
		month += 13
		year += 4799
	}
	century := floorDiv(year, 100)
	j := year*365 - 32167
	j += floorDiv(year, 4) - century + floorDiv(century, 4)
	return j + 7834*month/256 + day
}

// Civil is the inverse of JulianDay.
func Civil(julian int) (year, month, day int) {
	return datum.Date(julian - EpochJulian).Civil()
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func mod(a, b int) int { return a - floorDiv(a, b)*b }

// IsLeap tells leap years.
func IsLeap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

// DaysIn is the length of a month, 1 to 12.
func DaysIn(year, month int) int {
	switch month {
	case 2:
		if IsLeap(year) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// Split gives the fields of a finite t.
func Split(t datum.Timestamp) Fields {
	d, clock := t.Split()
	var f Fields
	f.Year, f.Month, f.Day = d.Civil()
	f.setClock(int64(clock))
	return f
}

func (f *Fields) setClock(micros int64) {
	f.Hour = int(micros / datum.Hour)
	f.Minute = int(micros / datum.Minute % 60)
	f.Second = int(micros / datum.Second % 60)
	f.Micro = int(micros % datum.Second)
}

// clock is the time of day in microseconds.
func (f *Fields) clock() int64 {
	return int64(f.Hour)*datum.Hour + int64(f.Minute)*datum.Minute + int64(f.Second)*datum.Second + int64(f.Micro)
}

// Join is the inverse of Split; false when it is out of range.
func (f *Fields) Join() (datum.Timestamp, bool) {
	t, ok := joinDay(int64(JulianDay(f.Year, f.Month, f.Day))-EpochJulian, f.clock())
	return t, ok && InRange(t)
}

// joinDay is day and time of day as a timestamp, which may be out of range by a day.
func joinDay(day, micros int64) (datum.Timestamp, bool) {
	if day < minDate-1 || day > int64(EndTimestamp/datum.Day) {
		return 0, false
	}
	hi := day * datum.Day
	if hi > int64(EndTimestamp) && micros > 0 {
		return 0, false
	}
	return datum.Timestamp(hi + micros), true
}

// InRange tells whether t is a timestamp of PostgreSQL; infinities are not.
func InRange(t datum.Timestamp) bool { return t >= MinTimestamp && t < EndTimestamp }

// DateInRange tells whether days since 2000-01-01 is a date of PostgreSQL.
func DateInRange(days int64) bool { return days >= minDate && days < endDate }
