package capture

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// errSuperseded ends work on a table whose snapshot began anew meanwhile.
var errSuperseded = errors.New("capture: the snapshot of the table began anew")

// tableJob is the snapshot of one table for one consumer. Guarded by its job's mu.
type tableJob struct {
	id    row.TableID
	name  string
	total int64 // rows, estimated
	plan  plan
	rows  int64 // read and placed
	done  int   // chunks placed
	queue bool  // its chunks are being handed out, or were
	given int   // chunks handed out

	waits string
	since time.Time
	// shape is the catalog version of the table that the stream has passed.
	shape uint64
}

func (t *tableJob) finished() bool { return t.plan.complete() && t.done == len(t.plan.chunks) }

func (t *tableJob) progress() backfill.Progress {
	p := backfill.Progress{
		Table: t.id, Name: t.name, RowsDone: t.rows, RowsTotal: max(t.total, t.rows),
		ChunksDone: t.done, Waits: t.waits,
	}
	if t.finished() {
		p.RowsTotal = t.rows
	}
	if !t.since.IsZero() {
		p.SinceMs = t.since.UnixMilli()
	}
	return p
}

// lead takes the side channel's next term: at first, and after its writer was poisoned.
func (j *job) lead(ctx context.Context) error {
	w, err := j.side.Lead(ctx)
	if err != nil {
		return err
	}
	j.outcomes.lead(w.Term())
	j.mu.Lock()
	defer j.mu.Unlock()
	j.writer = w
	return nil
}

// ask adds tables, or begins their snapshots anew at a higher attempt.
func (j *job) ask(ctx context.Context, requests []backfill.Request) error {
	j.mu.Lock()
	led := j.writer != nil
	j.mu.Unlock()
	if !led {
		if err := j.lead(ctx); err != nil {
			return err
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range requests {
		old := j.tables[r.Table]
		if old != nil && old.plan.attempt >= r.Attempt {
			continue
		}
		p, err := j.s.loadPlan(j.consumer, r.Table, r.Attempt)
		if err != nil {
			return err
		}
		t := &tableJob{id: r.Table, plan: p}
		for _, c := range p.chunks {
			if c.Done {
				t.done++
				t.rows += c.Rows
			}
		}
		if old == nil {
			j.order = append(j.order, r.Table)
		}
		j.tables[r.Table] = t
	}
	close(j.changed)
	j.changed = make(chan struct{})
	return nil
}

// task is one chunk to be read.
type task struct {
	t     *tableJob
	chunk int
}

// run hands the chunks of all tables to the workers until ctx ends.
func (j *job) run(ctx context.Context) {
	tasks := make(chan task)
	var workers sync.WaitGroup
	for range j.s.opts.ChunkWorkers {
		workers.Go(func() {
			for t := range tasks {
				j.persist(ctx, t.t, func() error { return j.chunk(ctx, t) })
			}
		})
	}
	defer workers.Wait()
	defer close(tasks)
	for ctx.Err() == nil {
		t, changed := j.next()
		if t == nil {
			select {
			case <-ctx.Done():
			case <-changed:
			}
			continue
		}
		j.persist(ctx, t, func() error { return j.handOut(ctx, t, tasks) })
	}
}

// next is a table whose chunks have not been handed out.
func (j *job) next() (*tableJob, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, id := range j.order {
		if t := j.tables[id]; !t.queue && !t.finished() {
			t.queue = true
			return t, j.changed
		}
	}
	return nil, j.changed
}

// persist repeats work on a table until it succeeds, its snapshot is superseded
// or ctx ends, and shows why it waits.
func (j *job) persist(ctx context.Context, t *tableJob, work func() error) {
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		err := work()
		if err == nil || ctx.Err() != nil || errors.Is(err, errSuperseded) {
			return
		}
		switch weirerr.CodeOf(err) {
		case weirerr.TableGone:
			j.s.tables.kick() // the stream will say that it was dropped
		case weirerr.LogUnknown, weirerr.LogFenced:
			err = errors.Join(err, j.lead(ctx))
		}
		j.waiting(t, err.Error())
		j.s.log.Warn("snapshot interrupted", "consumer", j.consumer, "table", t.name, "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// waiting shows what a table's snapshot waits for; empty when it goes on.
func (j *job) waiting(t *tableJob, what string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if t.waits != what {
		t.waits, t.since = what, time.Now()
	}
}

// current: t is still the table's snapshot.
func (j *job) current(t *tableJob) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.tables[t.id] == t
}

// handOut gives the chunks of the plan to the workers, and plans on where it ends.
func (j *job) handOut(ctx context.Context, t *tableJob, tasks chan<- task) error {
	known, ok := j.s.tables.get(t.id)
	if !ok {
		return weirerr.New(weirerr.TableGone, "the table is not among the captured ones").With("table", t.id)
	}
	j.mu.Lock()
	t.name, t.total = known.Namespace+"."+known.Name, known.Rows
	planned := len(t.plan.chunks)
	j.mu.Unlock()
	give := func(i int) error {
		if !j.current(t) {
			return errSuperseded
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case tasks <- task{t, i}:
			t.given = i + 1
			return nil
		}
	}
	for i := t.given; i < planned; i++ {
		if j.isDone(t, i) {
			continue
		}
		if err := give(i); err != nil {
			return err
		}
	}
	if t.plan.complete() {
		return nil
	}
	return j.s.opts.Upstream.Plan(ctx, t.id, t.plan.end(), j.s.opts.ChunkRows, func(hi row.Tuple) error {
		c := plannedChunk{Hi: append(row.Tuple(nil), hi...)}
		j.mu.Lock()
		i := len(t.plan.chunks)
		t.plan.chunks = append(t.plan.chunks, c)
		j.mu.Unlock()
		if err := j.s.saveChunk(j.consumer, t.id, t.plan.attempt, i, c); err != nil {
			return err
		}
		return give(i)
	})
}

func (j *job) isDone(t *tableJob, i int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return t.plan.chunks[i].Done
}

// chunk reads one chunk and places its marker, again and again until the
// snapshot it was read in suits the stream.
func (j *job) chunk(ctx context.Context, k task) error {
	for !j.isDone(k.t, k.chunk) {
		if !j.current(k.t) {
			return errSuperseded
		}
		if err := j.room(ctx, k.t); err != nil {
			return err
		}
		placed, err := j.readChunk(ctx, k)
		if err != nil {
			return err
		}
		if !placed {
			j.s.metrics.retaken.Inc()
		}
	}
	return nil
}

// room waits until the consumer has taken enough of the chunks before this one.
func (j *job) room(ctx context.Context, t *tableJob) error {
	for {
		bytes := j.side.Status().Bytes
		if bytes < j.s.opts.SideBytes {
			j.waiting(t, "")
			return nil
		}
		j.waiting(t, fmt.Sprintf("the changefeed to take %d MiB of chunks read ahead", bytes>>20))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}
