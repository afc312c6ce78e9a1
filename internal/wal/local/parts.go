package local

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

const (
	partBuffer    = 256 << 10 // written at a time, in bytes
	writebackStep = 8 << 20   // how much is written before the kernel is asked to start, in bytes
)

// attempt is a parts file that exists.
type attempt struct {
	bytes  int64
	sealed bool
}

// largeWriter writes one parts file: a head, frames, a seal.
type largeWriter struct {
	w       *writer
	no      uint64
	f       file
	salt    uint32
	buf     []byte
	off     int64 // of buf in the file
	started int64 // the kernel was asked to write up to here
	parts   uint64
	done    bool
}

var _ wal.LargeWriter = (*largeWriter)(nil)

// Large begins the parts of a large transaction. Attempts are numbered term<<32 | n, so
// no two ever share a number.
func (w *writer) Large() (wal.LargeWriter, error) {
	c := w.c
	c.mu.Lock()
	if w.dead != nil {
		defer c.mu.Unlock()
		return nil, w.dead
	}
	w.attempts++
	no := w.term<<32 | uint64(w.attempts)
	c.attempts[no] = &attempt{}
	c.mu.Unlock()
	f, err := c.fs.Open(c.partPath(no), os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		c.mu.Lock()
		delete(c.attempts, no)
		c.mu.Unlock()
		return nil, diskError(err, c.name, "begin a large transaction")
	}
	l := &largeWriter{w: w, no: no, f: f, salt: partSalt(c.name, no)}
	head := fileHead{no: no, term: w.term}
	l.buf = append(make([]byte, 0, partBuffer+4096), head.encode(partMagic, l.salt, partHeader)...)
	return l, nil
}

func (c *Channel) partPath(no uint64) string { return filepath.Join(c.dir, partsDir, partName(no)) }

// Part appends changes of a sub-transaction. After LogFull the same call may be made again.
func (l *largeWriter) Part(sub uint64, changes []byte) error {
	if len(changes) > wal.MaxChanges {
		return weirerr.New(weirerr.InvalidArgument, "a part of %d bytes is too large", len(changes)).With("channel", l.w.c.name)
	}
	if err := l.usable(); err != nil {
		return err
	}
	if len(l.buf) > 0 && len(l.buf)+len(changes) > partBuffer {
		if err := l.flush(); err != nil {
			return err
		}
	}
	l.append(kindPart, sub, changes)
	l.parts++
	return nil
}

func (l *largeWriter) append(kind byte, n uint64, body []byte) {
	l.buf = appendFrame(l.buf, kind, l.w.term, ts.Ts(n), body, l.salt, 0, l.off+int64(len(l.buf)))
}

func (l *largeWriter) usable() error {
	l.w.c.mu.Lock()
	defer l.w.c.mu.Unlock()
	if l.w.dead != nil {
		return l.w.dead
	}
	if l.done {
		return weirerr.New(weirerr.WrongState, "the large transaction has ended").With("channel", l.w.c.name)
	}
	return nil
}

// flush writes the buffer. What a full disk refuses stays in it.
func (l *largeWriter) flush() error {
	if len(l.buf) == 0 {
		return nil
	}
	if f, ok := l.f.(roomy); ok {
		if err := f.Room(int64(len(l.buf))); err != nil {
			return diskError(err, l.w.c.name, "write a part")
		}
	}
	if _, err := l.f.WriteAt(l.buf, l.off); err != nil {
		return diskError(err, l.w.c.name, "write a part")
	}
	l.off += int64(len(l.buf))
	l.buf = l.buf[:0]
	if l.off-l.started >= writebackStep {
		l.f.StartWriteback(l.started, l.off-l.started)
		l.started = l.off
	}
	l.w.c.mu.Lock()
	defer l.w.c.mu.Unlock()
	if a := l.w.c.attempts[l.no]; a != nil {
		a.bytes = l.off
	}
	return nil
}

// Seal makes the parts durable. After LogFull it may be called again.
func (l *largeWriter) Seal(subs []uint64) (*wal.LargeRef, error) {
	if err := l.usable(); err != nil {
		return nil, err
	}
	// The buffer is flushed first, so that a second try finds no half seal in it.
	if err := l.flush(); err != nil {
		return nil, err
	}
	l.append(kindSeal, l.parts, nil)
	if err := l.flush(); err != nil {
		l.buf = l.buf[:0]
		return nil, err
	}
	c := l.w.c
	err := l.f.Sync()
	if err == nil {
		err = c.fs.SyncDir(filepath.Join(c.dir, partsDir))
	}
	l.done = true
	err = errors.Join(err, l.f.Close())
	if err != nil {
		return nil, diskErrorUnknown(err, c.name)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.w.dead != nil {
		return nil, l.w.dead
	}
	c.attempts[l.no].sealed = true
	return &wal.LargeRef{Attempt: l.no, Subs: subs, Bytes: l.off, Changes: -1}, nil
}

// Abort deletes the parts. It is harmless after Seal when no commit entry was appended.
func (l *largeWriter) Abort() error {
	if !l.done {
		l.done = true
		l.f.Close()
	}
	return l.w.c.dropParts(l.no)
}

// dropParts deletes a parts file, if it is there.
func (c *Channel) dropParts(no uint64) error {
	c.mu.Lock()
	delete(c.attempts, no)
	c.mu.Unlock()
	err := c.fs.Remove(c.partPath(no))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("local log: channel %s: %w", c.name, err)
	}
	return nil
}

// sealed tells whether an attempt's parts are durable. c.mu is held.
func (c *Channel) sealed(no uint64) bool {
	a := c.attempts[no]
	return a != nil && a.sealed
}

// listParts gives the attempts whose parts files exist, with their sizes.
func listParts(dir string) (map[uint64]int64, error) {
	entries, err := os.ReadDir(filepath.Join(dir, partsDir))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	parts := map[uint64]int64{}
	for _, e := range entries {
		digits, ok := strings.CutSuffix(e.Name(), partExt)
		no, err := strconv.ParseUint(digits, 16, 64)
		if !ok || err != nil || e.Name() != partName(no) {
			continue
		}
		if st, err := e.Info(); err == nil {
			parts[no] = st.Size()
		}
	}
	return parts, nil
}

// findParts learns which parts files exist. They count as sealed when an entry names them.
func (c *Channel) findParts() error {
	parts, err := listParts(c.dir)
	for no, size := range parts {
		c.attempts[no] = &attempt{bytes: size}
	}
	for no := range c.committed() {
		if a := c.attempts[no]; a != nil {
			a.sealed = true
		}
	}
	return err
}

// committed is the set of attempts that durable entries name. c.mu is held, or not yet needed.
func (c *Channel) committed() map[uint64]bool {
	named := map[uint64]bool{}
	for _, seg := range c.segs {
		for _, a := range seg.attempts {
			named[a.attempt] = true
		}
	}
	return named
}

// dropOrphans deletes the parts that no durable entry names: their writers are of
// older terms, and fenced. A damaged log keeps them, since the entry that is
// unreadable may name them.
func (c *Channel) dropOrphans() error {
	c.mu.Lock()
	var orphans []uint64
	named := c.committed()
	for no := range c.attempts {
		if !named[no] && !c.damaged {
			orphans = append(orphans, no)
		}
	}
	c.mu.Unlock()
	var errs []error
	for _, no := range orphans {
		errs = append(errs, c.dropParts(no))
	}
	return errors.Join(errs...)
}

// partReader streams one parts file.
type partReader struct {
	channel string
	name    string
	f       file
	cur     cursor
	size    int
	subs    map[uint64]bool // nil: all
	parts   uint64
	end     bool
}

var _ wal.PartReader = (*partReader)(nil)

// Parts streams the parts of a large transaction. A missing or damaged file is LogCorrupt.
func (c *Channel) Parts(ref *wal.LargeRef) (wal.PartReader, error) {
	return openParts(c.fs, c.dir, c.name, ref, c.opts.ReadBytes)
}

func openParts(fs fsys, dir, channel string, ref *wal.LargeRef, size int) (*partReader, error) {
	name := filepath.Join(partsDir, partName(ref.Attempt))
	f, err := fs.Open(filepath.Join(dir, name), os.O_RDONLY)
	if errors.Is(err, os.ErrNotExist) {
		return nil, malformed(channel, name, "the parts of a large transaction are missing")
	}
	if err != nil {
		return nil, fmt.Errorf("local log: channel %s: %w", channel, err)
	}
	p := &partReader{channel: channel, name: name, f: f, size: size}
	if err := p.begin(ref); err != nil {
		f.Close()
		return nil, err
	}
	return p, nil
}

func (p *partReader) begin(ref *wal.LargeRef) error {
	limit, err := p.f.Size()
	if err != nil {
		return err
	}
	salt := partSalt(p.channel, ref.Attempt)
	b := make([]byte, partHeader)
	if _, err := p.f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch _, fault := decodeHead(b, partMagic, salt); {
	case fault == headTooNew:
		return tooNew(p.channel, p.name)
	case fault == headBad:
		return malformed(p.channel, p.name, "the header of the parts is not what was written")
	case limit != ref.Bytes:
		return malformed(p.channel, p.name, fmt.Sprintf("the parts have %d bytes, their entry says %d", limit, ref.Bytes))
	}
	p.cur = cursor{r: p.f, salt: salt, limit: limit, off: partHeader}
	if ref.Subs != nil {
		p.subs = make(map[uint64]bool, len(ref.Subs))
		for _, s := range ref.Subs {
			p.subs[s] = true
		}
	}
	return nil
}

// Next returns the next part that survived; io.EOF after the seal.
func (p *partReader) Next() (uint64, []byte, error) {
	for !p.end {
		f, err := p.cur.read(p.size)
		switch {
		case err == errBad, err == io.EOF, err == nil && f.kind != kindPart && f.kind != kindSeal:
			return 0, nil, (&damage{file: p.name, off: f.off, what: "a part is not what was written"}).err(p.channel)
		case err != nil:
			return 0, nil, fmt.Errorf("local log: channel %s: %w", p.channel, err)
		case f.kind == kindSeal:
			if p.end = true; uint64(f.ts) != p.parts || p.cur.off != p.cur.limit {
				return 0, nil, (&damage{file: p.name, off: f.off, what: "the seal contradicts the parts"}).err(p.channel)
			}
		default:
			if p.parts++; p.subs == nil || p.subs[uint64(f.ts)] {
				return uint64(f.ts), f.body, nil
			}
		}
	}
	return 0, nil, io.EOF
}

// Close gives the file handle back.
func (p *partReader) Close() error {
	p.cur.buf = nil
	return p.f.Close()
}
