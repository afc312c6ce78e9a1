package datetime

import (
	"math"
	"time"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
)

// Part is what extract or date_part gives.
type Part struct {
	Null bool
	// num and float are set by who makes the part: extract is numeric, date_part double
	// precision, and their last digits may differ.
	num   numeric.Num
	float float64
}

// Numeric is the result of extract.
func (p Part) Numeric() numeric.Num { return p.num }

// Float is the result of date_part.
func (p Part) Float() float64 { return p.float }

func whole(v int) Part { return Part{num: numeric.FromInt64(int64(v)), float: float64(v)} }

func scaled(v int64, scale int16, f float64) Part {
	return Part{num: numeric.Scaled(v, scale), float: f}
}

// infinite is the field of an infinite time: none that comes back every year; the others are infinite.
func (f Field) infinite(negative bool, typ string) (Part, error) {
	switch f.Unit {
	case Year, Decade, Century, Millennium, Julian, ISOYear, Epoch:
		if negative {
			return Part{num: numeric.Num{Form: numeric.NegInf}, float: math.Inf(-1)}, nil
		}
		return Part{num: numeric.Num{Form: numeric.PosInf}, float: math.Inf(1)}, nil
	case UnknownUnit, agoWord, reservedWord:
		return Part{}, f.bad(typ)
	}
	return Part{Null: true}, nil
}

// Of is extract(field from timestamp).
func (f Field) Of(t datum.Timestamp) (Part, error) {
	const typ = "timestamp without time zone"
	switch {
	case t.IsInfinite():
		return f.infinite(t < 0, typ)
	case f.Unit == Zone || f.Unit == ZoneHour || f.Unit == ZoneMinute:
		return Part{}, f.bad(typ)
	case f.Unit == Epoch:
		return epoch(t), nil
	}
	x := Split(t)
	if p, ok := f.ofFields(&x); ok {
		return p, nil
	}
	return Part{}, f.bad(typ)
}

// OfTZ is extract(field from timestamp with time zone) of what clocks in zone show.
func (f Field) OfTZ(t datum.Timestamp, zone *time.Location) (Part, error) {
	const typ = "timestamp with time zone"
	switch {
	case t.IsInfinite():
		return f.infinite(t < 0, typ)
	case f.Unit == Epoch:
		return epoch(t), nil
	}
	east, _ := Offset(zone, t)
	switch f.Unit {
	case Zone:
		return whole(east), nil
	case ZoneHour:
		return whole(east / 3600), nil
	case ZoneMinute:
		return whole(east / 60 % 60), nil
	}
	x := Split(t + datum.Timestamp(east)*datum.Second)
	if p, ok := f.ofFields(&x); ok {
		return p, nil
	}
	return Part{}, f.bad(typ)
}

// epoch is microseconds since 1970 in seconds.
func epoch(t datum.Timestamp) Part {
	if t > math.MaxInt64-datum.EpochMicros {
		// PostgreSQL divides here, which leaves four digits after the point.
		n, _ := numeric.Add128(numeric.FromInt64(int64(t)), numeric.FromInt64(datum.EpochMicros))
		n, _, _ = numeric.Div(nil, numeric.V(n), numeric.V(numeric.FromInt64(datum.Second)))
		n, _, _ = numeric.Round(nil, numeric.V(n), 6)
		return Part{num: n, float: (float64(t) + datum.EpochMicros) / datum.Second}
	}
	v := int64(t) + datum.EpochMicros
	return scaled(v, 6, float64(v)/datum.Second)
}

// ofFields is a field of the calendar or the clock; false when it is neither.
func (f Field) ofFields(x *Fields) (Part, bool) {
	if p, ok := f.ofClock(x.clock()); ok && f.Unit != Epoch {
		return p, true
	}
	switch f.Unit {
	case Julian:
		return julian(x), true
	case UnknownUnit, agoWord, reservedWord, Epoch:
		return Part{}, false
	}
	v, ok := f.ofDay(x.Year, x.Month, x.Day)
	return whole(v), ok
}

// ofClock is a field of a time of day, which may be more than a day for intervals.
func (f Field) ofClock(micros int64) (Part, bool) {
	second := micros % datum.Minute
	sec, frac := second/datum.Second, second%datum.Second
	switch f.Unit {
	case Microsecond:
		return scaled(second, 0, float64(second)), true
	case Millisecond:
		return scaled(second, 3, float64(sec)*1000+float64(frac)/1000), true
	case Second:
		return scaled(second, 6, float64(sec)+float64(frac)/datum.Second), true
	case Minute:
		return whole(int(micros / datum.Minute % 60)), true
	case Hour:
		return whole(int(micros / datum.Hour)), true
	case Epoch:
		return scaled(micros, 6, float64(micros)/datum.Second), true
	}
	return Part{}, false
}

// julian is the Julian day with its fraction.
func julian(x *Fields) Part {
	day := JulianDay(x.Year, x.Month, x.Day)
	n, _, _ := numeric.Div(nil, numeric.V(numeric.FromInt64(x.clock())), numeric.V(numeric.FromInt64(datum.Day)))
	n, _ = numeric.Add128(n, numeric.FromInt64(int64(day)))
	seconds := float64(x.Hour*3600+x.Minute*60+x.Second) + float64(x.Micro)/datum.Second
	return Part{num: n, float: float64(day) + seconds/86400}
}

// ofDay is a field of a day.
func (f Field) ofDay(year, month, day int) (int, bool) {
	switch f.Unit {
	case Day:
		return day, true
	case Month:
		return month, true
	case Quarter:
		return (month-1)/3 + 1, true
	case Week:
		_, week := ISOWeek(year, month, day)
		return week, true
	case Year:
		return noYearZero(year), true
	case ISOYear:
		y, _ := ISOWeek(year, month, day)
		return noYearZero(y), true
	case Decade:
		if year >= 0 {
			return year / 10, true
		}
		return -((8 - (year - 1)) / 10), true
	case Century:
		return ordinal(year, 100), true
	case Millennium:
		return ordinal(year, 1000), true
	case DayOfWeek:
		return mod(JulianDay(year, month, day)+1, 7), true
	case ISODayOfWeek:
		return mod(JulianDay(year, month, day), 7) + 1, true
	case DayOfYear:
		return JulianDay(year, month, day) - JulianDay(year, 1, 1) + 1, true
	}
	return 0, false
}

func noYearZero(y int) int {
	if y > 0 {
		return y
	}
	return y - 1
}

// ordinal is which span of n years it is, counted from year 1 both ways.
func ordinal(y, n int) int {
	if y > 0 {
		return (y + n - 1) / n
	}
	return -((n - 1 - (y - 1)) / n)
}

// ISOWeek is the week by ISO 8601 and the year it belongs to.
func ISOWeek(year, month, day int) (isoYear, week int) {
	j := JulianDay(year, month, day)
	first := isoWeekOne(year)
	if j < first {
		year--
		first = isoWeekOne(year)
	}
	if week = (j-first)/7 + 1; week >= 52 {
		// The last days of December may be in the first week of the next year.
		if next := isoWeekOne(year + 1); j >= next {
			return year + 1, (j-next)/7 + 1
		}
	}
	return year, week
}

// isoWeekOne is the Monday of a year's first week: the one with January 4.
func isoWeekOne(year int) int {
	j := JulianDay(year, 1, 4)
	return j - mod(j, 7)
}

// OfDate is extract(field from date).
func (f Field) OfDate(d datum.Date) (Part, error) {
	switch f.Unit {
	case Day, Month, Quarter, Week, Year, Decade, Century, Millennium, Julian, ISOYear, DayOfWeek, ISODayOfWeek, DayOfYear, Epoch:
	default:
		return Part{}, f.bad("date")
	}
	if d.IsInfinite() {
		return f.infinite(d < 0, "date")
	}
	switch f.Unit {
	case Julian:
		return whole(int(d) + EpochJulian), nil
	case Epoch:
		return whole(int(d.UnixDays()) * 86400), nil
	}
	y, m, day := d.Civil()
	v, _ := f.ofDay(y, m, day)
	return whole(v), nil
}

// OfTime is extract(field from time).
func (f Field) OfTime(t datum.Time) (Part, error) {
	if p, ok := f.ofClock(int64(t)); ok {
		return p, nil
	}
	return Part{}, f.bad("time without time zone")
}

// OfInterval is extract(field from interval).
func (f Field) OfInterval(v datum.Interval) (Part, error) {
	switch f.Unit {
	case Epoch:
		return intervalEpoch(v), nil
	case Day:
		return whole(int(v.Days)), nil
	case Month:
		return whole(int(v.Months % 12)), nil
	case Quarter:
		return whole(int(v.Months%12/3) + 1), nil
	case Year:
		return whole(int(v.Months / 12)), nil
	case Decade:
		return whole(int(v.Months / 12 / 10)), nil
	case Century:
		return whole(int(v.Months / 12 / 100)), nil
	case Millennium:
		return whole(int(v.Months / 12 / 1000)), nil
	}
	if p, ok := f.ofClock(v.Micros); ok {
		return p, nil
	}
	return Part{}, f.bad("interval")
}

// intervalEpoch takes a year as 365.25 days and a month as 30.
func intervalEpoch(v datum.Interval) Part {
	years, months := int64(v.Months/12), int64(v.Months%12)
	seconds := (1461*years + 120*months + 4*int64(v.Days)) * 21600
	n, _ := numeric.Add128(numeric.Scaled(v.Micros, 6), numeric.FromInt64(seconds))
	f := float64(v.Micros) / datum.Second
	f += float64(365.25*86400) * float64(years)
	f += float64(30*86400) * float64(months)
	f += float64(86400) * float64(v.Days)
	return Part{num: n, float: f}
}

// ISODayOfYear counts the days from the Monday of the ISO year's first week.
func ISODayOfYear(year, month, day int) int {
	iso, _ := ISOWeek(year, month, day)
	return JulianDay(year, month, day) - isoWeekOne(iso) + 1
}

// ISOWeekStart is the Julian day of the Monday of an ISO week.
func ISOWeekStart(isoYear, week int) int { return isoWeekOne(isoYear) + (week-1)*7 }
