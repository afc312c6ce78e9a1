package feed

import (
	"context"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/reconcile"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
)

// marker lets a chunk of our snapshots take effect: its rows come from the side
// channel, in pieces that may be committed one by one.
func (r *reader) marker(ctx context.Context, e *wal.Entry) error {
	m, err := backfill.DecodeMarker(e.Changes)
	if err != nil {
		return r.badEntry(e, err)
	}
	if m.Consumer != r.consumer.ID() {
		return nil
	}
	sh, err := r.shape(m.Table, m.Version)
	if err != nil || !sh.taken {
		return err
	}
	if len(r.b.items) > 0 { // the rows may take a while
		if err := r.flush(ctx, Position{Ts: e.Ts - 1}); err != nil {
			return err
		}
	}
	side, ok, err := r.source.Outcome(ctx, r.consumer.ID(), m.Read)
	if err != nil || !ok || !r.consumer.Marker(&m) {
		return err
	}
	r.changedIf(true, e.Ts)
	if !r.skip.Less(Position{Ts: e.Ts}) {
		r.delivered[sh.Table] = sh.Version
	} else if err := r.chunk(ctx, e, &m, sh, side); err != nil {
		return named(err, sh.Schema)
	}
	r.side = max(r.side, side)
	return nil
}

// chunk delivers the rows of a chunk that the target does not have yet.
func (r *reader) chunk(ctx context.Context, e *wal.Entry, m *backfill.Marker, sh *shape, at ts.Ts) error {
	skip := uint64(0)
	if r.skip.Ts == e.Ts {
		skip = r.skip.Offset
	}
	c := chunkReader{r: r, entry: e, sh: sh, skip: skip, head: &ChunkRange{Table: m.Table, Lo: m.Lo, Hi: m.Hi}}
	side, err := r.source.Side(r.consumer.ID())
	if err != nil {
		return err
	}
	if err := c.begin(m); err != nil {
		return err
	}
	return reconcile.Rows(ctx, side, at, func(changes []byte) error { return c.rows(ctx, changes) })
}

// chunkReader puts a chunk's rows into batches.
type chunkReader struct {
	r     *reader
	entry *wal.Entry
	sh    *shape
	head  *ChunkRange
	pos   []byte // upstream, at which the chunk ends
	skip  uint64 // rows that the target has
	n     uint64 // rows passed
	txn   *Txn
}

// begin delivers what comes before the first row.
func (c *chunkReader) begin(m *backfill.Marker) error {
	c.pos = m.End
	c.newTxn()
	r := c.r
	if r.delivered[c.sh.Table] != c.sh.Version {
		txn := c.txn
		if c.skip > 0 {
			txn = nil
		}
		if err := r.reshape(c.sh, &unit{entry: c.entry}, txn); err != nil {
			return err
		}
	}
	if c.skip == 0 {
		r.b.chunks = append(r.b.chunks, chunkHead{len(r.b.items), c.sh.Schema, c.head})
	}
	r.b.snapshot = true
	return nil
}

func (c *chunkReader) newTxn() {
	t := c.r.b.txns.next()
	t.Ts, t.Xid, t.CommitUs = c.entry.Ts, c.entry.Xid, c.entry.CommitUs
	t.Position, t.Snapshot, t.Chunk = c.r.b.arena.copy(c.pos), true, c.head
	c.txn = t
}

// rows takes a run of the chunk's rows. Between two runs the target may commit.
func (c *chunkReader) rows(ctx context.Context, changes []byte) error {
	r := c.r
	if r.full() && c.n > c.skip { // not before the last row's run: 0 means all
		if err := r.flush(ctx, Position{Ts: c.entry.Ts, Offset: c.n}); err != nil {
			return err
		}
		r.b.snapshot = true
		c.newTxn()
	}
	changes = r.b.arena.copy(changes)
	r.b.bytes += len(changes)
	it := row.Changes(changes)
	for it.Next() {
		if c.n++; c.n > c.skip {
			r.b.items = append(r.b.items, Item{Change: it.Change, Schema: c.sh.Schema, Txn: c.txn})
		}
	}
	if err := it.Err(); err != nil {
		return r.badEntry(c.entry, err)
	}
	return nil
}
