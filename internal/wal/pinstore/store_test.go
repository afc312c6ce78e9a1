package pinstore_test

import (
	"context"
	"log/slog"
	"reflect"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/wal/pinstore"
	"github.com/weirstream/weir/internal/weirerr"
)

func open(t *testing.T, dir string) *metastore.Store {
	t.Helper()
	meta, err := metastore.Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = meta.Close() })
	return meta
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestCompareAndSet(t *testing.T) {
	ctx := t.Context()
	s := pinstore.New(open(t, t.TempDir()))
	term, saved, err := s.TakeCheckpoint(ctx, "shop/1")
	if err != nil || term != 1 || saved.Checkpoint != 0 || len(saved.Pins) != 0 {
		t.Fatalf("fresh channel: term %d, %+v, %v", term, saved, err)
	}
	a := wal.PinRecord{Owner: "cf/a", Ts: 20, Since: 5, Budget: wal.Budget{TTL: time.Hour, OnFull: wal.Block}}
	b := wal.PinRecord{Owner: "cf", Ts: 30, Evicted: "full"}
	save := wal.CheckpointSave{Term: 1, Next: 10, Put: []wal.PinRecord{a, b}}
	if st := must[wal.Stored](t)(s.SaveCheckpoint(ctx, "shop/1", save)); st != (wal.Stored{Checkpoint: 10, Revision: 1, Landed: true}) {
		t.Errorf("stored %+v", st)
	}
	save = wal.CheckpointSave{Term: 1, Next: 99, Delete: []string{"cf/a"}} // on top of revision 0
	if st := must[wal.Stored](t)(s.SaveCheckpoint(ctx, "shop/1", save)); st != (wal.Stored{Checkpoint: 10, Revision: 1}) {
		t.Errorf("a save on top of an older revision: %+v", st)
	}
	if _, other, _ := s.TakeCheckpoint(ctx, "shop"); len(other.Pins) != 0 {
		t.Errorf("another channel has pins %+v", other.Pins)
	}
	term, saved, err = s.TakeCheckpoint(ctx, "shop/1")
	if err != nil || term != 2 || saved.Checkpoint != 10 || saved.Revision != 1 || !reflect.DeepEqual(saved.Pins, []wal.PinRecord{b, a}) {
		t.Errorf("second take: term %d, %+v, %v", term, saved, err)
	}
	save = wal.CheckpointSave{Term: 1, Revision: 1, Previous: 10, Next: 40, Delete: []string{"cf"}}
	if _, err := s.SaveCheckpoint(ctx, "shop/1", save); weirerr.CodeOf(err) != weirerr.LogFenced {
		t.Errorf("a save of the old term: %v", err)
	}
	save.Term = 2
	if st := must[wal.Stored](t)(s.SaveCheckpoint(ctx, "shop/1", save)); !st.Landed || st.Revision != 2 {
		t.Errorf("a save of the new term: %+v", st)
	}
	if _, saved, _ = s.TakeCheckpoint(ctx, "shop/1"); saved.Checkpoint != 40 || !reflect.DeepEqual(saved.Pins, []wal.PinRecord{a}) {
		t.Errorf("after the second save: %+v", saved)
	}
	if err := s.Forget("shop/1"); err != nil {
		t.Fatal(err)
	}
	if term, saved, _ = s.TakeCheckpoint(ctx, "shop/1"); term != 1 || saved.Checkpoint != 0 || len(saved.Pins) != 0 {
		t.Errorf("forgotten channel: term %d, %+v", term, saved)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.SaveCheckpoint(gone, "shop/1", save); err == nil {
		t.Error("saved for a caller that is gone")
	}
}

// tail is a log that only remembers how far it was truncated.
type tail struct{ resolved, truncated ts.Ts }

func (l *tail) Name() string             { return "shop" }
func (l *tail) Status() wal.Status       { return wal.Status{Resolved: l.resolved, Truncated: l.truncated} }
func (l *tail) BytesAfter(a ts.Ts) int64 { return int64(l.resolved - min(a, l.resolved)) }
func (l *tail) Truncate(upTo ts.Ts) error {
	l.truncated = max(l.truncated, upTo)
	return nil
}

// TestPinsSurviveARestart runs the checkpoint on a store that is closed and
// opened: claims, evictions and the checkpoint are where they were.
func TestPinsSurviveARestart(t *testing.T) {
	dir, log := t.TempDir(), &tail{resolved: 1000}
	start := func() (*wal.Checkpoint, func()) {
		meta := open(t, dir)
		c := must[*wal.Checkpoint](t)(wal.OpenCheckpoint(t.Context(), wal.CheckpointOptions{
			Tail: log, Store: pinstore.New(meta), Log: slog.New(slog.DiscardHandler)}))
		return c, func() {
			if err := c.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if err := meta.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	c, stop := start()
	ctx := t.Context()
	for _, p := range []wal.Pin{{Owner: "b", Ts: 100}, {Owner: "a", Ts: 300}, {Owner: "c", Ts: 500}} {
		if _, err := c.Pin(ctx, p, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Advance("a", 400); err != nil {
		t.Fatal(err)
	}
	c.Evict("b", "by the test")
	stop()

	c, stop = start()
	st := c.Status()
	if st.Checkpoint != 400 || st.Term != 2 || len(st.Pins) != 2 || st.Holder.Owner != "a" || st.Holder.Ts != 400 || len(st.Lost) != 1 {
		t.Errorf("after a restart: %+v", st)
	}
	if _, err := c.Pin(ctx, wal.Pin{Owner: "b", Ts: 200}, nil); weirerr.CodeOf(err) != weirerr.LogEvicted {
		t.Errorf("the evicted consumer comes back: %v", err)
	}
	if _, err := c.Pin(ctx, wal.Pin{Owner: "d", Ts: 200}, nil); weirerr.CodeOf(err) != weirerr.CheckpointStale {
		t.Errorf("a claim below the checkpoint: %v", err)
	}
	stop()

	log.truncated = 700 // more than the store knows of: it is an older copy
	meta := open(t, dir)
	_, err := wal.OpenCheckpoint(ctx, wal.CheckpointOptions{Tail: log, Store: pinstore.New(meta), Log: slog.New(slog.DiscardHandler)})
	if weirerr.CodeOf(err) != weirerr.StoreBehind {
		t.Errorf("a store that is behind the log: %v", err)
	}
}
