package local

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// Lead takes the next term: it fences the writer before it, lets a commit that is
// under way end, makes the tail ready, and starts the clock above the old ceiling.
// Errors: LogFull (try again), LogUnknown, LogCorrupt.
func (c *Channel) Lead(ctx context.Context) (wal.Writer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.leading.Lock()
	defer c.leading.Unlock()
	if err := c.fence(); err != nil {
		return nil, err
	}
	if err := c.repairTail(); err != nil {
		return nil, err
	}
	c.mu.Lock()
	start := max(c.ctl.ceiling, c.durable)
	term := c.ctl.term + 1
	c.mu.Unlock()
	now := ts.FromTime(c.opts.now())
	ceiling := max(now, start) + ts.Ts(c.opts.ReserveAhead.Milliseconds())<<ts.LogicalBits
	err := c.writeControl(func(k *control) { k.term, k.ceiling, k.closed = term, max(k.ceiling, ceiling), 0 })
	if err != nil {
		return nil, err
	}
	w := newWriter(c, term, ts.NewClock(start, ceiling))
	if w.tail, err = c.openTail(term, start); err != nil {
		return nil, err
	}
	if err := c.dropOrphans(); err != nil {
		w.tail.Close()
		return nil, err
	}
	c.mu.Lock()
	c.writer = w
	c.resolved = max(c.resolved, start)
	c.notify()
	c.mu.Unlock()
	go w.run()
	go w.keep()
	return w, nil
}

// fence ends the writer before this term. What it had not begun to write is gone.
func (c *Channel) fence() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return errClosed(c.name)
	}
	w := c.writer
	if w != nil {
		w.die(weirerr.New(weirerr.LogFenced, "a newer term writes this channel").With("channel", c.name).With("term", w.term))
	}
	c.mu.Unlock()
	if w != nil {
		c.hurry()
		<-w.exited
		w.stopKeeper()
	}
	return nil
}

// repairTail takes away what a failed commit or rotation may have left: all beyond
// the durable end was never seen by anybody.
func (c *Channel) repairTail() error {
	c.mu.Lock()
	dirty := c.dirty
	c.mu.Unlock()
	if !dirty {
		return nil
	}
	tail := c.lastSegment()
	err := c.fs.Remove(filepath.Join(c.dir, segName(tail.no+1)))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return diskErrorUnknown(err, c.name)
	}
	f, err := c.fs.Open(filepath.Join(c.dir, segName(tail.no)), os.O_RDWR)
	if err != nil {
		return diskErrorUnknown(err, c.name)
	}
	defer f.Close()
	if err := errors.Join(f.Truncate(tail.end), f.Sync(), c.fs.SyncDir(c.dir)); err != nil {
		return diskErrorUnknown(err, c.name)
	}
	c.mu.Lock()
	c.dirty = false
	c.mu.Unlock()
	return nil
}

// openTail opens the segment that takes the term's entries: the last one, or a fresh
// one when that is sealed, damaged or missing. start is where the term's clock begins.
func (c *Channel) openTail(term uint64, start ts.Ts) (file, error) {
	c.mu.Lock()
	fresh := c.fresh
	c.mu.Unlock()
	if fresh {
		return c.freshTail(term, start)
	}
	tail := c.lastSegment()
	f, err := c.fs.Open(filepath.Join(c.dir, segName(tail.no)), os.O_RDWR)
	if err != nil {
		return nil, diskError(err, c.name, "open the last segment")
	}
	err = f.Allocate(c.opts.SegmentBytes)
	if err == nil && c.open != nil {
		err = c.completeMark(f, tail)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		f.Close()
		return nil, diskError(err, c.name, "open the last segment")
	}
	return f, nil
}

// lastSegment is the newest segment, or nil.
func (c *Channel) lastSegment() *segment {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.segs); n > 0 {
		return c.segs[n-1]
	}
	return nil
}

// completeMark writes the mark that a crash kept the last group from getting.
func (c *Channel) completeMark(f file, tail *segment) error {
	group := make([]byte, tail.end-c.open.start)
	if _, err := f.ReadAt(group, c.open.start); err != nil {
		return err
	}
	c.open.zeros = uint32(zeroPieces(group, c.open.start))
	b := appendMark(nil, c.open, segmentSalt(c.name, tail.no), c.group, tail.term, tail.last, tail.end)
	if _, err := f.WriteAt(b, tail.end); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	tail.markAt = tail.end
	tail.end += int64(len(b))
	c.group++
	c.open = nil
	return nil
}

// freshTail seals the last segment, when it is there and open, and begins another.
func (c *Channel) freshTail(term uint64, start ts.Ts) (file, error) {
	c.mu.Lock()
	no, last, high := max(c.ctl.firstSeg, c.headless), ts.Ts(0), bytes.Clone(c.high)
	c.mu.Unlock()
	tail, sealedEnd := c.lastSegment(), int64(0)
	if tail != nil {
		no, last = max(no, tail.no+1, tail.missing+1), c.durable
		if tail.missing != 0 { // what is gone may have held anything below the ceiling
			last = start
		}
	}
	if tail != nil && !tail.sealed {
		f, err := c.fs.Open(filepath.Join(c.dir, segName(tail.no)), os.O_RDWR)
		if err != nil {
			return nil, diskError(err, c.name, "open the last segment")
		}
		defer f.Close()
		if sealedEnd, err = sealSegment(f, c.name, tail, c.group); err != nil {
			return nil, err
		}
	}
	p := prepareSegment(c)
	if p.err != nil {
		return nil, p.err
	}
	next := newSegment(no, term, last, high)
	if err := beginSegment(c, p.f, next); err != nil {
		p.f.Close()
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if sealedEnd > 0 {
		tail.end, tail.sealed = sealedEnd, true
	}
	c.segs = append(c.segs, next)
	c.group, c.fresh, c.headless = 0, false, 0
	return p.f, nil
}

// keep renews the ceiling before appends reach it, and writes the witness.
func (w *writer) keep() {
	defer close(w.kept)
	c := w.c
	tick := time.NewTicker(c.opts.ReserveAhead / 4)
	defer tick.Stop()
	used := w.last()
	jump := newJumpWatch(c.opts.now())
	for {
		select {
		case <-w.stopKeep:
			return
		case <-tick.C:
		}
		if by := jump.look(c.opts.now()); by != 0 {
			c.opts.Metrics.jumped(c.name)
			c.opts.Logger.Warn("the wall clock jumped; the log's clock counts on", "channel", c.name, "by", by)
		}
		c.mu.Lock()
		last := w.clock.Last()
		low := w.clock.Ceiling()-last < ts.Ts(c.opts.ReserveAhead.Milliseconds()/2)<<ts.LogicalBits
		var err error
		if w.dead == nil && last != used && (low || c.ctl.witness != c.written) {
			err = w.reserve(last)
		}
		c.mu.Unlock()
		if err != nil {
			c.opts.Logger.Warn("could not renew the log clock's ceiling", "channel", c.name, "error", err)
		}
		used = last
	}
}

// last is the clock's last Ts.
func (w *writer) last() ts.Ts {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	return w.clock.Last()
}

func (w *writer) stopKeeper() {
	w.stopOnce.Do(func() { close(w.stopKeep) })
	<-w.kept
}

// jumpWatch holds the wall clock against the monotonic one.
type jumpWatch struct{ at time.Time }

// jumpOver is how far the clocks may part between two looks.
const jumpOver = time.Second

func newJumpWatch(now time.Time) *jumpWatch { return &jumpWatch{now} }

// look is by how much the wall clock has jumped since the last look, or 0.
func (j *jumpWatch) look(now time.Time) time.Duration {
	by := now.Round(0).Sub(j.at.Round(0)) - now.Sub(j.at)
	j.at = now
	if by > -jumpOver && by < jumpOver {
		return 0
	}
	return by
}
