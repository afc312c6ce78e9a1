package local

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// maxPromise is how far ahead of all clocks a promise may reach, in milliseconds:
// a mistaken one would push the channel's clock there for ever.
const maxPromise = 3600 * 1000

// writer is the channel's writer of one term. Appends go to the active group, under
// the channel's lock; the syncer takes that group, writes and syncs it, and wakes
// those who wait for it.
type writer struct {
	c    *Channel
	term uint64

	// Guarded by c.mu.
	clock    *ts.Clock
	active   *group // takes appends
	flushing *group // being written, or nil
	spare    *group
	pending  int // bytes of both
	promised ts.Ts
	dead     error      // why it takes no more: fenced, unknown, closed
	work     *sync.Cond // the syncer waits here
	room     *sync.Cond // appends wait here while the buffer is full
	stopping bool
	attempts uint32 // large transactions begun

	reached  atomic.Uint64 // Ts up to which everything of this writer is durable
	exited   chan struct{} // closed when the syncer has ended
	hurry    chan struct{} // wakes a syncer that waits for room on the disk
	tail     file          // owned by the syncer
	next     chan prepared // the next segment's file, made in the background; nil when not begun
	stopKeep chan struct{}
	stopOnce sync.Once
	kept     chan struct{}
}

var _ wal.Writer = (*writer)(nil)

// group is what one write and one sync make durable.
type group struct {
	buf      []byte
	summary  groupSummary
	promised ts.Ts // promises made before its first entry
	outcome  *outcome
}

// groupSummary is what the channel learns when the group is durable.
type groupSummary struct {
	count    uint32
	last     ts.Ts
	high     []byte // empty when no entry had a position
	attempts []attemptRef
}

// outcome is what those who wait for a group wait for; err is set before done is closed.
type outcome struct {
	done chan struct{}
	err  error
}

func (g *group) reset() {
	if cap(g.buf) > 1<<20 && len(g.buf) < cap(g.buf)/8 {
		g.buf = nil // a burst is over
	}
	g.buf, g.promised, g.outcome = g.buf[:0], 0, &outcome{done: make(chan struct{})}
	g.summary = groupSummary{high: g.summary.high[:0], attempts: g.summary.attempts[:0]}
}

func newWriter(c *Channel, term uint64, clock *ts.Clock) *writer {
	w := &writer{c: c, term: term, clock: clock, active: &group{}, spare: &group{},
		work: sync.NewCond(&c.mu), room: sync.NewCond(&c.mu),
		exited: make(chan struct{}), hurry: make(chan struct{}, 1), stopKeep: make(chan struct{}), kept: make(chan struct{})}
	w.active.reset()
	w.promised = clock.Last()
	w.reached.Store(uint64(clock.Last()))
	return w
}

// Term is the writer's term.
func (w *writer) Term() uint64 { return w.term }

// Append assigns e its Ts and buffers it. Besides LogFenced and LogUnknown it returns
// LogFull while the disk is full: then nothing was appended and the same call may
// be made again. It blocks while Options.BufferedBytes wait for the disk.
func (w *writer) Append(e *wal.Entry) (ts.Ts, error) {
	estimate := int(frameSize(len(e.Position) + len(e.Changes) + 64))
	if estimate > wal.MaxFrame || len(e.Position) > wal.MaxPosition {
		return 0, w.tooLarge(e, estimate)
	}
	c := w.c
	c.mu.Lock()
	defer c.mu.Unlock()
	t, err := w.admit(e, estimate)
	if err != nil {
		return 0, err
	}
	g := w.active
	at := len(g.buf)
	g.buf = beginFrame(g.buf, kindEntry, w.term, t)
	g.buf = wal.AppendEntry(g.buf, e)
	g.buf = endFrame(g.buf, at)
	if n := bodyLen(g.buf[at:]); n > wal.MaxFrame {
		g.buf = g.buf[:at]
		return 0, w.tooLarge(e, n)
	}
	w.pending += len(g.buf) - at
	s := &g.summary
	if s.count == 0 {
		g.promised = w.promised
		w.work.Signal()
	}
	s.count++
	s.last = t
	if len(e.Position) > 0 {
		s.high = append(s.high[:0], e.Position...)
	}
	if e.Large != nil {
		s.attempts = append(s.attempts, attemptRef{e.Large.Attempt, t, e.Large.Bytes})
	}
	e.Ts, e.Term = t, w.term
	return t, nil
}

func (w *writer) tooLarge(e *wal.Entry, n int) error {
	return weirerr.New(weirerr.InvalidArgument, "an entry of %d bytes, %d of them its position, is too large", n, len(e.Position)).
		With("channel", w.c.name).Hint("changes over %d bytes go in parts; a position has at most %d bytes", wal.MaxChanges, wal.MaxPosition)
}

// admit waits until an entry of size bytes may be buffered, and issues its Ts. c.mu
// is held, but not while it waits.
func (w *writer) admit(e *wal.Entry, size int) (ts.Ts, error) {
	c := w.c
	for {
		switch {
		case w.dead != nil:
			return 0, w.dead
		case c.stalled != nil:
			return 0, c.stalled
		case e.Large != nil && !c.sealed(e.Large.Attempt):
			return 0, weirerr.New(weirerr.InvalidArgument, "the parts of the large transaction are not sealed").
				With("channel", c.name).With("attempt", e.Large.Attempt)
		case w.pending > 0 && w.pending+size > c.opts.BufferedBytes:
			w.room.Wait()
			continue
		}
		t, err := w.clock.Next(c.opts.now().UnixMilli())
		if err == nil {
			return t, nil
		}
		if err := w.reserve(w.clock.Last() + 1); err != nil {
			return 0, err
		}
	}
}

// reserve raises the ceiling durably, so that it leaves room above t. c.mu is held,
// but not during the write.
func (w *writer) reserve(t ts.Ts) error {
	c := w.c
	now := ts.FromTime(c.opts.now())
	ceiling := max(now, w.clock.Last(), t) + ts.Ts(c.opts.ReserveAhead.Milliseconds())<<ts.LogicalBits
	c.mu.Unlock()
	err := c.writeControl(func(k *control) { k.ceiling = max(k.ceiling, ceiling) })
	c.mu.Lock()
	switch {
	case err == nil:
		w.clock.Reserve(ceiling)
	case weirerr.CodeOf(err) != weirerr.LogFull:
		w.die(err)
	}
	return err
}

// die ends the writer: err is the fate of all that waits. c.mu is held.
func (w *writer) die(err error) {
	if w.dead != nil {
		return
	}
	w.dead = err
	w.active.outcome.err = err
	close(w.active.outcome.done)
	w.work.Signal()
	w.room.Broadcast()
	w.c.notify()
}

// WaitDurable returns when everything up to t is durable.
func (w *writer) WaitDurable(ctx context.Context, t ts.Ts) error {
	for ts.Ts(w.reached.Load()) < t {
		out := w.outcomeOf(t)
		if out == nil {
			return nil
		}
		select {
		case <-out.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if out.err != nil && ts.Ts(w.reached.Load()) < t {
			return out.err
		}
	}
	return nil
}

// outcomeOf is the outcome of the group that makes t durable; nil when nothing up to
// t waits.
func (w *writer) outcomeOf(t ts.Ts) *outcome {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	switch {
	case w.flushing != nil && (t <= w.flushing.summary.last || w.active.summary.count == 0):
		return w.flushing.outcome
	case w.active.summary.count > 0 || w.dead != nil:
		return w.active.outcome
	}
	return nil
}

// Durable tells up to where everything is durable, and when that changes.
func (w *writer) Durable() (ts.Ts, []byte, <-chan struct{}) {
	c := w.c
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.durable, bytes.Clone(c.high), c.changed()
}

// Promise raises the clock past t. It writes to disk only to raise the ceiling.
func (w *writer) Promise(t ts.Ts) (ts.Ts, error) {
	c := w.c
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if w.dead != nil {
			return 0, w.dead
		}
		now := c.opts.now().UnixMilli()
		if t.Ms() > max(now, w.clock.Last().Ms())+maxPromise {
			return 0, weirerr.New(weirerr.InvalidArgument, "a promise more than an hour ahead of the clock").
				With("channel", c.name).With("ts", t).With("clock", w.clock.Last())
		}
		target := t
		if t == 0 {
			target = ts.New(now, 0)
		}
		if w.clock.Forward(target) == nil {
			break
		}
		if err := w.reserve(target); err != nil {
			return 0, err
		}
	}
	w.promised = w.clock.Last()
	if w.active.summary.count == 0 && w.flushing == nil && w.promised > c.resolved {
		c.resolved = w.promised
		c.notify()
	}
	return w.promised, nil
}

// Close makes what is buffered durable and ends the writer.
func (w *writer) Close() error {
	c := w.c
	c.mu.Lock()
	w.stopping = true
	w.work.Signal()
	c.mu.Unlock()
	<-w.exited
	c.mu.Lock()
	defer c.mu.Unlock()
	err := w.dead
	w.die(weirerr.New(weirerr.WrongState, "the writer is closed").With("channel", c.name))
	if weirerr.CodeOf(err) == weirerr.WrongState || weirerr.CodeOf(err) == weirerr.LogFenced {
		return nil // closed before, or nothing of it is left to close
	}
	return err
}
