package local

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"time"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// run is the syncer: it makes one group after the other durable.
func (w *writer) run() {
	defer close(w.exited)
	for g := w.take(); g != nil; g = w.take() {
		if err := w.commit(g); err != nil {
			w.fail(g, err)
		}
	}
	if w.next != nil {
		if p := <-w.next; p.f != nil {
			p.f.Close()
		}
	}
	if w.tail != nil {
		w.tail.Close()
	}
}

// take waits for entries and makes them the flushing group; nil when the writer ends.
func (w *writer) take() *group {
	c := w.c
	c.mu.Lock()
	defer c.mu.Unlock()
	for w.active.summary.count == 0 && w.dead == nil && !w.stopping {
		w.work.Wait()
	}
	if w.dead != nil || w.active.summary.count == 0 {
		return nil
	}
	g := w.active
	w.flushing, w.active = g, w.spare
	w.spare = nil
	w.active.reset()
	return g
}

// commit makes g durable and tells everybody. An error means that g's outcome is not
// known, unless it is LogFull or LogFenced: then nothing of g will ever be seen.
func (w *writer) commit(g *group) error {
	c := w.c
	if err := w.makeRoom(int64(len(g.buf))); err != nil {
		return err
	}
	c.mu.Lock()
	seg, group, high := c.segs[len(c.segs)-1], c.group, c.high
	c.mu.Unlock()
	if len(g.summary.high) > 0 {
		high = g.summary.high
	}
	sum := seg.summary // the syncer alone changes it
	stampGroup(g, &sum, segmentSalt(c.name, seg.no), group, seg.end, w.term, high)
	began := c.opts.now()
	if err := w.write(g.buf, seg.end); err != nil {
		return err
	}
	if err := w.tail.Sync(); err != nil {
		return diskErrorUnknown(err, c.name)
	}
	c.opts.Metrics.committed(c.name, c.opts.now().Sub(began), len(g.buf), g.summary.count)
	w.publish(g, seg, &sum, high)
	return nil
}

// stampGroup completes the group's frames for their place, and ends it with its mark.
func stampGroup(g *group, sum *summary, salt uint32, number uint16, start int64, term uint64, high []byte) {
	n := int64(len(g.buf))
	for at := int64(0); at < n; {
		b := g.buf[at:]
		sum.noteFrame(ts.Ts(binary.LittleEndian.Uint64(b[16:])), term, start+at)
		at += stamp(b, salt, number, start+at)
	}
	m := mark{start: start, count: g.summary.count, zeros: uint32(zeroPieces(g.buf, start)), high: high}
	g.buf = appendMark(g.buf, &m, salt, number, term, g.summary.last, start+n)
}

// publish raises the durable mark over g. high is what g's mark holds.
func (w *writer) publish(g *group, seg *segment, sum *summary, high []byte) {
	c := w.c
	c.mu.Lock()
	defer c.mu.Unlock()
	seg.summary = *sum
	seg.markAt = seg.end + int64(len(g.buf)) - frameSize(16+len(high))
	seg.end += int64(len(g.buf))
	if len(g.summary.high) > 0 {
		c.high = append(c.high[:0], g.summary.high...)
	}
	seg.high = append(seg.high[:0], c.high...)
	seg.attempts = append(seg.attempts, g.summary.attempts...)
	c.group++
	c.durable = g.summary.last
	resolved := w.promised
	if w.active.summary.count > 0 {
		resolved = w.active.promised
	}
	c.resolved = max(c.resolved, c.durable, resolved)
	w.reached.Store(uint64(c.durable))
	w.release(g)
	c.notify()
	close(g.outcome.done)
}

// release gives a group's buffer back. c.mu is held.
func (w *writer) release(g *group) {
	w.pending = len(w.active.buf)
	w.flushing, w.spare = nil, g
	w.room.Broadcast()
}

// fail ends the writer: g's fate is err.
func (w *writer) fail(g *group, err error) {
	c := w.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.dead != nil && weirerr.CodeOf(err) == weirerr.LogFull {
		err = w.dead // fenced while it waited for room
	}
	g.outcome.err = err
	c.dirty = true
	w.release(g)
	w.die(err)
	close(g.outcome.done)
	c.opts.Logger.Error("log writer stopped", "channel", c.name, "term", w.term, "error", err)
}

// write writes b at off. A full disk makes it wait and write all of it again; nothing
// was synced between, so nothing is lost.
func (w *writer) write(b []byte, off int64) error {
	return w.untilRoom(func() error {
		_, err := w.tail.WriteAt(b, off)
		if err != nil {
			return diskError(err, w.c.name, "write")
		}
		return nil
	})
}

// untilRoom repeats step while it fails for want of room. Meanwhile Append returns
// LogFull and Status names the reason.
func (w *writer) untilRoom(step func() error) error {
	c := w.c
	for {
		err := step()
		full := weirerr.CodeOf(err) == weirerr.LogFull
		c.mu.Lock()
		if was := c.stalled != nil; full != was {
			if full {
				c.stalled = err
				w.room.Broadcast()
				c.opts.Logger.Warn("log waits for room on its disk", "channel", c.name, "error", err)
			} else {
				c.stalled = nil
				c.opts.Logger.Info("log goes on", "channel", c.name)
			}
			c.notify()
		}
		giveUp := full && (w.dead != nil || w.stopping)
		if giveUp {
			c.stalled = nil
		}
		c.mu.Unlock()
		if !full || giveUp {
			return err
		}
		select {
		case <-time.After(c.opts.retry):
		case <-w.hurry:
		}
	}
}

// footerRoom is what is kept free of a segment for a mark and the footer, in bytes.
const footerRoom = 8 << 10

// makeRoom sees to it that n bytes and their mark fit into the tail, by going on to
// the next segment when they do not.
func (w *writer) makeRoom(n int64) error {
	c := w.c
	c.mu.Lock()
	seg := c.segs[len(c.segs)-1]
	full := seg.count > 0 && seg.end+n+footerRoom > c.opts.SegmentBytes
	half := seg.end+n > c.opts.SegmentBytes/2
	c.mu.Unlock()
	if full {
		return w.rotate(seg)
	}
	if half && w.next == nil {
		w.next = make(chan prepared, 1)
		go func(to chan<- prepared) { to <- prepareSegment(c) }(w.next)
	}
	return nil
}

// rotate seals the tail and begins the next segment.
func (w *writer) rotate(seg *segment) error {
	c := w.c
	p := prepared{err: errNotPrepared}
	if w.next != nil {
		p = <-w.next
		w.next = nil
	}
	err := w.untilRoom(func() error {
		if p.err != nil {
			p = prepareSegment(c)
		}
		return p.err
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	group := c.group
	c.mu.Unlock()
	next := newSegment(seg.no+1, w.term, seg.lastTs(), seg.high)
	var end int64
	err = w.untilRoom(func() (err error) {
		if end, err = sealSegment(w.tail, c.name, seg, group); err == nil {
			err = beginSegment(c, p.f, next)
		}
		return err
	})
	if err != nil {
		p.f.Close()
		return err
	}
	w.tail.Close()
	w.tail = p.f
	c.mu.Lock()
	defer c.mu.Unlock()
	seg.end, seg.sealed = end, true
	c.segs = append(c.segs, next)
	c.group = 0
	return nil
}

// newSegment is a segment without entries, after those up to last.
func newSegment(no, term uint64, last ts.Ts, high []byte) *segment {
	return &segment{no: no, end: segHeader,
		head:    fileHead{no: no, term: term, last: last, high: bytes.Clone(high)},
		summary: summary{term: term, high: bytes.Clone(high)}}
}

// prepared is the next segment's file, allocated and not yet begun.
type prepared struct {
	f   file
	err error
}

var errNotPrepared = weirerr.New(weirerr.NotReady, "no segment is prepared")

// prepareSegment allocates a segment's file under a name that recovery ignores.
func prepareSegment(c *Channel) prepared {
	f, err := c.fs.Open(filepath.Join(c.dir, nextFile), os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err == nil {
		if err = f.Allocate(c.opts.SegmentBytes); err == nil {
			err = f.Sync()
		}
		if err != nil {
			f.Close()
		}
	}
	if err != nil {
		return prepared{err: diskError(err, c.name, "begin a segment")}
	}
	return prepared{f: f}
}

// beginSegment makes a prepared file the segment seg.
func beginSegment(c *Channel, f file, seg *segment) error {
	b := seg.head.encode(segMagic, segmentSalt(c.name, seg.no), segHeader)
	if _, err := f.WriteAt(b, 0); err != nil {
		return diskError(err, c.name, "begin a segment")
	}
	if err := f.Sync(); err != nil {
		return diskErrorUnknown(err, c.name)
	}
	if err := c.fs.Rename(filepath.Join(c.dir, nextFile), filepath.Join(c.dir, segName(seg.no))); err != nil {
		return diskError(err, c.name, "begin a segment")
	}
	if err := c.fs.SyncDir(c.dir); err != nil {
		return diskErrorUnknown(err, c.name)
	}
	return nil
}

// sealSegment writes the footer of seg at its end, and gives the file its size: the
// segment's new end.
func sealSegment(f file, channel string, seg *segment, group uint16) (int64, error) {
	b := appendFooter(nil, &seg.summary, segmentSalt(channel, seg.no), group, seg.end)
	if _, err := f.WriteAt(b, seg.end); err != nil {
		return 0, diskError(err, channel, "seal a segment")
	}
	end := seg.end + int64(len(b))
	if err := f.Truncate(end); err != nil {
		return 0, diskError(err, channel, "seal a segment")
	}
	if err := f.Sync(); err != nil {
		return 0, diskErrorUnknown(err, channel)
	}
	return end, nil
}

// diskErrorUnknown types a failed sync: what was written may or may not be on disk,
// and a second sync would prove nothing.
func diskErrorUnknown(err error, channel string) error {
	return weirerr.New(weirerr.LogUnknown, "a sync of the log's disk failed").With("channel", channel).Wrap(err).
		Hint("check the disk of the data directory; the channel is recovered when it is led again")
}
