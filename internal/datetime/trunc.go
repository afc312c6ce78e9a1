package datetime

import (
	"time"

	"github.com/weirstream/weir/internal/datum"
)

// Trunc is date_trunc of a timestamp.
func (f Field) Trunc(t datum.Timestamp) (datum.Timestamp, error) {
	if t.IsInfinite() {
		return t, nil
	}
	if r, ok := f.quick(t); ok {
		return r, nil
	}
	x := Split(t)
	if !f.cut(&x) {
		return 0, f.bad("timestamp without time zone")
	}
	return x.in(time.UTC)
}

// TruncTZ is date_trunc of a timestamp with time zone: what clocks in zone show is cut
// off. The result of units of a day and more is midnight there, by the offset it has then.
func (f Field) TruncTZ(t datum.Timestamp, zone *time.Location) (datum.Timestamp, error) {
	if t.IsInfinite() {
		return t, nil
	}
	east, _ := Offset(zone, t)
	local := t + datum.Timestamp(east)*datum.Second
	x := Split(local)
	if !f.cut(&x) {
		return 0, f.bad("timestamp with time zone")
	}
	if f.Unit >= Day {
		return x.in(zone)
	}
	r, ok := joinDay(int64(JulianDay(x.Year, x.Month, x.Day))-EpochJulian, x.clock())
	if r -= datum.Timestamp(east) * datum.Second; !ok || !InRange(r) {
		return 0, errTimestampRange
	}
	return r, nil
}

// quick cuts units of fixed length off without the calendar.
func (f Field) quick(t datum.Timestamp) (datum.Timestamp, bool) {
	var unit datum.Timestamp
	switch f.Unit {
	case Microsecond:
		return t, true
	case Millisecond:
		unit = 1000
	case Second:
		unit = datum.Second
	case Minute:
		unit = datum.Minute
	case Hour:
		unit = datum.Hour
	case Day:
		unit = datum.Day
	default:
		return 0, false
	}
	r := t % unit
	if r < 0 {
		r += unit
	}
	return t - r, true
}

// cut sets everything below the unit to its least; false for what is no such unit.
func (f Field) cut(x *Fields) bool {
	switch f.Unit {
	case Microsecond:
		return true
	case Millisecond:
		x.Micro -= x.Micro % 1000
		return true
	case Second, Minute, Hour, Day, Week, Month, Quarter, Year, Decade, Century, Millennium:
	default:
		return false
	}
	f.cutClock(x)
	switch f.Unit {
	case Week:
		j := JulianDay(x.Year, x.Month, x.Day)
		x.Year, x.Month, x.Day = Civil(j - mod(j, 7)) // Julian day 0 was a Monday
	case Month:
		x.Day = 1
	case Quarter:
		x.Month, x.Day = (x.Month-1)/3*3+1, 1
	case Year, Decade, Century, Millennium:
		x.Year, x.Month, x.Day = f.cutYear(x.Year), 1, 1
	}
	return true
}

func (f Field) cutClock(x *Fields) {
	x.Micro = 0
	if f.Unit > Second {
		x.Second = 0
	}
	if f.Unit > Minute {
		x.Minute = 0
	}
	if f.Unit > Hour {
		x.Hour = 0
	}
}

// cutYear gives the first year: of the decade 202x 2020, of the 21st century 2001.
// Before year 1 they count backwards from there.
func (f Field) cutYear(y int) int {
	switch f.Unit {
	case Decade:
		if y > 0 {
			return y / 10 * 10
		}
		return -((8 - (y - 1)) / 10) * 10
	case Century:
		return firstOf(y, 100)
	case Millennium:
		return firstOf(y, 1000)
	}
	return y
}

func firstOf(y, n int) int {
	if y > 0 {
		return (y+n-1)/n*n - (n - 1)
	}
	return -((n-1-(y-1))/n)*n + 1
}

// TruncInterval is date_trunc of an interval.
func (f Field) TruncInterval(v datum.Interval) (datum.Interval, error) {
	years := int32(0)
	switch f.Unit {
	case Millennium:
		years = 1000
	case Century:
		years = 100
	case Decade:
		years = 10
	case Year:
		years = 1
	}
	if years != 0 {
		return datum.Interval{Months: v.Months / 12 / years * years * 12}, nil
	}
	switch f.Unit {
	case Quarter:
		return datum.Interval{Months: v.Months - v.Months%12%3}, nil
	case Month:
		return datum.Interval{Months: v.Months}, nil
	case Day:
		v.Micros = 0
	case Hour:
		v.Micros -= v.Micros % datum.Hour
	case Minute:
		v.Micros -= v.Micros % datum.Minute
	case Second:
		v.Micros -= v.Micros % datum.Second
	case Millisecond:
		v.Micros -= v.Micros % 1000
	case Microsecond:
	case Week:
		return v, &datum.Error{Code: datum.CodeFeatureNotSupported, Message: f.bad("interval").Error(),
			Detail: "Months usually have fractional weeks."}
	default:
		return v, f.bad("interval")
	}
	return v, nil
}

// bad is the error for a field that a type does not have.
func (f Field) bad(typ string) error {
	noMoments := typ == "interval" || typ == "time without time zone"
	if f.Unit == UnknownUnit || f.Unit == agoWord || f.Unit == reservedWord && noMoments {
		return fault(datum.CodeInvalidParameter, "unit \"%s\" not recognized for type %s", f.Name, typ)
	}
	return fault(datum.CodeFeatureNotSupported, "unit \"%s\" not supported for type %s", f.Name, typ)
}

// Bin is date_bin: the latest of origin, origin ± stride, … that is not after t.
func Bin(stride datum.Interval, t, origin datum.Timestamp) (datum.Timestamp, error) {
	switch {
	case t.IsInfinite():
		return t, nil
	case origin.IsInfinite():
		return 0, fault(datum.CodeDatetimeOverflow, "origin out of range")
	case stride.Months != 0:
		return 0, fault(datum.CodeFeatureNotSupported, "timestamps cannot be binned into intervals containing months or years")
	}
	if int64(stride.Days) > int64(1)<<62/datum.Day || int64(stride.Days) < -(int64(1)<<62/datum.Day) {
		return 0, errIntervalRange
	}
	step := int64(stride.Days)*datum.Day + stride.Micros
	if step <= 0 {
		return 0, fault(datum.CodeDatetimeOverflow, "stride must be greater than zero")
	}
	diff := int64(t) - int64(origin)
	if (t > origin) != (diff > 0) && t != origin {
		return 0, errIntervalRange
	}
	r := diff % step
	if r < 0 {
		r += step
	}
	return plus(t, -r)
}
