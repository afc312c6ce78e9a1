package coordinator

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/ts"
)

// worker is the only one there is: this process.
const worker barrier.Worker = 1

// Options of a Coordinator. Log must be set.
type Options struct {
	barrier.Options
	Log        *slog.Logger
	Registerer prometheus.Registerer // nil: no metrics
}

// Coordinator controls the barriers of all databases of this process. Its methods
// may be called concurrently.
type Coordinator struct {
	log     *slog.Logger
	metrics *metrics
	machine *barrier.Machine // of the loop
	running sync.WaitGroup   // Commit and Reset
	ring    chan struct{}    // something is in the inbox

	mu     sync.Mutex
	inbox  []barrier.Event
	dbs    map[barrier.Database]*database
	waits  map[barrier.CommandID]chan error
	nextID barrier.CommandID
	status []barrier.Status
	closed bool
}

// database is one that is known.
type database struct {
	Database
	committed ts.Ts
	moved     chan struct{} // closed when committed next moves, or the reason changes
	failed    error         // why it recovers; nil while it runs
	since     time.Time     // of failed
}

// New makes a coordinator without databases. It works while Run does.
func New(o Options) *Coordinator {
	c := &Coordinator{
		log: o.Log, metrics: newMetrics(o.Registerer), machine: barrier.New(o.Options), ring: make(chan struct{}, 1),
		dbs: map[barrier.Database]*database{}, waits: map[barrier.CommandID]chan error{},
	}
	c.machine.Step(now(), barrier.WorkerUp{Worker: worker})
	return c
}

func now() ts.Ts { return ts.FromTime(time.Now()) }

// Add makes a database known and recovers it.
func (c *Coordinator) Add(id barrier.Database, cfg barrier.Config, db Database) {
	c.mu.Lock()
	c.dbs[id] = &database{Database: db, moved: make(chan struct{})}
	c.mu.Unlock()
	c.Report(barrier.AddDatabase{Database: id, Config: cfg})
}

// Remove forgets a database.
func (c *Coordinator) Remove(id barrier.Database) { c.Report(barrier.DropDatabase{Database: id}) }

// Configure changes how often a database has barriers, or all that say nothing of it.
func (c *Coordinator) Configure(e barrier.Configure) { c.Report(e) }

// Report tells what happened. It never blocks.
func (c *Coordinator) Report(e barrier.Event) {
	c.mu.Lock()
	c.inbox = append(c.inbox, e)
	c.mu.Unlock()
	select {
	case c.ring <- struct{}{}:
	default:
	}
}

// ErrClosed is what waits when the coordinator ends is told.
var ErrClosed = errors.New("the server is stopping")

// Do has a barrier carry out a command, and returns when that is committed.
func (c *Coordinator) Do(ctx context.Context, id barrier.Database, do barrier.Do, backfill bool, jobs ...barrier.Job) error {
	answer := make(chan error, 1)
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return ErrClosed
	}
	c.nextID++
	cmd := barrier.Command{ID: c.nextID, Database: id, Do: do, Jobs: jobs, Backfill: backfill}
	c.waits[cmd.ID] = answer
	c.mu.Unlock()
	c.Report(cmd)
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.waits, cmd.ID)
		c.mu.Unlock()
		return context.Cause(ctx)
	}
}

// Wait returns when a database's committed epoch is at least at. It asks for a
// barrier at once when none is under way that reaches so far.
func (c *Coordinator) Wait(ctx context.Context, id barrier.Database, at ts.Ts) error {
	for {
		c.mu.Lock()
		d := c.dbs[id]
		if d == nil || c.closed {
			c.mu.Unlock()
			return ErrClosed
		}
		committed, moved := d.committed, d.moved
		c.mu.Unlock()
		if committed >= at {
			return nil
		}
		c.Report(barrier.Want{Database: id, At: at}) // again after every epoch: a recovery forgets it
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Committed is a database's committed epoch, and a channel that is closed when it next moves.
func (c *Coordinator) Committed(id barrier.Database) (ts.Ts, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.dbs[id]; d != nil {
		return d.committed, d.moved
	}
	return 0, nil
}

// Recovering is why a database does not run, and since when; nil while it runs.
func (c *Coordinator) Recovering(id barrier.Database) (error, time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.dbs[id]; d != nil {
		return d.failed, d.since
	}
	return nil, time.Time{}
}
