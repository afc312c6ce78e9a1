package feed

import (
	"context"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
)

// Sink is one lane's way into a target: the port that an adapter implements.
// It is used by one goroutine. After any error the feed closes the sink, opens a
// new one, asks for its position and delivers again from there.
type Sink interface {
	// Open connects, fences owners of a lower term, and returns the lane's position
	// at the target; ok is false when the target has none (a fresh incarnation).
	Open(ctx context.Context, lane Lane) (pos Position, ok bool, err error)
	// Write adds items to the target transaction that is open, or opens one. Items
	// and all they point to are borrowed until Write returns.
	Write(ctx context.Context, items []Item) error
	// Commit makes everything written since the last Commit durable and visible at
	// once, together with pos: at an exactly-once target in the same transaction,
	// by compare-and-set on the owner's term and the previous position.
	Commit(ctx context.Context, pos Position) error
	// Resolved tells that nothing happened up to pos since the last Commit. A sink
	// may persist it lazily.
	Resolved(ctx context.Context, pos Position) error
	Close(ctx context.Context) error
}

// Lane names one ordered stream with one position at its target.
type Lane struct {
	Cluster     string // of this installation
	Changefeed  string
	Incarnation uint64 // of the changefeed: grows when it is created anew or resynced
	Lane        int
	Term        uint64 // of the owner, grows with every start
}

// Position says how far a lane has delivered: every entry below Ts, and of the
// entry at Ts the first Offset changes, or all of it when Offset is 0.
type Position struct {
	Ts     ts.Ts
	Offset uint64
}

// Less orders positions.
func (p Position) Less(q Position) bool {
	if p.Ts != q.Ts {
		return p.Ts < q.Ts
	}
	return p.Offset-1 < q.Offset-1 // 0, the whole entry, wraps to the largest
}

// Item is one change on its way to a target.
type Item struct {
	Change row.Change
	// Schema describes the tuples of Change; for SchemaChange, the shape that begins.
	Schema *row.Schema
	// Before is, for SchemaChange, the shape delivered so far; nil for a new table.
	Before *row.Schema
	Txn    *Txn
}

// Txn describes the upstream transaction, or the snapshot chunk, of an Item.
type Txn struct {
	Ts       ts.Ts
	Xid      uint64
	CommitUs int64
	Position []byte // upstream, of the commit
	// Snapshot is set for rows of an initial snapshot; Table and Chunk tell which.
	Snapshot bool
	Chunk    *ChunkRange
}

// ChunkRange is the key range that a snapshot chunk's rows fill completely. A
// sink that reconciles deletes target rows in it that the chunk does not have.
type ChunkRange struct {
	Table  row.TableID
	Lo, Hi row.Tuple // exclusive, inclusive; nil: open
}

// Reconciler is implemented by a sink that makes a target equal to the source
// although it held rows before. The feed calls BeginChunk before the rows of
// every snapshot chunk, also of an empty one: rows of the target in the range
// that the chunk does not have are to go. The chunk's rows follow by Write,
// perhaps over several Commits, the first of which covers BeginChunk.
type Reconciler interface {
	BeginChunk(ctx context.Context, schema *row.Schema, chunk *ChunkRange) error
}

// Pipelined is implemented by a sink that takes on the next target transaction
// while the target still commits the one before.
type Pipelined interface {
	// CommitAhead is Commit without the wait: it returns when the commit is queued
	// behind everything written. Then done is called once, from another goroutine and
	// not after Close has returned: with nil when the commit is durable, in the order
	// of the commits. After an error nothing that was written or committed later
	// takes effect. When CommitAhead itself fails, done is not called.
	CommitAhead(ctx context.Context, pos Position, done func(error)) error
}

// Forgetful is implemented by a sink that keeps no position at its target: the
// feed then goes on from what it saved itself, and delivers at least once.
type Forgetful interface{ Forgetful() }
