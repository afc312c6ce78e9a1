package capture

import (
	"context"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/row"
)

// Upstream is one foreign database that can be captured: the port that an
// adapter implements. All methods but Stream may be called concurrently.
type Upstream interface {
	// Identity asks the server who it is.
	Identity(ctx context.Context) (Identity, error)
	// Prepare makes the upstream ready to stream from resume (empty: from now),
	// idempotently: preflight, publications, slot. Missing, invalidated,
	// re-created or foreign slots are typed errors. It returns where the stream
	// will start, and whether this call created the slot.
	Prepare(ctx context.Context, resume []byte) (start []byte, created bool, err error)
	// Stream delivers everything after from to h, in commit order, until ctx ends
	// or the connection fails. It acknowledges h.Durable() upstream, never more,
	// and moves the acknowledgement forward while the upstream is idle.
	Stream(ctx context.Context, from []byte, h Handler) error
	// Tables lists the tables selected by the source's filter as the catalog has
	// them now, and brings the publications in step with them.
	Tables(ctx context.Context) ([]Table, error)
	// Now is a position that everything committed upstream before the call lies at or below,
	// and that the stream will reach although nothing else happens (it emits a heartbeat).
	Now(ctx context.Context) ([]byte, error)
	// Drop removes slot, publications and triggers.
	Drop(ctx context.Context) error
	Snapshotter
	Close() error
}

// Snapshotter reads existing rows, chunk by chunk.
type Snapshotter interface {
	// Plan cuts the table into chunks of about rows rows in key order, after the
	// bound after (nil: from the start), and calls emit with each chunk's
	// inclusive upper bound; the last bound is nil (open). A keyless table is one
	// chunk. Bounds are key tuples: only the key columns, in column order.
	Plan(ctx context.Context, table row.TableID, after row.Tuple, rows int, emit func(hi row.Tuple) error) error
	// ReadChunk reads the rows with lo < key <= hi (nil: open) in one snapshot and
	// passes them as encoded row.Read changes with version 0 rewritten by version(shape).
	ReadChunk(ctx context.Context, c ChunkSpec, emit func(changes []byte, rows int) error) (ChunkRead, error)
	// Locate says for each key tuple how many of the ascending bounds lie below it
	// (bound < key), compared by the server where byte order would not do.
	Locate(ctx context.Context, table row.TableID, bounds, keys []row.Tuple) ([]int, error)
	// Fetch reads one row by its key tuple as it is now, in the columns of shape; false when there is none.
	Fetch(ctx context.Context, shape *row.Schema, key row.Tuple) (row.Tuple, bool, error)
}

// ChunkSpec names the rows to read.
type ChunkSpec struct {
	Table  row.TableID
	Lo, Hi row.Tuple
	// Register gives the version of the shape that the rows are read in.
	Register func(shape *row.Schema) (version uint32, err error)
	// Begin is called once the snapshot is taken and before the first row is read;
	// an error ends the reading and is returned as it is.
	Begin func(*ChunkRead) error
}

// ChunkRead tells under which snapshot a chunk was read.
type ChunkRead struct {
	Visible backfill.Visibility
	// End is a position read after the snapshot was taken: a transaction that
	// commits above it is not visible.
	End []byte
	// ShapeXid changes whenever the table's shape changes in the catalog.
	ShapeXid uint64
	Version  uint32
	Rows     int64
	Bytes    int64
}

// Table is one table the source captures, as the catalog has it.
type Table struct {
	ID        row.TableID
	Namespace string
	Name      string
	Keyless   bool
	Rows      int64 // estimate
	// PublishedXid is the transaction that added the table to the publication, 0
	// when it was there before the slot: a chunk may only be read in a snapshot
	// whose xmin lies above it, else changes of older transactions are missed.
	PublishedXid uint64
}

// Identity says which upstream this is; a source's channel is keyed by it.
type Identity struct {
	System   string `json:"system"` // PostgreSQL's system identifier
	Timeline int32  `json:"timeline"`
	Database string `json:"database"`
	Version  string `json:"version"`
}

// Handler receives the stream. Byte slices are borrowed until the call returns.
type Handler interface {
	// Changes delivers a piece of an unfinished transaction; sub is its
	// sub-transaction (equal to txn when there is none). Pieces of several
	// transactions may interleave. At most wal.MaxChanges bytes a call; a change
	// larger than that comes in calls of exactly that size and one with the rest.
	Changes(txn, sub uint64, changes []byte) error
	// Abort forgets a sub-transaction, or all of txn when sub == txn.
	Abort(txn, sub uint64) error
	// Commit ends txn. Position is order-preserving and above all earlier ones.
	Commit(txn uint64, position []byte, commitUs int64) error
	// Alive tells that the stream has delivered everything at or below position. One
	// that is told again is waited for upstream: it becomes durable soon.
	Alive(position []byte) error
	// Durable is the position up to which everything is durable in the log. It alone
	// is called concurrently with the other methods.
	Durable() []byte
	// Register gives the version of a table's shape, the same for the same shape.
	// current is true when it is the version the stream used last for the table;
	// otherwise the adapter puts a row.SchemaChange before the next change of it.
	Register(shape *row.Schema) (version uint32, current bool, err error)
	// Shape is the newest registered shape of a table, or nil.
	Shape(table row.TableID) *row.Schema
	// TablesChanged asks for a call of Upstream.Tables soon: a table came or went.
	TablesChanged()
}
