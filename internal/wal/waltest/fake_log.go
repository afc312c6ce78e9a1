package waltest

import (
	"bytes"
	"context"
	"io"
	"slices"
	"sort"
	"time"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// The client of the fake's store. The store's mutex guards everything.

type fakeLog struct {
	store    *Store
	opts     wal.Options
	channels map[string]*fakeChannel
	closed   bool
}

var _ wal.Log = (*fakeLog)(nil)

func (l *fakeLog) Channel(name string) (wal.Channel, error) {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if c, ok := l.channels[name]; ok {
		return c, nil
	}
	r := l.store.remote[name]
	if r == nil {
		r = &remote{parts: map[uint64]*fakeParts{}, changed: make(chan struct{})}
		l.store.remote[name] = r
	}
	c := &fakeChannel{log: l, s: l.store, r: r, name: name}
	if v := l.store.visible(r); len(v) > 0 {
		c.resolved = v[len(v)-1].Ts
	}
	if l.channels == nil {
		l.channels = map[string]*fakeChannel{}
	}
	l.channels[name] = c
	return c, nil
}

func (l *fakeLog) Channels() ([]string, error) {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	var names []string
	for name := range l.store.remote {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

func (l *fakeLog) Remove(name string) error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	delete(l.store.remote, name)
	delete(l.channels, name)
	return nil
}

func (l *fakeLog) Close() error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	l.closed = true
	for _, c := range l.channels {
		c.close()
	}
	return nil
}

type fakeChannel struct {
	log      *fakeLog
	s        *Store
	r        *remote
	name     string
	w        *fakeWriter
	resolved ts.Ts
	closed   bool
}

func (c *fakeChannel) Name() string { return c.name }

func (c *fakeChannel) close() {
	c.closed = true
	if c.w != nil && c.w.dead == nil {
		c.w.dead = weirerr.New(weirerr.WrongState, "the log is closed")
	}
	c.r.notify()
}

func (c *fakeChannel) Close() error {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	delete(c.log.channels, c.name)
	c.close()
	return nil
}

// Lead takes the register's next term, and opens it with a frame of its own: from then
// on readers drop what lands of older terms.
func (c *fakeChannel) Lead(context.Context) (wal.Writer, error) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.w != nil && c.w.dead == nil {
		c.w.dead = weirerr.New(weirerr.LogFenced, "a newer term writes this channel")
	}
	start := ts.Ts(c.r.register.ceiling)
	c.r.register.term++
	w := &fakeWriter{c: c, term: c.r.register.term, clock: ts.NewClock(start, start)}
	w.reserve(start)
	c.r.frames = append(c.r.frames, fakeFrame{term: w.term, ts: start})
	if v := c.s.visible(c.r); len(v) > 0 {
		w.durable = v[len(v)-1].Ts
	}
	c.w, c.resolved = w, max(c.resolved, start)
	c.s.dropOrphans(c.r)
	c.r.notify()
	return w, nil
}

func (c *fakeChannel) Truncate(upTo ts.Ts) error {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.s.truncate(c.r, min(upTo, c.resolved))
	return nil
}

func (c *fakeChannel) Status() wal.Status {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	st := wal.Status{Term: c.r.register.term, Truncated: c.r.truncated, Resolved: c.resolved, High: bytes.Clone(c.r.high), Segments: 1}
	for i, e := range c.s.visible(c.r) {
		if i == 0 {
			st.First = e.Ts
		}
		if st.Durable = e.Ts; len(e.Position) > 0 {
			st.High = bytes.Clone(e.Position)
		}
	}
	for _, f := range c.r.frames {
		st.Bytes += int64(len(f.body))
	}
	for _, p := range c.r.parts {
		st.Bytes += p.bytes
	}
	return st
}

func (c *fakeChannel) BytesAfter(after ts.Ts) (n int64) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	for _, f := range c.r.frames {
		if f.ts > after {
			n += int64(len(f.body))
		}
	}
	return n
}

type fakeWriter struct {
	c       *fakeChannel
	term    uint64
	clock   *ts.Clock
	durable ts.Ts
	dead    error
	begun   uint64
}

func (w *fakeWriter) Term() uint64 { return w.term }

// reserve raises the ceiling in the register.
func (w *fakeWriter) reserve(t ts.Ts) {
	now := ts.FromTime(time.Now())
	w.clock.Reserve(max(now, t, w.clock.Last()) + ts.Ts(w.c.log.opts.ReserveAhead.Milliseconds())<<ts.LogicalBits)
	w.c.r.register.ceiling = uint64(w.clock.Ceiling())
}

func (w *fakeWriter) Append(e *wal.Entry) (ts.Ts, error) {
	s := w.c.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.dead != nil {
		return 0, w.dead
	}
	if len(wal.AppendEntry(nil, e)) > wal.MaxFrame {
		return 0, weirerr.New(weirerr.InvalidArgument, "the entry is too large")
	}
	if e.Large != nil && (w.c.r.parts[e.Large.Attempt] == nil || !w.c.r.parts[e.Large.Attempt].sealed) {
		return 0, weirerr.New(weirerr.InvalidArgument, "the parts are not sealed")
	}
	now := time.Now().UnixMilli()
	t, err := w.clock.Next(now)
	if err != nil {
		w.reserve(w.clock.Last() + 1)
		if t, err = w.clock.Next(now); err != nil {
			return 0, err
		}
	}
	e.Ts, e.Term = t, w.term
	if err := s.append(w.c.r, e); err != nil {
		w.dead = err
		return t, err
	}
	w.durable, w.c.resolved = t, t
	return t, nil
}

func (w *fakeWriter) WaitDurable(_ context.Context, t ts.Ts) error {
	w.c.s.mu.Lock()
	defer w.c.s.mu.Unlock()
	if t > w.durable {
		return w.dead
	}
	return nil
}

func (w *fakeWriter) Durable() (ts.Ts, []byte, <-chan struct{}) {
	st := w.c.Status()
	w.c.s.mu.Lock()
	defer w.c.s.mu.Unlock()
	return st.Durable, st.High, w.c.r.changed
}

func (w *fakeWriter) Promise(t ts.Ts) (ts.Ts, error) {
	w.c.s.mu.Lock()
	defer w.c.s.mu.Unlock()
	if w.dead != nil {
		return 0, w.dead
	}
	if t == 0 {
		t = ts.FromTime(time.Now())
	}
	if w.clock.Forward(t) != nil {
		w.reserve(t)
		if err := w.clock.Forward(t); err != nil {
			return 0, err
		}
	}
	w.c.resolved = max(w.c.resolved, w.clock.Last())
	w.c.r.notify()
	return w.clock.Last(), nil
}

func (w *fakeWriter) Close() error {
	w.c.s.mu.Lock()
	defer w.c.s.mu.Unlock()
	if w.dead == nil {
		w.dead = weirerr.New(weirerr.WrongState, "the writer is closed")
	}
	return nil
}

type fakeReader struct {
	c           *fakeChannel
	after, told ts.Ts
}

func (c *fakeChannel) Read(after ts.Ts) (wal.Reader, error) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if after < c.r.truncated {
		return nil, weirerr.New(weirerr.LogTruncated, "below the start")
	}
	return &fakeReader{c, after, after}, nil
}

func (r *fakeReader) Next(ctx context.Context) (wal.Batch, error) {
	for {
		b, changed, err := r.look()
		if err != nil || changed == nil {
			return b, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return wal.Batch{}, context.Cause(ctx)
		}
	}
}

// look gives what is there, or what to wait for.
func (r *fakeReader) look() (wal.Batch, <-chan struct{}, error) {
	c := r.c
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	switch {
	case c.closed:
		return wal.Batch{}, nil, weirerr.New(weirerr.WrongState, "the log is closed")
	case r.after < c.r.truncated:
		return wal.Batch{}, nil, weirerr.New(weirerr.LogTruncated, "below the start")
	}
	v := c.s.visible(c.r)
	v = v[sort.Search(len(v), func(i int) bool { return v[i].Ts > r.after }):]
	if len(v) > 0 {
		r.after = v[len(v)-1].Ts
		r.told = r.after
		return wal.Batch{Entries: v, Resolved: r.after}, nil, nil
	}
	if c.resolved > r.told {
		r.told, r.after = c.resolved, max(r.after, c.resolved)
		return wal.Batch{Resolved: c.resolved}, nil, nil
	}
	return wal.Batch{}, c.r.changed, nil
}

func (r *fakeReader) Close() error { return nil }

type fakeLarge struct {
	w  *fakeWriter
	no uint64
	p  *fakeParts
}

func (w *fakeWriter) Large() (wal.LargeWriter, error) {
	w.c.s.mu.Lock()
	defer w.c.s.mu.Unlock()
	if w.dead != nil {
		return nil, w.dead
	}
	w.begun++
	l := &fakeLarge{w, w.term<<32 | w.begun, &fakeParts{}}
	w.c.r.parts[l.no] = l.p
	return l, nil
}

func (l *fakeLarge) Part(sub uint64, changes []byte) error {
	l.w.c.s.mu.Lock()
	defer l.w.c.s.mu.Unlock()
	l.p.subs, l.p.bodies = append(l.p.subs, sub), append(l.p.bodies, bytes.Clone(changes))
	l.p.bytes += int64(len(changes))
	return l.w.dead
}

func (l *fakeLarge) Seal(subs []uint64) (*wal.LargeRef, error) {
	l.w.c.s.mu.Lock()
	defer l.w.c.s.mu.Unlock()
	l.p.sealed = true
	return &wal.LargeRef{Attempt: l.no, Subs: subs, Bytes: l.p.bytes, Changes: -1}, l.w.dead
}

func (l *fakeLarge) Abort() error {
	l.w.c.s.mu.Lock()
	defer l.w.c.s.mu.Unlock()
	delete(l.w.c.r.parts, l.no)
	return nil
}

type fakePartReader struct {
	p    *fakeParts
	subs []uint64
	n    int
}

func (c *fakeChannel) Parts(ref *wal.LargeRef) (wal.PartReader, error) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	p := c.r.parts[ref.Attempt]
	if p == nil {
		return nil, weirerr.New(weirerr.LogCorrupt, "the parts are missing")
	}
	return &fakePartReader{p: p, subs: ref.Subs}, nil
}

func (r *fakePartReader) Next() (uint64, []byte, error) {
	for r.n < len(r.p.subs) {
		i := r.n
		r.n++
		if r.subs == nil || slices.Contains(r.subs, r.p.subs[i]) {
			return r.p.subs[i], r.p.bodies[i], nil
		}
	}
	return 0, nil, io.EOF
}

func (r *fakePartReader) Close() error { return nil }
