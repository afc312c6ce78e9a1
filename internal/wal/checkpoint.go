package wal

import (
	"context"

	"github.com/weirstream/weir/internal/ts"
)

// The checkpoint of a channel: everything at or below it is needed by nobody.
//
//	Pin, Advance, Lag ──► pins' minimum ──┐
//	log's resolved Ts ────────────────────┴► min ──Save──► store ──► Truncate
//	budgets, disk ──► Evict ──► consumer fails, the minimum moves on
//
// Rules, kept by the keeper (pure) and its shell Checkpoints:
//   - the checkpoint is inclusive and never goes back; the pins' minimum may, by
//     a new pin, but not below what a save has tried to store;
//   - a claim below that is a CheckpointStale error, or LogEvicted when the claim
//     was lost earlier;
//   - a pin is durable when Pin returns; an advance is durable some time later,
//     in the same transaction as the checkpoint it allows;
//   - without pins the checkpoint follows the log's resolved Ts, and it never
//     passes it;
//   - one save at a time; a save that failed is followed, after a jittered wait
//     that has a cap and no end, by a save of the newest minimum;
//   - a save is a compare-and-set on (term, revision); LogFenced ends the keeper;
//   - truncation follows the save, at most up to what was stored;
//   - Close does one last save and says whether it landed.

// CheckpointStore keeps checkpoints and pins. An implementation is in wal/pinstore.
type CheckpointStore interface {
	// TakeCheckpoint raises the channel's term, which fences all holders of older
	// ones, and returns it with what is stored.
	TakeCheckpoint(ctx context.Context, channel string) (term uint64, saved Saved, err error)
	// SaveCheckpoint stores everything in s and raises the revision by one, or
	// does nothing. It is LogFenced when s.Term is no longer the channel's term.
	// When the stored revision is not s.Revision, because an earlier save of this
	// term landed after all, nothing is done: Landed is false and the rest tells
	// what is stored.
	SaveCheckpoint(ctx context.Context, channel string, s CheckpointSave) (Stored, error)
}

// Saved is what a store has of a channel.
type Saved struct {
	Checkpoint ts.Ts
	Revision   uint64 // counts the saves
	Pins       []PinRecord
}

// Stored is the answer to a save.
type Stored struct {
	Checkpoint ts.Ts
	Revision   uint64
	Landed     bool
}

// CheckpointSave is one change of a channel's stored state.
type CheckpointSave struct {
	Term           uint64
	Revision       uint64      // that the store has, as far as the caller knows
	Previous, Next ts.Ts       // equal when only pins change
	Put            []PinRecord // sorted by owner
	Delete         []string    // owners, sorted
}

// Tail is what the checkpoint needs of a Channel.
type Tail interface {
	Name() string
	Status() Status
	BytesAfter(after ts.Ts) int64
	Truncate(upTo ts.Ts) error
}

// The keeper's events. Each comes with the time, unix milliseconds.
type (
	// pinEvent claims, in place of an earlier claim of the owner.
	pinEvent struct {
		Req uint64
		Pin Pin
	}
	// advanceEvent moves a pin up, or renews it.
	advanceEvent struct {
		Req   uint64
		Owner string
		Ts    ts.Ts
	}
	// lagEvent sets where a vchannel of a pin lags; at or above the pin it lags no more.
	lagEvent struct {
		Req      uint64
		Owner    string
		VChannel string
		Ts       ts.Ts
	}
	// releaseEvent gives a pin up.
	releaseEvent struct {
		Req   uint64
		Owner string
	}
	// evictEvent takes a pin away.
	evictEvent struct{ Owner, Why string }
	// tickEvent passes time and measurements: the log's resolved Ts, and the
	// bytes that each pin holds.
	tickEvent struct {
		Confirmed ts.Ts
		Held      map[string]int64
	}
	// savedEvent answers a saveEffect.
	savedEvent struct {
		Seq    uint64
		Stored Stored
		Err    error
	}
	// truncatedEvent answers a truncateEffect.
	truncatedEvent struct {
		UpTo ts.Ts
		Err  error
	}
	// closeEvent asks for the last save.
	closeEvent struct{}
)

// The keeper's effects, in the order to be begun.
type (
	// replyEffect answers the event with that Req. Ts is where a claim begins.
	replyEffect struct {
		Req uint64
		Ts  ts.Ts
		Err error
	}
	// evictEffect tells the owner of a lost pin.
	evictEffect struct {
		Owner string
		Err   error
	}
	saveEffect struct {
		Seq  uint64
		Save CheckpointSave
	}
	truncateEffect struct{ UpTo ts.Ts }
	// closedEffect is the last; Err is nil when everything landed.
	closedEffect struct{ Err error }
)
