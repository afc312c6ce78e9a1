package worker

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/reconcile"
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
	eager  bool // it reads ahead of barriers

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
	bell   chan struct{}
}

// gathering is what is read of a table for the next step.
type gathering struct {
	*follower
	decoder  Decoder
	nodes    []*dataflow.Node
	chunk    *zset.Chunk
	parts    [][]part // by shard, before chunk
	broken   bool
	snap     *snapshot // nil: all changes count
	deciding bool      // it is under snapshot in the transactions at hand
}

func newReader(c *channel, log wal.Channel, from ts.Ts, bounds []ts.Ts) (*reader, error) {
	r := &reader{
		g: c.g, log: log, eager: c.g.id.Part == 0 && c.joins == nil, tables: map[row.TableID][]*gathering{}, shards: c.g.w.o.Shards, told: from,
		steps: make(chan *step, stepsAhead), failed: make(chan error, 1), ended: make(chan struct{}), bell: make(chan struct{}, 1),
	}
	for _, f := range c.tables {
		t := &gathering{follower: f, decoder: f.Decode(), nodes: []*dataflow.Node{f.node}, parts: make([][]part, r.shards)}
		if f.Capture != nil {
			var err error
			if t.snap, err = newSnapshot(f.Capture, f.ID, c.states[f.Capture.Consumer], from); err != nil {
				return nil, err
			}
			c.idle[f.Capture.Consumer] = t.snap.consumer.Idle()
		}
		r.tables[f.ID] = append(r.tables[f.ID], t)
		r.order = append(r.order, t)
	}
	for _, b := range bounds {
		if b > from {
			r.bounds = append(r.bounds, b)
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
	r.bounds = append(r.bounds, cut)
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
	for _, t := range r.order {
		if t.snap != nil {
			if err := t.snap.ask(ctx); err != nil {
				return err
			}
		}
	}
	for {
		in, err := rd.Next(ctx)
		if err != nil {
			return err
		}
		for rest := in.Entries; len(rest) > 0; {
			n, err := r.entries(ctx, rest)
			if err != nil {
				return err
			}
			rest = rest[n:]
		}
		if err := r.give(ctx, in.Resolved); err != nil {
			return err
		}
		if err := r.tidy(); err != nil {
			return err
		}
	}
}

// entries takes one entry, or several that can be decided about together, and says how many.
func (r *reader) entries(ctx context.Context, all []wal.Entry) (int, error) {
	e := &all[0]
	until, err := r.admit(ctx, e.Ts)
	switch {
	case err != nil:
		return 0, err
	case e.Kind == wal.KindMarker:
		err = r.marker(ctx, e)
	case e.Large != nil:
		err = r.large(ctx, e)
	case r.active():
		n := 1
		for bytes := len(e.Changes); n < len(all) && together(&all[n], until) && bytes < runBytes; n++ {
			bytes += len(all[n].Changes)
		}
		return n, r.small(ctx, all[:n])
	default:
		err = r.small(ctx, all[:1])
	}
	return 1, err
}

// runBytes bounds a run of transactions that are decided about together.
const runBytes = 256 << 10

func together(e *wal.Entry, until ts.Ts) bool {
	return e.Kind == wal.KindTxn && e.Large == nil && e.Ts <= until
}

// active tells whether a snapshot is under way.
func (r *reader) active() bool {
	for _, t := range r.order {
		if t.active() {
			return true
		}
	}
	return false
}

func (t *gathering) active() bool { return t.snap != nil && !t.broken && !t.snap.consumer.Idle() }

func (r *reader) tidy() error {
	for _, t := range r.order {
		if t.snap != nil {
			if err := t.snap.tidy(r.g.sealer.committed()); err != nil {
				return err
			}
		}
	}
	return nil
}

// admit waits until an entry may be read: until it lies before a barrier, or is
// older than any that may still be announced. So is what follows up to the Ts it gives.
func (r *reader) admit(ctx context.Context, at ts.Ts) (until ts.Ts, err error) {
	for {
		r.mu.Lock()
		passed := false
		for len(r.bounds) > 0 && r.bounds[0] < at {
			r.bounds, passed = slices.Delete(r.bounds, 0, 1), true
		}
		switch {
		case len(r.bounds) > 0:
			until = r.bounds[0]
		case r.eager:
			until = ts.FromTime(time.Now().Add(-slack))
		default:
			until = 0
		}
		r.mu.Unlock()
		if passed || at > until {
			if err := r.give(ctx, at-1); err != nil {
				return 0, err
			}
		}
		if at <= until {
			return until, nil
		}
		timer := time.NewTimer(max(time.Until(at.Time().Add(slack)), time.Millisecond))
		if !r.eager {
			timer.Stop()
		}
		select {
		case <-timer.C:
		case <-r.bell:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		timer.Stop()
	}
}

// small gathers the changes of transactions.
func (r *reader) small(ctx context.Context, entries []wal.Entry) error {
	for _, t := range r.order {
		if t.deciding = t.active(); t.deciding {
			if err := r.decideAll(ctx, t, entries); err != nil {
				return err
			}
		}
	}
	for i := range entries {
		if err := r.changes(&entries[i], entries[i].Changes); err != nil {
			return err
		}
	}
	r.last = entries[len(entries)-1].Ts
	if r.rows >= stepRows {
		return r.give(ctx, r.last)
	}
	return nil
}

// large streams the parts of a large transaction: steps before its last one do not
// say that it is complete.
func (r *reader) large(ctx context.Context, e *wal.Entry) error {
	for _, t := range r.order {
		t.deciding = t.active()
	}
	err := reconcile.Parts(r.log, e.Large, func(changes []byte) error {
		for _, t := range r.order {
			if t.deciding {
				if _, err := t.snap.finder.Prepare(ctx, [][]byte{changes}); err != nil {
					return err
				}
				if err := r.decided(ctx, t, e, changes); err != nil {
					return err
				}
			}
		}
		if err := r.changes(e, changes); err != nil {
			return err
		}
		if r.last = e.Ts; r.rows >= stepRows {
			return r.give(ctx, e.Ts-1)
		}
		return nil
	})
	for _, t := range r.order {
		if t.deciding {
			t.snap.settle(e)
		}
	}
	return err
}

// changes gathers the changes of tables that are not under snapshot.
func (r *reader) changes(e *wal.Entry, changes []byte) error {
	it := row.Changes(changes)
	for it.Next() {
		for _, t := range r.tables[it.Change.Table] {
			if !t.deciding {
				r.change(t, e, &it.Change)
			}
		}
	}
	return r.wellFormed(e, it.Err())
}

// wellFormed says where bytes are that do not decode.
func (r *reader) wellFormed(e *wal.Entry, err error) error {
	if err == nil {
		return nil
	}
	return weirerr.New(weirerr.LogCorrupt, "an entry of the log does not decode").
		With("channel", r.log.Name()).With("ts", e.Ts).Wrap(err).
		Hint("run weir log verify")
}

// change decodes a change of a table. One that does not decode ends its table's job, not the graph.
func (r *reader) change(t *gathering, e *wal.Entry, c *row.Change) {
	if t.broken {
		return
	}
	if c.Op == row.Truncate {
		r.spread(t) // what comes before it, and after
	}
	if t.chunk == nil {
		t.chunk = zset.NewChunk(t.decoder.Kinds(), 256)
	}
	before := t.chunk.N
	if err := t.decoder.Decode(c, t.chunk); err != nil {
		t.broken, t.chunk = true, nil
		r.faults = append(r.faults, dataflow.Fault{Job: t.node.Job(), Err: r.unreadable(t, e, err)})
		return
	}
	r.rows += t.chunk.N - before
	if c.Op == row.Truncate && t.chunk.N > 0 {
		for shard := range t.parts {
			t.parts[shard] = append(t.parts[shard], part{nodes: t.nodes, chunk: t.chunk})
		}
		t.chunk = nil
	}
}

// unreadable says of which change an error is.
func (r *reader) unreadable(t *gathering, e *wal.Entry, err error) error {
	var typed *weirerr.Error
	if !errors.As(err, &typed) {
		typed = weirerr.New(weirerr.LogCorrupt, "a change of a table cannot be read").Wrap(err)
	}
	return typed.With("channel", r.log.Name()).With("table", t.ID).With("ts", e.Ts)
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
		r.rows = 0
	}
	r.fill(s)
	select {
	case r.steps <- s:
		r.g.w.signal(r.g)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fill puts into a step what was gathered of each table, and how far its snapshot is:
// that too belongs to one side of a barrier.
func (r *reader) fill(s *step) {
	for _, t := range r.order {
		r.spread(t)
		for shard, parts := range t.parts {
			if len(parts) > 0 {
				s.parts[shard] = append(s.parts[shard], parts...)
				t.parts[shard] = nil
			}
		}
		if t.snap != nil {
			if state := t.snap.state(s.seen); state != nil {
				s.last, s.states = r.last, append(s.states, snapshotAt{t.snap.Consumer, state, t.snap.consumer.Idle()})
			}
		}
	}
}

// spread cuts a table's rows by shards.
func (r *reader) spread(t *gathering) {
	if t.chunk == nil || t.chunk.N == 0 {
		return
	}
	r.spreader.Split(t.chunk, t.Key, r.shards, func(shard int, rows *zset.Chunk) {
		t.parts[shard] = append(t.parts[shard], part{nodes: t.nodes, chunk: rows})
	})
	t.chunk = nil
}
