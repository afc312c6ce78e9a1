package control_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/config"
	. "github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/control/controltest"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

func TestChangefeedLife(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.MakeSource("shop")
	w.Took()
	info := w.MakeFeed("cf1")
	if info.Source != "shop" || info.Start != StartInitial || info.Incarnation != 1 || info.Status.State != StateNormal {
		t.Errorf("%+v", info)
	}
	w.wantCalls("check blackhole://; start cf1/1")

	for range 2 { // both are idempotent
		if err := w.PauseChangefeed(ctx, "cf1"); err != nil {
			t.Fatal(err)
		}
	}
	w.wantCalls("pause cf1")
	uri, none := "postgres://u:"+controltest.Password+"@t/db", ts.Ts(0)
	info, err := w.UpdateChangefeed(ctx, "cf1", UpdateChangefeed{SinkURI: &uri, TargetTs: &none, Tables: &[]string{"public.*"},
		Configure: func(c *config.Changefeed) error { c.Merge = "none"; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	if info.Config.Merge != "none" || info.SinkURI != "postgres://u:xxxxx@t/db" || info.Tables[0] != "public.*" {
		t.Errorf("%+v", info)
	}
	w.wantCalls("check " + uri + "; update cf1")
	for range 2 {
		if err := w.ResumeChangefeed(ctx, "cf1", 0); err != nil {
			t.Fatal(err)
		}
	}
	w.wantCalls("check " + uri + "; resume cf1 0")

	w.Crash()
	if err := w.Restore(ctx); err != nil {
		t.Fatal(err)
	}
	w.wantCalls("start-source shop; start cf1/1")
	if info, err := w.GetChangefeed(ctx, "cf1"); err != nil || info.Config.Merge != "none" {
		t.Errorf("%+v, %v", info, err)
	}
	if gone, err := w.RemoveChangefeed(ctx, "cf1"); err != nil || gone == nil || gone.Status.State != StateRemoved {
		t.Errorf("%+v, %v", gone, err)
	}
	if gone, err := w.RemoveChangefeed(ctx, "cf1"); err != nil || gone != nil {
		t.Errorf("a second remove: %+v, %v", gone, err)
	}
	if again := w.MakeFeed("cf1"); again.Incarnation != 2 {
		t.Errorf("incarnation %d after creating anew, want 2", again.Incarnation)
	}
}

// A resync raises the incarnation below control; a later changefeed of the name
// begins above it all the same.
func TestIncarnationGrowsPastResync(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.MakeSource("shop")
	w.MakeFeed("cf1")
	store := NewFeedStore(w.Store, "cf1")
	if err := store.Save(ctx, FeedRecord{Status: []byte(`{"incarnation":7}`), State: []byte(`{"a":1}`)}); err != nil {
		t.Fatal(err)
	}
	if err := store.Save(ctx, FeedRecord{Status: []byte(`{"incarnation":6,"x":2}`)}); err != nil {
		t.Fatal(err)
	}
	r, ok, err := store.Load(ctx)
	if err != nil || !ok || string(r.Status) != `{"incarnation":6,"x":2}` || string(r.State) != `{"a":1}` {
		t.Errorf("%s, %s, %v, %v", r.Status, r.State, ok, err)
	}
	if _, err := w.RemoveChangefeed(ctx, "cf1"); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := store.Load(ctx); ok || err != nil {
		t.Errorf("the record outlived its changefeed: %v, %v", ok, err)
	}
	if again := w.MakeFeed("cf1"); again.Incarnation != 8 {
		t.Errorf("incarnation %d, want 8", again.Incarnation)
	}
}

func TestChangefeedIsRefused(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	_, err := w.CreateChangefeed(ctx, controltest.Request("cf"))
	w.wantCode(err, weirerr.InvalidArgument, "there is no source yet")
	w.MakeSource("shop")
	w.MakeFeed("taken")
	now := ts.FromTime(w.Clock)
	for _, c := range []struct {
		change func(*CreateChangefeed)
		code   weirerr.Code
		want   string
	}{
		{func(r *CreateChangefeed) { r.ID = "a_b" }, weirerr.InvalidArgument, "not a changefeed name"},
		{func(r *CreateChangefeed) { r.ID = strings.Repeat("a", 129) }, weirerr.InvalidArgument, "at most 128"},
		{func(r *CreateChangefeed) { r.ID = "taken" }, weirerr.AlreadyExists, "remove it first"},
		{func(r *CreateChangefeed) { r.Source = "nobody" }, weirerr.NotFound, "nobody"},
		{func(r *CreateChangefeed) { r.SinkURI = "" }, weirerr.InvalidArgument, "needs a sink"},
		{func(r *CreateChangefeed) { r.SinkURI = "kafka://x" }, weirerr.InvalidArgument, "sinks are blackhole://, postgres://"},
		{func(r *CreateChangefeed) { r.SinkURI = "/tmp" }, weirerr.InvalidArgument, "no scheme"},
		{func(r *CreateChangefeed) { r.Start = "later" }, weirerr.InvalidArgument, "start is"},
		{func(r *CreateChangefeed) { r.Start, r.StartTs = StartNow, 1 }, weirerr.InvalidArgument, "contradict"},
		{func(r *CreateChangefeed) { r.StartTs = now + 1 }, weirerr.InvalidArgument, "future"},
		{func(r *CreateChangefeed) { r.StartTs, r.TargetTs = 5, 5 }, weirerr.InvalidArgument, "not after the start"},
		{func(r *CreateChangefeed) { r.TargetTs = now }, weirerr.InvalidArgument, "not after the start"},
		{func(r *CreateChangefeed) { r.Config.Merge = "some" }, weirerr.InvalidArgument, "merge"},
		{func(r *CreateChangefeed) { r.Tables = []string{"*"} }, weirerr.InvalidArgument, "rule"},
	} {
		r := controltest.Request("cf")
		c.change(&r)
		_, err := w.CreateChangefeed(ctx, r)
		w.wantCode(err, c.code, c.want)
	}
	w.MakeSource("other")
	_, err = w.CreateChangefeed(ctx, controltest.Request("cf"))
	w.wantCode(err, weirerr.InvalidArgument, "name one of other, shop")
	if all, _ := w.ListChangefeeds(ctx); len(all) != 1 {
		t.Errorf("%d changefeeds are defined, want 1", len(all))
	}
}

func TestChangefeedThatCannotStartIsNotDefined(t *testing.T) {
	w := newWorld(t)
	w.MakeSource("shop")
	w.Took()
	w.Fail["start cf1/1"] = weirerr.New(weirerr.LogTruncated, "too old")
	_, err := w.CreateChangefeed(t.Context(), controltest.Request("cf1"))
	w.wantCode(err, weirerr.LogTruncated)
	w.wantCalls("check blackhole://; start cf1/1; remove cf1")
	_, err = w.GetChangefeed(t.Context(), "cf1")
	w.wantCode(err, weirerr.NotFound)
}

func TestGeneratedID(t *testing.T) {
	w := newWorld(t)
	w.MakeSource("shop")
	if id := w.MakeFeed("").ID; CheckChangefeedName(id) != nil || len(id) != 36 {
		t.Errorf("generated %q", id)
	}
}

func TestStatePreconditions(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.MakeSource("shop")
	w.MakeFeed("cf")
	w.Set("cf", func(s *FeedStatus) { s.CheckpointTs, s.ConsistentFrom = 5, 5 })
	update := func() error { _, err := w.UpdateChangefeed(ctx, "cf", UpdateChangefeed{}); return err }
	pause := func() error { return w.PauseChangefeed(ctx, "cf") }
	resume := func() error { return w.ResumeChangefeed(ctx, "cf", 0) }
	move := func() error { return w.ResumeChangefeed(ctx, "cf", 5) }
	wait := func() error { _, err := w.Wait(ctx, "cf"); return err }
	for state, allowed := range map[State]map[string]bool{
		StateNormal:   {"pause": true, "resume": true, "wait": true},
		StateWarning:  {"pause": true, "resume": true, "wait": true},
		StatePending:  {"pause": true, "resume": true, "wait": true},
		StateStopped:  {"pause": true, "resume": true, "move": true, "update": true},
		StateFailed:   {"resume": true, "move": true, "update": true},
		StateFinished: {"resume": true, "move": true},
	} {
		for name, do := range map[string]func() error{"update": update, "pause": pause, "resume": resume, "move": move, "wait": wait} {
			w.State("cf", state)
			err := do()
			if allowed[name] && err != nil {
				t.Errorf("%s in %s: %v", name, state, err)
			}
			if !allowed[name] && weirerr.CodeOf(err) != weirerr.WrongState {
				t.Errorf("%s in %s: %v, want a WrongState error", name, state, err)
			}
		}
	}
}

func TestUpdateIsRefused(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.MakeSource("shop")
	w.MakeFeed("cf")
	w.Set("cf", func(s *FeedStatus) { s.State, s.CheckpointTs = StateStopped, ts.FromTime(w.Clock)+100 })
	target, uri := ts.FromTime(w.Clock)+100, "nope://"
	for _, c := range []struct {
		req  UpdateChangefeed
		want string
	}{
		{UpdateChangefeed{TargetTs: &target}, "not after the checkpoint"},
		{UpdateChangefeed{SinkURI: &uri}, "no sink understands"},
		{UpdateChangefeed{Tables: &[]string{"x"}}, "rule"},
		{UpdateChangefeed{Configure: func(c *config.Changefeed) error { c.OnFull = "x"; return nil }}, "on_full"},
		{UpdateChangefeed{Configure: func(*config.Changefeed) error { return weirerr.New(weirerr.InvalidArgument, "cf.toml:3") }}, "cf.toml:3"},
	} {
		_, err := w.UpdateChangefeed(ctx, "cf", c.req)
		w.wantCode(err, weirerr.InvalidArgument, c.want)
	}
	if info, _ := w.GetChangefeed(ctx, "cf"); info.TargetTs != 0 || info.SinkURI != "blackhole://" {
		t.Errorf("a refused update left its mark: %+v", info)
	}
}

func TestWait(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.MakeSource("shop")
	w.MakeFeed("cf1")
	w.Took()
	w.Position = 77
	w.Set("cf1", func(s *FeedStatus) { s.CheckpointTs, s.ConsistentFrom = 80, 50 })
	d, err := w.Wait(ctx, "cf1")
	if err != nil || d != (Delivered{Ts: 77, CheckpointTs: 80, ConsistentFrom: 50}) {
		t.Errorf("%+v, %v", d, err)
	}
	w.wantCalls("now shop; wait cf1 77")

	w.Waiting = make(chan struct{})
	since := time.Date(2026, 3, 1, 11, 59, 0, 0, time.UTC)
	w.Set("cf1", func(s *FeedStatus) {
		s.Holder = Holder{Table: "public.orders", Stage: "sink", Since: since}
		s.Error = &Failure{Code: weirerr.TargetUnreachable, Message: "refused for " + controltest.Password}
	})
	ctx, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	_, err = w.Wait(ctx, "cf1")
	w.wantCode(err, weirerr.Timeout, "public.orders", "stage sink", "2026-03-01T11:59:00.000Z", "TargetUnreachable")
	if strings.Contains(err.Error(), controltest.Password) {
		t.Errorf("the error shows the password: %v", err)
	}

	w.Set("cf1", func(s *FeedStatus) { s.State = StateFailed })
	_, err = w.Wait(t.Context(), "cf1")
	w.wantCode(err, weirerr.WrongState, "failed", "TargetUnreachable", "resume it")
	_, err = w.Wait(t.Context(), "nobody")
	w.wantCode(err, weirerr.NotFound)
}

// A checkpoint beyond the wanted Ts is not enough while the snapshot goes on.
func TestWaitForTheSnapshot(t *testing.T) {
	w := newWorld(t)
	w.MakeSource("shop")
	w.MakeFeed("cf1")
	w.Set("cf1", func(s *FeedStatus) { s.CheckpointTs = 80 })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := w.Wait(ctx, "cf1")
	w.wantCode(err, weirerr.Timeout)
	done := make(chan error, 1)
	go func() { _, err := w.Wait(t.Context(), "cf1"); done <- err }()
	w.Set("cf1", func(s *FeedStatus) { s.ConsistentFrom = 90 })
	w.Set("cf1", func(s *FeedStatus) { s.CheckpointTs = 90 })
	if err := <-done; err != nil {
		t.Error(err)
	}
	w.Set("cf1", func(s *FeedStatus) { s.ConsistentFrom = 0 })
	go func() { _, err := w.Wait(t.Context(), "cf1"); done <- err }()
	w.State("cf1", StateFailed)
	w.wantCode(<-done, weirerr.WrongState, "failed")
}

func TestWaitBeyondTargetTs(t *testing.T) {
	w := newWorld(t)
	w.MakeSource("shop")
	r := controltest.Request("cf1")
	r.TargetTs = ts.FromTime(w.Clock) + 5
	if _, err := w.CreateChangefeed(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	w.Position = r.TargetTs + 1
	_, err := w.Wait(t.Context(), "cf1")
	w.wantCode(err, weirerr.WrongState, "target_ts")
}

func TestVerify(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.MakeSource("shop")
	w.MakeFeed("files")
	_, err := w.Verify(ctx, "files", 0)
	w.wantCode(err, weirerr.InvalidArgument, "blackhole://")
	r := controltest.Request("pg")
	r.SinkURI = "postgres://t/db"
	if _, err := w.CreateChangefeed(ctx, r); err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if report, err := w.Verify(soon, "pg", 0); err == nil {
		t.Errorf("compared before the snapshot is at the target: %+v", report)
	}
	w.Set("pg", func(s *FeedStatus) { s.CheckpointTs, s.ConsistentFrom = 80, 50 })
	for _, c := range []struct {
		table VerifyTable
		equal bool
	}{
		{VerifyTable{Table: "public.a", SourceRows: 1, TargetRows: 1}, true},
		{VerifyTable{Table: "public.a", Differing: 1}, false},
	} {
		w.Report = VerifyReport{Tables: []VerifyTable{{Table: "public.z"}, c.table}}
		report, err := w.Verify(ctx, "pg", 0)
		if err != nil || report.Equal != c.equal || !report.Tables[0].Equal || report.Tables[1].Equal != c.equal {
			t.Errorf("%+v: %+v, %v", c.table, report, err)
		}
	}
	_, err = w.Verify(ctx, "pg", -1)
	w.wantCode(err, weirerr.InvalidArgument, "limit")
	w.State("pg", StateStopped)
	_, err = w.Verify(ctx, "pg", 0)
	w.wantCode(err, weirerr.WrongState)
}

func TestVerifyTables(t *testing.T) {
	w := newWorld(t)
	w.MakeSource("shop")
	choice, err := w.VerifyTables(t.Context(), "", []string{"public.*", "!public.secret"}, "blackhole://")
	if err != nil || len(choice.Eligible) != 1 || choice.Eligible[0].Name != "orders" ||
		len(choice.Ineligible) != 1 || choice.Ineligible[0].Reason != "it has no columns" {
		t.Errorf("%+v, %v", choice, err)
	}
}

func TestListByState(t *testing.T) {
	w := newWorld(t)
	w.MakeSource("shop")
	w.MakeFeed("a")
	w.MakeFeed("b")
	w.State("b", StateFailed)
	list, err := w.ListChangefeeds(t.Context(), StateFailed, StateStopped)
	if err != nil || len(list) != 1 || list[0].ID != "b" {
		t.Errorf("%+v, %v", list, err)
	}
}
