package wal

import (
	"context"
	"time"

	"github.com/weirstream/weir/internal/ts"
)

// MaxFrame bounds one entry's encoding, in bytes. Larger transactions go in
// parts (see Large).
const MaxFrame = 512 << 10

// MaxChanges is what an Entry's Changes may take of a frame.
const MaxChanges = MaxFrame - 8<<10

// Kind tells entries apart.
type Kind byte

// Kinds of entry.
const (
	KindTxn    Kind = 'T' // one upstream transaction; Changes is a row change sequence
	KindMarker Kind = 'M' // a note to one consumer; Changes is the consumer's encoding
)

// Entry is one committed transaction, or a marker, on a channel.
type Entry struct {
	Ts   ts.Ts  // assigned by Append
	Term uint64 // assigned by Append
	Kind Kind
	// Position is where the transaction ends upstream, in the source's
	// order-preserving bytes; empty for entries that come from nowhere else.
	// The last non-empty one is the channel's high position.
	Position []byte
	// Xid and CommitUs (unix microseconds) are the upstream's.
	Xid      uint64
	CommitUs int64
	// Changes holds the changes, unless Large is set.
	Changes []byte
	Large   *LargeRef
}

// LargeRef names the parts of a large transaction.
type LargeRef struct {
	Attempt uint64   // the attempt that wrote them
	Subs    []uint64 // surviving sub-transactions; nil means all
	Bytes   int64    // of all parts, surviving or not
	Changes int64    // number of changes in surviving parts, -1 when unknown
}

// Log opens channels. One process holds one Log.
type Log interface {
	// Channel opens the channel of that name, creating it if it is not there.
	Channel(name string) (Channel, error)
	// Channels lists the names of existing channels, sorted.
	Channels() ([]string, error)
	// Remove deletes a channel and all it holds.
	Remove(name string) error
	Close() error
}

// Channel is one ordered log.
type Channel interface {
	Name() string
	// Lead takes the next term and becomes the only writer. Entries and promises
	// of older terms that were not durable by now never appear.
	Lead(ctx context.Context) (Writer, error)
	// Read starts at the first entry with Ts > after. It is a LogTruncated error
	// when after lies below Status().Truncated.
	Read(after ts.Ts) (Reader, error)
	// Parts streams the parts of a large transaction in the order written,
	// skipping sub-transactions that did not survive.
	Parts(ref *LargeRef) (PartReader, error)
	// Truncate forgets entries with Ts <= upTo, and their parts, as far as whole
	// segments allow. Readers below it get LogTruncated.
	Truncate(upTo ts.Ts) error
	Status() Status
	// BytesAfter estimates the bytes that a reader standing at after has before it.
	BytesAfter(after ts.Ts) int64
	Close() error
}

// Status is what a channel knows of itself.
type Status struct {
	Term      uint64
	Truncated ts.Ts  // entries <= it may be gone
	First     ts.Ts  // of the oldest entry kept; 0 when empty
	Durable   ts.Ts  // of the newest durable entry; 0 when none
	Resolved  ts.Ts  // no later entry will have a Ts <= it
	High      []byte // highest durable upstream position
	Bytes     int64  // on disk, parts included
	Segments  int
	// Repaired tells what opening cut from a torn tail; empty when nothing.
	Repaired string
	// Stalled tells what the writer waits for (a full disk); empty when it does not.
	Stalled string
}

// Writer appends under one term. Its methods may be called concurrently; the
// order of Append calls is the order of the log.
type Writer interface {
	Term() uint64
	// Append assigns Ts and Term and buffers the entry; e's slices are copied.
	// It is not durable until WaitDurable says so. After LogFenced the writer is
	// of no use; after LogUnknown the caller leads again and re-reads the tail.
	Append(e *Entry) (ts.Ts, error)
	// WaitDurable returns when everything up to t is durable: nil, LogFenced or LogUnknown.
	WaitDurable(ctx context.Context, t ts.Ts) error
	// Durable is the Ts and the high position up to which everything is durable,
	// and a channel that is closed when they next move.
	Durable() (t ts.Ts, high []byte, moved <-chan struct{})
	// Promise raises the clock past t, so that resolved becomes >= t once all
	// entries <= t are durable. With t = 0 it promises the clock's present.
	// It returns the promised Ts.
	Promise(t ts.Ts) (ts.Ts, error)
	// Large begins the parts of a large transaction, a new attempt.
	Large() (LargeWriter, error)
	Close() error
}

// LargeWriter writes the parts of one large transaction. It is used by one goroutine.
type LargeWriter interface {
	// Part appends changes of a sub-transaction; at most MaxChanges bytes, copied.
	Part(sub uint64, changes []byte) error
	// Seal makes the parts durable and returns the reference for the commit entry.
	Seal(subs []uint64) (*LargeRef, error)
	// Abort deletes the parts.
	Abort() error
}

// Reader reads entries in Ts order, up to the durable mark. Used by one goroutine.
type Reader interface {
	// Next returns the next entries, or none when only Resolved moved. It blocks
	// until there is something new. Entries are borrowed until the next call.
	Next(ctx context.Context) (Batch, error)
	Close() error
}

// Batch is what a Reader has read.
type Batch struct {
	Entries []Entry
	// Resolved: the reader has seen everything with Ts <= it. At least the last entry's Ts.
	Resolved ts.Ts
}

// PartReader streams the parts of a large transaction.
type PartReader interface {
	// Next returns the next part's sub-transaction and changes, borrowed until the
	// following call; io.EOF at the end.
	Next() (sub uint64, changes []byte, err error)
	Close() error
}

// Options bound a backend's resources. Zero values mean the defaults given.
type Options struct {
	SegmentBytes  int64         // 64 MiB
	ReserveAhead  time.Duration // of the clock's ceiling: 5 s
	ReadBytes     int           // a reader's batch: 1 MiB
	BufferedBytes int           // appended and not yet durable, before Append blocks: 16 MiB
}
