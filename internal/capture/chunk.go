package capture

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/wal"
)

// errOvertaken ends a reading whose snapshot does not suit the stream; the next
// one will.
var errOvertaken = errors.New("capture: the stream has overtaken the snapshot")

// reading is one attempt at a chunk.
type reading struct {
	*job
	task
	ctx    context.Context
	parts  wal.LargeWriter // of the side channel
	fresh  func()          // to be called when the snapshot will not be checked any more
	read   uint64          // named in the marker; 0 until it is placed
	marker backfill.Marker
}

// readChunk reads a chunk once. False means that it must be read again.
func (j *job) readChunk(ctx context.Context, k task) (bool, error) {
	r := &reading{job: j, task: k, ctx: ctx}
	j.mu.Lock()
	w, spec := j.writer, ChunkSpec{
		Table: k.t.id, Lo: k.t.plan.lo(k.chunk), Hi: k.t.plan.chunks[k.chunk].Hi,
		Register: j.s.schemas.Register, Begin: r.begin,
	}
	j.mu.Unlock()
	r.marker = backfill.Marker{
		Consumer: j.consumer, Table: spec.Table, Attempt: k.t.plan.attempt, Chunk: k.chunk, Lo: spec.Lo, Hi: spec.Hi,
	}
	var err error
	if r.parts, err = w.Large(); err != nil {
		return false, err
	}
	r.fresh = j.s.stream.reading()
	defer r.fresh()
	read, err := j.s.opts.Upstream.ReadChunk(ctx, spec, func(changes []byte, _ int) error { return r.keep(changes) })
	if err = r.end(&read, err); err != nil {
		if errors.Is(err, errOvertaken) {
			return false, nil
		}
		return false, err
	}
	j.s.metrics.chunks.Inc()
	return true, j.finish(ctx, k, read.Rows)
}

// keep writes rows to the side channel. One that is larger than a part is cut, as
// the stream's are.
func (r *reading) keep(changes []byte) error {
	for piece := range slices.Chunk(changes, wal.MaxChanges) {
		if err := r.parts.Part(0, piece); err != nil {
			return err
		}
	}
	return nil
}

// begin places the marker, while the snapshot is fresh.
func (r *reading) begin(read *ChunkRead) error {
	defer r.fresh()
	if err := r.suits(read); err != nil {
		return err
	}
	r.marker.Version, r.marker.Visible, r.marker.End = read.Version, read.Visible, read.End
	r.outcomes.placing.Lock() // outcomes come in the markers' order
	defer r.outcomes.placing.Unlock()
	r.marker.Read = r.outcomes.next()
	placed, err := r.s.stream.place(r.ctx, &r.marker)
	if err != nil || !placed {
		r.outcomes.withdraw(r.marker.Read)
		return errors.Join(err, errOvertaken)
	}
	r.read = r.marker.Read
	return nil
}

// suits tells whether a chunk in this snapshot could take effect now: no older
// transaction is missed by the publication, and the stream has passed the
// table's shape.
func (r *reading) suits(read *ChunkRead) error {
	if known, ok := r.s.tables.get(r.t.id); ok && known.PublishedXid != 0 && read.Visible.Xmin <= known.PublishedXid {
		r.waiting(r.t, fmt.Sprintf("transaction %d, which began before the table was published, to end", read.Visible.Xmin))
		// On an idle upstream there may be no such transaction, only no later one yet.
		if _, err := r.s.opts.Upstream.Now(r.ctx); err != nil {
			return err
		}
		select {
		case <-r.ctx.Done():
			return r.ctx.Err()
		case <-time.After(200 * time.Millisecond):
			return errOvertaken
		}
	}
	r.mu.Lock()
	passed := r.t.shape == read.ShapeXid
	r.mu.Unlock()
	if passed {
		r.waiting(r.t, "")
		return nil
	}
	r.waiting(r.t, "the stream to pass the table's last schema change")
	// The heartbeat brings the stream past the shape on an idle upstream.
	if _, err := r.s.opts.Upstream.Now(r.ctx); err != nil {
		return err
	}
	if err := r.s.stream.await(r.ctx, read.End); err != nil {
		return err
	}
	r.mu.Lock()
	r.t.shape = read.ShapeXid
	r.mu.Unlock()
	return errOvertaken // the snapshot is no longer fresh
}

// end makes the rows durable and records the outcome: after a marker there is
// always one.
func (r *reading) end(read *ChunkRead, err error) error {
	var ref *wal.LargeRef
	if err == nil {
		if ref, err = r.parts.Seal(nil); err == nil {
			ref.Changes = read.Rows
		}
	}
	if err != nil {
		err = errors.Join(err, r.parts.Abort())
	}
	if r.read == 0 {
		return err
	}
	return errors.Join(err, r.record(r.ctx, r.read, ref))
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
