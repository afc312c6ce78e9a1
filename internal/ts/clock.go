package ts

import "errors"

// ErrCeiling reports that the clock may not issue a Ts above its durably reserved ceiling.
// The owner raises the ceiling (durably, then by Reserve) and asks again.
var ErrCeiling = errors.New("ts: the next timestamp lies above the reserved ceiling")

// Clock is a hybrid logical clock for one channel writer. It is pure: the caller
// passes the wall time and holds the append lock, so log order is Ts order.
//
// Invariants:
//   - Next is strictly increasing, whatever the wall clock does;
//   - nothing is issued above the ceiling, so a successor that starts above the
//     ceiling can never repeat or precede a Ts of ours.
type Clock struct {
	last    Ts
	ceiling Ts
}

// NewClock starts a clock whose first Ts is above start and at most ceiling.
func NewClock(start, ceiling Ts) *Clock { return &Clock{last: start, ceiling: ceiling} }

// Next issues the next Ts for wall time nowMs. While the wall clock lags the
// clock counts on by itself.
func (c *Clock) Next(nowMs int64) (Ts, error) {
	t := New(nowMs, 0)
	if t <= c.last {
		t = c.last + 1
	}
	if t > c.ceiling {
		return 0, ErrCeiling
	}
	c.last = t
	return t, nil
}

// Forward raises the clock so that every later Ts is above t. It never lowers it.
func (c *Clock) Forward(t Ts) error {
	if t > c.ceiling {
		return ErrCeiling
	}
	c.last = max(c.last, t)
	return nil
}

// Last is the latest Ts issued or forwarded to.
func (c *Clock) Last() Ts { return c.last }

// Ceiling is the reserved bound.
func (c *Clock) Ceiling() Ts { return c.ceiling }

// Reserve raises the ceiling; the caller has made it durable before.
func (c *Clock) Reserve(ceiling Ts) { c.ceiling = max(c.ceiling, ceiling) }
