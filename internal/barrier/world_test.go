package barrier

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/weirstream/weir/internal/ts"
)

// world is a shell with every misfortune, and a model of what may happen: it
// carries effects out late, loses workers and commits, repeats old replies, and
// asserts the invariants that only a history shows.
type world struct {
	r       *rand.Rand
	m       *Machine
	now     ts.Ts
	dbs     map[Database]*model
	workers []Worker
	resets  []Reset
	old     []Event // replies that may come again
	nextCmd CommandID
	cmds    map[CommandID]*asked
	last    Attempt
	stats   map[string]int
	calm    bool // nothing fails any more
}

// model is a database as the stores have it.
type model struct {
	id        Database
	config    Config
	attempt   Attempt
	up        bool // recovered in this attempt
	committed ts.Ts
	jobs      map[Job]bool
	creating  map[Graph]ts.Ts
	gone      map[Job]bool // dropped, with their epoch committed
	chains    map[Graph]*chain
	nextJob   Job
}

// chain is what was injected of a graph in this attempt.
type chain struct {
	last     ts.Ts
	injected []*injected
	commit   *Commit
}

type injected struct {
	Inject
	waits []Worker
}

// asked is a command and what it was told.
type asked struct {
	Command
	started, over bool
	held          ts.Ts // its barrier
}

var errMisfortune = errors.New("misfortune")

func newWorld(seed uint64) *world {
	w := &world{
		r: rand.New(rand.NewPCG(seed, 1)), m: New(Options{Cap: 3, Frequency: 2}), now: ts.New(1000, 0),
		dbs: map[Database]*model{}, cmds: map[CommandID]*asked{}, stats: map[string]int{},
	}
	w.step(WorkerUp{1})
	w.workers = []Worker{1}
	return w
}

func (w *world) fault(invariant int, format string, args ...any) {
	panic(fmt.Sprintf("world: invariant %d broken: ", invariant) + fmt.Sprintf(format, args...))
}

// step tells the machine an event, and checks and begins what it wants done.
func (w *world) step(e Event) {
	effects := slices.Clone(w.m.Step(w.now, e))
	for _, f := range effects {
		w.stats[fmt.Sprintf("%T", f)]++
		switch f := f.(type) {
		case Inject:
			w.injected(f)
		case Commit:
			w.commitBegins(f)
		case Reply:
			w.replied(f)
		case Reset:
			w.blamed(e, f)
			w.resetBegins(f)
		case DropGraph:
			if d := w.dbs[f.Database]; d != nil && f.Attempt == d.attempt {
				delete(d.chains, f.Graph)
				delete(d.creating, f.Graph)
			}
		}
	}
	w.punctual()
}

// punctual: no database that runs waits for others with a barrier that is due.
func (w *world) punctual() {
	for _, d := range w.m.dbs {
		c := w.m.config(d)
		idle := d.recovering || len(w.workers) == 0 || len(d.flight) >= c.Cap || d.merging()
		if !idle && w.now >= d.next(c) {
			w.fault(7, "database %d runs, and its barrier is late", d.id)
		}
	}
}

// blamed: what fails a database concerns it.
func (w *world) blamed(e Event, f Reset) {
	of := f.Database
	switch e := e.(type) {
	case WorkerDown:
		for _, c := range w.dbs[of].chains {
			if slices.ContainsFunc(c.injected, func(in *injected) bool { return slices.Contains(in.waits, e.Worker) }) {
				return
			}
		}
		w.fault(11, "database %d fails with worker %d, which it does not wait for", of, e.Worker)
	case Failed:
		of = e.Database
	case Committed:
		of = e.Database
	case AddDatabase:
		of = e.Database
	default:
		w.fault(11, "%T fails database %d", e, of)
	}
	if of != f.Database {
		w.fault(11, "database %d fails with %d", f.Database, of)
	}
}

func (w *world) injected(f Inject) {
	d := w.dbs[f.Database]
	if d == nil || f.Attempt != d.attempt || !d.up {
		w.fault(7, "a barrier of database %d, attempt %d, which does not run", f.Database, f.Attempt)
	}
	c := d.chains[f.Graph]
	switch {
	case c == nil && f.Graph == Main:
		if f.Kind != Initial || f.Prev != d.committed {
			w.fault(2, "the first barrier is %s from %s, %s is committed", f.Kind, f.Prev, d.committed)
		}
	case c == nil:
		if f.Kind != Checkpoint || f.Prev != d.creating[f.Graph] {
			w.fault(2, "a creating graph begins with %s from %s, %s is committed", f.Kind, f.Prev, d.creating[f.Graph])
		}
	case f.Kind == Initial:
		w.fault(2, "a second Initial barrier at %s", f.Curr)
	case f.Prev != c.last:
		w.fault(1, "barrier from %s after %s", f.Prev, c.last)
	}
	if c == nil {
		c = &chain{}
		d.chains[f.Graph] = c
	}
	if f.Curr <= f.Prev {
		w.fault(1, "barrier (%s, %s]", f.Prev, f.Curr)
	}
	if f.Graph != Main && f.Curr > d.committed {
		w.fault(4, "graph %d goes to %s, main is at %s", f.Graph, f.Curr, d.committed)
	}
	periodic := f.Graph == Main && f.Command == nil && f.Merge == nil && f.Kind != Initial
	if cap := w.m.config(w.m.dbs[w.index(f.Database)]).Cap; periodic && len(c.injected) >= cap {
		w.fault(9, "%d barriers in flight, and another one", len(c.injected))
	}
	for _, g := range f.Merge {
		if cut, ok := d.creating[g]; !ok || cut != f.Prev {
			w.fault(4, "graph %d merges at %s, it stands at %s", g, f.Prev, cut)
		}
	}
	if f.Command != nil {
		w.cmds[f.Command.ID].held = f.Curr
		for _, j := range f.Command.Jobs {
			if f.Command.Do == Create && d.gone[j] {
				w.fault(6, "dropped job %d is in a barrier", j)
			}
		}
	}
	c.last = f.Curr
	c.injected = append(c.injected, &injected{f, slices.Clone(f.Workers)})
}

func (w *world) index(id Database) int {
	i, _ := w.m.find(id)
	return i
}

func (w *world) commitBegins(f Commit) {
	d := w.dbs[f.Database]
	c := d.chains[f.Graph]
	at := d.committed
	if f.Graph != Main {
		at = d.creating[f.Graph]
	}
	switch {
	case c == nil || c.commit != nil:
		w.fault(3, "a second commit of graph %d", f.Graph)
	case f.Prev != at:
		w.fault(3, "commit from %s, %s is committed", f.Prev, at)
	case len(f.Epochs) > len(c.injected):
		w.fault(3, "commit of %d epochs, %d were injected", len(f.Epochs), len(c.injected))
	}
	for i, e := range f.Epochs {
		in := c.injected[i]
		if in.Curr != e || len(in.waits) > 0 {
			w.fault(3, "commit of epoch %s, the chain has %s, which waits for %v", e, in.Curr, in.waits)
		}
		if last := i == len(f.Epochs)-1; (in.Kind != Plain) != last {
			w.fault(3, "epoch %s, a %s, in a commit of %s", e, in.Kind, f.Curr)
		}
	}
	c.commit = &f
}

func (w *world) replied(f Reply) {
	a := w.cmds[f.ID]
	switch {
	case a.over:
		w.fault(5, "command %d is answered twice", f.ID)
	case f.Stage == StageStarted && a.started:
		w.fault(5, "command %d is started twice", f.ID)
	case f.Stage == StageStarted:
		a.started = true
		return
	}
	a.over = true
	d := w.dbs[a.Database]
	if f.Stage != StageCollected {
		return
	}
	if d == nil || d.committed < a.held {
		w.fault(5, "command %d is answered before epoch %s", f.ID, a.held)
	}
	if a.Do == Create && !d.jobs[a.Jobs[0]] {
		w.fault(10, "job %d is created before the main graph has it", a.Jobs[0])
	}
}

func (w *world) resetBegins(f Reset) {
	if f.Attempt <= w.last {
		w.fault(8, "attempt %d after %d", f.Attempt, w.last)
	}
	w.last = f.Attempt
	if d := w.dbs[f.Database]; d != nil {
		d.attempt, d.up, d.chains = f.Attempt, false, map[Graph]*chain{}
	}
	w.resets = append(w.resets, f)
}
