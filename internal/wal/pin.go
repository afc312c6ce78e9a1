package wal

import (
	"slices"
	"strings"
	"time"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// OnFull says what becomes of a pin when the disk is full.
type OnFull string

// The choices. The zero value means Evict.
const (
	// Evict: the consumer loses its claim and fails with LogEvicted; the others go on.
	Evict OnFull = "evict"
	// Block: the claim stays and the capture has to wait.
	Block OnFull = "block"
)

// Budget bounds what a pin may hold. Zero values mean no bound.
type Budget struct {
	TTL    time.Duration `json:"ttl,omitempty"`    // lost when not advanced or renewed for so long
	Bytes  int64         `json:"bytes,omitempty"`  // of log behind the pin
	Age    time.Duration `json:"age,omitempty"`    // of the oldest log behind the pin
	OnFull OnFull        `json:"onFull,omitempty"` // when the disk is full
}

// Pin is a consumer's one durable claim on a channel: whatever has a Ts above
// it is kept.
type Pin struct {
	Owner string
	Ts    ts.Ts // the consumer needs nothing at or below it
	// Now claims from the present end of the log, in place of Ts.
	Now bool
	// Lag names vchannels that are behind Ts, with what they need nothing at or
	// below of.
	Lag map[string]ts.Ts
	Budget
}

func (p *Pin) validate() error {
	bad := func(format string, args ...any) error {
		return weirerr.New(weirerr.InvalidArgument, format, args...).With("owner", p.Owner)
	}
	switch {
	case p.Owner == "":
		return bad("a pin needs an owner")
	case p.OnFull != "" && p.OnFull != Evict && p.OnFull != Block:
		return bad("on_full is %q, want evict or block", string(p.OnFull))
	case p.TTL < 0 || p.Bytes < 0 || p.Age < 0:
		return bad("a pin's budget is negative")
	}
	return nil
}

// PinRecord is a pin as it is stored.
type PinRecord struct {
	Owner  string `json:"owner"`
	Ts     ts.Ts  `json:"ts"`    // the lowest of the pin and its lagging vchannels
	Since  int64  `json:"since"` // unix milliseconds at which Ts was set
	Budget Budget `json:"budget"`
	// Evicted tells why the claim was taken away; such a record claims nothing and
	// waits for its owner to hear of it.
	Evicted string `json:"evicted,omitempty"`
}

func errEvicted(channel string, r PinRecord) error {
	return weirerr.New(weirerr.LogEvicted, "the log kept for a consumer was given up: %s", r.Evicted).
		With("channel", channel).With("owner", r.Owner).With("pin", r.Ts).
		Hint("the consumer needs a new snapshot; raise its budget or make room so that it does not happen again")
}

func errStale(channel, owner string, asked, floor ts.Ts) error {
	return weirerr.New(weirerr.CheckpointStale, "a claim at %s lies below the checkpoint %s: the log no longer has what follows it", asked, floor).
		With("channel", channel).With("owner", owner).
		Hint("start from a new snapshot, or from a position at or above the checkpoint")
}

func errNoPin(channel, owner string) error {
	return weirerr.New(weirerr.NotFound, "the consumer has no pin").With("channel", channel).With("owner", owner)
}

func sortRecords(records []PinRecord) {
	slices.SortFunc(records, func(a, b PinRecord) int { return strings.Compare(a.Owner, b.Owner) })
}
