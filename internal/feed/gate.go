package feed

import (
	"context"
	"sync"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
)

// gate holds a feed's delivery at a Ts, so that source and target can be
// compared there. It lies between the log and the reader of every attempt.
type gate struct {
	mu      sync.Mutex
	closed  bool
	at      ts.Ts         // nothing above it passes, while closed
	reached ts.Ts         // the highest Ts let through
	moved   chan struct{} // closed and replaced with every change
}

func newGate() *gate { return &gate{moved: make(chan struct{})} }

// hold closes the gate where the delivery is now and returns that Ts.
func (g *gate) hold() ts.Ts {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.set(true, g.reached)
	return g.at
}

// holdAt lets the delivery go on, up to at.
func (g *gate) holdAt(at ts.Ts) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.set(true, at)
}

// open lets everything through.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.set(false, 0)
}

func (g *gate) set(closed bool, at ts.Ts) {
	g.closed, g.at = closed, at
	close(g.moved)
	g.moved = make(chan struct{})
}

// pass tells how much of b may go through now, and what to wait for when that is nothing.
func (g *gate) pass(b wal.Batch) (n int, resolved ts.Ts, moved <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n, resolved = len(b.Entries), b.Resolved
	if g.closed {
		for n = 0; n < len(b.Entries) && b.Entries[n].Ts <= g.at; n++ {
		}
		resolved = min(resolved, g.at)
	}
	if n == 0 && resolved <= g.reached && len(b.Entries) > 0 {
		return 0, 0, g.moved
	}
	g.reached = max(g.reached, resolved)
	if n > 0 {
		g.reached = max(g.reached, b.Entries[n-1].Ts)
	}
	return n, resolved, nil
}

// gated is a wal.Reader behind a gate.
type gated struct {
	wal.Reader
	gate *gate
	rest wal.Batch // read and not yet let through
	have bool
}

// Next implements wal.Reader.
func (r *gated) Next(ctx context.Context) (wal.Batch, error) {
	if !r.have {
		b, err := r.Reader.Next(ctx)
		if err != nil {
			return b, err
		}
		r.rest, r.have = b, true
	}
	for {
		n, resolved, moved := r.gate.pass(r.rest)
		if moved == nil {
			out := wal.Batch{Entries: r.rest.Entries[:n], Resolved: resolved}
			r.rest.Entries = r.rest.Entries[n:]
			r.have = len(r.rest.Entries) > 0
			return out, nil
		}
		select {
		case <-ctx.Done():
			return wal.Batch{}, ctx.Err()
		case <-moved:
		}
	}
}

// Hold stops the delivery where it is and returns that Ts: what is committed at
// the target will be everything <= it once Wait for it returns. It lasts until
// Release, over restarts of the delivery, but not of the process.
func (f *Feed) Hold() ts.Ts { return f.gate.hold() }

// HoldAt lets the held delivery go on to at and no further.
func (f *Feed) HoldAt(at ts.Ts) { f.gate.holdAt(at) }

// Release ends Hold and HoldAt.
func (f *Feed) Release() { f.gate.open() }
