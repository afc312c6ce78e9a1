package feed

import (
	"context"
	"time"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
)

// Source is what a feed needs from the running source it reads. Its methods may
// be called concurrently, by many feeds.
type Source interface {
	// Channel is the source's log channel.
	Channel() wal.Channel
	// Side is the consumer's snapshot channel. The feed truncates it up to the
	// outcome of the last marker whose rows are delivered and saved.
	Side(consumer string) (wal.Channel, error)
	// Outcome waits for what became of the reading that a marker names: where its
	// rows are on the side channel, or false when the marker is void. Outcomes come
	// in the order of their markers, and stay what they are over a restart.
	Outcome(ctx context.Context, consumer string, read uint64) (side ts.Ts, ok bool, err error)
	// Schema is one version of a table's shape. It is kept at least while a pin
	// lies below the version that follows it.
	Schema(table row.TableID, version uint32) (*row.Schema, error)
	// Tables is the newest shape of every captured table; for one whose shape is
	// not known yet, an entry with Table, Namespace and Name alone (Version 0).
	Tables() []*row.Schema
	// Backfill asks for these snapshots of tables, or resumes them. Idempotent; the
	// last request for a table wins.
	Backfill(ctx context.Context, consumer string, requests []backfill.Request) error
	// CancelBackfill ends the consumer's snapshots and removes its side channel.
	CancelBackfill(consumer string) error
	// Progress is how far the consumer's snapshots are, by table.
	Progress(consumer string) []backfill.Progress
	// Locate says for each key tuple how many of the ascending bounds lie below it.
	Locate(ctx context.Context, table row.TableID, bounds, keys []row.Tuple) ([]int, error)
	// Fetch reads one row by its key tuple as it is now upstream, in the columns of
	// shape; false when there is none.
	Fetch(ctx context.Context, shape *row.Schema, key row.Tuple) (row.Tuple, bool, error)
	// State says what the capture waits for and since when; "" while it streams.
	State() (what string, since time.Time)
}

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
