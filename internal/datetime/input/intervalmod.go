package input

import (
	"math"

	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datum"
)

// Fields of an interval type's modifier: the upper half has the fields, the lower half
// the digits of the second.
const (
	fMonth  = 1 << 1
	fYear   = 1 << 2
	fDay    = 1 << 3
	fHour   = 1 << 10
	fMinute = 1 << 11
	fSecond = 1 << 12
	fAll    = 0x7fff
	anyPrec = 0xffff
)

func rangeOf(mod int32) int32 {
	if mod < 0 {
		return fAll
	}
	return mod >> 16 & 0x7fff
}

// lastUnit is what a number without a unit counts.
func lastUnit(mod int32) datetime.Unit {
	switch r := rangeOf(mod); {
	case r == fAll:
		return datetime.Second
	case r&fSecond != 0:
		return datetime.Second
	case r&fMinute != 0:
		return datetime.Minute
	case r&fHour != 0:
		return datetime.Hour
	case r&fDay != 0:
		return datetime.Day
	case r&fMonth != 0:
		return datetime.Month
	case r&fYear != 0:
		return datetime.Year
	}
	return datetime.Second
}

// FitInterval applies an interval type's modifier: what lies below its least field is
// cut off, the second is rounded.
func FitInterval(v datum.Interval, mod int32) (datum.Interval, error) {
	if mod < 0 {
		return v, nil
	}
	if r := rangeOf(mod); r != fAll {
		switch {
		case r&fSecond != 0:
		case r&fMinute != 0:
			v.Micros -= v.Micros % datum.Minute
		case r&fHour != 0:
			v.Micros -= v.Micros % datum.Hour
		case r&fDay != 0:
			v.Micros = 0
		case r&fMonth != 0:
			v.Days, v.Micros = 0, 0
		case r&fYear != 0:
			v.Months -= v.Months % 12
			v.Days, v.Micros = 0, 0
		}
	}
	precision := mod & anyPrec
	if precision == anyPrec || precision > 6 {
		return v, nil
	}
	if v.Micros > math.MaxInt64-datum.Second || v.Micros < math.MinInt64+datum.Second {
		return v, &datum.Error{Code: datum.CodeDatetimeOverflow, Message: "interval out of range"}
	}
	v.Micros = datetime.RoundMicros(v.Micros, precision)
	return v, nil
}
