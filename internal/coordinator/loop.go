package coordinator

import (
	"context"
	"time"

	"github.com/weirstream/weir/internal/barrier"
)

// Run works until ctx ends; what waits then fails with ErrClosed.
func (c *Coordinator) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		for _, e := range c.take() {
			c.step(ctx, e)
		}
		c.step(ctx, barrier.Tick{})
		if at := c.machine.Wake(); at != 0 {
			timer.Reset(max(0, time.Until(at.Time())))
		}
		c.publish()
		select {
		case <-ctx.Done():
		case <-c.ring:
		case <-timer.C:
		}
	}
	c.running.Wait()
	c.end()
}

// take empties the inbox.
func (c *Coordinator) take() []barrier.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.inbox
	c.inbox = nil
	return all
}

func (c *Coordinator) step(ctx context.Context, e barrier.Event) {
	for _, effect := range c.machine.Step(now(), e) {
		c.act(ctx, effect)
	}
	if gone, ok := e.(barrier.DropDatabase); ok {
		c.mu.Lock()
		if d := c.dbs[gone.Database]; d != nil {
			close(d.moved)
			delete(c.dbs, gone.Database)
		}
		c.mu.Unlock()
	}
}

func (c *Coordinator) database(id barrier.Database) *database {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dbs[id]
}

// act carries out one effect.
func (c *Coordinator) act(ctx context.Context, effect barrier.Effect) {
	switch e := effect.(type) {
	case barrier.Inject:
		c.metrics.injected(e.Barrier)
		c.database(e.Database).Inject(e.Barrier)
	case barrier.Commit:
		d := c.database(e.Database) // now: it may be removed meanwhile
		c.running.Go(func() { c.commit(ctx, d, &e) })
	case barrier.Reset:
		c.noteFailure(e)
		c.running.Go(func() { c.reset(ctx, e) })
	case barrier.DropGraph:
		c.database(e.Database).DropGraph(e.Graph)
	case barrier.Reply:
		c.reply(e)
	case barrier.Odd:
		c.log.Debug("a report that came too late", "why", e.Why)
	}
}

func (c *Coordinator) commit(ctx context.Context, d *database, e *barrier.Commit) {
	began := time.Now()
	err := d.Commit(ctx, e)
	if err == nil {
		c.metrics.committed(e, time.Since(began))
	}
	c.Report(barrier.Committed{Database: e.Database, Graph: e.Graph, Attempt: e.Attempt, Curr: e.Curr, Err: err})
}

// reset waits out the pause, and asks the database where it stands.
func (c *Coordinator) reset(ctx context.Context, e barrier.Reset) {
	select {
	case <-time.After(e.Delay):
	case <-ctx.Done():
		return
	}
	d := c.database(e.Database)
	if d == nil {
		return
	}
	state, err := d.Reset(ctx, e.Attempt)
	if err != nil {
		c.log.Error("recovering a database", "database", e.Database, "error", err)
		c.Report(barrier.Failed{Database: e.Database, Attempt: e.Attempt, Err: err})
		return
	}
	c.Report(barrier.Recovered{
		Database: e.Database, Attempt: e.Attempt, Committed: state.Committed, Jobs: state.Jobs, Creating: state.Creating,
	})
}

// noteFailure remembers why a database recovers, until it has committed again.
func (c *Coordinator) noteFailure(e barrier.Reset) {
	if e.Err == nil {
		return
	}
	c.log.Error("a database recovers", "database", e.Database, "attempt", e.Attempt, "pause", e.Delay, "error", e.Err)
	c.metrics.recoveries.Inc()
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.dbs[e.Database]; d != nil {
		if d.failed == nil {
			d.since = time.Now()
		}
		d.failed = e.Err
	}
}

func (c *Coordinator) reply(e barrier.Reply) {
	if e.Stage == barrier.StageStarted {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.waits[e.ID]; w != nil {
		w <- e.Err
		delete(c.waits, e.ID)
	}
}

// publish lets those who wait see how far databases have come.
func (c *Coordinator) publish() {
	status := c.machine.Status()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status = status
	for _, s := range status {
		d := c.dbs[s.Database]
		if d == nil || s.Committed <= d.committed {
			continue
		}
		d.committed, d.failed = s.Committed, nil
		close(d.moved)
		d.moved = make(chan struct{})
	}
}

// end tells everybody who waits that it is over.
func (c *Coordinator) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for id, w := range c.waits {
		w <- ErrClosed
		delete(c.waits, id)
	}
	for _, d := range c.dbs {
		close(d.moved)
		d.moved = make(chan struct{})
	}
}

// Status is every database with its barriers in flight, as of a moment ago.
func (c *Coordinator) Status() []barrier.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}
