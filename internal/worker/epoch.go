package worker

import (
	"slices"

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
	rows      map[view.Relation]*zset.Chunk // of the relations that are followed
	positions Positions
	faults    []dataflow.Fault
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
	g.phase = reading
	e := &epoch{Barrier: b, faults: g.faults, positions: g.inputs.positions(b.Curr)}
	g.at, g.faults = b.Curr, nil
	if b.Kind == barrier.Checkpoint {
		g.evict()
		e.prev, g.sealed = g.sealed, b.Curr
		e.deltas, e.rows = g.changes(), g.tapped()
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
			d := state.NewDelta(t.ID)
			t.Changes(d.Add)
			t.Sealed()
			if d.Len() > 0 {
				deltas[i] = append(deltas[i], d)
			}
		})
	})
	return slices.Concat(deltas...)
}

// tap has the deltas collected, from here on, that somebody follows.
func (g *graph) tap(from ts.Ts) {
	if g.id.Part != 0 {
		return
	}
	var want []dataflow.JobID
	for _, r := range g.w.o.Views.Tap(g.id.Database, from) {
		want = append(want, dataflow.JobID(r))
	}
	for _, id := range g.taps {
		if !slices.Contains(want, id) {
			g.flow.Tap(id, false)
		}
	}
	for _, id := range want {
		if !slices.Contains(g.taps, id) {
			g.flow.Tap(id, true)
		}
	}
	g.taps = want
}

// tapped takes the deltas since the last checkpoint.
func (g *graph) tapped() map[view.Relation]*zset.Chunk {
	rows := map[view.Relation]*zset.Chunk{}
	for _, id := range g.taps {
		if c := g.flow.Tapped(id); c != nil {
			rows[view.Relation(id)] = c
		}
	}
	return rows
}

// change does what a barrier has for the time after it.
func (g *graph) change(b Barrier) error {
	if len(b.Detach) == 0 && len(b.Attach) == 0 {
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
