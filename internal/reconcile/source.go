package reconcile

import (
	"context"
	"time"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
)

// Source is what a consumer needs from the running source it reads. Its methods may
// be called concurrently, by many consumers.
type Source interface {
	// Channel is the source's log channel.
	Channel() wal.Channel
	// Side is the consumer's snapshot channel. The consumer truncates it up to the
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
