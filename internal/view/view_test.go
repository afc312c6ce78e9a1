package view

import (
	"context"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// stand is a store whose one key holds its epoch, published epoch by epoch.
type stand struct {
	t     *testing.T
	store *state.Store
	views *Views
	at    ts.Ts
}

var graph = state.Graph{Database: 1}

func newStand(t *testing.T, o Options) *stand {
	t.Helper()
	store, err := state.Open(t.TempDir(), state.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &stand{t: t, store: store, views: New(o)}
	t.Cleanup(func() {
		s.ok(s.views.Close())
		s.ok(s.store.Close())
	})
	return s
}

func (s *stand) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// apply brings the store to the next epoch.
func (s *stand) apply() *state.Snapshot {
	s.t.Helper()
	ctx := context.Background()
	d := state.NewDelta(1)
	d.Add([]byte("epoch"), []byte(ts.Ts(s.at+10).String()))
	sealed, err := s.store.Seal(ctx, graph, s.at, s.at+10, []*state.Delta{d})
	s.ok(err)
	s.ok(s.store.Apply(ctx, sealed))
	n, err := s.store.Snapshot()
	s.ok(err)
	s.at += 10
	return n
}

// publish applies and shows the next epoch, with a delta of rows.
func (s *stand) publish(rows int) {
	s.t.Helper()
	n := s.apply()
	deltas := map[Relation]*zset.Chunk{}
	if rows > 0 {
		c := zset.NewChunk([]zset.Kind{zset.Int}, rows)
		for i := range rows {
			c.Cols[0].AppendInt(int64(i))
			c.AppendWeight(1)
		}
		deltas[7] = c
	}
	s.ok(s.views.Publish(1, s.at-10, s.at, n, deltas))
}

func (s *stand) shows(p *Pin, want string) {
	s.t.Helper()
	s.ok(p.Use(func(n *state.Snapshot) error {
		v, _, err := n.Get(1, 1, []byte("epoch"), nil)
		if string(v) != want {
			s.t.Errorf("the pin of %s shows %q, want %q", p.Epoch(), v, want)
		}
		return err
	}))
}

func (s *stand) is(what string, err error, code weirerr.Code) {
	s.t.Helper()
	if err == nil || weirerr.CodeOf(err) != code {
		s.t.Errorf("%s: %v, want %s", what, err, code)
	}
}

func TestPinShowsOneEpoch(t *testing.T) {
	s := newStand(t, Options{})
	_, err := s.views.Pin(1)
	s.is("before anything is published", err, weirerr.NotReady)
	s.publish(0)
	p, err := s.views.Pin(1)
	s.ok(err)
	s.publish(0)
	s.publish(0)
	s.shows(p, "10")
	q, err := s.views.Pin(1)
	s.ok(err)
	s.shows(q, "30")
	s.ok(p.Release())
	s.ok(p.Release())
	s.is("released", p.Use(func(*state.Snapshot) error { return nil }), weirerr.WrongState)
	s.ok(q.Release())
}

func TestPinEndsWithItsTTL(t *testing.T) {
	s := newStand(t, Options{TTL: time.Millisecond})
	s.publish(0)
	p, err := s.views.Pin(1)
	s.ok(err)
	s.publish(0)
	for deadline := time.Now().Add(30 * time.Second); err == nil; {
		if err = p.Use(func(*state.Snapshot) error { return nil }); time.Now().After(deadline) {
			t.Fatal("the pin outlives its TTL by 30 s")
		}
	}
	s.is("after the TTL", err, weirerr.SnapshotTooOld)
}

func TestWait(t *testing.T) {
	s := newStand(t, Options{})
	s.publish(0)
	got := make(chan ts.Ts)
	go func() {
		e, err := s.views.Wait(context.Background(), 1, 15)
		if err != nil {
			e = 0
		}
		got <- e
	}()
	s.publish(0)
	if e := <-got; e != 20 {
		t.Errorf("waited for 15, got %s", e)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	_, err := s.views.Wait(ctx, 1, 25)
	s.is("not in time", err, weirerr.Timeout)
	s.views.Failed(1, weirerr.New(weirerr.LogCorrupt, "a record"))
	_, err = s.views.Wait(ctx, 1, 25)
	s.is("while it stands still", err, weirerr.NotReady)
}

func TestFollowerGetsEveryDeltaFromItsStart(t *testing.T) {
	s := newStand(t, Options{})
	ctx := context.Background()
	s.publish(0) // 10
	f := s.views.Follow(1, 7, 100)
	defer f.Close()
	s.publish(1) // 20: was under way already
	if taps := s.views.Tap(1, 20); len(taps) != 1 || taps[0] != 7 {
		t.Errorf("taps %v", taps)
	}
	s.publish(2) // 30: the first that was collected whole
	s.publish(0)
	s.publish(3)
	p, err := f.Start(ctx)
	s.ok(err)
	s.shows(p, "30")
	s.ok(p.Release())
	for _, want := range []struct {
		epoch ts.Ts
		rows  int
	}{{40, 0}, {50, 3}} {
		d, err := f.Next(ctx)
		s.ok(err)
		rows := 0
		if d.Rows != nil {
			rows = d.Rows.N
		}
		if d.Epoch != want.epoch || d.Prev != want.epoch-10 || rows != want.rows {
			t.Errorf("delta %s..%s of %d rows, want %v", d.Prev, d.Epoch, rows, want)
		}
	}
}

func TestFollowerThatFallsBehindIsCutOff(t *testing.T) {
	s := newStand(t, Options{})
	ctx := context.Background()
	f, g := s.views.Follow(1, 7, 10), s.views.Follow(1, 7, 1000)
	defer g.Close()
	s.views.Tap(1, 0)
	for range 4 {
		s.publish(6)
	}
	_, err := f.Next(ctx)
	s.is("behind", err, weirerr.FollowerBehind)
	f.Close()
	s.ok(s.apply().Release()) // an epoch that is never published
	s.publish(6)
	p, err := g.Start(ctx)
	s.ok(err)
	s.ok(p.Release())
	_, err = g.Next(ctx)
	s.is("a gap", err, weirerr.FollowerBehind)
}

func TestDropEndsPinsAndFollowers(t *testing.T) {
	s := newStand(t, Options{})
	s.publish(0)
	p, err := s.views.Pin(1)
	s.ok(err)
	f := s.views.Follow(1, 7, 10)
	s.ok(s.views.Drop(1))
	s.is("pin", p.Use(func(*state.Snapshot) error { return nil }), weirerr.NotFound)
	_, err = f.Next(context.Background())
	s.is("follower", err, weirerr.NotFound)
	f.Close()
	s.ok(p.Release())
}
