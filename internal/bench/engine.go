package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/coordinator"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/membudget"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/worker"
)

// mainGraph is the only one.
var mainGraph = state.Graph{Database: 1}

// keyGraph is where the metastore has the commit point.
const keyGraph = "database/1/graph/0"

// record is the commit point.
type record struct {
	Epoch     ts.Ts            `json:"epoch"`
	Sealed    []*state.Sealed  `json:"sealed,omitempty"`
	Positions worker.Positions `json:"positions,omitempty"`
}

// engine is a database with one job, as the coordinator sees it.
type engine struct {
	meta        *metastore.Store
	store       *state.Store
	views       *view.Views
	worker      *worker.Worker
	coordinator *coordinator.Coordinator
	job         worker.Job
	events      int64
	committing  bool // epochs are checkpoints: one is over when it is committed

	mu       sync.Mutex
	began    time.Time
	injected map[ts.Ts]time.Time
	last     ts.Ts // the epoch that holds the last event; 0: not collected yet
	took     []time.Duration
	failed   error
	done     bool
	over     chan struct{} // closed when last is over, or all is lost: done
}

var _ coordinator.Database = (*engine)(nil)

// none are the logs of a job that reads none.
type none struct{}

// Channel implements worker.Logs.
func (none) Channel(name string) (wal.Channel, error) {
	return nil, weirerr.New(weirerr.NotFound, "there is no channel %s", name)
}

// Promise implements worker.Logs.
func (none) Promise(string, ts.Ts) error { return nil }

// open opens stores in a directory, with a worker and a coordinator that are idle.
func open(dir string, o Options, job worker.Job) (e *engine, err error) {
	e = &engine{job: job, events: o.Events, committing: !o.NoCheckpoint, injected: map[ts.Ts]time.Time{}, over: make(chan struct{})}
	log := slog.New(slog.DiscardHandler)
	if e.meta, err = metastore.Open(filepath.Join(dir, "meta"), log); err != nil {
		return nil, err
	}
	memory := membudget.State(o.Memory)
	if e.store, err = state.Open(filepath.Join(dir, "state"), state.Options{CacheBytes: membudget.Blocks(memory), Logger: log}); err != nil {
		return nil, errors.Join(err, e.meta.Close())
	}
	e.views = view.New(view.Options{})
	w := worker.Options{Store: e.store, Views: e.views, Logs: none{}, Report: e.report, Log: log, Shards: o.Shards, Memory: memory, Held: membudget.NewPace().Held}
	if e.committing {
		w.Full = func(_ state.Graph, next ts.Ts) { e.coordinator.Report(barrier.Want{Database: 1, At: next}) }
	}
	e.worker = worker.New(w)
	e.coordinator = coordinator.New(coordinator.Options{Log: log})
	return e, nil
}

func (e *engine) close() error {
	e.worker.Close()
	return errors.Join(e.views.Close(), e.store.Close(), e.meta.Close())
}

// Inject implements coordinator.Database.
func (e *engine) Inject(in barrier.Barrier) {
	kind := in.Kind
	if kind == barrier.Initial { // it is committed like any checkpoint
		kind = barrier.Checkpoint
	}
	e.mu.Lock()
	e.injected[in.Curr] = time.Now()
	e.mu.Unlock()
	e.worker.Inject(worker.Barrier{Graph: mainGraph, Attempt: in.Attempt, Prev: in.Prev, Curr: in.Curr, Kind: kind})
}

// report passes on what the worker says.
func (e *engine) report(r worker.Report) {
	switch r := r.(type) {
	case *worker.Collected:
		e.collected(r)
		e.coordinator.Report(barrier.Collected{Database: 1, Attempt: r.Attempt, Worker: 1, Curr: r.Curr, Sealed: r})
	case *worker.Failed:
		e.fail(r.Err)
	}
}

func (e *engine) collected(r *worker.Collected) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range r.Faults {
		e.lose(f.Err)
	}
	var at int64
	if err := json.Unmarshal(r.Positions[streamName], &at); err != nil {
		e.lose(fmt.Errorf("the position of the streams: %w", err))
	}
	if at == e.events && e.last == 0 {
		e.last = r.Curr
	}
	if !e.committing {
		e.finish(r.Curr)
	}
}

// finish notes that an epoch is over.
func (e *engine) finish(epoch ts.Ts) {
	if e.done {
		return
	}
	e.took = append(e.took, time.Since(e.injected[epoch]))
	delete(e.injected, epoch)
	if epoch == e.last {
		e.end()
	}
}

func (e *engine) end() {
	if !e.done {
		e.done = true
		close(e.over)
	}
}

// lose gives the run up: nothing recovers here.
func (e *engine) lose(err error) {
	if e.failed == nil {
		e.failed = err
		e.end()
	}
}

func (e *engine) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lose(err)
}

// Commit implements coordinator.Database.
func (e *engine) Commit(ctx context.Context, c *barrier.Commit) error {
	got, _ := c.Sealed[0].Part.(*worker.Collected)
	if got == nil || got.Sealed == nil {
		return weirerr.New(weirerr.Unknown, "epoch %s was collected without its state", c.Curr)
	}
	err := e.meta.Update(func(tx *metastore.Tx) error {
		var rec record
		if _, err := tx.Get(keyGraph, &rec); err != nil {
			return err
		}
		if rec.Epoch != c.Prev {
			return weirerr.New(weirerr.WrongState, "epoch %s follows %s, but %s is committed", c.Curr, c.Prev, rec.Epoch)
		}
		return tx.Put(keyGraph, record{Epoch: c.Curr, Sealed: []*state.Sealed{got.Sealed}, Positions: got.Positions})
	})
	if err == nil {
		err = e.worker.Commit(ctx, mainGraph, c.Curr)
	}
	if err != nil {
		e.fail(err)
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.committing {
		e.finish(c.Curr)
	}
	return nil
}

// Reset implements coordinator.Database. It is called once, at the start: that is when the run begins.
func (e *engine) Reset(ctx context.Context, attempt barrier.Attempt) (coordinator.State, error) {
	e.mu.Lock()
	again := !e.began.IsZero()
	e.began = time.Now()
	e.mu.Unlock()
	if again {
		return coordinator.State{}, weirerr.New(weirerr.WrongState, "a run of a benchmark does not recover")
	}
	err := e.worker.Open(ctx, worker.Spec{Graph: mainGraph, Attempt: attempt, Jobs: []worker.Job{e.job}})
	if err != nil {
		e.fail(err)
	}
	return coordinator.State{Jobs: []barrier.Job{barrier.Job(dataflow.JobID(1))}}, err
}

// DropGraph implements coordinator.Database: there are no creating graphs.
func (e *engine) DropGraph(barrier.Graph) {}
