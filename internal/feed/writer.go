package feed

import (
	"context"
	"time"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
)

// delivery is what the writer reports after a commit, or when nothing happened
// up to a position.
type delivery struct {
	pos       Position
	committed bool  // pos was committed: the target keeps it
	mark      *mark // to restart from markTs with; nil: none since the attempt began
	markTs    ts.Ts
	counts    counts
}

// counts are what was delivered.
type counts struct {
	reads, inserts, updates, deletes, truncates, schemas int64
	bytes, txns, commits                                 int64
	took                                                 time.Duration // of the commit
}

func (c *counts) item(op row.Op) {
	switch op {
	case row.Read:
		c.reads++
	case row.Insert:
		c.inserts++
	case row.Update:
		c.updates++
	case row.Delete:
		c.deletes++
	case row.Truncate:
		c.truncates++
	case row.SchemaChange:
		c.schemas++
	}
}

// writer hands batches to the sink and merges them into target transactions. It
// is used by one goroutine. At a sink that is Pipelined it goes on while commits
// are under way; what is reported is what the target has confirmed.
type writer struct {
	sink    Sink
	batches batches
	limits  limits
	skip    Position // the target has this much; it must not be told less
	report  func(d delivery)
	busy    func(table row.TableID)

	sent    []sent     // commits under way, the oldest first
	answers chan error // to them

	open     bool // something is written and not committed
	rows     int
	bytes    int
	began    time.Time // of what is open
	snapshot bool
	last     *batchEnd // of the last batch taken
	mark     *mark
	markTs   ts.Ts
	counts   counts
}

// limits of a target transaction.
type limits struct {
	rows, bytes, snapshotRows, snapshotBytes int
	linger                                   time.Duration
}

type batchEnd struct {
	pos      Position
	boundary bool
}

// run delivers until ctx ends or the sink fails.
func (w *writer) run(ctx context.Context) error {
	for {
		b, err := w.take(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			if err := w.commit(ctx); err != nil {
				return err
			}
			continue
		}
		err = w.write(ctx, b)
		w.batches.free <- b
		if err != nil {
			return err
		}
		if err := w.after(ctx); err != nil {
			return err
		}
	}
}

// take waits for the next batch; nil says that it is time to commit.
func (w *writer) take(ctx context.Context) (*batch, error) {
	if w.open && w.last.boundary {
		select {
		case b := <-w.batches.full:
			return b, nil
		default:
		}
	}
	for {
		b, due, err := w.wait(ctx)
		if b != nil || due || err != nil {
			return b, err
		}
	}
}

// wait waits for one thing to happen: a batch, that a commit is due, an answer.
func (w *writer) wait(ctx context.Context) (b *batch, due bool, err error) {
	var linger <-chan time.Time
	if w.open && w.last.boundary && len(w.sent) < ahead {
		left := w.limits.linger - time.Since(w.began)
		if left <= 0 {
			return nil, true, ctx.Err()
		}
		timer := time.NewTimer(left)
		defer timer.Stop()
		linger = timer.C
	}
	select {
	case b := <-w.batches.full:
		return b, false, nil
	case err := <-w.answers:
		return nil, false, w.answered(err)
	case <-linger:
		return nil, true, nil
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
}

// write passes the batch to the sink.
func (w *writer) write(ctx context.Context, b *batch) error {
	w.last = &batchEnd{b.pos, b.boundary}
	if b.mark != nil {
		w.mark, w.markTs = b.mark, b.pos.Ts
	}
	w.counts.txns += int64(b.count)
	if len(b.items) == 0 && len(b.chunks) == 0 {
		return nil
	}
	if !w.open {
		w.open, w.began = true, time.Now()
	}
	var table row.TableID
	if len(b.items) > 0 {
		table = b.items[0].Change.Table
	}
	w.busy(table)
	w.rows += len(b.items)
	w.bytes += b.bytes
	w.snapshot = w.snapshot || b.snapshot
	w.counts.bytes += int64(b.bytes)
	for i := range b.items {
		w.counts.item(b.items[i].Change.Op)
	}
	from := 0
	for _, h := range b.chunks {
		if err := w.items(ctx, b.items[from:h.at]); err != nil {
			return err
		}
		from = h.at
		if s, ok := w.sink.(Reconciler); ok {
			if err := s.BeginChunk(ctx, h.schema, h.chunk); err != nil {
				return err
			}
		}
	}
	return w.items(ctx, b.items[from:])
}

func (w *writer) items(ctx context.Context, items []Item) error {
	if len(items) == 0 {
		return nil
	}
	return w.sink.Write(ctx, items)
}

// after commits what is large enough, and passes on positions up to which
// nothing happened.
func (w *writer) after(ctx context.Context) error {
	if !w.last.boundary {
		return nil
	}
	if !w.open {
		return w.nothing(ctx)
	}
	rows, bytes := w.limits.rows, w.limits.bytes
	if w.snapshot {
		rows, bytes = w.limits.snapshotRows, w.limits.snapshotBytes
	}
	if w.rows >= rows || w.bytes >= bytes {
		return w.commit(ctx)
	}
	return nil
}
