package capture

import (
	"context"
	"fmt"
	"time"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
)

// readChunk reads a chunk into parts of the side channel and places its marker.
// False means that it must be read again.
func (j *job) readChunk(ctx context.Context, k task) (placed bool, err error) {
	j.mu.Lock()
	w, spec := j.writer, ChunkSpec{
		Table: k.t.id, Lo: k.t.plan.lo(k.chunk), Hi: k.t.plan.chunks[k.chunk].Hi,
		Register: j.s.schemas.Register,
	}
	j.mu.Unlock()
	parts, err := w.Large()
	if err != nil {
		return false, err
	}
	sealed := false
	defer func() {
		if !sealed {
			if e := parts.Abort(); e != nil && err == nil {
				err = e
			}
		}
	}()
	read, err := j.s.opts.Upstream.ReadChunk(ctx, spec, func(changes []byte, _ int) error {
		return parts.Part(0, changes)
	})
	if err != nil {
		return false, err
	}
	ok, err := j.suits(ctx, k.t, &read)
	if err != nil || !ok {
		return false, err
	}
	ref, err := parts.Seal(nil)
	if err != nil {
		return false, err
	}
	sealed = true
	ref.Changes = read.Rows
	return j.place(ctx, k, ref, &read)
}

// suits tells whether a chunk may take effect now: no older transaction is
// missed by the publication, the stream has passed the table's shape, and the
// snapshot sees everything in the channel.
func (j *job) suits(ctx context.Context, t *tableJob, read *ChunkRead) (bool, error) {
	if known, ok := j.s.tables.get(t.id); ok && known.PublishedXid != 0 && read.Visible.Xmin <= known.PublishedXid {
		j.waiting(t, fmt.Sprintf("transaction %d, which began before the table was published, to end", read.Visible.Xmin))
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(200 * time.Millisecond):
			return false, nil
		}
	}
	j.mu.Lock()
	passed := t.shape == read.ShapeXid
	j.mu.Unlock()
	if !passed {
		j.waiting(t, "the stream to pass the table's last schema change")
		if err := j.s.stream.await(ctx, read.End); err != nil {
			return false, err
		}
		j.mu.Lock()
		t.shape = read.ShapeXid
		j.mu.Unlock()
	}
	j.waiting(t, "")
	return j.s.stream.seesAll(read.Visible), nil
}

// place commits a chunk's parts on the side channel and appends its marker.
func (j *job) place(ctx context.Context, k task, ref *wal.LargeRef, read *ChunkRead) (bool, error) {
	j.placing.Lock()
	defer j.placing.Unlock()
	side, err := j.commitSide(ctx, ref)
	if err != nil {
		return false, err
	}
	j.mu.Lock()
	m := backfill.Marker{
		Consumer: j.consumer, Table: k.t.id, Attempt: k.t.plan.attempt, Chunk: k.chunk,
		Lo: k.t.plan.lo(k.chunk), Hi: k.t.plan.chunks[k.chunk].Hi,
		Version: read.Version, Visible: read.Visible, End: read.End, Side: side, Rows: read.Rows,
	}
	j.mu.Unlock()
	placed, err := j.s.stream.place(ctx, &m)
	if err != nil || !placed {
		return false, err // the parts on the side channel go when it is truncated past them
	}
	j.s.metrics.chunks.Inc()
	return true, j.finish(ctx, k, read.Rows)
}

func (j *job) commitSide(ctx context.Context, ref *wal.LargeRef) (ts.Ts, error) {
	j.mu.Lock()
	w := j.writer
	j.mu.Unlock()
	at, err := w.Append(&wal.Entry{Kind: wal.KindTxn, Large: ref})
	if err != nil {
		return 0, err
	}
	return at, w.WaitDurable(ctx, at)
}

// finish notes that a chunk is placed. Should this be lost, the chunk is read
// again and its consumer drops the repetition.
func (j *job) finish(ctx context.Context, k task, rows int64) error {
	j.mu.Lock()
	c := &k.t.plan.chunks[k.chunk]
	if c.Done {
		j.mu.Unlock()
		return nil
	}
	c.Done, c.Rows = true, rows
	saved := *c
	k.t.done++
	k.t.rows += rows
	finished := k.t.finished()
	j.mu.Unlock()
	if err := j.s.saveChunk(j.consumer, k.t.id, k.t.plan.attempt, k.chunk, saved); err != nil {
		return err
	}
	if finished {
		j.s.log.Info("snapshot read", "consumer", j.consumer, "table", k.t.name, "rows", k.t.rows)
		// A heartbeat lets the stream pass the last chunk on an idle upstream.
		if _, err := j.s.opts.Upstream.Now(ctx); err != nil {
			j.s.log.Warn("heartbeat after a snapshot", "error", err)
		}
	}
	return nil
}

// Channel is the source's log channel.
func (s *Source) Channel() wal.Channel { return s.channel }

// Schema is one version of a table's shape.
func (s *Source) Schema(table row.TableID, version uint32) (*row.Schema, error) {
	return s.schemas.Schema(table, version)
}

// Locate says for each key tuple how many of the ascending bounds lie below it.
func (s *Source) Locate(ctx context.Context, table row.TableID, bounds, keys []row.Tuple) ([]int, error) {
	return s.opts.Upstream.Locate(ctx, table, bounds, keys)
}

// Fetch reads one row by its key as it is now upstream.
func (s *Source) Fetch(ctx context.Context, shape *row.Schema, key row.Tuple) (row.Tuple, bool, error) {
	return s.opts.Upstream.Fetch(ctx, shape, key)
}
