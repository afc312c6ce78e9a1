package worker

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// waiting is how many sealed epochs may wait for their commit before the next one's end has to.
const waiting = 2

// sealer makes finished epochs durable, in order, beside the computing of the next
// one, and keeps them until they are committed.
type sealer struct {
	g    *graph
	mu   sync.Mutex
	ring *sync.Cond
	todo []*epoch // not sealed
	done []*epoch // checkpoints sealed, not committed
	// shown is the committed epoch that readers have.
	shown     ts.Ts
	positions Positions // of shown
	open      int       // checkpoints that are not committed
	closed    bool
	ended     chan struct{}
	apply     sync.Mutex // one Commit at a time
}

func newSealer(g *graph, spec Spec) *sealer {
	s := &sealer{g: g, shown: spec.Committed, positions: spec.Positions, ended: make(chan struct{})}
	s.ring = sync.NewCond(&s.mu)
	return s
}

func (s *sealer) start() { go s.run() }

// add hands over a finished epoch.
func (s *sealer) add(e *epoch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.todo = append(s.todo, e)
	if e.Kind == barrier.Checkpoint {
		s.open++
	}
	s.ring.Signal()
}

// room tells whether one more checkpoint may end.
func (s *sealer) room() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open < waiting
}

// applied tells whether the store shows all that was taken from tables.
func (s *sealer) applied() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open == 0
}

func (s *sealer) run() {
	defer close(s.ended)
	for {
		e := s.take()
		if e == nil {
			return
		}
		if err := s.seal(e); err != nil {
			s.g.fail(err)
			return
		}
	}
}

func (s *sealer) take() *epoch {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.todo) == 0 && !s.closed {
		s.ring.Wait()
	}
	if s.closed {
		return nil
	}
	e := s.todo[0]
	s.todo = slices.Delete(s.todo, 0, 1)
	return e
}

// seal makes an epoch durable, and reports it.
func (s *sealer) seal(e *epoch) (err error) {
	c := &Collected{Graph: e.Graph, Attempt: e.Attempt, Curr: e.Curr, Positions: e.positions, Faults: e.faults, Walked: e.walked}
	if e.Kind == barrier.Checkpoint {
		for _, l := range e.logs {
			d := s.g.spare.take(changelogOf(l.part))
			l.fill(d, e.prev, e.Curr)
			l.rows = nil
			e.deltas = append(e.deltas, d)
		}
		e.sealed, err = s.g.w.o.Store.Seal(context.Background(), e.Graph, e.prev, e.Curr, e.deltas)
		if err != nil {
			return err
		}
		s.g.spare.put(e.deltas)
		e.deltas, c.Sealed = nil, &e.sealed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.Sealed != nil {
		s.done = append(s.done, e)
	}
	s.g.w.o.Report(c)
	return nil
}

// commit applies an epoch, and those before it, and shows it.
func (g *graph) commit(ctx context.Context, curr ts.Ts) error {
	s := g.sealer
	s.apply.Lock()
	defer s.apply.Unlock()
	s.mu.Lock()
	at := slices.IndexFunc(s.done, func(e *epoch) bool { return e.Curr == curr })
	done := slices.Clone(s.done[:at+1])
	s.mu.Unlock()
	if at < 0 {
		return weirerr.New(weirerr.NotFound, "epoch %s is not sealed, or committed already", curr).With("graph", g.id)
	}
	for _, e := range done {
		if err := g.w.o.Store.Apply(ctx, e.sealed); err != nil {
			return err
		}
		for _, j := range e.Merge { // what its own graph had is the main graph's now
			if err := g.w.Forget(state.Graph{Database: g.id.Database, Part: uint32(j.ID)}); err != nil {
				return err
			}
		}
		if g.tail != nil {
			if err := g.w.trim(g.id, e.Curr); err != nil {
				return err
			}
		}
		if err := g.publish(s.shown, e); err != nil {
			return err
		}
		s.mu.Lock()
		s.shown, s.positions = e.Curr, e.positions
		s.done = s.done[1:]
		s.open--
		s.mu.Unlock()
		g.strain.learn(e.work, e.ending, time.Now())
	}
	g.w.signal(g)
	return nil
}

// publish shows an epoch of the main graph to readers, and to jobs being created.
func (g *graph) publish(prev ts.Ts, e *epoch) error {
	if g.id.Part != 0 {
		return nil
	}
	snapshot, err := g.w.o.Store.Snapshot()
	if err != nil {
		return err
	}
	for _, t := range g.w.followers(g.id.Database) {
		t.add(e, prev, snapshot)
	}
	return g.w.o.Views.Publish(g.id.Database, prev, e.Curr, snapshot, e.rows)
}

// close ends the sealing: what is under way is finished.
func (s *sealer) close() {
	s.mu.Lock()
	s.closed = true
	s.ring.Signal()
	s.mu.Unlock()
	<-s.ended
	s.apply.Lock() // a commit under way ends
	defer s.apply.Unlock()
}
