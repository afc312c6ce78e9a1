package feed

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirstream/weir/internal/filter"
	"github.com/weirstream/weir/internal/reconcile/sourcetest"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

const (
	accounts = row.TableID(1)
	journal  = row.TableID(2) // keyless
	secret   = row.TableID(3)
)

// rig is an upstream, a target and what survives a feed.
type rig struct {
	*sourcetest.Upstream
	target *target
	memory *memory
	opts   Options
	feed   *Feed
	stop   chan struct{}
	over   chan struct{}
}

func newRig(t testing.TB, seed uint64) *rig {
	u := sourcetest.New(t, seed)
	u.Create(accounts, "accounts", true)
	u.Create(journal, "journal", false)
	r := &rig{Upstream: u, target: newTarget(), memory: newMemory(u), stop: make(chan struct{}), over: make(chan struct{})}
	r.opts = Options{
		Name: "cf", Cluster: "c", Source: u, Store: r.memory, Pins: r.memory,
		OpenSink: func() (Sink, error) { return r.target.open() }, Log: slog.New(slog.DiscardHandler),
		SaveInterval: 5 * time.Millisecond, RetryInitial: 2 * time.Millisecond, RetryMax: 20 * time.Millisecond,
	}
	go r.chunks()
	t.Cleanup(func() {
		close(r.stop)
		<-r.over
		if r.feed != nil {
			r.feed.kill()
		}
	})
	return r
}

// chunks is the capture's snapshot reader.
func (r *rig) chunks() {
	defer close(r.over)
	for {
		select {
		case <-r.stop:
			return
		case <-time.After(time.Millisecond):
			if r.Place() {
				continue
			}
			r.Promise()
		}
	}
}

func (r *rig) start(t testing.TB) *Feed {
	t.Helper()
	f, err := New(t.Context(), r.opts)
	if err != nil {
		t.Fatal(err)
	}
	r.feed = f
	return f
}

// kill ends the feed as a crash does: nothing is saved any more.
func (f *Feed) kill() {
	f.cancel()
	<-f.done
}

func (r *rig) wait(t testing.TB, at ts.Ts) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := r.feed.Wait(ctx, at); err != nil {
		t.Fatalf("wait: %v\nstatus %+v", err, r.feed.Status())
	}
}

// until polls a condition that the feed brings about by itself.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	patience := 20 * time.Second
	if os.Getenv("WEIR_INSIDE_MUTANT") != "" {
		patience = 6 * time.Second
	}
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still not: %s", what)
		}
	}
}

// consistent waits until the snapshot is over.
func (r *rig) consistent(t testing.TB) {
	t.Helper()
	until(t, "snapshot over", func() bool {
		r.Commit(false, func(x *sourcetest.Txn) { x.Insert(journal, "tick", "", "") })
		r.Pump(-1)
		return r.feed.Status().ConsistentFrom != 0
	})
}

func (r *rig) equal(t testing.TB) {
	t.Helper()
	r.wait(t, r.Settled())
	if err := r.target.differs(r.Upstream); err != nil {
		t.Fatal(err)
	}
}

func TestSnapshotThenStream(t *testing.T) {
	r := newRig(t, 1)
	r.opts.Registerer = prometheus.NewRegistry()
	r.Commit(false, func(x *sourcetest.Txn) {
		for i := range 120 {
			x.Insert(accounts, sourcetest.KeyName(i), "100", "large")
			x.Insert(journal, "old", "", "")
		}
	})
	r.Pump(-1)
	f := r.start(t)
	r.consistent(t)
	r.Commit(false, func(x *sourcetest.Txn) {
		x.Update(accounts, sourcetest.KeyName(3), sourcetest.KeyName(3), "50", "~")
		x.Update(accounts, sourcetest.KeyName(4), "k500", "51", "~")
		x.Delete(accounts, sourcetest.KeyName(5))
		x.Insert(journal, "moved", "", "")
	})
	r.equal(t)
	s := f.Status()
	if s.State != "normal" || s.Snapshot != nil || s.Statistics.Reads < 240 || s.Statistics.Updates != 2 || s.Statistics.Deletes != 1 {
		t.Errorf("status %+v", s)
	}
	if s.Holder.Stage != "waiting-for-upstream" && s.Holder.Stage != "reading" {
		t.Errorf("holder %+v", s.Holder)
	}
	if err := f.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.memory.record == nil || !strings.Contains(string(r.memory.record.Status), `"state":"normal"`) {
		t.Errorf("record %s", r.memory.record.Status)
	}
}

func TestStartNowSkipsWhatWasThere(t *testing.T) {
	r := newRig(t, 2)
	r.Commit(false, func(x *sourcetest.Txn) { x.Insert(journal, "old", "", "") })
	r.Pump(-1)
	r.Promise()
	r.opts.Start = StartNow
	r.start(t)
	r.Commit(false, func(x *sourcetest.Txn) { x.Insert(journal, "new", "", "") })
	r.wait(t, r.Settled())
	if got := r.target.appended[journal]; len(got) != 1 || got[0] != string(sourcetest.Tuple("new", "", "")) {
		t.Errorf("got %q", got)
	}
	if s := r.feed.Status(); s.ConsistentFrom != s.StartTs {
		t.Errorf("consistent from %s, start %s", s.ConsistentFrom, s.StartTs)
	}
}

func TestFilterAndNewTable(t *testing.T) {
	r := newRig(t, 3)
	r.Create(secret, "secret", true)
	var err error
	if r.opts.Filter, err = filter.Parse([]string{"public.*", "!public.secret"}); err != nil {
		t.Fatal(err)
	}
	r.start(t)
	r.consistent(t)
	r.Commit(false, func(x *sourcetest.Txn) { x.Insert(secret, "k1", "x", "y") })
	r.Create(9, "later", true)
	r.Commit(false, func(x *sourcetest.Txn) { x.Insert(9, "k001", "x", "y"); x.Insert(9, "k002", "x", "y") })
	r.Pump(-1)
	until(t, "the new table is there", func() bool {
		r.Promise()
		r.target.mu.Lock()
		defer r.target.mu.Unlock()
		return len(r.target.tables[9]) == 2
	})
	if r.target.tables[secret] != nil {
		t.Error("a table that is filtered out was delivered")
	}
}

func TestSchemaChangeComesInOrder(t *testing.T) {
	r := newRig(t, 4)
	r.start(t)
	r.consistent(t)
	r.Commit(false, func(x *sourcetest.Txn) {
		x.Insert(accounts, "k001", "1", "b")
		x.Widen(accounts)
		x.Insert(accounts, "k002", "1", "b", "new")
	})
	r.equal(t)
	if got := strings.Join(r.target.reshaped, ","); !strings.Contains(got, "1 v1") || !strings.HasSuffix(got, "1 v2") {
		t.Errorf("shapes %s", got)
	}
}

func TestLargeTransactionIsOneCommit(t *testing.T) {
	r := newRig(t, 5)
	r.start(t)
	r.consistent(t)
	r.wait(t, r.Settled())
	before := r.target.commits
	r.PerPart = 100
	const rows = 30_000 // several batches, above the limit of a merged transaction
	r.Commit(true, func(x *sourcetest.Txn) {
		for i := range rows {
			x.Insert(journal, "large", string(rune('a'+i%26)), strings.Repeat("x", 60))
		}
	})
	r.wait(t, r.Settled())
	if n := r.target.commits - before; n != 1 {
		t.Errorf("%d commits, want 1", n)
	}
	r.equal(t)
}

func TestTargetTsIsExact(t *testing.T) {
	r := newRig(t, 6)
	r.opts.Start = StartNow
	r.Commit(false, func(x *sourcetest.Txn) { x.Insert(journal, "before", "", "") })
	r.Pump(-1)
	r.Promise()
	f := r.start(t)
	var last ts.Ts
	for range 5 {
		r.Commit(false, func(x *sourcetest.Txn) { x.Insert(journal, "in", "", "") })
		r.Pump(-1)
		last = r.Last
	}
	r.wait(t, last)
	if err := f.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	o := r.opts
	o.TargetTs = r.Promise() + 1<<27 // half a second
	want := 5
	for r.Last <= o.TargetTs {
		r.Commit(false, func(x *sourcetest.Txn) { x.Insert(journal, "in", "", "") })
		if r.Pump(-1); r.Last <= o.TargetTs {
			want++
		}
	}
	r.Promise()
	if err := f.Update(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if err := f.Resume(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	until(t, "finished", func() bool { return f.Status().State == "finished" })
	if s := f.Status(); s.CheckpointTs != o.TargetTs {
		t.Errorf("finished at %s, target %s", s.CheckpointTs, o.TargetTs)
	}
	if got := len(r.target.appended[journal]); got != want {
		t.Errorf("%d rows, want %d", got, want)
	}
	until(t, "pin released", func() bool { r.memory.mu.Lock(); defer r.memory.mu.Unlock(); return len(r.memory.pins) == 0 })
}

func TestErrorsByFlags(t *testing.T) {
	r := newRig(t, 7)
	bad := true
	r.opts.OpenSink = func() (Sink, error) {
		if bad {
			return nil, weirerr.New(weirerr.TargetRights, "no right").With("table", "public.accounts").Hint("grant it")
		}
		return r.target.open()
	}
	f := r.start(t)
	until(t, "failed", func() bool { return f.Status().State == "failed" })
	s := f.Status()
	if s.Error == nil || s.Error.Code != weirerr.TargetRights || s.Error.Hint != "grant it" || s.Holder.Table != "public.accounts" {
		t.Errorf("status %+v, error %+v", s, s.Error)
	}
	if err := f.Wait(t.Context(), r.Promise()); weirerr.CodeOf(err) != weirerr.WrongState {
		t.Errorf("wait on a failed feed: %v", err)
	}
	if err := f.Pause(t.Context()); weirerr.CodeOf(err) != weirerr.WrongState {
		t.Errorf("pause of a failed feed: %v", err)
	}
	bad = false
	if err := f.Resume(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	r.consistent(t)
	r.equal(t)
}

func TestTargetThatLostItsPosition(t *testing.T) {
	r := newRig(t, 8)
	f := r.start(t)
	r.consistent(t)
	r.equal(t)
	if err := f.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.target = newTarget()
	f = r.start(t)
	until(t, "failed", func() bool { return f.Status().State == "failed" })
	if s := f.Status(); s.Error.Code != weirerr.TargetBehind {
		t.Errorf("error %+v", s.Error)
	}
	if err := f.Resync(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.consistent(t)
	r.equal(t)
	if err := f.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-f.Done()
	if len(r.memory.pins) != 0 || r.memory.record != nil {
		t.Errorf("left behind: pins %v, record %v", r.memory.pins, r.memory.record)
	}
}

// restored delivers, sets the target back to an older copy of itself, and starts.
func restored(t *testing.T, keep bool) *rig {
	r := newRig(t, 9)
	r.memory.keep = keep
	f := r.start(t)
	r.consistent(t)
	r.equal(t)
	backup, inc := len(r.target.appended[journal]), f.Status().Incarnation
	r.Commit(false, func(x *sourcetest.Txn) { x.Insert(journal, "tick", "", "") })
	r.equal(t)
	pos := r.target.position[inc]
	backup++
	for range 10 {
		r.Commit(false, func(x *sourcetest.Txn) { x.Insert(journal, "again", "", "") })
	}
	r.equal(t)
	until(t, "saved past the backup", func() bool { return f.Status().PinTs > pos.Ts })
	f.kill()
	r.target.appended[journal] = r.target.appended[journal][:backup]
	r.target.position[inc] = pos
	r.start(t)
	return r
}

func TestTargetRestoredFromABackupIsBroughtUp(t *testing.T) {
	r := restored(t, true)
	r.Commit(false, func(x *sourcetest.Txn) { x.Insert(journal, "more", "", "") })
	r.Pump(-1)
	until(t, "all delivered again", func() bool { return r.target.differs(r.Upstream) == nil })
	r.equal(t)
}

func TestTargetBelowTheLogIsAnError(t *testing.T) {
	r := restored(t, false)
	until(t, "failed", func() bool { return r.feed.Status().State == "failed" })
	if e := r.feed.Status().Error; e.Code != weirerr.TargetBehind {
		t.Errorf("error %+v", e)
	}
}

func TestForgetfulTargetGoesOnFromTheCheckpoint(t *testing.T) {
	r := newRig(t, 10)
	r.target.forgets = true
	f := r.start(t)
	r.consistent(t)
	r.equal(t)
	if err := f.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	clear(r.target.position)
	r.start(t)
	r.Commit(false, func(x *sourcetest.Txn) { x.Insert(journal, "more", "", "") })
	r.equal(t)
}

func TestEvictionFailsLoudly(t *testing.T) {
	r := newRig(t, 11)
	f := r.start(t)
	r.consistent(t)
	r.memory.evict(weirerr.New(weirerr.LogEvicted, "evicted").Hint("resync"))
	until(t, "failed", func() bool { return f.Status().State == "failed" })
	if s := f.Status(); s.Error.Code != weirerr.LogEvicted || s.PinTs != 0 {
		t.Errorf("status %+v", s)
	}
}

func TestHolderOfASlowTarget(t *testing.T) {
	r := newRig(t, 12)
	r.opts.Start = StartNow
	r.target.hang = make(chan struct{})
	f := r.start(t)
	r.Commit(false, func(x *sourcetest.Txn) { x.Insert(accounts, "k001", "1", "2") })
	r.Pump(-1)
	until(t, "writing", func() bool { h := f.Status().Holder; return h.Stage == "writing" && h.Table == "public.accounts" })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := f.Wait(ctx, r.Promise()); weirerr.CodeOf(err) != weirerr.NotReady || !strings.Contains(err.Error(), "public.accounts") {
		t.Errorf("wait: %v", err)
	}
	if err := f.Pause(t.Context()); err != nil { // although the sink hangs
		t.Fatal(err)
	}
}
