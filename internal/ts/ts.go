package ts

import (
	"fmt"
	"strconv"
	"time"
)

// LogicalBits is the width of the logical counter at the low end of a Ts.
// The layout is that of TiDB's timestamp oracle, so tools written for TiCDC print our times.
const LogicalBits = 18

// MaxLogical is the largest logical counter within one millisecond.
const MaxLogical = 1<<LogicalBits - 1

// Ts is a point on a log's clock: unix milliseconds << 18 | logical counter.
// The zero Ts lies before every transaction.
type Ts uint64

// Max is later than every Ts a clock issues.
const Max = Ts(1<<64 - 1)

// New composes a Ts from unix milliseconds and a logical counter.
func New(ms int64, logical uint32) Ts {
	return Ts(uint64(ms)<<LogicalBits | uint64(logical&MaxLogical))
}

// FromTime is the first Ts of t's millisecond.
func FromTime(t time.Time) Ts { return New(t.UnixMilli(), 0) }

// Ms is the physical part: unix milliseconds.
func (t Ts) Ms() int64 { return int64(t >> LogicalBits) }

// Logical is the counter within the millisecond.
func (t Ts) Logical() uint32 { return uint32(t & MaxLogical) }

// Time is the physical part as wall time in UTC.
func (t Ts) Time() time.Time { return time.UnixMilli(t.Ms()).UTC() }

// String prints the decimal form, the one users see and pass to us.
func (t Ts) String() string { return strconv.FormatUint(uint64(t), 10) }

// Parse reads the decimal form.
func Parse(s string) (Ts, error) {
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("ts %q: want a decimal number such as 453476982784000000: %w", s, err)
	}
	return Ts(v), nil
}
