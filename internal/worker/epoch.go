package worker

import (
	"slices"
	"time"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/zset"
)

// epoch is a finished one, on its way to the store and to readers.
type epoch struct {
	Barrier
	prev      ts.Ts // the checkpoint before
	deltas    []*state.Delta
	work      time.Duration                 // on its input
	ending    time.Time                     // when its end began
	rows      map[view.Relation]*zset.Chunk // of the relations that are followed
	positions Positions
	faults    []dataflow.Fault
	dead      map[dataflow.JobID]error // of the relations that others follow
	logs      []*logged                // for the creating graphs
	walked    bool
	sealed    state.Sealed
}

// endEpoch takes what the epoch has changed, and lets the next one begin.
func (g *graph) endEpoch() error {
	g.mu.Lock()
	b := g.barriers[0]
	g.barriers = slices.Delete(g.barriers, 0, 1)
	g.mu.Unlock()
	for _, s := range g.flow.Shards() {
		s.EndEpoch()
	}
	if err := g.closeReaders(); err != nil { // before anything is evicted
		return err
	}
	g.phase, g.merged = reading, false
	e := &epoch{Barrier: b, faults: g.faults, positions: g.inputs.positions(b.Curr), walked: g.walked()}
	g.at, g.faults = b.Curr, nil
	if b.Kind == barrier.Checkpoint {
		g.evict()
		e.prev, g.sealed = g.sealed, b.Curr
		e.work, e.ending = g.strain.reset(), g.ending
		e.deltas = g.changes()
		e.rows, e.dead = g.tapped()
		e.logs = g.logs(e)
	}
	if g.tail != nil {
		g.tail.forget(b.Curr)
	}
	g.sealer.add(e)
	if err := g.change(b); err != nil {
		return err
	}
	if b.Kind == barrier.Checkpoint {
		g.tap(b.Curr)
	}
	return nil
}

// changes copies what the tables have changed since the last checkpoint.
func (g *graph) changes() []*state.Delta {
	shards := g.flow.Shards()
	deltas := make([][]*state.Delta, len(shards))
	g.w.crew.each(all, func(i int) {
		shards[i].Tables(func(t dataflow.Table) {
			d := g.spare.take(t.ID)
			t.Changes(d.Add)
			t.Sealed()
			if d.Len() > 0 {
				deltas[i] = append(deltas[i], d)
			} else {
				g.spare.put([]*state.Delta{d})
			}
		})
	})
	return slices.Concat(deltas...)
}

// tap has the deltas collected, from here on, that somebody follows.
func (g *graph) tap(from ts.Ts, want ...dataflow.JobID) {
	if g.id.Part != 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.w.o.Views.Tap(g.id.Database, from) {
		want = append(want, dataflow.JobID(r))
	}
	out := g.w.outbox(g.id.Database)
	want = append(want, out.wanted()...)
	tails := g.w.followers(g.id.Database)
	for _, t := range tails {
		want = append(want, t.relations...)
	}
	for id := range g.taps {
		if !slices.Contains(want, id) {
			g.flow.Tap(id, false)
			delete(g.taps, id)
		}
	}
	for _, id := range want {
		if _, on := g.taps[id]; !on && g.flow.Job(id) != nil {
			g.flow.Tap(id, true)
			g.taps[id] = from
		}
	}
	out.arm(g.taps, from)
	for _, t := range tails {
		g.arm(t, from)
	}
}

// logs are what an epoch puts into changelogs.
func (g *graph) logs(e *epoch) (all []*logged) {
	if g.id.Part != 0 {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.logged = e.Curr
	for _, t := range g.w.followers(g.id.Database) {
		if l := t.log(e.prev, e.rows); l != nil {
			all = append(all, l)
		}
	}
	if l := g.w.outbox(g.id.Database).log(e.prev, e.rows); l != nil {
		all = append(all, l)
	}
	return all
}

// tapped takes the deltas since the last checkpoint.
func (g *graph) tapped() (rows map[view.Relation]*zset.Chunk, dead map[dataflow.JobID]error) {
	rows, dead = map[view.Relation]*zset.Chunk{}, map[dataflow.JobID]error{}
	for id := range g.taps {
		if c := g.flow.Tapped(id); c != nil {
			rows[view.Relation(id)] = c
		}
		if why := g.flow.Fault(id); why != nil {
			dead[id] = why
		}
	}
	return rows, dead
}

// change does what a barrier has for the time after it.
func (g *graph) change(b Barrier) error {
	if !g.inputs.fold() && len(b.Detach) == 0 && len(b.Attach) == 0 {
		return nil
	}
	for _, id := range b.Detach {
		for _, j := range g.flow.Detach(id) {
			g.inputs.remove(j)
		}
	}
	for _, j := range b.Attach {
		if err := g.attach(j, false); err != nil {
			return err
		}
	}
	return g.inputs.open(b.Curr)
}
