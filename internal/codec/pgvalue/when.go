package pgvalue

import (
	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datum"
)

// canonical reads what the server prints; the second reading is for other spellings.
func parseDate(text []byte, o *Options) (int64, error) {
	d, err := datum.ParseDate(text)
	if err != nil {
		return 0, badDatetime("date", text)
	}
	return int64(d), nil
}

func parseTime(text []byte, mod int32, o *Options) (int64, error) {
	d, err := datum.ParseTime(text)
	if err != nil {
		return 0, badDatetime("time", text)
	}
	return int64(d), nil
}

func parseTimestamp(text []byte, mod int32, o *Options) (int64, error) {
	d, err := datum.ParseTimestamp(text)
	if err != nil {
		return 0, badDatetime("timestamp", text)
	}
	return int64(d), nil
}

func parseTimestampTZ(text []byte, mod int32, o *Options) (int64, error) {
	d, err := datum.ParseTimestampTZ(text)
	if err != nil {
		return 0, badDatetime("timestamp with time zone", text)
	}
	return int64(d), nil
}

func parseInterval(text []byte, mod int32) (datum.Interval, error) {
	d, err := datum.ParseInterval(text)
	if err != nil {
		return d, badDatetime("interval", text)
	}
	return d, nil
}

func badDatetime(typ string, text []byte) error {
	return fault(datum.CodeInvalidDatetime, "invalid input syntax for type %s: \"%s\"", typ, text)
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

func fitInterval(v datum.Interval, mod int32) datum.Interval { return v }
