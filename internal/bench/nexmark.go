package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"time"

	"github.com/weirstream/weir/internal/adapter/nexmark"
	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// Options of a run of a Nexmark query.
type Options struct {
	Query        string // q0 to q22
	Events       int64  // persons, auctions and bids together
	Rate         int64  // their density in event time, a second
	View         bool   // keep the result as a materialized view; else it goes into a blackhole
	NoCheckpoint bool   // barriers make no state durable
	Interval     time.Duration
	Memory       int64  // bytes of state held in memory; 0: as a server does
	Shards       int    // 0: the number of processors
	Dir          string // where the run's directory is made; empty: the system's for temporary files
	Profile      string // file for a profile of the processor time
}

// Result is what a run measured.
type Result struct {
	Events    int64 // generated
	Elapsed   time.Duration
	CPU       time.Duration // user and system, of the whole process
	PeakRSS   int64         // bytes
	State     int64         // bytes on the disk after the last checkpoint
	Barriers  int
	P50, P99  float64 // from a barrier's injection to its end, in ms: to its commit, when it is a checkpoint
	Rows      int64   // of the result
	Emitted   int64   // into the blackhole, changes counted one by one
	Hash      uint64  // of the result
	Loop      time.Duration
	LoopCount int64 // rows that the loop counted
}

// block is how many events the plain loop makes at a time: as many as a shard does.
const block = 8 << 10

// Nexmark runs a query over generated events.
func Nexmark(ctx context.Context, o Options) (res Result, err error) {
	gen := nexmark.New(nexmark.Config{Rate: o.Rate})
	q, err := compile(o.Query, o.View, gen, o.Events)
	if err != nil {
		return res, err
	}
	res.Events = o.Events
	res.loop(gen, q.streams)
	dir, err := os.MkdirTemp(o.Dir, "weir-bench-")
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	e, err := open(dir, o, q.job)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	if err := res.measure(ctx, e, q, o); err != nil {
		return res, err
	}
	if o.View {
		if err := e.read(q.digest); err != nil {
			return res, err
		}
	} else {
		res.Emitted = q.digest.read.Load()
	}
	res.Rows, res.Hash, res.State = q.digest.rows.Load(), q.digest.sum.Load(), e.store.Bytes()
	return res, nil
}

// loop generates and counts the events that the query reads, on one processor.
func (r *Result) loop(gen *nexmark.Generator, streams []nexmark.Table) {
	began := time.Now()
	for at := int64(0); at < r.Events; at += block {
		for _, t := range streams {
			r.LoopCount += int64(gen.Fill(t, at, min(at+block, r.Events)).N)
		}
	}
	r.Loop = time.Since(began)
}

// measure runs the engine until the last event is in a finished epoch.
func (r *Result) measure(ctx context.Context, e *engine, q *query, o Options) error {
	runtime.GC()
	debug.FreeOSMemory() // of the loop
	before, err := used()
	if err != nil {
		return err
	}
	stop, err := profile(o.Profile)
	if err != nil {
		return err
	}
	defer stop()
	running, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.coordinator.Run(running)
	}()
	defer func() {
		cancel()
		<-ended
	}()
	cfg := barrier.Config{Interval: o.Interval, Frequency: 1}
	if o.NoCheckpoint {
		cfg.Frequency = 1 << 30
	}
	e.coordinator.Add(1, cfg, e)
	if err := e.wait(ctx, q.ended); err != nil {
		return err
	}
	if o.NoCheckpoint { // not another interval for the last events
		e.coordinator.Configure(barrier.Configure{Database: 1, Config: barrier.Config{Interval: time.Millisecond, Frequency: cfg.Frequency}})
	} else if err := e.coordinator.Do(ctx, 1, barrier.Flush, false); err != nil {
		return errors.Join(e.failure(), err)
	}
	if err := e.wait(ctx, e.over); err != nil {
		return err
	}
	if err := r.take(e, before); err != nil || !o.NoCheckpoint || !o.View {
		return err
	}
	return e.coordinator.Do(ctx, 1, barrier.Flush, false) // a view is read from the store
}

// take notes what was used since the run began.
func (r *Result) take(e *engine, before usage) error {
	after, err := used()
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	r.Elapsed, r.CPU, r.PeakRSS = time.Since(e.began), after.cpu-before.cpu, after.rss
	r.Barriers, r.P50, r.P99 = len(e.took), percentile(e.took, 0.5), percentile(e.took, 0.99)
	return nil
}

// wait returns when something is there, or the run is lost.
func (e *engine) wait(ctx context.Context, what <-chan struct{}) error {
	select {
	case <-what:
	case <-e.over:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return e.failure()
}

func (e *engine) failure() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.failed
}

// read hashes the rows that a view has in the last committed epoch.
func (e *engine) read(to *digest) error {
	pin, err := e.views.Pin(mainGraph.Database)
	if err != nil {
		return err
	}
	h := hasher{to: to}
	stored := e.job.Stored
	out := zset.NewChunk(stored.Kinds, block)
	err = pin.Use(func(n *state.Snapshot) (failed error) {
		err := n.Scan(mainGraph.Database, e.job.StoredIn, nil, nil, func(key, value []byte) bool {
			failed = stored.DecodeRow(key, value, out)
			if out.N >= block {
				h.add(out)
				out = zset.NewChunk(stored.Kinds, block)
			}
			return failed == nil
		})
		return errors.Join(failed, err)
	})
	h.add(out)
	return errors.Join(err, pin.Release())
}

// profile writes a profile of the processor time until stop is called.
func profile(file string) (stop func(), err error) {
	if file == "" {
		return func() {}, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, weirerr.New(weirerr.InvalidArgument, "the profile cannot be written").Wrap(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, fmt.Errorf("profile: %w", errors.Join(err, f.Close()))
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close() // what was not written shows when it is read
	}, nil
}
