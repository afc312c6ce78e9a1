package coordinator

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/ts"
)

// store is a database whose epochs hold nothing. It collects at once.
type store struct {
	c  *Coordinator
	id barrier.Database

	mu        sync.Mutex
	committed ts.Ts
	jobs      []barrier.Job
	epochs    []ts.Ts // as committed
	dropped   []barrier.Graph
	resets    []time.Time
	attempt   barrier.Attempt
	stuck     bool // collects nothing
	endless   bool // never done with a creation
	fails     error
	slow      time.Duration // a commit's
	atReset   error
}

var _ Database = (*store)(nil)

func (s *store) Inject(b barrier.Barrier) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stuck {
		s.c.Report(barrier.Collected{Database: s.id, Graph: b.Graph, Attempt: b.Attempt, Worker: worker, Curr: b.Curr, Done: !s.endless})
	}
}

func (s *store) Commit(ctx context.Context, c *barrier.Commit) error {
	select {
	case <-time.After(s.slow):
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails != nil {
		return s.fails
	}
	if c.Graph != barrier.Main {
		return nil
	}
	s.committed = c.Curr
	s.epochs = append(s.epochs, c.Curr)
	for _, g := range c.Merge {
		s.jobs = append(s.jobs, barrier.Job(g))
	}
	for _, cmd := range c.Commands {
		switch {
		case cmd.Do == barrier.Create && !cmd.Backfill:
			s.jobs = append(s.jobs, cmd.Jobs...)
		case cmd.Do == barrier.Drop:
			s.jobs = slices.DeleteFunc(s.jobs, func(j barrier.Job) bool { return slices.Contains(cmd.Jobs, j) })
		}
	}
	return nil
}

func (s *store) Reset(_ context.Context, attempt barrier.Attempt) (State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resets = append(s.resets, time.Now())
	s.attempt = attempt
	if s.atReset != nil {
		return State{}, s.atReset
	}
	return State{Committed: s.committed, Jobs: slices.Clone(s.jobs)}, nil
}

func (s *store) DropGraph(g barrier.Graph) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropped = append(s.dropped, g)
}

// history of what the store did.
type history struct {
	epochs  []ts.Ts
	jobs    []barrier.Job
	resets  []time.Time
	dropped []barrier.Graph
}

// past is what it did until now.
func (s *store) past() history {
	s.mu.Lock()
	defer s.mu.Unlock()
	return history{slices.Clone(s.epochs), slices.Clone(s.jobs), slices.Clone(s.resets), slices.Clone(s.dropped)}
}

// set changes how the store behaves.
func (s *store) set(change func(*store)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// fail has the database fail by itself.
func (s *store) fail(err error) {
	s.mu.Lock()
	attempt := s.attempt
	s.mu.Unlock()
	s.c.Report(barrier.Failed{Database: s.id, Attempt: attempt, Err: err})
}

// stand is a running coordinator with one database that has a barrier every second.
type stand struct {
	*Coordinator
	db   *store
	stop context.CancelFunc
	over chan struct{}
}

const only barrier.Database = 1

func standing(t *testing.T, test func(t *testing.T, s *stand)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{Options: barrier.Options{Interval: time.Second}, Log: slog.New(slog.DiscardHandler)})
		ctx, stop := context.WithCancel(context.Background())
		s := &stand{Coordinator: c, db: &store{c: c, id: only}, stop: stop, over: make(chan struct{})}
		go func() { defer close(s.over); c.Run(ctx) }()
		c.Add(only, barrier.Config{}, s.db)
		synctest.Wait()
		test(t, s)
		stop()
		<-s.over
	})
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
