package worker

import (
	"context"
	"slices"

	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// follow begins to follow the main graph for a job that is being created, and brings
// the job's state to where it goes on: to the beginning, with spec.Positions nil, when
// changes that it would need are not logged.
func (w *Worker) follow(ctx context.Context, spec *Spec) (*tail, error) {
	main := w.graph(state.Graph{Database: spec.Graph.Database})
	if main == nil || len(spec.Jobs) != 1 || len(spec.Jobs[0].Inputs) > 0 {
		return nil, weirerr.New(weirerr.WrongState, "a graph that follows the main graph needs it open, and has one job without inputs of its own").
			With("graph", spec.Graph)
	}
	main.sealer.apply.Lock() // what is logged from now on is applied after this
	defer main.sealer.apply.Unlock()
	snapshot, err := w.o.Store.Snapshot()
	if err != nil {
		return nil, err
	}
	t := newTail(spec.Graph.Part, spec.Reads)
	t.epochs = []*shown{{at: main.sealer.shown, snapshot: snapshot, positions: main.sealer.positions}}
	main.lead(t)
	if err := w.settle(ctx, spec, t); err != nil {
		w.unfollow(spec.Graph.Database, t)
		return nil, err
	}
	t.forget(spec.Committed)
	return t, nil
}

// lead gives a tail what is committed from now on.
func (g *graph) lead(t *tail) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.w.mu.Lock()
	g.w.tails[g.id.Database] = append(g.w.tails[g.id.Database], t)
	g.w.mu.Unlock()
	g.arm(t, g.logged)
}

// arm tells a tail which of its relations' changes after an epoch are logged, with g.mu.
func (g *graph) arm(t *tail, after ts.Ts) {
	for _, id := range t.relations {
		if since, on := g.taps[id]; on {
			t.arm(id, max(since, after))
		}
	}
}

// settle brings the job's state to the committed epoch, or to its beginning. It comes to
// the latter after each restart until the graph commits: Begin leaves nothing to recover.
func (w *Worker) settle(ctx context.Context, spec *Spec, t *tail) error {
	goesOn, err := t.goesOn(spec)
	if err != nil {
		return err
	}
	if goesOn {
		err := w.o.Store.Recover(ctx, spec.Graph, spec.Committed)
		if err == nil {
			return w.trim(spec.Graph, spec.Committed)
		}
		if weirerr.CodeOf(err) != weirerr.StoreBehind {
			return err
		}
		t.epochs = t.epochs[len(t.epochs)-1:]
	}
	spec.Positions = nil
	j := spec.Jobs[0]
	tables := []uint32{changelogOf(spec.Graph.Part)}
	for i := range j.TableCount {
		tables = append(tables, j.FirstTable+uint32(i))
	}
	return w.o.Store.Begin(spec.Graph, spec.Committed, tables)
}

// goesOn tells whether all that has changed behind the cursors is logged, and notes
// the epochs that are to be followed.
func (t *tail) goesOn(spec *Spec) (bool, error) {
	at, err := places(spec.Positions)
	if at == nil || err != nil {
		return false, err
	}
	now := t.epochs[0]
	missed, err := links(now.snapshot, spec.Graph, spec.Committed, now.at)
	if err != nil || missed == nil && spec.Committed != now.at {
		return false, err
	}
	for id, p := range at {
		if p.Cursor == nil && !p.Done {
			continue
		}
		for _, s := range missed {
			if !slices.Contains(s.relations, id) {
				return false, nil
			}
		}
		if !t.armed(id, now.at) {
			return false, nil
		}
	}
	if last := len(missed) - 1; last >= 0 {
		now.prev, now.relations = missed[last].prev, missed[last].relations
		t.epochs = append(missed[:last], now)
	}
	return true, nil
}

// unfollow ends the following.
func (w *Worker) unfollow(database uint32, t *tail) {
	w.mu.Lock()
	w.tails[database] = slices.DeleteFunc(w.tails[database], func(o *tail) bool { return o == t })
	w.mu.Unlock()
	t.close()
}

// followers are the tails of a database's main graph.
func (w *Worker) followers(database uint32) []*tail {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.tails[database])
}

// create attaches the job of a creating graph, and binds it to what it reads.
func (g *graph) create(spec Spec, t *tail) error {
	at, err := places(spec.Positions)
	if err != nil {
		return err
	}
	job, stands := spec.Jobs[0].Apart()
	g.tail, g.reads, g.walk = t, spec.Reads, &walk{g: g, tail: t}
	for _, r := range spec.Reads {
		node := stands[r.Job.Root]
		switch {
		case node == nil:
			return weirerr.New(weirerr.InvalidArgument, "the job being created does not read %s", r.Job.Name)
		case r.Stream != nil:
			g.inputs.chase(r.Stream, node, t)
		default:
			p := at[r.Job.ID]
			g.walk.reads = append(g.walk.reads, &course{Job: r.Job, node: node, cursor: p.Cursor, done: p.Done})
		}
		delete(stands, r.Job.Root)
	}
	for n := range stands {
		return weirerr.New(weirerr.InvalidArgument, "the job being created reads a relation (%s) that is not told of", n.What)
	}
	g.inputs.walk = g.walk
	var stored func(table uint32) bool
	if at != nil {
		stored = g.stored
	}
	return g.flow.Attach(job, stored)
}

// job is the one of a creating graph.
func (g *graph) job() dataflow.JobID { return dataflow.JobID(g.id.Part) }

// walked tells whether the job of a creating graph only follows.
func (g *graph) walked() bool {
	if g.id.Part != 0 && g.tail == nil {
		return g.flow.Fault(g.job()) == nil && g.inputs.settled()
	}
	if g.tail == nil || g.flow.Fault(g.job()) != nil || !g.walk.walked() {
		return false
	}
	g.tail.follows()
	return g.inputs.met()
}
