package wal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// memStore is simStore behind the port, with faults.
type memStore struct {
	mu    sync.Mutex
	s     simStore
	calls int
	fault func(ctx context.Context) error // called before the work, without the lock
}

func newMemStore() *memStore {
	return &memStore{s: simStore{pins: map[string]PinRecord{}}, fault: func(context.Context) error { return nil }}
}

func (m *memStore) TakeCheckpoint(context.Context, string) (uint64, Saved, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	term, saved := m.s.take()
	return term, saved, nil
}

func (m *memStore) SaveCheckpoint(ctx context.Context, _ string, c CheckpointSave) (Stored, error) {
	m.mu.Lock()
	m.calls++
	fault := m.fault
	m.mu.Unlock()
	if err := fault(ctx); err != nil {
		return Stored{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.s.save(c)
}

func (m *memStore) set(fault func(ctx context.Context) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fault = fault
}

func (m *memStore) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls
}

func (m *memStore) checkpoint() ts.Ts {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.s.checkpoint
}

// memTail is a log of one byte a Ts.
type memTail struct {
	resolved, truncated atomic.Uint64
	store               *memStore // checked on truncation
	early               atomic.Bool
}

func (l *memTail) Name() string { return "c" }
func (l *memTail) Status() Status {
	return Status{Resolved: ts.Ts(l.resolved.Load()), Truncated: ts.Ts(l.truncated.Load())}
}
func (l *memTail) BytesAfter(after ts.Ts) int64 {
	return max(0, int64(l.resolved.Load())-int64(after))
}
func (l *memTail) Truncate(upTo ts.Ts) error {
	if l.store != nil && upTo > l.store.checkpoint() {
		l.early.Store(true)
	}
	l.truncated.Store(max(l.truncated.Load(), uint64(upTo)))
	return nil
}

func openMem(t *testing.T, store *memStore, tail *memTail) *Checkpoint {
	t.Helper()
	tail.store = store
	c, err := OpenCheckpoint(t.Context(), CheckpointOptions{
		Tail: tail, Store: store, Log: slog.New(slog.DiscardHandler), Evictable: 10})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestShellFollowsPinsAndLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, tail := newMemStore(), &memTail{}
		tail.resolved.Store(100)
		c := openMem(t, store, tail)
		at, err := c.Pin(t.Context(), Pin{Owner: "a", Now: true}, nil)
		if err != nil || at != 100 || len(store.s.pins) != 1 {
			t.Fatalf("pinned at %d, %v, stored %v", at, err, store.s.pins)
		}
		tail.resolved.Store(1000)
		if err := c.Claims(Budget{}).Advance(t.Context(), "a", 400); err != nil {
			t.Fatal(err)
		}
		if err := c.Lag(t.Context(), "a", "public.t", 300); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		st := c.Status()
		if st.Checkpoint != 300 || st.Truncated != 300 || tail.truncated.Load() != 300 || st.Holder == nil ||
			st.Holder.Owner != "a" || st.Holder.VChannel != "public.t" || st.Holder.Bytes != 700 {
			t.Errorf("after 3 s: %+v, holder %+v", st, st.Holder)
		}
		time.Sleep(time.Minute)
		if idle := time.Since(c.Status().Moved); idle < time.Minute {
			t.Errorf("last moved %v ago", idle)
		}
		if err := c.Release(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		if st := c.Status(); st.Checkpoint != 1000 || st.Holder != nil || tail.truncated.Load() != 1000 {
			t.Errorf("without pins: %+v", st)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if tail.early.Load() {
			t.Error("truncated before it was stored")
		}
	})
}

func TestShellDeadCatalog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, tail := newMemStore(), &memTail{}
		c := openMem(t, store, tail)
		if _, err := c.Pin(t.Context(), Pin{Owner: "a"}, nil); err != nil {
			t.Fatal(err)
		}
		store.set(func(context.Context) error { return errors.New("away") })
		tail.resolved.Store(1 << 40)
		before := store.count()
		for i := range 16 * 60 {
			if err := c.Advance("a", ts.Ts(i+1)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if calls := store.count() - before; calls < 16*60/5 || calls > 16*60/2 {
			t.Errorf("%d calls in 16 minutes", calls)
		}
		if st := c.Status(); st.Trouble == "" || time.Since(st.Since) < 15*time.Minute {
			t.Errorf("trouble %q since %v", st.Trouble, st.Since)
		}
		waits, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := c.Pin(waits, Pin{Owner: "b", Ts: 1000}, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a claim that cannot be stored: %v", err)
		}
		store.set(func(context.Context) error { return nil })
		time.Sleep(6 * time.Second)
		if st := c.Status(); st.Checkpoint != 960 || st.Trouble != "" {
			t.Errorf("after it came back: %+v", st)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestShellClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, tail := newMemStore(), &memTail{}
		c := openMem(t, store, tail)
		tail.resolved.Store(77)
		if err := c.Close(t.Context()); err != nil || store.checkpoint() != 77 {
			t.Errorf("closed: %v, stored %d", err, store.checkpoint())
		}
		if _, err := c.Pin(t.Context(), Pin{Owner: "a", Ts: 100}, nil); weirerr.CodeOf(err) != weirerr.OwnerClosed {
			t.Errorf("pin after close: %v", err)
		}
		if err := c.Close(t.Context()); err == nil {
			t.Error("closed twice")
		}
	})
}

func TestShellCloseDuringBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, tail := newMemStore(), &memTail{}
		c := openMem(t, store, tail)
		store.set(func(context.Context) error { return errors.New("away") })
		tail.resolved.Store(77)
		time.Sleep(30 * time.Second) // it waits seconds between tries by now
		store.set(func(context.Context) error { return nil })
		begin := time.Now()
		if err := c.Close(t.Context()); err != nil || time.Since(begin) > 0 || store.checkpoint() != 77 {
			t.Errorf("closed after %v: %v, stored %d", time.Since(begin), err, store.checkpoint())
		}
	})
}

func TestShellCloseWithinItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, tail := newMemStore(), &memTail{}
		c := openMem(t, store, tail)
		store.set(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }) // hangs
		go func() {
			if _, err := c.Pin(t.Context(), Pin{Owner: "a", Ts: 9}, nil); weirerr.CodeOf(err) != weirerr.OwnerClosed {
				t.Errorf("a claim that waited: %v", err)
			}
		}()
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		begin := time.Now()
		if err := c.Close(ctx); weirerr.CodeOf(err) != weirerr.NotReady || time.Since(begin) != 10*time.Second {
			t.Errorf("closed after %v: %v", time.Since(begin), err)
		}
	})
}

func TestShellFenced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, tail := newMemStore(), &memTail{}
		old := openMem(t, store, tail)
		if _, err := old.Pin(t.Context(), Pin{Owner: "a", Ts: 5}, nil); err != nil {
			t.Fatal(err)
		}
		young := openMem(t, store, tail)
		tail.resolved.Store(1000)
		_ = old.Advance("a", 900)
		time.Sleep(10 * time.Second)
		calls := store.count()
		time.Sleep(time.Minute)
		if store.count() != calls {
			t.Error("somebody goes on calling the store")
		}
		if st := young.Status(); st.Checkpoint != 5 || old.Status().Trouble == "" {
			t.Errorf("the young one: %+v; the old one: %+v", st, old.Status())
		}
		if err := old.Close(t.Context()); weirerr.CodeOf(err) != weirerr.LogFenced {
			t.Errorf("the old one closes: %v", err)
		}
		if err := young.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestShellTellsOfEvictionOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, tail := newMemStore(), &memTail{}
		c := openMem(t, store, tail)
		told := make(chan error, 9)
		for range 2 { // a second claim replaces the first and what it wanted to hear
			_, err := c.Pin(t.Context(), Pin{Owner: "a", Ts: 5, Budget: Budget{Bytes: 100}}, func(err error) { told <- err })
			if err != nil {
				t.Fatal(err)
			}
		}
		tail.resolved.Store(1000)
		time.Sleep(3 * time.Second)
		if len(told) != 1 || weirerr.CodeOf(<-told) != weirerr.LogEvicted {
			t.Errorf("told %d times", len(told))
		}
		if tail.truncated.Load() != 1000 {
			t.Errorf("truncated up to %d", tail.truncated.Load())
		}
		if err := c.Advance("a", 1000); weirerr.CodeOf(err) != weirerr.LogEvicted {
			t.Errorf("advance: %v", err)
		}
		if err := c.Release(t.Context(), "a"); err != nil || len(c.Status().Lost) != 0 {
			t.Errorf("release: %v, lost %v", err, c.Status().Lost)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestShellBadPins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := openMem(t, newMemStore(), &memTail{})
		for _, p := range []Pin{{}, {Owner: "a", Budget: Budget{OnFull: "x"}}, {Owner: "a", Budget: Budget{TTL: -1}}} {
			if _, err := c.Pin(t.Context(), p, nil); weirerr.CodeOf(err) != weirerr.InvalidArgument {
				t.Errorf("%+v: %v", p, err)
			}
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestShellUnderLoad runs many consumers against a store that fails one call in
// three, under the race detector, and then compares what is stored with what they did.
func TestShellUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, tail := newMemStore(), &memTail{}
		var n atomic.Uint64
		store.set(func(context.Context) error {
			time.Sleep(time.Duration(n.Add(7)%50) * time.Millisecond)
			if n.Load()%3 == 0 {
				return errors.New("away")
			}
			return nil
		})
		c := openMem(t, store, tail)
		const consumers = 8
		var wg sync.WaitGroup
		for i := range consumers {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(i), 1))
				owner := fmt.Sprintf("o%d", i)
				at, err := c.Pin(t.Context(), Pin{Owner: owner, Now: true}, nil)
				if err != nil {
					t.Error(err)
				}
				for range 300 {
					time.Sleep(time.Duration(rng.IntN(200)) * time.Millisecond)
					tail.resolved.Add(uint64(rng.IntN(20)))
					at = max(at, ts.Ts(tail.resolved.Load())-ts.Ts(rng.IntN(int(min(5, tail.resolved.Load()+1)))))
					if err := c.Advance(owner, at); err != nil {
						t.Error(err)
					}
					_ = c.Status()
				}
				if i%2 == 0 {
					if err := c.Release(t.Context(), owner); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		store.set(func(context.Context) error { return nil })
		low := c.Status().Holder.Ts
		if err := c.Close(t.Context()); err != nil || store.checkpoint() != low || len(store.s.pins) != consumers/2 {
			t.Errorf("closed: %v, stored %d with %d pins, want %d", err, store.checkpoint(), len(store.s.pins), low)
		}
		for i, h := 1, store.s.history; i < len(h); i++ {
			if h[i] <= h[i-1] {
				t.Errorf("%d stored after %d", h[i], h[i-1])
			}
		}
		if tail.early.Load() || len(store.s.history) < 10 {
			t.Errorf("truncated early %v, %d saves", tail.early.Load(), len(store.s.history))
		}
	})
}

func TestShellMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := prometheus.NewPedanticRegistry()
		open := func(name string) *Checkpoint {
			c, err := OpenCheckpoint(t.Context(), CheckpointOptions{Tail: namedTail{&memTail{}, name}, Store: newMemStore(),
				Log: slog.New(slog.DiscardHandler), Metrics: reg})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		a, b := open("a"), open("b")
		if _, err := a.Pin(t.Context(), Pin{Owner: "cf", Ts: 1, Lag: map[string]ts.Ts{"t": 0}}, nil); err != nil {
			t.Fatal(err)
		}
		families, err := reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]int{}
		for _, f := range families {
			found[f.GetName()] = len(f.GetMetric())
		}
		if found["weir_log_checkpoint_unmoved_seconds"] != 2 || found["weir_log_checkpoint_holder"] != 1 || found["weir_log_pin_bytes"] != 1 {
			t.Errorf("found %v", found)
		}
		for _, c := range []*Checkpoint{a, b} {
			if err := c.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if families, err = reg.Gather(); err != nil || len(families) != 0 {
			t.Errorf("after close: %d families, %v", len(families), err)
		}
		again := open("a") // the name is free again
		if err := again.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

type namedTail struct {
	*memTail
	name string
}

func (n namedTail) Name() string { return n.name }
