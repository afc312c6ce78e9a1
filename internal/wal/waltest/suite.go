package waltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// Opener opens a store; again after the log it gave was closed.
type Opener func(wal.Options) wal.Log

// Run runs the suite. fresh makes an empty store for one test.
func Run(t *testing.T, fresh func(t *testing.T) Opener) {
	for name, test := range map[string]func(*testing.T, Opener){
		"Terms":      testTerms,
		"Positions":  testPositions,
		"Tail":       testTail,
		"Promises":   testPromises,
		"Fencing":    testFencing,
		"Truncation": testTruncation,
		"Large":      testLarge,
		"Limits":     testLimits,
		"Channels":   testChannels,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, fresh(t))
		})
	}
}

// soon is a context that ends with a reason instead of hanging a test.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeoutCause(context.Background(), 60*time.Second, errors.New("nothing happened for 60 s"))
	t.Cleanup(cancel)
	return ctx
}

func channel(t testing.TB, l wal.Log, name string) wal.Channel {
	t.Helper()
	c, err := l.Channel(name)
	if err != nil {
		t.Fatalf("channel %s: %v", name, err)
	}
	return c
}

func lead(t testing.TB, c wal.Channel) wal.Writer {
	t.Helper()
	w, err := c.Lead(soon(t))
	if err != nil {
		t.Fatalf("lead %s: %v", c.Name(), err)
	}
	return w
}

func closeLog(t testing.TB, l wal.Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

func copyOf(e *wal.Entry) wal.Entry {
	c := *e
	c.Position, c.Changes = bytes.Clone(e.Position), bytes.Clone(e.Changes)
	return c
}

func equal(a, b *wal.Entry) bool {
	return a.Ts == b.Ts && a.Term == b.Term && a.Kind == b.Kind && a.Xid == b.Xid && a.CommitUs == b.CommitUs &&
		bytes.Equal(a.Position, b.Position) && bytes.Equal(a.Changes, b.Changes) && reflect.DeepEqual(a.Large, b.Large)
}

// record collects what writers appended, by channel.
type record struct {
	mu      sync.Mutex
	entries []wal.Entry
}

// append appends under the record's lock, so that the record is in the log's order.
func (r *record) append(w wal.Writer, e wal.Entry) (ts.Ts, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, err := w.Append(&e)
	if err == nil {
		r.entries = append(r.entries, e)
	}
	return at, err
}

// check reads from after until the last entry wanted, and holds order and content
// against want.
func check(t *testing.T, c wal.Channel, after ts.Ts, want []wal.Entry) {
	t.Helper()
	r, err := c.Read(after)
	if err != nil {
		t.Errorf("%s: read after %s: %v", c.Name(), after, err)
		return
	}
	defer r.Close()
	for n := 0; n < len(want); {
		b, err := r.Next(soon(t))
		if err != nil {
			t.Errorf("%s: after %d of %d entries: %v", c.Name(), n, len(want), err)
			return
		}
		for i := range b.Entries {
			if n+i >= len(want) || !equal(&b.Entries[i], &want[n+i]) {
				t.Errorf("%s: entry %d of %d is not what was written: %s", c.Name(), n+i, len(want), b.Entries[i].Ts)
				return
			}
		}
		if n += len(b.Entries); n > 0 && b.Resolved < want[n-1].Ts {
			t.Errorf("%s: resolved %s is below an entry at %s", c.Name(), b.Resolved, want[n-1].Ts)
			return
		}
	}
}

// testTerms writes three channels over three terms, five writers each, while readers
// from the start follow; each term reopens the log.
func testTerms(t *testing.T, open Opener) {
	records := map[string]*record{"a": {}, "b/b": {}, "ü": {}}
	for term := uint64(1); term <= 3; term++ {
		l := open(wal.Options{SegmentBytes: 64 << 10, ReadBytes: 16 << 10})
		var wg sync.WaitGroup
		for name, rec := range records {
			wg.Go(func() { oneTerm(t, channel(t, l, name), rec, term) })
		}
		wg.Wait()
		closeLog(t, l)
		if t.Failed() {
			return
		}
	}
}

func oneTerm(t *testing.T, c wal.Channel, rec *record, term uint64) {
	w := lead(t, c)
	if w.Term() < term {
		t.Errorf("%s: term %d, want at least %d", c.Name(), w.Term(), term)
	}
	const writers, each = 5, 30
	before := len(rec.entries)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { follow(t, c, before+writers*each, rec) })
	}
	for i := range writers {
		wg.Go(func() {
			for n := range each {
				at, err := rec.append(w, wal.Entry{Kind: wal.KindTxn, Position: fmt.Appendf(nil, "%d-%d-%d", term, i, n), Xid: uint64(n),
					CommitUs: int64(i), Changes: bytes.Repeat([]byte{byte(n)}, n*40)})
				if err == nil && n%3 == 0 {
					err = w.WaitDurable(soon(t), at)
				}
				if err != nil {
					t.Errorf("%s: append: %v", c.Name(), err)
					return
				}
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	last := rec.entries[len(rec.entries)-1]
	if err := w.WaitDurable(soon(t), last.Ts); err != nil {
		t.Errorf("%s: %v", c.Name(), err)
	}
	at, high, _ := w.Durable()
	if st := c.Status(); at < last.Ts || !bytes.Equal(high, last.Position) || !bytes.Equal(st.High, high) || st.Durable != last.Ts {
		t.Errorf("%s: durable %s with high %q, status %+v, last entry %s with %q", c.Name(), at, high, st, last.Ts, last.Position)
	}
	check(t, c, 0, rec.entries)
}

// follow reads n entries from the start while they are written, and checks that they
// ascend; check compares the content afterwards.
func follow(t *testing.T, c wal.Channel, n int, rec *record) {
	r, err := c.Read(0)
	if err != nil {
		t.Errorf("%s: %v", c.Name(), err)
		return
	}
	defer r.Close()
	var got []wal.Entry
	for resolved := ts.Ts(0); len(got) < n; {
		b, err := r.Next(soon(t))
		if err != nil {
			t.Errorf("%s: a follower at %d of %d: %v", c.Name(), len(got), n, err)
			return
		}
		for i := range b.Entries {
			if e := &b.Entries[i]; e.Ts <= resolved {
				t.Errorf("%s: entry %s after resolved %s", c.Name(), e.Ts, resolved)
			}
			got = append(got, copyOf(&b.Entries[i]))
		}
		resolved = max(resolved, b.Resolved)
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for i := range got {
		if !equal(&got[i], &rec.entries[i]) {
			t.Errorf("%s: a follower's entry %d is not what was written", c.Name(), i)
			return
		}
	}
}

// some appends n entries and waits for them.
func some(t *testing.T, w wal.Writer, rec *record, n, size int) {
	t.Helper()
	var last ts.Ts
	for i := range n {
		at, err := rec.append(w, wal.Entry{Kind: wal.KindTxn, Position: fmt.Appendf(nil, "%06d", len(rec.entries)), Xid: uint64(i), Changes: bytes.Repeat([]byte("x"), size)})
		if err != nil {
			t.Fatal(err)
		}
		if last = at; i%8 == 7 { // small groups, so that segments are
			if err := w.WaitDurable(soon(t), last); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.WaitDurable(soon(t), last); err != nil {
		t.Fatal(err)
	}
}

// testPositions reads from every Ts.
func testPositions(t *testing.T, open Opener) {
	l := open(wal.Options{SegmentBytes: 32 << 10, ReadBytes: 4 << 10})
	defer l.Close()
	c := channel(t, l, "ch")
	var rec record
	some(t, lead(t, c), &rec, 100, 900)
	some(t, lead(t, c), &rec, 50, 10)
	for i := range rec.entries {
		check(t, c, rec.entries[i].Ts, rec.entries[i+1:])
		check(t, c, rec.entries[i].Ts-1, rec.entries[i:])
	}
	if c.BytesAfter(0) < c.BytesAfter(rec.entries[60].Ts) || c.BytesAfter(0) <= 0 || c.BytesAfter(rec.entries[149].Ts) > c.BytesAfter(0)/2 {
		t.Errorf("bytes after: all %d, from 60 on %d, from the end %d", c.BytesAfter(0), c.BytesAfter(rec.entries[60].Ts), c.BytesAfter(rec.entries[149].Ts))
	}
}

// testTail demands that a reader at the end waits, and goes on by itself.
func testTail(t *testing.T, open Opener) {
	l := open(wal.Options{})
	defer l.Close()
	c := channel(t, l, "ch")
	w := lead(t, c)
	var rec record
	some(t, w, &rec, 3, 10)
	r, err := c.Read(c.Status().Resolved)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if b, err := r.Next(ctx); err == nil {
		t.Errorf("nothing was written, and the reader has %d entries, resolved %s", len(b.Entries), b.Resolved)
	}
	some(t, w, &rec, 1, 10)
	b, err := r.Next(soon(t))
	if err != nil || len(b.Entries) != 1 || !equal(&b.Entries[0], &rec.entries[3]) {
		t.Errorf("the reader does not go on: %+v, %v", b, err)
	}
}

// testPromises moves resolved without entries, on an idle and on a busy channel.
func testPromises(t *testing.T, open Opener) {
	l := open(wal.Options{})
	defer func() { l.Close() }()
	c := channel(t, l, "ch")
	w := lead(t, c)
	r, err := c.Read(0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	now, err := w.Promise(0)
	if err != nil || now == 0 {
		t.Fatalf("promise of now: %s, %v", now, err)
	}
	ahead := now + ts.New(20_000, 7) // beyond what the clock has reserved
	if p, err := w.Promise(ahead); err != nil || p < ahead {
		t.Fatalf("promise of %s: %s, %v", ahead, p, err)
	}
	for resolved := ts.Ts(0); resolved < ahead; {
		b, err := r.Next(soon(t))
		if err != nil || len(b.Entries) > 0 {
			t.Fatalf("an idle channel's reader: %+v, %v", b, err)
		}
		resolved = b.Resolved
	}
	var rec record
	some(t, w, &rec, 1, 10)
	if rec.entries[0].Ts <= ahead {
		t.Errorf("an entry at %s, after the promise of %s", rec.entries[0].Ts, ahead)
	}
	last, err := w.Promise(0)
	if err != nil {
		t.Fatal(err)
	}
	closeLog(t, l)
	l = open(wal.Options{})
	some(t, lead(t, channel(t, l, "ch")), &rec, 1, 10)
	if rec.entries[1].Ts <= last {
		t.Errorf("after reopening an entry at %s, below the promise of %s", rec.entries[1].Ts, last)
	}
}

// testFencing demands that a new term ends the old writer.
func testFencing(t *testing.T, open Opener) {
	l := open(wal.Options{})
	defer l.Close()
	c := channel(t, l, "ch")
	var rec record
	old := lead(t, c)
	some(t, old, &rec, 5, 10)
	w := lead(t, c)
	if w.Term() <= old.Term() {
		t.Errorf("terms %d and then %d", old.Term(), w.Term())
	}
	if _, err := old.Append(&wal.Entry{Kind: wal.KindTxn}); weirerr.CodeOf(err) != weirerr.LogFenced {
		t.Errorf("append by the old writer: %v, want LogFenced", err)
	}
	if _, err := old.Promise(0); weirerr.CodeOf(err) != weirerr.LogFenced {
		t.Errorf("promise by the old writer: %v, want LogFenced", err)
	}
	if _, err := old.Large(); weirerr.CodeOf(err) != weirerr.LogFenced {
		t.Errorf("parts by the old writer: %v, want LogFenced", err)
	}
	if err := old.WaitDurable(soon(t), rec.entries[4].Ts); err != nil {
		t.Errorf("what was durable before the new term: %v", err)
	}
	some(t, w, &rec, 5, 10)
	if rec.entries[5].Ts <= rec.entries[4].Ts {
		t.Error("the new term's Ts are not above the old one's")
	}
	check(t, c, 0, rec.entries)
}

// testTruncation demands LogTruncated below the start, and all entries above it.
func testTruncation(t *testing.T, open Opener) {
	o := wal.Options{SegmentBytes: 32 << 10}
	l := open(o)
	c := channel(t, l, "ch")
	var rec record
	some(t, lead(t, c), &rec, 200, 900)
	old, err := c.Read(0)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	upTo, before := rec.entries[120].Ts, c.Status().Bytes
	if err := c.Truncate(upTo); err != nil {
		t.Fatal(err)
	}
	if st := c.Status(); st.Truncated != upTo || st.First == 0 || st.First > rec.entries[121].Ts || st.Bytes >= before {
		t.Errorf("truncated to %s: %+v; before %d bytes", upTo, st, before)
	}
	for range 2 {
		if _, err := c.Read(rec.entries[100].Ts); weirerr.CodeOf(err) != weirerr.LogTruncated {
			t.Errorf("a reader below the start: %v, want LogTruncated", err)
		}
		check(t, c, upTo, rec.entries[121:])
		if st := c.Status(); !bytes.Equal(st.High, rec.entries[199].Position) {
			t.Errorf("the high position is %q, want %q", st.High, rec.entries[199].Position)
		}
		if err := c.Truncate(rec.entries[50].Ts); err != nil || c.Status().Truncated != upTo {
			t.Errorf("truncating backward: %v, %s", err, c.Status().Truncated)
		}
		if _, err := old.Next(soon(t)); err == nil {
			t.Error("a reader that stood below the start goes on")
		}
		closeLog(t, l)
		l = open(o)
		c = channel(t, l, "ch")
	}
	if err := c.Truncate(rec.entries[199].Ts); err != nil {
		t.Fatal(err)
	}
	closeLog(t, l)
	l = open(o)
	defer l.Close()
	c = channel(t, l, "ch")
	if st := c.Status(); !bytes.Equal(st.High, rec.entries[199].Position) || st.Truncated != rec.entries[199].Ts {
		t.Errorf("everything truncated: %+v", st)
	}
	w, rest := lead(t, c), record{}
	some(t, w, &rest, 3, 10)
	check(t, c, rec.entries[199].Ts, rest.entries)
}

// testLimits appends the largest entry, and refuses a larger one.
func testLimits(t *testing.T, open Opener) {
	l := open(wal.Options{BufferedBytes: 600 << 10})
	defer l.Close()
	c := channel(t, l, "ch")
	w := lead(t, c)
	var rec record
	if _, err := w.Append(&wal.Entry{Kind: wal.KindTxn, Changes: make([]byte, wal.MaxFrame)}); weirerr.CodeOf(err) != weirerr.InvalidArgument {
		t.Errorf("an entry above the limit: %v, want InvalidArgument", err)
	}
	position := bytes.Repeat([]byte("p"), wal.MaxPosition)
	for range 4 { // more than the buffer holds
		if _, err := rec.append(w, wal.Entry{Kind: wal.KindTxn, Position: position, Changes: bytes.Repeat([]byte{7}, wal.MaxChanges)}); err != nil {
			t.Fatal(err)
		}
	}
	some(t, w, &rec, 1, 0)
	check(t, c, 0, rec.entries)
}

// testChannels lists and removes channels.
func testChannels(t *testing.T, open Opener) {
	l := open(wal.Options{})
	defer func() { l.Close() }()
	for _, name := range []string{"b", "a", "pg:1/2"} {
		var rec record
		some(t, lead(t, channel(t, l, name)), &rec, 2, 10)
	}
	if err := l.Remove("b"); err != nil {
		t.Fatal(err)
	}
	closeLog(t, l)
	l = open(wal.Options{})
	names, err := l.Channels()
	if err != nil || !reflect.DeepEqual(names, []string{"a", "pg:1/2"}) {
		t.Errorf("channels %q, %v", names, err)
	}
	if st := channel(t, l, "b").Status(); st.Durable != 0 {
		t.Errorf("a removed channel is not empty: %+v", st)
	}
}
