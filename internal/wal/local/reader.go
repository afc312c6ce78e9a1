package local

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sort"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// reader reads a channel's segments through a file handle and a buffer of its own.
type reader struct {
	c     *Channel
	after ts.Ts // everything <= it was seen
	told  ts.Ts // the resolved Ts last returned
	seen  ts.Ts // of the last entry in this segment, below the start or not
	gone  ts.Ts // entries <= it are truncated
	term  uint64
	gap   uint64 // number of the last missing segment that was reported
	whole bool   // the segment's trailer was read
	seg   *segment
	f     file
	cur   cursor
	out   []wal.Entry
	// pastDamage, when set, is told of damage, and the reader goes on behind it.
	pastDamage func(*weirerr.Error)
	closed     bool
}

var _ wal.Reader = (*reader)(nil)

// Read starts at the first entry with Ts > after.
func (c *Channel) Read(after ts.Ts) (wal.Reader, error) { return c.read(after, nil) }

// ReadPast is Read for inspection: damage is reported to report, and the reader goes
// on at the next intact entry.
func (c *Channel) ReadPast(after ts.Ts, report func(*weirerr.Error)) (wal.Reader, error) {
	return c.read(after, report)
}

func (c *Channel) read(after ts.Ts, report func(*weirerr.Error)) (wal.Reader, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed(c.name)
	}
	r := &reader{c: c, after: after, told: after, pastDamage: report}
	if after < c.ctl.truncated {
		return nil, r.truncated()
	}
	return r, nil
}

func (r *reader) truncated() error {
	return weirerr.New(weirerr.LogTruncated, "the log no longer has what comes after this Ts").
		With("channel", r.c.name).With("ts", r.after).With("truncated", r.c.ctl.truncated).
		Hint("the consumer was away for longer than the log is kept; start it from a new snapshot")
}

// Next returns the next entries. Errors: LogCorrupt at a damaged place, again and
// again; LogTruncated.
func (r *reader) Next(ctx context.Context) (wal.Batch, error) {
	for {
		if err := ctx.Err(); err != nil {
			return wal.Batch{}, context.Cause(ctx)
		}
		resolved, moved, err := r.place()
		if err != nil {
			return wal.Batch{}, err
		}
		if moved == nil {
			if err := r.scan(); err != nil {
				return wal.Batch{}, err
			}
			if len(r.out) > 0 {
				r.told = r.after
				return wal.Batch{Entries: r.out, Resolved: r.after}, nil
			}
			continue
		}
		if resolved > r.told {
			r.told, r.after = resolved, max(r.after, resolved)
			return wal.Batch{Resolved: resolved}, nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
		}
	}
}

// place sees to it that the cursor stands before something readable. When there is
// nothing it returns the resolved Ts, which holds for all that was read, and what to
// wait for.
func (r *reader) place() (ts.Ts, <-chan struct{}, error) {
	c := r.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || r.closed {
		return 0, nil, errClosed(c.name)
	}
	for {
		if r.seg == nil && !r.enter() {
			return c.resolved, c.changed(), nil
		}
		r.gone = c.ctl.truncated
		if first := c.segs[0]; r.seg.no < first.no {
			if r.after < first.head.last {
				return 0, nil, r.truncated()
			}
			r.leave(first)
		}
		next, ok := c.segmentAfter(r.seg)
		if r.seg.missing != 0 {
			if err := r.atGap(next); err != nil {
				return 0, nil, err
			}
		} else if r.cur.off < r.seg.end {
			r.cur.limit = r.seg.end
			return 0, nil, nil
		}
		if !ok {
			return c.resolved, c.changed(), nil
		}
		if r.seg.missing == 0 && !r.whole {
			d := &damage{file: segName(r.seg.no), off: r.cur.off, what: "the segment ends without its footer", before: r.after, after: next.first}
			if err := r.damage(d); err != nil {
				return 0, nil, err
			}
		}
		r.leave(next)
	}
}

// atGap reports, once when the reader goes past damage, that segments are missing.
func (r *reader) atGap(next *segment) error {
	if r.gap == r.seg.no && r.pastDamage != nil {
		return nil
	}
	r.gap = r.seg.no
	d := r.seg.gap(max(r.after, r.seg.head.last))
	if next != nil {
		d.after = next.first
	}
	return r.damage(d)
}

// enter finds the segment and offset to begin at; false while the channel has none. c.mu is held.
func (r *reader) enter() bool {
	c := r.c
	if len(c.segs) == 0 {
		return false
	}
	i := sort.Search(len(c.segs), func(i int) bool { return c.segs[i].lastTs() > r.after })
	i = min(i, len(c.segs)-1)
	for i > 0 && c.segs[i-1].missing != 0 && r.after < c.segs[i].head.last {
		i-- // what is missing may have held what comes after r.after
	}
	r.leave(c.segs[i])
	r.cur.off = c.segs[i].seek(r.after)
	return true
}

// leave goes to the start of seg.
func (r *reader) leave(seg *segment) {
	if r.f != nil {
		r.f.Close()
		r.f = nil
	}
	r.seg, r.cur.off, r.cur.n, r.seen, r.whole = seg, 0, 0, 0, false
}

// segmentAfter is the segment behind seg. c.mu is held.
func (c *Channel) segmentAfter(seg *segment) (*segment, bool) {
	i := sort.Search(len(c.segs), func(i int) bool { return c.segs[i].no > seg.no })
	if i == len(c.segs) {
		return nil, false
	}
	return c.segs[i], true
}

// scan fills r.out with the entries of one buffer.
func (r *reader) scan() error {
	r.out = r.out[:0]
	if r.f == nil {
		if err := r.open(); err != nil {
			return err
		}
	}
	if r.cur.off == 0 {
		return r.readHead()
	}
	for {
		f, err := r.cur.next()
		if err == errShort && len(r.out) == 0 {
			f, err = r.cur.read(r.c.opts.ReadBytes)
		}
		switch {
		case err == nil:
			err = r.take(&f)
			if err != nil && len(r.out) > 0 { // first what is good; the error comes again
				r.cur.off, r.seen = f.off, r.after
				return nil
			}
			if err != nil {
				r.cur.off, r.seen = f.off, min(r.seen, f.ts-1)
				return err
			}
		case err == errShort, err == io.EOF:
			return nil
		case len(r.out) > 0: // first what is good; the error comes again
			return nil
		case err == errBad:
			return r.bad()
		default:
			return r.readError(err)
		}
	}
}

func (r *reader) open() error {
	f, err := r.c.fs.Open(filepath.Join(r.c.dir, segName(r.seg.no)), os.O_RDONLY)
	if errors.Is(err, os.ErrNotExist) {
		r.c.mu.Lock()
		defer r.c.mu.Unlock()
		if r.seg.no < r.c.ctl.firstSeg {
			return r.truncated()
		}
		return r.c.corrupt(r.seg.gap(r.after))
	}
	if err != nil {
		return r.readError(err)
	}
	r.f = f
	off := r.cur.off
	r.cur = cursor{r: f, salt: segmentSalt(r.c.name, r.seg.no), limit: r.cur.limit, off: off, buf: r.cur.buf}
	return nil
}

func (r *reader) readError(err error) error {
	return weirerr.New(weirerr.Unknown, "could not read the log").With("channel", r.c.name).
		With("segment", segName(r.seg.no)).Wrap(err)
}

// readHead checks the segment's header and goes behind it.
func (r *reader) readHead() error {
	b := make([]byte, segHeader)
	if _, err := r.f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return r.readError(err)
	}
	h, fault := decodeHead(b, segMagic, r.cur.salt)
	switch fault {
	case headTooNew:
		return tooNew(r.c.name, segName(r.seg.no))
	case headBad:
		d := &damage{file: segName(r.seg.no), what: "the segment's header is not what was written", before: r.after}
		if err := r.damage(d); err != nil {
			return err
		}
	default:
		r.term = max(r.term, h.term)
	}
	r.cur.off = segHeader
	return nil
}

// take takes in a valid frame.
func (r *reader) take(f *frame) error {
	r.whole = r.whole || f.kind == kindTrailer
	if f.kind != kindEntry || f.term < r.term {
		return nil // not an entry, or of a writer that was fenced
	}
	r.term = f.term
	if f.ts <= r.seen {
		return r.damage(&damage{file: segName(r.seg.no), off: f.off, what: "the entry's Ts is not above its predecessor's", before: r.seen})
	}
	if r.seen = f.ts; f.ts <= r.after {
		return nil // below the start
	}
	if f.ts <= r.gone {
		return r.truncated()
	}
	n := len(r.out)
	if n < cap(r.out) {
		r.out = r.out[:n+1]
	} else {
		r.out = append(r.out, wal.Entry{})
	}
	e := &r.out[n]
	if wal.DecodeEntry(f.body, e) != nil {
		r.out = r.out[:n]
		return r.damage(&damage{file: segName(r.seg.no), off: f.off, what: "the entry does not decode", before: r.after})
	}
	e.Ts, e.Term = f.ts, f.term
	r.after = f.ts
	return nil
}

// bad reports the damaged place the cursor is at; past it when that is wanted.
func (r *reader) bad() error {
	at := r.cur.off
	next, found, err := r.cur.findNext(at)
	behind := r.cur.off
	d := damage{file: segName(r.seg.no), off: at, what: "a record's checksum is wrong", before: r.after}
	for err == nil && found && next.kind != kindEntry {
		if next, err = r.cur.read(r.c.opts.ReadBytes); err == nil && next.kind == kindEntry {
			d.after = next.ts
		}
	}
	if found && next.kind == kindEntry {
		d.after = next.ts
	}
	r.cur.off, r.cur.n = at, 0
	if err != nil && err != io.EOF && err != errBad {
		return r.readError(err)
	}
	if err := r.damage(&d); err != nil {
		return err
	}
	if r.cur.off = behind; !found {
		r.cur.off, r.whole = r.cur.limit, true // reported already
	}
	return nil
}

// damage is the typed error, unless the reader goes past damage.
func (r *reader) damage(d *damage) error {
	if r.pastDamage == nil {
		return r.c.corrupt(d)
	}
	r.pastDamage(r.c.corrupt(d))
	return nil
}

// Close gives the file handle and buffer back.
func (r *reader) Close() error {
	r.c.mu.Lock()
	r.closed = true
	r.c.mu.Unlock()
	r.leave(nil)
	r.cur.buf, r.out = nil, nil
	return nil
}
