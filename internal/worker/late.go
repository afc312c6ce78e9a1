package worker

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// capture brings the state of a captured table that is being created, in a graph of its
// own, to where it goes on: to the beginning, with spec.Positions nil, when it has
// committed nothing that the store still has.
func (w *Worker) capture(ctx context.Context, spec *Spec) error {
	j := spec.Jobs[0]
	if spec.Positions != nil {
		err := w.o.Store.Recover(ctx, spec.Graph, spec.Committed)
		if err == nil || weirerr.CodeOf(err) != weirerr.StoreBehind {
			return err
		}
		spec.Positions = nil
	}
	for _, in := range j.Inputs {
		if in.Table == nil || in.Table.Capture == nil {
			return weirerr.New(weirerr.WrongState, "%s has an input that a graph of its own cannot have", j.Name)
		}
		c := in.Table.Capture
		if err := c.Source.CancelBackfill(c.Consumer); err != nil { // of an attempt before
			return err
		}
	}
	tables := make([]uint32, j.TableCount)
	for i := range tables {
		tables[i] = j.FirstTable + uint32(i)
	}
	return w.o.Store.Begin(spec.Graph, spec.Committed, tables)
}

// settled tells whether no snapshot of the graph's tables is under way.
func (in *inputs) settled() bool {
	for _, c := range in.channels {
		for _, f := range c.tables {
			if f.Capture != nil && !c.idle[f.Capture.Consumer] {
				return false
			}
		}
	}
	return true
}

// join takes up tables that were created in a graph of their own, in the midst of an
// epoch. Their channel is read for them alone, from where that graph stood up to where
// the epoch ends for the others; then one reader goes on for all.
//
//	the channel's reader    ──Prev──────────────Curr··ahead──┬─►
//	theirs, alone             └─────────────────────────────►┘ fold
func (in *inputs) join(j Job, states map[string]json.RawMessage, b *Barrier) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, i := range j.Inputs {
		main := in.channels[i.Table.Channel]
		if main == nil {
			main = newChannel(in.g, i.Table.Channel)
			in.channels[i.Table.Channel] = main
		}
		maps.Copy(main.states, states)
		late := newChannel(in.g, i.Table.Channel)
		late.joins, late.floor = main, max(b.Curr, main.ahead)
		maps.Copy(late.states, states)
		late.add(i.Table, i.Node)
		bounds := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(in.bounds), late.floor))))
		if err := late.open(b.Prev, nil, bounds); err != nil {
			return err
		}
		if err := in.g.w.o.Logs.Promise(late.channel, late.floor); err != nil {
			return err
		}
		in.late = append(in.late, late)
		in.list = append(in.list, late)
	}
	return nil
}

// fold lets the channels' readers go on for the tables that have joined, and says
// whether there are any: then the inputs are to be opened again.
func (in *inputs) fold() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, late := range in.late {
		late.close()
		maps.Copy(late.joins.states, late.states)
		late.joins.tables = append(late.joins.tables, late.tables...)
		late.joins.stale = true
	}
	any := len(in.late) > 0
	in.late = nil
	return any
}

// limit is how far a channel may be given for an epoch that ends at a cut.
func (c *channel) limit(cut ts.Ts) ts.Ts { return max(cut, c.ahead, c.floor) }
