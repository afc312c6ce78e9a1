package datetime

import (
	"math"
	"time"

	"github.com/weirstream/weir/internal/datum"
)

// AddInterval is t + v without a zone: months in the calendar, cut to the month's
// end, then days of 24 hours, then the rest.
func AddInterval(t datum.Timestamp, v datum.Interval) (datum.Timestamp, error) {
	return addInterval(t, v, time.UTC)
}

// AddIntervalTZ is t + v where months and days are added to what clocks in zone show.
func AddIntervalTZ(t datum.Timestamp, v datum.Interval, zone *time.Location) (datum.Timestamp, error) {
	return addInterval(t, v, zone)
}

// SubInterval is t - v, each part turned.
func SubInterval(t datum.Timestamp, v datum.Interval) (datum.Timestamp, error) {
	return addInterval(t, wrapNeg(v), time.UTC)
}

// SubIntervalTZ is SubInterval in zone.
func SubIntervalTZ(t datum.Timestamp, v datum.Interval, zone *time.Location) (datum.Timestamp, error) {
	return addInterval(t, wrapNeg(v), zone)
}

func wrapNeg(v datum.Interval) datum.Interval {
	return datum.Interval{Months: -v.Months, Days: -v.Days, Micros: -v.Micros}
}

func addInterval(t datum.Timestamp, v datum.Interval, zone *time.Location) (datum.Timestamp, error) {
	if t.IsInfinite() {
		return t, nil
	}
	if v.Months|v.Days == 0 {
		return plus(t, v.Micros)
	}
	var err error
	if v.Months != 0 {
		if t, err = addMonths(t, int(v.Months), zone); err != nil {
			return 0, err
		}
	}
	if v.Days != 0 {
		if t, err = addDays(t, int64(v.Days), zone); err != nil {
			return 0, err
		}
	}
	return plus(t, v.Micros)
}

func plus(t datum.Timestamp, micros int64) (datum.Timestamp, error) {
	r := t + datum.Timestamp(micros)
	if (micros > 0) != (r > t) && micros != 0 || !InRange(r) {
		return 0, errTimestampRange
	}
	return r, nil
}

func addMonths(t datum.Timestamp, months int, zone *time.Location) (datum.Timestamp, error) {
	f := Split(localUnchecked(t, zone))
	m := f.Month - 1 + months
	f.Year, f.Month = f.Year+floorDiv(m, 12), mod(m, 12)+1
	f.Day = min(f.Day, DaysIn(f.Year, f.Month))
	return f.in(zone)
}

func addDays(t datum.Timestamp, days int64, zone *time.Location) (datum.Timestamp, error) {
	day, clock := localUnchecked(t, zone).Split()
	return fromDay(int64(day)+days, int64(clock), zone)
}

// localUnchecked is ToLocal; it may lie a day outside the range of timestamps.
func localUnchecked(t datum.Timestamp, zone *time.Location) datum.Timestamp {
	east, _ := Offset(zone, t)
	return t + datum.Timestamp(east)*datum.Second
}

// in is when clocks in zone show f.
func (f *Fields) in(zone *time.Location) (datum.Timestamp, error) {
	return fromDay(int64(JulianDay(f.Year, f.Month, f.Day))-EpochJulian, f.clock(), zone)
}

// fromDay is when clocks in zone show a time on a day.
func fromDay(day, micros int64, zone *time.Location) (datum.Timestamp, error) {
	t, ok := joinDay(day, micros)
	if !ok {
		return 0, errTimestampRange
	}
	if zone != time.UTC {
		t -= datum.Timestamp(LocalOffset(t, zone)) * datum.Second
	}
	if !InRange(t) {
		return 0, errTimestampRange
	}
	return t, nil
}

// SubTimestamps is a - b in days and time.
func SubTimestamps(a, b datum.Timestamp) (datum.Interval, error) {
	if a.IsInfinite() || b.IsInfinite() {
		return datum.Interval{}, fault(datum.CodeDatetimeOverflow, "cannot subtract infinite timestamps")
	}
	// Both are in range, so that their difference may leave 64 bits only together.
	d := int64(a) - int64(b)
	if (a > b) != (d > 0) && a != b {
		return datum.Interval{}, errIntervalRange
	}
	return JustifyHours(datum.Interval{Micros: d})
}

// Age is a - b in years, months, days and time, as calendars count. For timestamps with
// time zone it takes their local times.
func Age(a, b datum.Timestamp) (datum.Interval, error) {
	if a.IsInfinite() || b.IsInfinite() {
		return datum.Interval{}, errTimestampRange
	}
	later, earlier := a, b
	if a < b {
		later, earlier = b, a
	}
	x, y := Split(later), Split(earlier)
	years, months, days := x.Year-y.Year, x.Month-y.Month, x.Day-y.Day
	micros := x.clock() - y.clock()
	if micros < 0 {
		micros += datum.Day
		days--
	}
	for days < 0 {
		// The days come from the month of b, in whichever direction.
		length := DaysIn(y.Year, y.Month)
		if a < b {
			f := Split(a)
			length = DaysIn(f.Year, f.Month)
		}
		days += length
		months--
	}
	v := datum.Interval{Months: int32(years*12 + months), Days: int32(days), Micros: micros}
	if a < b {
		v = wrapNeg(v)
	}
	return v, nil
}

// AgeTZ is Age of what clocks in zone show.
func AgeTZ(a, b datum.Timestamp, zone *time.Location) (datum.Interval, error) {
	if a.IsInfinite() || b.IsInfinite() {
		return datum.Interval{}, errTimestampRange
	}
	return Age(localUnchecked(a, zone), localUnchecked(b, zone))
}

// AddDays is d + days.
func AddDays(d datum.Date, days int32) (datum.Date, error) {
	if d.IsInfinite() {
		return d, nil
	}
	r := int64(d) + int64(days)
	if !DateInRange(r) {
		return 0, errDateRange
	}
	return datum.Date(r), nil
}

// SubDays is d - days.
func SubDays(d datum.Date, days int32) (datum.Date, error) {
	if days == math.MinInt32 {
		return 0, errDateRange
	}
	return AddDays(d, -days)
}

// SubDates is a - b in days.
func SubDates(a, b datum.Date) (int32, error) {
	if a.IsInfinite() || b.IsInfinite() {
		return 0, fault(datum.CodeDatetimeOverflow, "cannot subtract infinite dates")
	}
	return int32(a - b), nil
}

// AddTime is t + v within a day: months and days count for nothing.
func AddTime(t datum.Time, v datum.Interval) datum.Time {
	r := (int64(t) + v.Micros) % datum.Day
	if r < 0 {
		r += datum.Day
	}
	return datum.Time(r)
}

// SubTime is t - v within a day.
func SubTime(t datum.Time, v datum.Interval) datum.Time {
	r := (int64(t) - v.Micros) % datum.Day
	if r < 0 {
		r += datum.Day
	}
	return datum.Time(r)
}

// DateTime is d at t.
func DateTime(d datum.Date, t datum.Time) (datum.Timestamp, error) {
	ts, err := DateToTimestamp(d)
	if err != nil || ts.IsInfinite() {
		return ts, err
	}
	return plus(ts, int64(t))
}

// DateTimeTZ is when clocks in zone show d at t.
func DateTimeTZ(d datum.Date, t datum.Time, zone *time.Location) (datum.Timestamp, error) {
	ts, err := DateTime(d, t)
	if err != nil {
		return 0, err
	}
	return FromLocal(ts, zone)
}
