package wal

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// CheckpointOptions of one channel. Tail, Store and Log must be set.
type CheckpointOptions struct {
	Tail  Tail
	Store CheckpointStore
	Log   *slog.Logger
	// Metrics, when set, gets the channel's figures until Close.
	Metrics prometheus.Registerer

	SaveEvery    time.Duration // between saves that nobody waits for: 1 s
	MeasureEvery time.Duration // of the log and of what the pins hold: 1 s
	BackoffMin   time.Duration // after a failed save or truncation: 100 ms
	BackoffMax   time.Duration // 5 s
	// Evictable is what a pin must hold, in bytes, so that its eviction frees
	// anything: about a segment, 64 MiB.
	Evictable int64
}

// Checkpoint keeps the checkpoint of one channel: the shell around the keeper.
// Its methods may be called concurrently, but calls for one owner come one at a time.
type Checkpoint struct {
	opts   CheckpointOptions
	name   string
	began  time.Time
	descs  descs
	cancel context.CancelFunc
	ctx    context.Context // of calls to the store; ends when Close gives up
	tasks  sync.WaitGroup  // saves and truncations under way, and the loop
	stop   chan struct{}   // ends the loop
	poke   chan struct{}   // the next step may be due earlier now
	closed chan error      // what the last save came to

	mu      sync.Mutex
	keeper  *keeper
	nextReq uint64
	waits   map[uint64]*wait
	tell    map[string]func(error) // owners that want to hear of an eviction
	counts  counts
	closing bool
}

// wait is a call that waits for its answer.
type wait struct {
	answer  chan replyEffect
	owner   string
	claim   bool
	evicted func(error)
}

type counts struct{ saves, saveFailures, cutFailures, evictions uint64 }

// OpenCheckpoint takes the channel's next checkpoint term, which fences every
// earlier holder, and goes on from what is stored. It is a StoreBehind error
// when the log has been truncated beyond what the store knows.
func OpenCheckpoint(ctx context.Context, o CheckpointOptions) (*Checkpoint, error) {
	o.SaveEvery = cmp.Or(o.SaveEvery, time.Second)
	o.MeasureEvery = cmp.Or(o.MeasureEvery, time.Second)
	o.BackoffMin = cmp.Or(o.BackoffMin, 100*time.Millisecond)
	o.BackoffMax = cmp.Or(o.BackoffMax, 5*time.Second)
	o.Evictable = cmp.Or(o.Evictable, 64<<20)
	name, status := o.Tail.Name(), o.Tail.Status()
	term, saved, err := o.Store.TakeCheckpoint(ctx, name)
	if err != nil {
		return nil, err
	}
	if status.Truncated > saved.Checkpoint {
		return nil, weirerr.New(weirerr.StoreBehind, "the log is truncated up to %s, the stored checkpoint is %s", status.Truncated, saved.Checkpoint).
			With("channel", name).Hint("the metadata store was set back to an older copy; restore the newest copy of the whole data directory, or resync the source")
	}
	cfg := keeperConfig{
		channel: name, saveEvery: o.SaveEvery.Milliseconds(), evictable: o.Evictable, jitter: rand.Float64,
		backoff: [2]int64{o.BackoffMin.Milliseconds(), o.BackoffMax.Milliseconds()},
	}
	c := &Checkpoint{
		opts: o, name: name, began: time.Now(),
		stop: make(chan struct{}), poke: make(chan struct{}, 1), closed: make(chan error, 1),
		waits: map[uint64]*wait{},
		tell:  map[string]func(error){},
		descs: newDescs(name),
	}
	c.keeper = newKeeper(cfg, term, saved, status.Truncated, status.Resolved, c.now())
	c.ctx, c.cancel = context.WithCancel(context.Background())
	if o.Metrics != nil {
		if err := o.Metrics.Register(c); err != nil {
			c.cancel()
			return nil, err
		}
	}
	c.tasks.Go(c.loop)
	return c, nil
}

// Pin claims for p.Owner, in place of an earlier claim of it, and returns where
// the claim begins once it is durable. It is CheckpointStale when the log no
// longer has what follows, LogEvicted when that is because an earlier claim of
// the owner was taken away; an earlier claim that is still there remains then.
// When ctx ends first, either claim may hold: pin again, or Release.
// Evicted, which may be nil, is called at most once, from any goroutine, when the
// claim is taken away later; it must not block.
func (c *Checkpoint) Pin(ctx context.Context, p Pin, evicted func(error)) (ts.Ts, error) {
	if err := p.validate(); err != nil {
		return 0, err
	}
	return c.ask(ctx, &wait{owner: p.Owner, claim: true, evicted: evicted}, func(req uint64) any { return pinEvent{req, p} })
}

// Advance moves the owner's claim up to at, or renews it when it is there.
// It becomes durable within about SaveEvery. A claim does not go back
// (WrongState); the error is LogEvicted when it was taken away, NotFound when
// there is none.
func (c *Checkpoint) Advance(owner string, at ts.Ts) error {
	_, err := c.ask(c.ctx, &wait{owner: owner}, func(req uint64) any { return advanceEvent{req, owner, at} })
	return err
}

// Lag notes that a vchannel of the owner is behind its claim and needs what
// follows at. At or above the claim it lags no more. It returns at once, unless
// the claim gets lower by it: then when that is durable.
func (c *Checkpoint) Lag(ctx context.Context, owner, vchannel string, at ts.Ts) error {
	_, err := c.ask(ctx, &wait{owner: owner}, func(req uint64) any { return lagEvent{req, owner, vchannel, at} })
	return err
}

// Release gives the owner's claim up, durably, and forgets that it was evicted.
func (c *Checkpoint) Release(ctx context.Context, owner string) error {
	c.mu.Lock()
	delete(c.tell, owner)
	c.mu.Unlock()
	_, err := c.ask(ctx, &wait{owner: owner}, func(req uint64) any { return releaseEvent{req, owner} })
	return err
}

// Evict takes the owner's claim away and tells it why.
func (c *Checkpoint) Evict(owner, why string) { c.step(evictEvent{owner, why}) }

// ask passes an event and waits for its answer.
func (c *Checkpoint) ask(ctx context.Context, w *wait, event func(req uint64) any) (ts.Ts, error) {
	w.answer = make(chan replyEffect, 1)
	c.mu.Lock()
	c.nextReq++
	req := c.nextReq
	c.waits[req] = w
	c.mu.Unlock()
	c.step(event(req))
	select {
	case r := <-w.answer:
		return r.Ts, r.Err
	default:
	}
	select {
	case r := <-w.answer:
		return r.Ts, r.Err
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}

// now is unix milliseconds that a step of the wall clock does not move.
func (c *Checkpoint) now() int64 { return c.began.UnixMilli() + time.Since(c.began).Milliseconds() }

// time is the moment of a keeper's time.
func (c *Checkpoint) time(ms int64) time.Time {
	return c.began.Add(time.Duration(ms-c.began.UnixMilli()) * time.Millisecond)
}

// step passes an event to the keeper and begins its effects.
func (c *Checkpoint) step(event any) {
	var calls []func()
	c.mu.Lock()
	for _, effect := range c.keeper.Step(c.now(), event) {
		switch e := effect.(type) {
		case replyEffect:
			w := c.waits[e.Req]
			if w == nil {
				continue // abandoned
			}
			delete(c.waits, e.Req)
			if w.claim && e.Err == nil {
				c.tell[w.owner] = w.evicted
			}
			w.answer <- e
		case evictEffect:
			c.counts.evictions++
			c.opts.Log.Error("pin evicted", "channel", c.name, "owner", e.Owner, "error", e.Err)
			if told := c.tell[e.Owner]; told != nil {
				calls = append(calls, func() { told(e.Err) })
			}
			delete(c.tell, e.Owner)
		case saveEffect:
			c.tasks.Go(func() { c.save(e) })
		case truncateEffect:
			c.tasks.Go(func() { c.step(truncatedEvent{e.UpTo, c.truncate(e.UpTo)}) })
		case closedEffect:
			c.closed <- e.Err
		}
	}
	c.mu.Unlock()
	for _, call := range calls {
		call()
	}
	select {
	case c.poke <- struct{}{}:
	default:
	}
}

func (c *Checkpoint) save(e saveEffect) {
	stored, err := c.opts.Store.SaveCheckpoint(c.ctx, c.name, e.Save)
	c.mu.Lock()
	failures := c.keeper.saver.fault.failures
	c.counts.saves++
	if err != nil {
		c.counts.saveFailures++
	}
	c.mu.Unlock()
	switch {
	case err == nil && failures > 0:
		c.opts.Log.Info("checkpoint saved again", "channel", c.name, "failures", failures)
	case err != nil && failures == 0:
		c.opts.Log.Warn("checkpoint not saved, retrying", "channel", c.name, "error", err)
	}
	c.step(savedEvent{e.Seq, stored, err})
}

func (c *Checkpoint) truncate(upTo ts.Ts) error {
	err := c.opts.Tail.Truncate(upTo)
	if err != nil {
		c.mu.Lock()
		c.counts.cutFailures++
		c.mu.Unlock()
		c.opts.Log.Warn("log not truncated, retrying", "channel", c.name, "up_to", upTo, "error", err)
	}
	return err
}

// loop measures, and steps when something is due.
func (c *Checkpoint) loop() {
	measured := time.Now()
	timer := time.NewTimer(c.opts.MeasureEvery)
	defer timer.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-c.poke:
		case <-timer.C:
			measured = time.Now()
			c.measure()
		}
		next := measured.Add(c.opts.MeasureEvery)
		c.mu.Lock()
		wake := c.keeper.wake()
		c.mu.Unlock()
		if at := c.time(wake); wake > 0 && at.Before(next) {
			next = at
		}
		timer.Reset(max(time.Until(next), time.Millisecond))
	}
}

// measure tells the keeper how far the log is and what the pins hold.
func (c *Checkpoint) measure() {
	lows := map[string]ts.Ts{}
	c.mu.Lock()
	for h := range c.keeper.order.Lowest(c.keeper.order.Len()) {
		lows[h.Key] = h.Ts
	}
	c.mu.Unlock()
	held := make(map[string]int64, len(lows))
	for owner, low := range lows {
		held[owner] = c.opts.Tail.BytesAfter(low)
	}
	c.step(tickEvent{c.opts.Tail.Status().Resolved, held})
}

// Close does one last save of the newest minimum and ends. Nil means that it
// landed. When ctx ends before, the stored checkpoint is an older one, or the
// newest after all: consumers will read again, never too little.
func (c *Checkpoint) Close(ctx context.Context) error {
	c.mu.Lock()
	again := c.closing
	c.closing = true
	c.mu.Unlock()
	if again {
		return errEnded(c.name)
	}
	defer c.cancel()
	if c.opts.Metrics != nil {
		c.opts.Metrics.Unregister(c)
	}
	close(c.stop)
	c.measure()
	c.step(closeEvent{})
	var err error
	select {
	case err = <-c.closed:
	case <-ctx.Done():
		c.abandon()
		return weirerr.New(weirerr.NotReady, "the last checkpoint did not land in time").With("channel", c.name).Wrap(context.Cause(ctx))
	}
	c.tasks.Wait()
	return err
}

// abandon ends without an answer of the store.
func (c *Checkpoint) abandon() {
	c.cancel() // a store that heeds it lets go now
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keeper.ended = errEnded(c.name)
	for req, w := range c.waits {
		delete(c.waits, req)
		w.answer <- replyEffect{req, 0, c.keeper.ended}
	}
}

// Claims is the checkpoint as one consumer's side sees it, with one budget for all its pins.
type Claims struct {
	c      *Checkpoint
	budget Budget
}

// Claims gives pins of that budget.
func (c *Checkpoint) Claims(b Budget) *Claims { return &Claims{c, b} }

// Pin is Checkpoint.Pin at a Ts.
func (s *Claims) Pin(ctx context.Context, owner string, at ts.Ts, evicted func(error)) error {
	_, err := s.c.Pin(ctx, Pin{Owner: owner, Ts: at, Budget: s.budget}, evicted)
	return err
}

// Advance is Checkpoint.Advance.
func (s *Claims) Advance(_ context.Context, owner string, at ts.Ts) error {
	return s.c.Advance(owner, at)
}

// Release is Checkpoint.Release.
func (s *Claims) Release(ctx context.Context, owner string) error { return s.c.Release(ctx, owner) }
