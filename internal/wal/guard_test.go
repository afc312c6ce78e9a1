package wal

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

func TestWatch(t *testing.T) {
	full, fine := Usage{Free: 5, Used: 50}, Usage{Free: 50, Used: 50}
	small := holder{channel: "a", owner: "small", bytes: 20, evictable: true, settled: true}
	big := holder{channel: "b", owner: "big", bytes: 30, evictable: true, settled: true}
	for _, c := range []struct {
		name    string
		usage   Usage
		holders []holder
		want    string
		blocked string
	}{
		{"room enough", fine, []holder{small, big}, "", ""},
		{"most bytes", full, []holder{small, big}, "big", ""},
		{"over the limit", Usage{Free: 50, Used: 101}, []holder{small}, "small", ""},
		{"at both marks", Usage{Free: 10, Used: 100}, []holder{small}, "", ""},
		{"block stays", full, []holder{small, {channel: "b", owner: "big", bytes: 30, blocks: true}}, "small", ""},
		{"only block", full, []holder{{channel: "b", owner: "big", bytes: 30, blocks: true}}, "", "big holds 30 bytes"},
		{"none", full, nil, "", "no pin"},
		{"too little", full, []holder{{channel: "b", owner: "tiny", bytes: 1}}, "", "no pin"},
	} {
		w := watch{reserve: 10, limit: 100, settle: 10_000}
		victim, evict := w.look(1000, c.usage, c.holders)
		if victim.owner != c.want || evict != (c.want != "") || (c.blocked == "") != (w.status.Blocked == "") || !strings.HasPrefix(w.status.Blocked, c.blocked) {
			t.Errorf("%s: evicts %q, blocked %q", c.name, victim.owner, w.status.Blocked)
		}
	}
}

// TestWatchWaitsForTheFirst: one eviction at a time, until its log is gone.
func TestWatchWaitsForTheFirst(t *testing.T) {
	w := watch{reserve: 10, settle: 10_000}
	holders := func(settled bool) []holder {
		return []holder{{channel: "a", owner: "x", bytes: 20, evictable: true, settled: settled}}
	}
	steps := []struct {
		now     int64
		settled bool
		evict   bool
	}{{0, true, true}, {1000, false, false}, {2000, false, false}, {3000, true, true}, {4000, false, false}, {13_000, false, true}}
	for _, s := range steps {
		if _, evict := w.look(s.now, Usage{Free: 1}, holders(s.settled)); evict != s.evict {
			t.Errorf("at %d ms: evicts %v, want %v", s.now, evict, s.evict)
		}
	}
	if since := w.status.Since.UnixMilli(); since != 0 {
		t.Errorf("pressure since %d", since)
	}
	w.look(14_000, Usage{Free: 99}, nil)
	w.look(15_000, Usage{Free: 1}, nil)
	if since := w.status.Since.UnixMilli(); since != 15_000 {
		t.Errorf("new pressure since %d", since)
	}
}

// TestGuardEvictsTheSlowAndOthersGoOn runs two channels on one disk: the slow
// consumer of one is evicted, nobody else notices, and the space comes back.
func TestGuardEvictsTheSlowAndOthersGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logs := []*memTail{{}, {}}
		var cs []*Checkpoint
		var evictions atomic.Int64
		for i, l := range logs {
			store := newMemStore()
			l.store = store
			c, err := OpenCheckpoint(t.Context(), CheckpointOptions{Tail: namedTail{l, string(rune('a' + i))}, Store: store,
				Log: slog.New(slog.DiscardHandler), Evictable: 100})
			if err != nil {
				t.Fatal(err)
			}
			cs = append(cs, c)
			for owner, full := range map[string]OnFull{"fast": Evict, "careful": Block} {
				if _, err := c.Pin(t.Context(), Pin{Owner: owner, Budget: Budget{OnFull: full}}, func(error) { t.Errorf("%s of %d is evicted", owner, i) }); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := cs[1].Pin(t.Context(), Pin{Owner: "slow"}, func(err error) {
			if weirerr.CodeOf(err) != weirerr.LogEvicted {
				t.Errorf("told %v", err)
			}
			evictions.Add(1)
		}); err != nil {
			t.Fatal(err)
		}
		used := func() (u Usage, err error) {
			for _, l := range logs {
				u.Used += int64(l.resolved.Load() - l.truncated.Load())
			}
			u.Free = 10_000 - u.Used
			return u, nil
		}
		g := NewGuard(GuardOptions{Usage: used, Log: slog.New(slog.DiscardHandler), Reserve: 2000})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); g.Run(ctx) }()
		for _, c := range cs {
			g.Add(c)
		}
		fill(t, logs, cs, used)
		if evictions.Load() != 1 {
			t.Errorf("%d evictions of the slow one", evictions.Load())
		}
		if st := g.Status(); st.Pressure != "" || st.Usage.Free < 9000 {
			t.Errorf("at the end: %+v", st)
		}
		cancel()
		<-done
		g.Remove("a")
		for _, c := range cs {
			if err := c.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
}

// fill appends 100 bytes a second for five minutes, which a slow consumer's pin
// would let fill the disk, while the others keep up.
func fill(t *testing.T, logs []*memTail, cs []*Checkpoint, used func() (Usage, error)) {
	t.Helper()
	for range 300 {
		for i, l := range logs {
			at := ts.Ts(l.resolved.Add(50))
			for _, owner := range []string{"fast", "careful"} {
				if err := cs[i].Advance(owner, at); err != nil {
					t.Fatal(err)
				}
			}
		}
		if u, _ := used(); u.Free <= 0 {
			t.Fatal("the disk is full")
		}
		time.Sleep(time.Second)
	}
}
