package input

import (
	"fmt"

	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datum"
)

// fault words a problem as PostgreSQL does.
func fault(p problem, typ string, text []byte) error {
	switch p {
	case overflow:
		return &datum.Error{Code: datum.CodeDatetimeOverflow, Message: fmt.Sprintf("date/time field value out of range: \"%s\"", text)}
	case monthDayOverflow:
		return &datum.Error{Code: datum.CodeDatetimeOverflow, Message: fmt.Sprintf("date/time field value out of range: \"%s\"", text),
			Hint: "Perhaps you need a different \"datestyle\" setting."}
	case zoneOverflow:
		return &datum.Error{Code: datum.CodeZoneDisplacement, Message: fmt.Sprintf("time zone displacement out of range: \"%s\"", text)}
	}
	return &datum.Error{Code: datum.CodeInvalidDatetime, Message: fmt.Sprintf("invalid input syntax for type %s: \"%s\"", typ, text)}
}

func outOfRange(typ string, text []byte) error {
	return &datum.Error{Code: datum.CodeDatetimeOverflow, Message: fmt.Sprintf("%s out of range: \"%s\"", typ, text)}
}

// maxText is how long a value may be.
const maxText = 128 + 25

// decode reads date and time of text.
func decode(text []byte, typ string, ctx *Context, timeOnly bool) (*decoder, error) {
	d := &decoder{ctx: ctx, timeOnly: timeOnly}
	tokens, ok := split(string(text))
	if !ok || len(tokens) == 0 || len(text) > maxText {
		return nil, fault(badFormat, typ, text)
	}
	p := d.run(tokens)
	if p == badFormat && d.unknown != "" {
		return nil, &datum.Error{Code: datum.CodeInvalidParameter, Message: fmt.Sprintf("time zone \"%s\" not recognized", d.unknown)}
	}
	if p == fine && d.moment == 0 {
		p = d.check()
	}
	if p != fine {
		return nil, fault(p, typ, text)
	}
	return d, nil
}

// check completes the fields and sees that they are possible.
func (d *decoder) check() problem {
	if p := d.checkDate(); p != fine {
		return p
	}
	switch {
	case (d.am || d.pm) && d.f.Hour > 12:
		return overflow
	case d.am && d.f.Hour == 12:
		d.f.Hour = 0
	case d.pm && d.f.Hour != 12:
		d.f.Hour += 12
	}
	if d.have&mDST != 0 && (d.have&mZone == 0 || d.zone != nil && d.abbrev == "") {
		return badFormat
	}
	if d.timeOnly {
		if d.clockOverflows() {
			return overflow
		}
		if d.have&mClock != mClock {
			return badFormat
		}
		return fine
	}
	if d.have&mDate != mDate {
		return badFormat
	}
	return fine
}

// isFixed tells whether the zone that was named has one offset for ever: an abbreviation's.
func isFixed(d *decoder) bool {
	summer, _ := datetime.Offset(d.zone, datum.Timestamp(200*datum.Day))
	winter, _ := datetime.Offset(d.zone, 0)
	return summer == winter
}

func (d *decoder) checkDate() problem {
	f := &d.f
	if d.have&mYear != 0 && !d.julian {
		switch {
		case d.bc && f.Year <= 0:
			return overflow
		case d.bc:
			f.Year = 1 - f.Year
		case d.twoDigit && f.Year < 70:
			f.Year += 2000
		case d.twoDigit && f.Year < 100:
			f.Year += 1900
		case f.Year <= 0:
			return overflow
		}
	}
	if d.have&mDayOfYear != 0 {
		f.Year, f.Month, f.Day = datetime.Civil(datetime.JulianDay(min(f.Year, 6_000_000), 1, 1) + d.yday - 1)
	}
	if d.have&mMonth != 0 && (f.Month < 1 || f.Month > 12) || d.have&mDay != 0 && (f.Day < 1 || f.Day > 31) {
		return monthDayOverflow
	}
	if d.have&mDate == mDate && f.Day > datetime.DaysIn(f.Year, f.Month) {
		return overflow
	}
	return fine
}

// validYear keeps the calendar's arithmetic in its range.
func (d *decoder) validYear() bool { return d.f.Year > -4714 && d.f.Year < 5874899 }

// Date reads a date. A time and a zone are read and dropped.
func Date(text []byte, ctx Context) (datum.Date, error) {
	d, err := decode(text, "date", &ctx, false)
	if err != nil {
		return 0, err
	}
	switch d.moment {
	case epoch:
		return datum.Date(datetime.UnixJulian - datetime.EpochJulian), nil
	case late:
		return datum.DateInfinity, nil
	case early:
		return datum.DateNegativeInfinity, nil
	}
	day := int64(0)
	if d.validYear() {
		day = int64(datetime.JulianDay(d.f.Year, d.f.Month, d.f.Day)) - datetime.EpochJulian
	}
	if !d.validYear() || !datetime.DateInRange(day) {
		return 0, outOfRange("date", text)
	}
	return datum.Date(day), nil
}

// Timestamp reads a timestamp. A zone is read and dropped.
func Timestamp(text []byte, ctx Context) (datum.Timestamp, error) {
	return timestamp(text, "timestamp", &ctx, false)
}

// TimestampTZ reads a timestamp with time zone; without one it is ctx.Zone's.
func TimestampTZ(text []byte, ctx Context) (datum.Timestamp, error) {
	return timestamp(text, "timestamp with time zone", &ctx, true)
}

func timestamp(text []byte, typ string, ctx *Context, zoned bool) (datum.Timestamp, error) {
	d, err := decode(text, typ, ctx, false)
	if err != nil {
		return 0, err
	}
	switch d.moment {
	case epoch:
		return -datum.EpochMicros, nil
	case late:
		return datum.TimestampInfinity, nil
	case early:
		return datum.TimestampNegativeInfinity, nil
	}
	t, ok := d.local()
	if ok && zoned {
		t, ok = d.instant(t)
	}
	if !ok || !datetime.InRange(t) {
		return 0, outOfRange("timestamp", text)
	}
	return t, nil
}

// local is the fields as a timestamp, maybe a day out of range.
func (d *decoder) local() (datum.Timestamp, bool) {
	if !d.validYear() || d.f.Year > 294277 {
		return 0, false
	}
	day := int64(datetime.JulianDay(d.f.Year, d.f.Month, d.f.Day)) - datetime.EpochJulian
	f := &d.f
	clock := int64(f.Hour)*datum.Hour + int64(f.Minute)*datum.Minute + int64(f.Second)*datum.Second + int64(f.Micro)
	if day > 106751990 {
		return 0, false
	}
	return datum.Timestamp(day*datum.Day + clock), true
}

// instant is when the zone that was named, or else the session's, shows t.
func (d *decoder) instant(t datum.Timestamp) (datum.Timestamp, bool) {
	return t - datum.Timestamp(d.offsetAt(t))*datum.Second, true
}

func (d *decoder) offsetAt(t datum.Timestamp) int {
	switch {
	case d.zone != nil && d.abbrev != "":
		return datetime.AbbreviatedOffset(t, d.zone, d.abbrev) + d.east // east is what DST adds
	case d.zone != nil:
		return datetime.LocalOffset(t, d.zone)
	case d.hasEast:
		return d.east
	}
	return datetime.LocalOffset(t, d.ctx.Zone)
}

// Time reads a time of day. A date and a zone are read and dropped.
func Time(text []byte, ctx Context) (datum.Time, error) {
	d, err := decode(text, "time", &ctx, true)
	if err != nil {
		return 0, err
	}
	return d.timeOfDay(), nil
}

func (d *decoder) timeOfDay() datum.Time {
	f := &d.f
	return datum.Time(int64(f.Hour)*datum.Hour + int64(f.Minute)*datum.Minute + int64(f.Second)*datum.Second + int64(f.Micro))
}

// TimeTZ reads a time with time zone; the session's zone counts as of ctx.Now.
func TimeTZ(text []byte, ctx Context) (datum.TimeTZ, error) {
	d, err := decode(text, "time with time zone", &ctx, true)
	if err != nil {
		return datum.TimeTZ{}, err
	}
	at := ctx.Now
	if d.have&mDate == mDate {
		at, _ = d.local()
	} else if d.zone != nil && !isFixed(d) {
		return datum.TimeTZ{}, fault(badFormat, "time with time zone", text)
	}
	return datum.TimeTZ{Time: d.timeOfDay(), East: int32(d.offsetAt(at))}, nil
}
