package local

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// Channel is one channel of a Log. Its methods may be called concurrently.
type Channel struct {
	log  *Log
	opts *Options
	fs   fsys
	name string
	dir  string

	leading sync.Mutex // held by Lead and Close
	ctlMu   sync.Mutex // held while the control record is written
	ctlFile file

	mu       sync.Mutex // guards everything below; never held during I/O of a commit
	ctl      control
	segs     []*segment // ascending; the last is the tail once the channel was led
	writer   *writer    // of the newest term, or nil
	durable  ts.Ts
	resolved ts.Ts
	high     []byte
	moved    chan struct{} // closed at the next change; nil while nobody waits
	repaired []string
	stalled  error // why the writer waits for the disk
	attempts map[uint64]*attempt
	group    uint16 // of the tail's next commit
	open     *mark  // of the tail's last group, when it still lacks its mark
	damaged  bool   // the tail, or a gap, makes it unsafe to delete parts as orphans
	fresh    bool   // the tail takes no more entries: Lead begins a new segment
	dirty    bool   // bytes behind the tail's end, of a commit that failed
	headless uint64 // number of a last segment that lost its header; 0 when none
	written  uint64 // the witness on disk
	closed   bool
}

var _ wal.Channel = (*Channel)(nil)

func openChannel(l *Log, name string) (*Channel, error) {
	c := &Channel{log: l, opts: &l.opts, fs: l.opts.fs, name: name, dir: channelDir(l.dir, name), attempts: map[uint64]*attempt{}}
	if err := os.MkdirAll(filepath.Join(c.dir, partsDir), 0o700); err != nil {
		return nil, diskError(err, name, "create the channel")
	}
	got, err := loadChannel(c.fs, c.dir, name)
	if err != nil {
		return nil, err
	}
	if err := c.openControl(got); err != nil {
		return nil, err
	}
	if err := c.adopt(got); err != nil {
		c.ctlFile.Close()
		return nil, err
	}
	return c, nil
}

// openControl opens the control file for writing, and creates it when it is not there.
func (c *Channel) openControl(got *loaded) error {
	f, err := c.fs.Open(filepath.Join(c.dir, controlFile), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return diskError(err, c.name, "open the control record")
	}
	c.ctlFile, c.ctl = f, got.ctl.control
	if got.ctl.exists {
		return nil
	}
	c.ctl = control{firstSeg: 1}
	err = f.Allocate(2 * controlSlot)
	if err == nil {
		err = writeControl(f, c.name, &c.ctl)
	}
	for _, dir := range []string{c.dir, c.log.dir} {
		if err == nil {
			err = c.fs.SyncDir(dir)
		}
	}
	if err != nil {
		f.Close()
		return diskError(err, c.name, "create the channel")
	}
	return nil
}

// adopt makes what was loaded the channel's state, and cuts a torn tail.
func (c *Channel) adopt(got *loaded) error {
	for _, no := range got.stale {
		if err := c.fs.Remove(filepath.Join(c.dir, segName(no))); err != nil {
			return diskError(err, c.name, "finish a truncation")
		}
	}
	c.segs, c.repaired = got.segs, got.notes
	c.ctl.term, c.written = got.term(), c.ctl.witness
	c.headless = got.headless
	c.durable = got.lastTs()
	c.resolved = c.durable
	c.high = bytes.Clone(got.high())
	c.damaged = len(got.damages) > 0
	c.fresh = got.tail == nil || got.tail.sealed || len(got.tail.damages) > 0
	if t := got.tail; t != nil {
		c.group = t.group
		if t.open > 0 && len(t.damages) == 0 {
			c.open = &mark{start: t.start, count: t.open, high: bytes.Clone(c.high)}
		}
		if err := c.cut(t); err != nil {
			return err
		}
	}
	if err := c.findParts(); err != nil {
		return fmt.Errorf("local log: channel %s: %w", c.name, err)
	}
	for _, note := range c.repaired {
		c.opts.Logger.Warn("log repaired", "channel", c.name, "repair", note)
	}
	for i := range got.damages {
		c.opts.Logger.Error("log damaged", "channel", c.name, "error", got.damages[i].err(c.name))
	}
	return nil
}

// cut takes what does not belong to the log off the tail's file and makes the rest
// durable, since the process that wrote it may have died before its sync.
func (c *Channel) cut(t *scanner) error {
	f, err := c.fs.Open(filepath.Join(c.dir, t.name), os.O_RDWR)
	if err != nil {
		return diskError(err, c.name, "open the last segment")
	}
	defer f.Close()
	if t.torn != nil || t.size > t.end && (t.sealed || c.ctl.closed != 0) {
		if err := f.Truncate(t.end); err != nil {
			return diskError(err, c.name, "cut the torn tail")
		}
	}
	if err := f.Sync(); err != nil {
		return diskError(err, c.name, "sync the last segment")
	}
	return nil
}

// Name is the channel's name.
func (c *Channel) Name() string { return c.name }

// Status tells what the channel knows of itself.
func (c *Channel) Status() wal.Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := wal.Status{Term: c.ctl.term, Truncated: c.ctl.truncated, Durable: c.durable, Resolved: c.resolved,
		High: bytes.Clone(c.high), Repaired: strings.Join(c.repaired, "; ")}
	if c.stalled != nil {
		s.Stalled = c.stalled.Error()
	}
	for _, seg := range c.segs {
		if seg.missing != 0 {
			continue
		}
		s.Segments++
		s.Bytes += seg.end
		if s.First == 0 {
			s.First = seg.first
		}
	}
	for _, a := range c.attempts {
		s.Bytes += a.bytes
	}
	return s
}

// BytesAfter estimates what a reader standing at after has before it, from the indexes alone.
func (c *Channel) BytesAfter(after ts.Ts) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := int64(0)
	for i := len(c.segs) - 1; i >= 0; i-- {
		seg := c.segs[i]
		if seg.missing != 0 || seg.count == 0 {
			continue
		}
		if seg.lastTs() <= after {
			break
		}
		n += seg.end - max(segHeader, seg.seek(after))
		for _, a := range seg.attempts {
			if a.ts > after {
				n += a.bytes
			}
		}
	}
	return n
}

// SetWitness keeps a number of the caller's with the control record: at the latest
// ReserveAhead later while entries are appended, and at Close. It never falls.
func (c *Channel) SetWitness(v uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ctl.witness = max(c.ctl.witness, v)
}

// Witness is the number last set, or read from disk.
func (c *Channel) Witness() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ctl.witness
}

// Truncate forgets whole segments whose entries are all <= upTo, and the parts of every
// large transaction <= upTo: a segment of their commits alone fills slowly. It needs no
// free room on the disk.
func (c *Channel) Truncate(upTo ts.Ts) error {
	c.mu.Lock()
	upTo = min(upTo, c.resolved)
	first := c.ctl.firstSeg
	for i := 0; i+1 < len(c.segs); i++ {
		if last := c.segs[i+1].head.last; last > upTo || last == 0 && c.segs[i].lastTs() > upTo {
			break
		}
		first = c.segs[i+1].no
	}
	same := upTo <= c.ctl.truncated && first == c.ctl.firstSeg || c.closed
	closed := c.closed
	c.mu.Unlock()
	if closed {
		return errClosed(c.name)
	}
	if same {
		return nil
	}
	err := c.writeControl(func(k *control) {
		k.truncated, k.firstSeg = max(k.truncated, upTo), max(k.firstSeg, first)
	})
	if err != nil {
		return err
	}
	return c.unlink()
}

// unlink deletes the segments below the control record's first, and the parts that it
// says are truncated.
func (c *Channel) unlink() error {
	c.mu.Lock()
	var parts []uint64
	for _, seg := range c.segs {
		for _, a := range seg.attempts {
			if a.ts <= c.ctl.truncated && c.attempts[a.attempt] != nil {
				parts = append(parts, a.attempt)
			}
		}
	}
	n := slices.IndexFunc(c.segs, func(s *segment) bool { return s.no >= c.ctl.firstSeg })
	gone := slices.Clone(c.segs[:max(n, 0)])
	c.segs = slices.Delete(c.segs, 0, max(n, 0))
	c.notify()
	c.mu.Unlock()
	var errs []error
	for _, seg := range gone {
		if seg.missing == 0 {
			errs = append(errs, c.fs.Remove(filepath.Join(c.dir, segName(seg.no))))
		}
	}
	for _, a := range parts {
		errs = append(errs, c.dropParts(a))
	}
	c.hurry()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("local log: truncate channel %s: %w", c.name, err)
	}
	return nil
}

// hurry wakes a writer that waits for room on the disk.
func (c *Channel) hurry() {
	c.mu.Lock()
	w := c.writer
	c.mu.Unlock()
	if w != nil {
		select {
		case w.hurry <- struct{}{}:
		default:
		}
	}
}

// writeControl changes the control record durably. The record in memory changes
// only when it is on disk.
func (c *Channel) writeControl(change func(*control)) error {
	c.ctlMu.Lock()
	defer c.ctlMu.Unlock()
	c.mu.Lock()
	next := c.ctl
	next.durable, next.high = c.durable, bytes.Clone(c.high)
	if n := len(c.segs); n > 0 {
		tail := c.segs[n-1]
		next.tailSeg = max(next.tailSeg, tail.no, tail.missing)
		next.resume = nil
		if !tail.sealed && tail.markAt != 0 && c.open == nil && !c.fresh {
			r := resumePoint{no: tail.no, markAt: uint64(tail.markAt), end: uint64(tail.end), group: c.group, sum: tail.summary}
			next.resume = r.encode()
		}
	}
	c.mu.Unlock()
	change(&next)
	next.seq++
	if err := writeControl(c.ctlFile, c.name, &next); err != nil {
		return err
	}
	c.mu.Lock()
	c.written = next.witness
	next.witness = max(next.witness, c.ctl.witness)
	c.ctl = next
	c.mu.Unlock()
	return nil
}

// notify wakes all who wait for a change. c.mu is held.
func (c *Channel) notify() {
	if c.moved != nil {
		close(c.moved)
		c.moved = nil
	}
}

// changed is closed at the next change. c.mu is held.
func (c *Channel) changed() <-chan struct{} {
	if c.moved == nil {
		c.moved = make(chan struct{})
	}
	return c.moved
}

// Close closes the writer, after what it has buffered, and the channel.
func (c *Channel) Close() error {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	if c.log.channels[c.name] == c {
		delete(c.log.channels, c.name)
	}
	return c.close()
}

func (c *Channel) close() error {
	c.leading.Lock()
	defer c.leading.Unlock()
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	w := c.writer
	c.mu.Unlock()
	var err error
	if w != nil {
		err = w.Close()
		w.stopKeeper()
	}
	c.mu.Lock()
	c.closed = true
	c.notify()
	c.mu.Unlock()
	if w != nil {
		err = errors.Join(err, c.settle(w))
	}
	return errors.Join(err, c.ctlFile.Close())
}

// settle leaves an ordered end: the tail's file at its size, the ceiling at the clock.
func (c *Channel) settle(w *writer) error {
	if err := c.repairTail(); err != nil {
		return err
	}
	c.mu.Lock()
	tail := c.segs[len(c.segs)-1]
	end, last := tail.end, w.clock.Last()
	c.mu.Unlock()
	f, err := c.fs.Open(filepath.Join(c.dir, segName(tail.no)), os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(end); err != nil {
		return diskError(err, c.name, "trim the last segment")
	}
	if err := f.Sync(); err != nil {
		return diskError(err, c.name, "sync the last segment")
	}
	return c.writeControl(func(k *control) { k.ceiling, k.closed = last, uint64(end) })
}

// corrupt types a damage of this channel.
func (c *Channel) corrupt(d *damage) *weirerr.Error { return d.err(c.name) }
