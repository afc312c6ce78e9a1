package worker

import (
	"context"
	"slices"

	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/weirerr"
)

// follow begins to follow the main graph for a job that is being created, and brings
// the job's state to where it goes on: to the beginning, with spec.Positions nil, when
// changes that it would need are not there any more.
func (w *Worker) follow(ctx context.Context, spec *Spec) (*tail, error) {
	main := w.graph(state.Graph{Database: spec.Graph.Database})
	if main == nil || len(spec.Jobs) != 1 || len(spec.Jobs[0].Inputs) > 0 {
		return nil, weirerr.New(weirerr.WrongState, "a graph that follows the main graph needs it open, and has one job without inputs of its own").
			With("graph", spec.Graph)
	}
	var relations []dataflow.JobID
	for _, r := range spec.Reads {
		if r.Stream == nil {
			relations = append(relations, r.Job.ID)
		}
	}
	t := newTail(&w.o, relations)
	if err := main.lead(t); err != nil {
		return nil, err
	}
	if err := w.settle(ctx, spec, t); err != nil {
		w.unfollow(spec.Graph.Database, t)
		return nil, err
	}
	t.forget(spec.Committed)
	return t, nil
}

// lead gives a tail what the graph shows, and from then on what it commits.
func (g *graph) lead(t *tail) error {
	s := g.sealer
	s.apply.Lock()
	defer s.apply.Unlock()
	snapshot, err := g.w.o.Store.Snapshot()
	if err != nil {
		return err
	}
	t.begin(s.shown, snapshot, s.positions)
	g.w.mu.Lock()
	g.w.tails[g.id.Database] = append(g.w.tails[g.id.Database], t)
	g.w.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.arm(t)
	return nil
}

// arm tells a tail which of its relations' changes are collected, with g.mu.
func (g *graph) arm(t *tail) {
	for _, id := range t.relations {
		if since, on := g.taps[id]; on {
			t.arm(id, since)
		}
	}
}

// settle brings the job's state to the committed epoch, or to its beginning.
func (w *Worker) settle(ctx context.Context, spec *Spec, t *tail) error {
	goesOn, err := t.goesOn(spec)
	if err != nil {
		return err
	}
	if goesOn {
		err := w.o.Store.Recover(ctx, spec.Graph, spec.Committed)
		if err == nil || weirerr.CodeOf(err) != weirerr.StoreBehind {
			return err
		}
	}
	spec.Positions = nil
	j := spec.Jobs[0]
	tables := make([]uint32, j.TableCount)
	for i := range tables {
		tables[i] = j.FirstTable + uint32(i)
	}
	return w.o.Store.Begin(spec.Graph, spec.Committed, tables)
}

// goesOn tells whether all that has changed behind the cursors is still to come. It
// says the same after each restart until the graph commits: what was begun anew
// must not be taken for what was there before.
func (t *tail) goesOn(spec *Spec) (bool, error) {
	at, err := places(spec.Positions)
	if at == nil || err != nil {
		return false, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range spec.Reads {
		if p := at[r.Job.ID]; r.Stream != nil || p.Cursor == nil && !p.Done {
			continue
		}
		if since, armed := t.since[r.Job.ID]; !armed || since > spec.Committed || t.epochs[0].at != spec.Committed {
			return false, nil
		}
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
