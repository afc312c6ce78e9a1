package worker

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

const (
	// stepRows is how many rows of a channel make a step.
	stepRows = 8 << 10
	// stepsAhead is how many steps a reader has ready.
	stepsAhead = 4
	// slack is how far behind the present a reader stays while it knows of no barrier:
	// a barrier's Ts was the present when it was decided, so what is older than that
	// belongs to the epoch at work.
	slack = 10 * time.Millisecond
)

// reader reads a channel in a goroutine of its own, and cuts it into steps. No
// step has entries of both sides of a barrier that was announced before they were read.
type reader struct {
	g      *graph
	log    wal.Channel
	tables map[row.TableID][]*gathering
	order  []*gathering
	shards int

	spreader dataflow.Spreader
	rows     int
	last     ts.Ts // of the entries gathered
	told     ts.Ts // seen of the last step
	faults   []dataflow.Fault

	steps  chan *step
	failed chan error
	cancel context.CancelFunc
	ended  chan struct{}

	mu     sync.Mutex
	bounds []ts.Ts // announced, ascending, not passed
	newest ts.Ts   // announced
	bell   chan struct{}
}

// gathering is what is read of a table for the next step.
type gathering struct {
	*follower
	decoder Decoder
	chunk   *zset.Chunk
	broken  bool
}

func newReader(c *channel, log wal.Channel, from ts.Ts, bounds []ts.Ts) (*reader, error) {
	r := &reader{
		g: c.g, log: log, tables: map[row.TableID][]*gathering{}, shards: c.g.w.o.Shards, told: from,
		steps: make(chan *step, stepsAhead), failed: make(chan error, 1), ended: make(chan struct{}), bell: make(chan struct{}, 1),
	}
	for _, f := range c.tables {
		t := &gathering{follower: f, decoder: f.Decode()}
		r.tables[f.ID] = append(r.tables[f.ID], t)
		r.order = append(r.order, t)
	}
	for _, b := range bounds {
		if b > from {
			r.bounds, r.newest = append(r.bounds, b), b
		}
	}
	rd, err := log.Read(from)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() {
		defer close(r.ended)
		defer rd.Close()
		if err := r.run(ctx, rd); err != nil && ctx.Err() == nil {
			r.failed <- err
			r.g.w.signal(r.g)
		}
	}()
	return r, nil
}

// bound announces a barrier.
func (r *reader) bound(cut ts.Ts) {
	r.mu.Lock()
	r.bounds, r.newest = append(r.bounds, cut), cut
	r.mu.Unlock()
	select {
	case r.bell <- struct{}{}:
	default:
	}
}

// take gives the next step, nil when there is none now.
func (r *reader) take() (*step, error) {
	select {
	case s := <-r.steps:
		return s, nil
	default:
	}
	select {
	case err := <-r.failed:
		return nil, err
	default:
		return nil, nil
	}
}

func (r *reader) close() {
	r.cancel()
	<-r.ended
}

func (r *reader) run(ctx context.Context, rd wal.Reader) error {
	for {
		in, err := rd.Next(ctx)
		if err != nil {
			return err
		}
		for i := range in.Entries {
			e := &in.Entries[i]
			if e.Kind != wal.KindTxn {
				continue
			}
			if err := r.admit(ctx, e.Ts); err != nil {
				return err
			}
			if err := r.entry(ctx, e); err != nil {
				return err
			}
		}
		if err := r.give(ctx, in.Resolved); err != nil {
			return err
		}
	}
}

// admit waits until an entry may be read: until it lies before a barrier, or is
// older than any that may still be announced.
func (r *reader) admit(ctx context.Context, at ts.Ts) error {
	for {
		r.mu.Lock()
		passed := false
		for len(r.bounds) > 0 && r.bounds[0] < at {
			r.bounds, passed = slices.Delete(r.bounds, 0, 1), true
		}
		free := at <= max(r.newest, ts.FromTime(time.Now().Add(-slack)))
		r.mu.Unlock()
		if passed || !free {
			if err := r.give(ctx, at-1); err != nil {
				return err
			}
		}
		if free {
			return nil
		}
		timer := time.NewTimer(max(time.Until(at.Time().Add(slack)), time.Millisecond))
		select {
		case <-timer.C:
		case <-r.bell:
		case <-ctx.Done():
			return ctx.Err()
		}
		timer.Stop()
	}
}

// entry gathers a transaction's changes.
func (r *reader) entry(ctx context.Context, e *wal.Entry) error {
	if e.Large != nil {
		return r.large(ctx, e)
	}
	if err := r.changes(e, e.Changes); err != nil {
		return err
	}
	r.last = e.Ts
	if r.rows >= stepRows {
		return r.give(ctx, e.Ts)
	}
	return nil
}

// large streams the parts of a large transaction: steps before its last one do not
// say that it is complete.
func (r *reader) large(ctx context.Context, e *wal.Entry) error {
	parts, err := r.log.Parts(e.Large)
	if err != nil {
		return err
	}
	defer parts.Close()
	joined := wal.Joiner{Parts: parts}
	for {
		changes, err := joined.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.changes(e, changes); err != nil {
			return err
		}
		if r.last = e.Ts; r.rows >= stepRows {
			if err := r.give(ctx, e.Ts-1); err != nil {
				return err
			}
		}
	}
}

func (r *reader) changes(e *wal.Entry, changes []byte) error {
	it := row.Changes(changes)
	for it.Next() {
		for _, t := range r.tables[it.Change.Table] {
			r.change(t, e, &it.Change)
		}
	}
	if err := it.Err(); err != nil {
		return weirerr.New(weirerr.LogCorrupt, "an entry of the log does not decode").
			With("channel", r.log.Name()).With("ts", e.Ts).Wrap(err).
			Hint("run weir log verify")
	}
	return nil
}

// change decodes a change of a table. One that does not decode ends its table's job, not the graph.
func (r *reader) change(t *gathering, e *wal.Entry, c *row.Change) {
	if t.broken {
		return
	}
	if t.chunk == nil {
		t.chunk = zset.NewChunk(t.decoder.Kinds(), 256)
	}
	before := t.chunk.N
	if err := t.decoder.Decode(c, t.chunk); err != nil {
		t.broken, t.chunk = true, nil
		r.faults = append(r.faults, dataflow.Fault{Job: t.node.Job(), Err: weirerr.New(weirerr.LogCorrupt, "a change of a table cannot be read").
			With("channel", r.log.Name()).With("table", t.ID).With("ts", e.Ts).Wrap(err)})
		return
	}
	r.rows += t.chunk.N - before
}

// give hands on what was gathered, as everything up to seen.
func (r *reader) give(ctx context.Context, seen ts.Ts) error {
	if r.rows == 0 && seen <= r.told && len(r.faults) == 0 {
		return nil
	}
	s := &step{seen: seen, faults: r.faults}
	r.told, r.faults = max(r.told, seen), nil
	if r.rows > 0 {
		s.last, s.parts = r.last, make([][]part, r.shards)
		for _, t := range r.order {
			r.spread(t, s)
		}
		r.rows = 0
	}
	select {
	case r.steps <- s:
		r.g.w.signal(r.g)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// spread cuts a table's rows by shards.
func (r *reader) spread(t *gathering, s *step) {
	if t.chunk == nil || t.chunk.N == 0 {
		return
	}
	nodes := []*dataflow.Node{t.node}
	r.spreader.Split(t.chunk, t.Key, r.shards, func(shard int, rows *zset.Chunk) {
		s.parts[shard] = append(s.parts[shard], part{nodes: nodes, chunk: rows})
	})
	t.chunk = nil
}
