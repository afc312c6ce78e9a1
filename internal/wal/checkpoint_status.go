package wal

import (
	"time"

	"github.com/weirstream/weir/internal/ts"
)

// CheckpointStatus tells where a channel's checkpoint is and what it waits for.
type CheckpointStatus struct {
	Channel    string
	Term       uint64
	Checkpoint ts.Ts     // stored: nobody needs anything at or below it
	Moved      time.Time // when Checkpoint last rose; at first, when it was opened
	Truncated  ts.Ts     // what the log was last told to forget
	Pins       []Hold    // lowest first
	// Holder is the lowest pin; nil when the checkpoint follows the log.
	Holder *Hold
	// Lost are evicted claims whose owners have not come back yet.
	Lost []PinRecord
	// Trouble is why the checkpoint does not move though it could, and Since when;
	// "" while all is well.
	Trouble string
	Since   time.Time
}

// Hold is a pin and what it holds.
type Hold struct {
	Owner    string
	VChannel string // the one that lags most; "" when the pin itself is the lowest
	Ts       ts.Ts  // everything above is kept
	Since    time.Time
	Bytes    int64 // of log above Ts, as last measured
	Budget   Budget
}

// Status tells about the channel's checkpoint now.
func (c *Checkpoint) Status() CheckpointStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.keeper
	st := CheckpointStatus{
		Channel: c.name, Term: k.term, Checkpoint: k.saver.stored, Moved: millis(k.saver.moved), Truncated: k.cutter.cut,
	}
	for h := range k.order.Lowest(k.order.Len()) {
		p := k.pins[h.Key]
		_, vchannel := p.low()
		st.Pins = append(st.Pins, Hold{Owner: h.Key, VChannel: vchannel, Ts: h.Ts, Since: millis(h.Since), Bytes: h.Bytes, Budget: p.budget})
	}
	if len(st.Pins) > 0 {
		st.Holder = &st.Pins[0]
	}
	for _, r := range k.lost {
		st.Lost = append(st.Lost, r)
	}
	sortRecords(st.Lost)
	st.Trouble, st.Since = k.trouble()
	return st
}

func (k *keeper) trouble() (string, time.Time) {
	switch {
	case k.ended != nil && k.saver.fault.err != nil:
		return k.ended.Error(), time.Time{}
	case k.saver.fault.failures > 0:
		return "saving fails: " + k.saver.fault.err.Error(), millis(k.saver.fault.since)
	case k.cutter.fault.failures > 0:
		return "truncating fails: " + k.cutter.fault.err.Error(), millis(k.cutter.fault.since)
	}
	return "", time.Time{}
}

func millis(t int64) time.Time { return time.UnixMilli(t).UTC() }
