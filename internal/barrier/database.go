package barrier

import (
	"errors"
	"slices"

	"github.com/weirstream/weir/internal/ts"
)

// Why a command fails.
var (
	errDropped    = errors.New("the database was dropped")
	errRecovering = errors.New("the database is recovering")
	errExists     = errors.New("the job exists")
	errNoJob      = errors.New("no such job")
	errCancelled  = errors.New("the job was dropped before it was created")
)

// database is one database's control: its main graph and the graphs being created.
type database struct {
	id         Database
	config     Config
	attempt    Attempt
	recovering bool
	failures   int // since the last commit, for the pause before the next attempt

	prev      ts.Ts // the last injected barrier's curr
	committed ts.Ts
	flight    []*epoch // injected and not committed, in order
	commit    *Commit  // under way
	plain     int      // barriers since the last checkpoint
	begun     ts.Ts    // when the last barrier was injected
	due       ts.Ts    // of the next periodic barrier
	wanted    ts.Ts    // somebody waits for an epoch >= it
	initial   bool     // the next barrier is the attempt's first
	ran       bool     // an epoch of the attempt is committed

	jobs     []Job // of the main graph, sorted
	queue    []*Command
	creating []*creating // by graph
}

// epoch is a barrier in flight.
type epoch struct {
	Barrier
	waits  []Worker
	sealed []Sealed
	done   bool // a creating job has read everything
}

// creating is a job's own graph.
type creating struct {
	graph  Graph
	by     *Command // to be answered when it is created; nil after a restart
	cut    ts.Ts    // committed
	flight *epoch
	commit *Commit
	done   bool // only the stream is left to follow
	// merging: the barrier that makes it part of the main graph is in flight.
	merging bool
}

// curr is that of a barrier that is injected now. What is wanted was issued by a
// log's clock, which may be ahead of now.
func (d *database) curr(now ts.Ts) ts.Ts { return max(now, d.prev+1, d.wanted) }

// next is when the next periodic barrier begins: sooner where a graph that is being created
// stands still for want of an epoch to follow.
func (d *database) next(c Config) ts.Ts {
	if len(d.flight) > 0 || !slices.ContainsFunc(d.creating, d.starves) {
		return d.due
	}
	return min(d.due, ts.New(d.begun.Ms()+max(1, c.Interval.Milliseconds()/sooner), 0))
}

// sooner is the part of the interval that is left between barriers then.
const sooner = 10

// starves tells whether a graph that is being created has followed all that is committed and
// has still something to read.
func (d *database) starves(g *creating) bool { return !g.done && d.stands(g) }

// stands tells whether a graph that is being created stands where the main graph is committed.
func (d *database) stands(g *creating) bool {
	return !g.merging && g.flight == nil && g.commit == nil && g.cut == d.committed
}

// wake is when this database has something to do by itself; 0: it waits for others.
func (d *database) wake(c Config) ts.Ts {
	if d.recovering || len(d.flight) >= c.Cap {
		return 0
	}
	return d.next(c)
}

func (d *database) waitsFor(w Worker) bool {
	in := func(e *epoch) bool { return e != nil && slices.Contains(e.waits, w) }
	return slices.ContainsFunc(d.flight, in) ||
		slices.ContainsFunc(d.creating, func(g *creating) bool { return in(g.flight) })
}

func (d *database) graph(id Graph) (int, bool) {
	return slices.BinarySearchFunc(d.creating, id, func(g *creating, id Graph) int { return int(g.graph) - int(id) })
}

func (d *database) has(j Job) bool {
	_, main := slices.BinarySearch(d.jobs, j)
	_, own := d.graph(Graph(j))
	return main || own
}

// merging tells whether a created job waits to join the main graph; the main graph then
// pauses for the moment that it needs to be caught up with.
func (d *database) merging() bool {
	return slices.ContainsFunc(d.creating, func(g *creating) bool { return g.done })
}

// mergeable lists the graphs that stand where the main graph stands, provided that it stands still.
func (d *database) mergeable() []Graph {
	if len(d.flight) > 0 || d.commit != nil {
		return nil
	}
	var graphs []Graph
	for _, g := range d.creating {
		if g.done && d.stands(g) {
			graphs = append(graphs, g.graph)
		}
	}
	return graphs
}

func (d *database) addJob(j Job) {
	if i, ok := slices.BinarySearch(d.jobs, j); !ok {
		d.jobs = slices.Insert(d.jobs, i, j)
	}
}

func (d *database) removeJob(j Job) {
	if i, ok := slices.BinarySearch(d.jobs, j); ok {
		d.jobs = slices.Delete(d.jobs, i, i+1)
	}
}
