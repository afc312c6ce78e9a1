package feed

import (
	"context"

	"github.com/weirstream/weir/internal/reconcile"
	"github.com/weirstream/weir/internal/ts"
)

// Source is what a feed needs from the running source it reads.
type Source = reconcile.Source

// Record is what a feed keeps over a restart. Both parts are JSON.
type Record struct {
	// Status is small and saved often: state, checkpoint, error, term.
	Status []byte
	// State is what must be known to read on from the checkpoint: snapshots under
	// way and the shapes delivered. In a Save, nil keeps what is stored.
	State []byte
}

// Store keeps one feed's Record. Save is atomic and durable when it returns.
type Store interface {
	// Load returns the last saved record; false when there is none.
	Load(ctx context.Context) (Record, bool, error)
	Save(ctx context.Context, r Record) error
	Delete(ctx context.Context) error
}

// Pins are durable claims on the source's channel: entries with a Ts above a
// pin are not truncated.
type Pins interface {
	// Pin claims everything after at for owner, in place of an earlier claim of it.
	// It is a CheckpointStale or LogTruncated error when the log no longer has it; the
	// earlier claim remains then. evicted is called at most once, from any goroutine, if the claim is taken away later; it
	// does not block.
	Pin(ctx context.Context, owner string, at ts.Ts, evicted func(error)) error
	// Advance moves the claim up; moving it down is not possible.
	Advance(ctx context.Context, owner string, at ts.Ts) error
	// Release gives the claim up; nothing happens when there is none.
	Release(ctx context.Context, owner string) error
}
