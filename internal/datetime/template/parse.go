package template

import (
	"fmt"
	"time"

	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datum"
)

// Timestamp is to_timestamp(text, template): what clocks in zone show, unless the text
// names an offset.
func (d *Date) Timestamp(text string, zone *time.Location) (datum.Timestamp, error) {
	f, r, err := d.read(text)
	if err != nil {
		return 0, err
	}
	t, ok := joined(&f)
	if ok {
		if r.zoneSign != 0 {
			t -= datum.Timestamp(r.zoneSign*(r.zoneHour*3600+r.zoneMinute*60)) * datum.Second
		} else {
			t -= datum.Timestamp(datetime.LocalOffset(t, zone)) * datum.Second
		}
	}
	if !ok || !datetime.InRange(t) {
		return 0, fault(datum.CodeDatetimeOverflow, "timestamp out of range", "", "")
	}
	if r.precision != 0 {
		t = datetime.RoundTimestamp(t, int32(r.precision))
	}
	return t, nil
}

// joined is f as a timestamp, maybe a day out of range.
func joined(f *datetime.Fields) (datum.Timestamp, bool) {
	if f.Year < -4714 || f.Year > 294277 {
		return 0, false
	}
	day := int64(datetime.JulianDay(f.Year, f.Month, f.Day)) - datetime.EpochJulian
	clock := int64(f.Hour)*datum.Hour + int64(f.Minute)*datum.Minute + int64(f.Second)*datum.Second + int64(f.Micro)
	if day > 106751990 {
		return 0, false
	}
	return datum.Timestamp(day*datum.Day + clock), true
}

// ToDate is to_date(text, template).
func (d *Date) ToDate(text string) (datum.Date, error) {
	f, _, err := d.read(text)
	if err != nil {
		return 0, err
	}
	if f.Year > -4714 && f.Year < 5874899 {
		if day := int64(datetime.JulianDay(f.Year, f.Month, f.Day)) - datetime.EpochJulian; datetime.DateInRange(day) {
			return datum.Date(day), nil
		}
	}
	return 0, fault(datum.CodeDatetimeOverflow, fmt.Sprintf("date out of range: \"%s\"", text), "", "")
}

// read reads text and completes the fields.
func (d *Date) read(text string) (f datetime.Fields, out reading, err error) {
	r := reader{nodes: d.nodes, text: text}
	if err := r.run(); err != nil {
		return f, out, err
	}
	c := completion{reading: r.out, f: datetime.Fields{Month: 1, Day: 1}}
	if err := c.clock(); err != nil {
		return f, out, err
	}
	c.years()
	if err := c.day(); err != nil {
		return f, out, err
	}
	if !c.valid() {
		return f, out, fault(datum.CodeDatetimeOverflow, fmt.Sprintf("date/time field value out of range: \"%s\"", text), "", "")
	}
	if c.zoneSign != 0 && (c.zoneHour < 0 || c.zoneHour > 15 || c.zoneMinute < 0 || c.zoneMinute > 59) {
		return f, out, fault(datum.CodeZoneDisplacement, fmt.Sprintf("time zone displacement out of range: \"%s\"", text), "", "")
	}
	return c.f, c.reading, nil
}

// completion turns what was read into a day and a time.
type completion struct {
	reading
	f                         datetime.Fields
	hasYear, hasMonth, hasDay bool
}

func (c *completion) clock() error {
	f := &c.f
	f.Hour, f.Minute, f.Second = c.ssss/3600, c.ssss%3600/60, c.ssss%60
	if c.ss != 0 {
		f.Second = c.ss
	}
	if c.mi != 0 {
		f.Minute = c.mi
	}
	if c.hh != 0 {
		f.Hour = c.hh
	}
	f.Micro = c.ms*1000 + c.us
	if !c.halfDay {
		return nil
	}
	switch {
	case f.Hour < 1 || f.Hour > 12:
		return fault(datum.CodeInvalidDatetime, fmt.Sprintf("hour \"%d\" is invalid for the 12-hour clock", f.Hour), "",
			"Use the 24-hour clock, or give an hour between 1 and 12.")
	case c.pm != 0 && f.Hour < 12:
		f.Hour += 12
	case c.pm == 0 && f.Hour == 12:
		f.Hour = 0
	}
	return nil
}

// years finds the year from the year and century that were read. 1 BC is year 0.
func (c *completion) years() {
	f := &c.f
	if c.bc != 0 && c.cc != 0 && (c.year == 0 || c.yearDigits <= 2) {
		c.cc = -c.cc
	}
	switch {
	case c.year != 0 && c.cc != 0 && c.yearDigits <= 2:
		f.Year = c.year % 100
		switch {
		case f.Year != 0 && c.cc >= 0:
			f.Year += (c.cc - 1) * 100
		case f.Year != 0:
			f.Year = (c.cc+1)*100 - f.Year + 1
		case c.cc >= 0:
			f.Year = c.cc * 100
		default:
			f.Year = c.cc*100 + 1
		}
	case c.year != 0:
		f.Year = c.year
		if c.bc != 0 {
			f.Year = -f.Year
		}
		if f.Year < 0 {
			f.Year++
		}
	case c.cc > 0:
		f.Year = (c.cc-1)*100 + 1
	case c.cc < 0:
		f.Year = c.cc*100 + 1
	default:
		return
	}
	c.hasYear = true
}

// day finds the month and day.
func (c *completion) day() error {
	f := &c.f
	if c.j != 0 {
		f.Year, f.Month, f.Day = datetime.Civil(c.j)
		c.hasYear, c.hasMonth, c.hasDay = true, true, true
	}
	if c.ww != 0 && c.mode == isoWeek {
		day := datetime.ISOWeekStart(clampYear(f.Year), c.ww)
		switch {
		case c.d > 1:
			day += c.d - 2
		case c.d == 1:
			day += 6
		}
		f.Year, f.Month, f.Day = datetime.Civil(day)
		c.hasYear, c.hasMonth, c.hasDay = true, true, true
	} else if c.ww != 0 {
		c.ddd = (c.ww-1)*7 + 1
	}
	if c.w != 0 {
		c.dd = (c.w-1)*7 + 1
	}
	if c.dd != 0 {
		f.Day, c.hasDay = c.dd, true
	}
	if c.mm != 0 {
		f.Month, c.hasMonth = c.mm, true
	}
	if c.ddd != 0 && (f.Month <= 1 || f.Day <= 1) {
		return c.fromDayOfYear()
	}
	return nil
}

// clampYear keeps the calendar's arithmetic in its range; such a year is refused later.
func clampYear(y int) int { return min(max(y, -1_000_000), 6_000_000) }

func (c *completion) fromDayOfYear() error {
	f := &c.f
	if f.Year == 0 && c.bc == 0 {
		return fault(datum.CodeInvalidDatetime, "cannot calculate day of year without year information", "", "")
	}
	c.hasMonth, c.hasDay = true, true
	if c.mode == isoWeek {
		f.Year, f.Month, f.Day = datetime.Civil(datetime.ISOWeekStart(clampYear(f.Year), 1) - 1 + c.ddd)
		c.hasYear = true
		return nil
	}
	before, month := 0, 1 // a day beyond the year is in month 13, which is refused
	for ; month <= 12; month++ {
		n := datetime.DaysIn(f.Year, month)
		if c.ddd <= before+n {
			break
		}
		before += n
	}
	if f.Month <= 1 {
		f.Month = month
	}
	if f.Day <= 1 {
		f.Day = c.ddd - before
	}
	return nil
}

func (c *completion) valid() bool {
	f := &c.f
	if c.hasMonth && (f.Month < 1 || f.Month > 12) || c.hasDay && (f.Day < 1 || f.Day > 31) {
		return false
	}
	if c.hasYear && c.hasMonth && c.hasDay && f.Day > datetime.DaysIn(f.Year, f.Month) {
		return false
	}
	return f.Hour >= 0 && f.Hour < 24 && f.Minute >= 0 && f.Minute < 60 && f.Second >= 0 && f.Second < 60 && f.Micro >= 0 && f.Micro < datum.Second
}
