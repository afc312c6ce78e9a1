package pgvalue

import (
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
