package worker

import (
	"errors"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// graph is one graph at work. The loop has all of it but what mu guards.
type graph struct {
	w       *Worker
	id      state.Graph
	attempt barrier.Attempt
	flow    *dataflow.Graph
	inputs  *inputs
	sealer  *sealer
	spare   spare
	readers []*state.Reader // of the store, by shard, in the epoch at work
	queued  bool            // by Worker.mu
	used    int64           // bytes of state; by Worker.mu

	phase  phase
	stage  int
	ending time.Time // since when it is flushing
	busy   bool      // a round would do something
	pace   pace
	strain strain
	faults []dataflow.Fault // of this epoch
	at     ts.Ts            // the last epoch that ended
	sealed ts.Ts            // the last checkpoint
	failed bool
	merged bool // the barrier at work has taken up its jobs

	// Of a creating graph.
	tail  *tail
	walk  *walk
	reads []Read

	mu       sync.Mutex
	barriers []Barrier // injected; the first is the epoch at work
	opened   bool      // it is built: readers may have signalled it before
	closing  bool
	turning  sync.Mutex               // held through a turn
	taps     map[dataflow.JobID]ts.Ts // relations whose deltas are collected, and after which epoch
	logged   ts.Ts                    // the last checkpoint whose deltas were given to changelogs
}

// phase is where in an epoch a graph is.
type phase uint8

const (
	reading  phase = iota // input comes in
	flushing              // it is complete, stages end one after the other
)

// newGraph builds a graph as it stands in the store.
func newGraph(w *Worker, spec Spec, t *tail) (*graph, error) {
	g := &graph{
		w: w, id: spec.Graph, attempt: spec.Attempt, flow: dataflow.NewGraph(w.o.Shards), at: spec.Committed, sealed: spec.Committed,
		pace: newPace(), strain: strain{ratio: 1},
		taps: map[dataflow.JobID]ts.Ts{}, logged: spec.Committed,
	}
	for range w.o.Shards {
		g.readers = append(g.readers, w.o.Store.Reader())
	}
	g.sealer = newSealer(g, spec)
	g.inputs = newInputs(g, spec.Committed, spec.Positions)
	if err := g.build(spec, t); err != nil {
		g.inputs.close()
		return nil, err
	}
	g.tap(spec.Committed, spec.Taps...)
	if err := g.inputs.open(spec.Committed); err != nil {
		return nil, err
	}
	g.sealer.start()
	return g, nil
}

// build attaches the jobs of a spec.
func (g *graph) build(spec Spec, t *tail) error {
	if t != nil {
		return g.create(spec, t)
	}
	for _, j := range spec.Jobs {
		if err := g.attach(j, true); err != nil {
			return err
		}
	}
	return nil
}

func (g *graph) attach(j Job, cold bool) error {
	for _, in := range j.Inputs {
		g.inputs.add(in)
	}
	if !cold {
		return g.flow.Attach(j.Job, nil)
	}
	return g.flow.Attach(j.Job, g.stored)
}

// stored tells whether the store has entries of a table.
func (g *graph) stored(table uint32) bool {
	has, err := g.w.o.Store.Has(g.id.Database, table)
	return has || err != nil // then reading it will say what is wrong
}

// inject queues a barrier.
func (g *graph) inject(b Barrier) {
	g.mu.Lock()
	g.barriers = append(g.barriers, b)
	g.mu.Unlock()
	g.inputs.bound(b.Curr)
	g.w.signal(g)
}

// head is the barrier of the epoch at work; nil while it is not known.
func (g *graph) head() *Barrier {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.barriers) == 0 {
		return nil
	}
	return &g.barriers[0]
}

// turn works until the deadline, and says whether there is more to do now.
func (g *graph) turn(deadline time.Time) bool {
	g.turning.Lock()
	defer g.turning.Unlock()
	for !g.over() {
		switch {
		case g.busy:
			g.round()
		case g.phase == flushing:
			g.advance()
		default:
			more, err := g.feed()
			if err != nil {
				g.fail(err)
				return false
			}
			if !more {
				return false
			}
		}
		if !time.Now().Before(deadline) {
			return !g.over()
		}
	}
	return false
}

func (g *graph) over() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closing || g.failed || !g.opened
}

// feed takes a step of input, or ends the epoch's input when all is there. It
// says whether there is anything to do.
func (g *graph) feed() (bool, error) {
	g.pace.stepped()
	b, cut := g.head(), ts.Ts(0)
	if b != nil {
		cut = b.Curr
		if b.Prev != g.at {
			return false, errAhead(*b, g.at)
		}
	}
	if b == nil && g.full() {
		return false, nil // a barrier signals, and so does a commit
	}
	s, err := g.inputs.poll(cut)
	switch {
	case err != nil:
		return false, err
	case s != nil:
		g.push(s)
		return true, nil
	case b == nil || !g.inputs.seen(cut):
		return false, nil
	case len(b.Merge) > 0 && !g.merged:
		g.merged = true
		return true, g.merge(b)
	case b.Kind == barrier.Checkpoint && !g.sealer.room():
		return false, nil // a commit signals
	}
	g.phase, g.stage, g.ending = flushing, 0, time.Now()
	g.flush()
	return true, nil
}

// push hands a step to the shards.
func (g *graph) push(s *step) {
	for _, f := range s.faults {
		for _, all := range g.flow.Fail(f.Job, f.Err) {
			if f.Cause != 0 {
				all.Cause = f.Cause
			}
			g.faults = append(g.faults, all)
		}
	}
	if s.parts == nil {
		return
	}
	shards := g.flow.Shards()
	begun := time.Now()
	g.w.crew.each(
		func(i int) bool { return len(s.parts[i]) > 0 },
		func(i int) {
			for _, p := range s.parts[i] {
				p.push(shards[i])
			}
		})
	g.worked(begun)
	g.busy = true
}

// push hands rows to their nodes. Those that nobody reads are not made.
func (p *part) push(s *dataflow.Shard) {
	for _, n := range p.nodes {
		if !s.Read(n) {
			continue
		}
		if p.chunk == nil {
			p.chunk = p.fill()
		}
		if p.only != 0 {
			s.Give(n, p.only, p.chunk)
		} else {
			s.Push(n, p.chunk)
		}
	}
}

// round runs all shards once, and swaps what they have for each other.
func (g *graph) round() {
	shards := g.flow.Shards()
	status := make([]op.Status, len(shards))
	errs := make([]error, len(shards))
	begun := time.Now()
	g.w.crew.each(
		func(i int) bool { return !shards[i].Idle() },
		func(i int) { status[i], errs[i] = g.run(shards[i], g.readers[i]) })
	g.pace.took(time.Since(begun))
	if g.phase == reading {
		g.worked(begun)
	}
	g.faults = append(g.faults, g.flow.Faults()...)
	g.busy = g.flow.Swap()
	for i := range shards {
		if errs[i] != nil {
			g.fail(errs[i])
			return
		}
		g.busy = g.busy || status[i] != op.Done
	}
}

// run runs a shard, fetching what it misses.
func (g *graph) run(s *dataflow.Shard, r *state.Reader) (op.Status, error) {
	budget := g.pace.rows
	for range 4 {
		status := s.Run(budget)
		if status != op.Miss {
			return status, nil
		}
		if err := g.fetch(s, r); err != nil {
			return status, err
		}
		s.Resume()
	}
	return op.More, nil
}

// fetch fills the groups that a shard waits for. What the epoch's reader shows is new enough: groups
// are evicted only when an epoch ends, and then the store has them.
func (g *graph) fetch(s *dataflow.Shard, r *state.Reader) error {
	return s.Missing(func(t dataflow.Table) error {
		return r.Groups(g.id.Database, t.ID, t.Wanted(), t.Fill)
	})
}

// closeReaders ends what was read of the store.
func (g *graph) closeReaders() (err error) {
	for _, r := range g.readers {
		err = errors.Join(err, r.Close())
	}
	return err
}

// flush begins the end of the stage at hand.
func (g *graph) flush() {
	for _, s := range g.flow.Shards() {
		s.Flush(g.stage)
	}
	g.busy = true
}

// advance goes on to the next stage, or ends the epoch.
func (g *graph) advance() {
	if g.stage++; g.stage < g.flow.Stages() {
		g.flush()
		return
	}
	if err := g.endEpoch(); err != nil {
		g.fail(err)
	}
}

// fail ends the graph's work, and reports why.
func (g *graph) fail(err error) {
	g.mu.Lock()
	told := g.failed || g.closing
	g.failed = true
	g.mu.Unlock()
	if !told {
		g.w.o.Log.Error("a graph cannot go on", "graph", g.id.String(), "error", err)
		g.w.o.Report(&Failed{g.id, g.attempt, err})
	}
}

// end stops all that runs for the graph.
func (g *graph) end() {
	g.mu.Lock()
	g.closing = true
	g.mu.Unlock()
	g.turning.Lock() // a turn under way ends
	defer g.turning.Unlock()
	g.inputs.close()
	g.sealer.close()
	if err := g.closeReaders(); err != nil {
		g.w.o.Log.Warn("the state store's iterators do not close", "graph", g.id.String(), "error", err)
	}
	if g.tail != nil {
		g.w.unfollow(g.id.Database, g.tail)
	}
}

func errAhead(b Barrier, prev ts.Ts) error {
	return weirerr.New(weirerr.WrongState, "a barrier follows %s, the last one was %s", b.Prev, prev)
}
