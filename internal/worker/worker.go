package worker

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// Worker runs graphs. Its methods may be called concurrently, those about one
// graph one at a time, but for Commit.
type Worker struct {
	o    Options
	crew *crew

	mu       sync.Mutex
	graphs   map[state.Graph]*graph
	tails    map[uint32][]*tail // by database
	outboxes map[uint32]*outbox // by database
	queue    []*graph           // whose turn it is, in order
	ring     chan struct{}
	stop     chan struct{}
	done     chan struct{}
}

// New starts a worker without graphs.
func New(o Options) *Worker {
	if o.Shards <= 0 {
		o.Shards = runtime.GOMAXPROCS(0)
	}
	if o.Memory <= 0 {
		o.Memory = 512 << 20
	}
	if o.Step <= 0 {
		o.Step = 10 * time.Millisecond
	}
	if o.End <= 0 {
		o.End = 100 * time.Millisecond
	}
	if o.piece <= 0 {
		o.piece = 128 << 10
	}
	if o.most <= 0 {
		o.most = 64 << 20
	}
	if o.chase <= 0 {
		o.chase = 1 << 20
	}
	if o.Held == nil {
		o.Held = func(int64) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	w := &Worker{
		o: o, crew: newCrew(o.Shards), graphs: map[state.Graph]*graph{}, tails: map[uint32][]*tail{}, outboxes: map[uint32]*outbox{},
		ring: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go w.loop()
	return w
}

// loop gives graphs their turns.
func (w *Worker) loop() {
	defer close(w.done)
	for {
		g := w.next()
		if g == nil {
			select {
			case <-w.ring:
				continue
			case <-w.stop:
				return
			}
		}
		if g.turn(time.Now().Add(w.o.Step)) {
			w.signal(g)
		}
	}
}

// next takes the first graph of the queue.
func (w *Worker) next() *graph {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		return nil
	}
	g := w.queue[0]
	w.queue = w.queue[1:]
	g.queued = false
	return g
}

// signal puts a graph into the queue, unless it is there.
func (w *Worker) signal(g *graph) {
	w.mu.Lock()
	if !g.queued {
		g.queued = true
		w.queue = append(w.queue, g)
	}
	w.mu.Unlock()
	select {
	case w.ring <- struct{}{}:
	default:
	}
}

// Open takes a graph up at its committed epoch: it brings the store there, shows
// it to readers, and waits for barriers.
func (w *Worker) Open(ctx context.Context, spec Spec) error {
	if w.graph(spec.Graph) != nil {
		return weirerr.New(weirerr.AlreadyExists, "the graph %s is open already", spec.Graph)
	}
	var t *tail
	var err error
	switch {
	case spec.Graph.Part != 0 && len(spec.Jobs) == 1 && len(spec.Jobs[0].Inputs) > 0 && len(spec.Reads) == 0:
		err = w.capture(ctx, &spec)
	case spec.Graph.Part != 0:
		t, err = w.follow(ctx, &spec)
	default:
		err = w.o.Store.Recover(ctx, spec.Graph, spec.Committed)
	}
	if err != nil {
		return err
	}
	g, err := newGraph(w, spec, t)
	if err != nil {
		if t != nil {
			w.unfollow(spec.Graph.Database, t)
		}
		return err
	}
	if err := g.publish(0, &epoch{Barrier: Barrier{Curr: spec.Committed}}); err != nil {
		g.end()
		return err
	}
	w.mu.Lock()
	w.graphs[spec.Graph] = g
	w.mu.Unlock()
	g.mu.Lock()
	g.opened = true
	g.mu.Unlock()
	w.signal(g)
	return nil
}

func (w *Worker) graph(id state.Graph) *graph {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.graphs[id]
}

// Inject begins an epoch of a graph. A barrier of an attempt that is not open, is dropped.
func (w *Worker) Inject(b Barrier) {
	if g := w.graph(b.Graph); g != nil && g.attempt == b.Attempt {
		g.inject(b)
	}
}

// Commit says that an epoch that was collected is committed: when it returns,
// the store and readers have it.
func (w *Worker) Commit(ctx context.Context, id state.Graph, epoch ts.Ts) error {
	g := w.graph(id)
	if g == nil {
		return weirerr.New(weirerr.NotFound, "the graph %s is not open", id)
	}
	return g.commit(ctx, epoch)
}

// Drop ends a graph. What it has sealed and not committed is discarded when it is opened again.
func (w *Worker) Drop(id state.Graph) {
	g := w.graph(id)
	if g == nil {
		return
	}
	w.mu.Lock()
	delete(w.graphs, id)
	w.mu.Unlock()
	g.end()
}

// Close ends all graphs and the worker.
func (w *Worker) Close() {
	w.mu.Lock()
	var all []state.Graph
	for id := range w.graphs {
		all = append(all, id)
	}
	w.mu.Unlock()
	for _, id := range all {
		w.Drop(id)
	}
	close(w.stop)
	<-w.done
	w.crew.close()
}
