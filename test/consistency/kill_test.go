package consistency

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/test/rig"
)

// house is a weir that is killed now and then.
type house struct {
	*rig.Weir
	t *testing.T
}

func newHouse(t *testing.T) *house {
	t.Helper()
	w, err := rig.New(rig.Options{Bin: weirBin, DataDir: filepath.Join(t.TempDir(), "data")})
	check(t, err)
	h := &house{w, t}
	t.Cleanup(func() {
		if err := w.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the end of weir's log:\n%s", w.Log())
		}
	})
	check(t, w.Start(t.Context()))
	return h
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (h *house) url() string { return "postgres://root@" + h.SQLAddr() + "/dev?sslmode=disable" }

// exec runs statements on a connection of their own.
func (h *house) exec(text string) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), time.Minute)
	defer cancel()
	err := once(ctx, h.url(), func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, text, pgx.QueryExecModeSimpleProtocol)
		return err
	})
	check(h.t, err)
}

// recovery bounds the time from the start of weir, or of what it reads, until its views go on.
const recovery = 10 * time.Second

// kill ends the process with -9 at random moments and starts it again.
func (h *house) kill(times int) {
	h.t.Helper()
	slowest := time.Duration(0)
	for range times {
		time.Sleep(time.Duration(100+rand.IntN(pick(1500, 3000))) * time.Millisecond) // any moment will do
		check(h.t, h.Kill())
		begin := time.Now()
		check(h.t, h.Start(h.t.Context()))
		h.exec("FLUSH")
		slowest = max(slowest, h.within(begin))
	}
	h.t.Logf("%d kills, the slowest recovery took %v", times, slowest)
}

// within says how long a recovery has taken, and judges it.
func (h *house) within(begin time.Time) time.Duration {
	h.t.Helper()
	took := time.Since(begin)
	if took > recovery {
		h.t.Errorf("a recovery took %v", took)
	}
	return took
}

// enough returns when transfers and observations are so many that they show something.
func (h *house) enough(b *bank, w *watchers) {
	h.t.Helper()
	for deadline := time.Now().Add(time.Minute); b.total() < transfers || !w.enough(); {
		if time.Now().After(deadline) {
			h.t.Errorf("after a minute there are only %d transfers, or too few observations", b.total())
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// final compares what is there at the end with what was written, and judges it.
func (h *house) final(written map[int64]int64) {
	h.t.Helper()
	b := books{}
	check(h.t, once(h.t.Context(), h.url(), func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, everything+" UNION ALL "+anew)
		if err != nil {
			return err
		}
		var kind string
		var key, value int64
		_, err = pgx.ForEachRow(rows, []any{&kind, &key, &value}, func() error { return b.add(kind, key, value) })
		return err
	}))
	for _, f := range b.check() {
		h.t.Error("at the end: " + f)
	}
	total := int64(0)
	for w, n := range written {
		if total += n; b["written"][w] != n {
			h.t.Errorf("at the end: writer %d has written %d transfers, %d are there", w, n, b["written"][w])
		}
	}
	h.t.Logf("%d transfers: %v", total, written)
}

// TestOwnTables: transfers are transactions of weir itself.
func TestOwnTables(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.exec(tables + seed + views)
	b := &bank{url: h.url(), settle: "FLUSH"}
	b.start(3)
	w := watch(h.url())
	h.kill(pick(3, 50))
	h.enough(b, w)
	written := b.stop(t)
	h.exec("FLUSH")
	w.stop(t)
	h.final(written)
}
