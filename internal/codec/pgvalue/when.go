package pgvalue

import (
	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datetime/input"
	"github.com/weirstream/weir/internal/datum"
)

// context is what a date in text may refer to.
func (o *Options) context() input.Context { return input.Context{Zone: o.zone(), Now: o.Now} }

// The parsers try canonical text first: it is the common case and takes no allocation.

func parseDate(text []byte, o *Options) (int64, error) {
	d, err := datum.ParseDate(text)
	if err != nil || !d.IsInfinite() && !datetime.DateInRange(int64(d)) {
		d, err = input.Date(text, o.context())
	}
	return int64(d), err
}

func parseTime(text []byte, mod int32, o *Options) (int64, error) {
	t, err := datum.ParseTime(text)
	if err != nil {
		t, err = input.Time(text, o.context())
	}
	return datetime.RoundMicros(int64(t), mod), err
}

func parseTimestamp(text []byte, mod int32, o *Options) (int64, error) {
	t, err := datum.ParseTimestamp(text)
	if err != nil || !plain(t) {
		t, err = input.Timestamp(text, o.context())
	}
	if err != nil {
		return 0, err
	}
	return fitTimestamp(t, mod)
}

func parseTimestampTZ(text []byte, mod int32, o *Options) (int64, error) {
	t, err := datum.ParseTimestampTZ(text)
	if err != nil || !plain(t) {
		t, err = input.TimestampTZ(text, o.context())
	}
	if err != nil {
		return 0, err
	}
	return fitTimestamp(t, mod)
}

// plain tells that t needs no second look at its range.
func plain(t datum.Timestamp) bool { return t.IsInfinite() || datetime.InRange(t) }

func parseInterval(text []byte, mod int32) (datum.Interval, error) {
	v, err := datum.ParseInterval(text)
	if err != nil || v == datum.IntervalInfinity || v == datum.IntervalNegativeInfinity {
		return input.Interval(text, mod)
	}
	return input.FitInterval(v, mod)
}

func appendTimeTZ(dst, text []byte, mod int32, o *Options) ([]byte, error) {
	t, err := datum.ParseTimeTZ(text)
	if err != nil {
		t, err = input.TimeTZ(text, o.context())
	}
	if err != nil {
		return dst, err
	}
	t.Time = datum.Time(datetime.RoundMicros(int64(t.Time), mod))
	return datum.AppendTimeTZ(dst, t), nil
}

// checkDay refuses integers of four octets that are no dates.
func checkDay(oid uint32, x int64) (int64, error) {
	d := datum.Date(x)
	if oid == datum.OIDDate && !d.IsInfinite() && !datetime.DateInRange(x) {
		return 0, fault(datum.CodeDatetimeOverflow, "date out of range")
	}
	return x, nil
}

// checkWhen refuses integers of eight octets that are no times, and applies the modifier.
func checkWhen(t datum.TypeRef, x int64) (int64, error) {
	switch t.OID {
	case datum.OIDTime:
		if x < 0 || x > datum.Day {
			return 0, fault(datum.CodeDatetimeOverflow, "time out of range")
		}
		return datetime.RoundMicros(x, t.Mod), nil
	case datum.OIDTimestamp, datum.OIDTimestampTZ:
		return fitTimestamp(datum.Timestamp(x), t.Mod)
	}
	return x, nil
}

// fitTimestamp applies timestamp(p).
func fitTimestamp(t datum.Timestamp, mod int32) (int64, error) {
	r := datetime.RoundTimestamp(t, mod)
	if !r.IsInfinite() && !datetime.InRange(r) {
		return 0, fault(datum.CodeDatetimeOverflow, "timestamp out of range")
	}
	return int64(r), nil
}

func badDatetime(typ string, text []byte) error {
	return fault(datum.CodeInvalidDatetime, "invalid input syntax for type %s: \"%s\"", typ, text)
}
