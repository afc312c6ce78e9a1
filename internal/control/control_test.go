package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	. "github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/control/controltest"
	"github.com/weirstream/weir/internal/weirerr"
)

type world struct {
	*controltest.World
	t *testing.T
}

func newWorld(t *testing.T) world { return world{controltest.New(t), t} }

func (w world) wantCode(err error, code weirerr.Code, parts ...string) {
	w.t.Helper()
	if err == nil || weirerr.CodeOf(err) != code {
		w.t.Fatalf("got %v, want a %s error", err, code)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			w.t.Errorf("%q lacks %q", err, p)
		}
	}
}

func (w world) wantCalls(want string) {
	w.t.Helper()
	if got := w.Took(); got != want {
		w.t.Errorf("calls:\n got %s\nwant %s", got, want)
	}
}

func TestSourceLife(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	info, err := w.CreateSource(ctx, CreateSource{Name: "shop", URL: "env:SHOP", Tables: []string{"public.*"}})
	if err != nil {
		t.Fatal(err)
	}
	if info.URL != "env:SHOP" || info.Upstream.Database != "shop" || info.Status.State != "streaming" {
		t.Errorf("%+v", info)
	}
	w.wantCalls("probe shop; start-source shop")

	w.Crash()
	if err := w.Restore(ctx); err != nil {
		t.Fatal(err)
	}
	w.wantCalls("start-source shop")
	if all, err := w.ListSources(ctx); err != nil || len(all) != 1 || all[0].Tables[0] != "public.*" {
		t.Errorf("%+v, %v", all, err)
	}
	if err := w.DropSource(ctx, "shop", DropSource{}); err != nil {
		t.Fatal(err)
	}
	w.wantCalls("drop shop force=false")
	_, err = w.GetSource(ctx, "shop")
	w.wantCode(err, weirerr.NotFound, "shop")
	w.wantCode(w.DropSource(ctx, "shop", DropSource{}), weirerr.NotFound)
}

func TestSourceIsRefused(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.MakeSource("shop")
	w.Upstream["postgres://twin"] = Upstream{System: "1", Database: "shop"}
	for _, c := range []struct {
		req  CreateSource
		code weirerr.Code
		want string
	}{
		{CreateSource{Name: "Shop", URL: "postgres://x"}, weirerr.InvalidArgument, "lower case"},
		{CreateSource{Name: "a--b", URL: "postgres://x"}, weirerr.InvalidArgument, "not a source name"},
		{CreateSource{Name: strings.Repeat("a", 41), URL: "postgres://x"}, weirerr.InvalidArgument, "at most 40"},
		{CreateSource{Name: "b"}, weirerr.InvalidArgument, "needs a URL"},
		{CreateSource{Name: "b", URL: "mysql://x"}, weirerr.InvalidArgument, "scheme mysql"},
		{CreateSource{Name: "b", URL: "env:NOT"}, weirerr.InvalidArgument, "NOT is not set"},
		{CreateSource{Name: "b", URL: "postgres://x", Tables: []string{"nodot"}}, weirerr.InvalidArgument, "rule"},
		{CreateSource{Name: "shop", URL: "postgres://x"}, weirerr.AlreadyExists, "drop it first"},
		{CreateSource{Name: "b", URL: "postgres://twin"}, weirerr.AlreadyExists, "use source shop"},
	} {
		_, err := w.CreateSource(ctx, c.req)
		w.wantCode(err, c.code, c.want)
	}
	w.MakeSource("a-b")
	_, err := w.CreateSource(ctx, CreateSource{Name: "a_b", URL: "postgres://x"})
	w.wantCode(err, weirerr.AlreadyExists, "replication slot")
	if all, _ := w.ListSources(ctx); len(all) != 2 {
		t.Errorf("%d sources are defined, want 2", len(all))
	}
}

func TestSourceThatCannotStartIsNotDefined(t *testing.T) {
	w := newWorld(t)
	w.Fail["start-source shop"] = weirerr.New(weirerr.LogFull, "no room")
	_, err := w.CreateSource(t.Context(), CreateSource{Name: "shop", URL: "postgres://x"})
	w.wantCode(err, weirerr.LogFull)
	if all, _ := w.ListSources(t.Context()); len(all) != 0 {
		t.Errorf("still defined: %+v", all)
	}
}

func TestDropOfSourceInUse(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	w.MakeSource("shop")
	w.MakeFeed("cf1")
	w.MakeFeed("cf2")
	w.wantCode(w.DropSource(ctx, "shop", DropSource{}), weirerr.WrongState, "cf1", "cf2", "--cascade")
	w.Took()
	w.Fail["drop shop force=false"] = weirerr.New(weirerr.UpstreamUnreachable, "no answer")
	w.wantCode(w.DropSource(ctx, "shop", DropSource{Cascade: true}), weirerr.UpstreamUnreachable)
	w.wantCalls("remove cf1; remove cf2; drop shop force=false")
	_, err := w.CreateChangefeed(ctx, controltest.Request("cf3")) // the drop is on record
	w.wantCode(err, weirerr.WrongState, "being dropped")
	w.wantCode(w.ResyncSource(ctx, "shop"), weirerr.WrongState, "being dropped")
	w.Took()
	if err := w.DropSource(ctx, "shop", DropSource{Force: true}); err != nil {
		t.Fatal(err)
	}
	w.wantCalls("drop shop force=true")
}

// A crash in the middle of a command of several steps: Restore finishes it.
func TestRestoreFinishes(t *testing.T) {
	crashed := errors.New("crashed")
	t.Run("remove", func(t *testing.T) {
		w, ctx := newWorld(t), t.Context()
		w.MakeSource("shop")
		w.MakeFeed("cf1")
		w.Fail["remove cf1"] = crashed
		if _, err := w.RemoveChangefeed(ctx, "cf1"); !errors.Is(err, crashed) {
			t.Fatal(err)
		}
		delete(w.Fail, "remove cf1")
		w.Crash()
		if err := w.Restore(ctx); err != nil {
			t.Fatal(err)
		}
		w.wantCalls("start-source shop; remove cf1")
		_, err := w.GetChangefeed(ctx, "cf1")
		w.wantCode(err, weirerr.NotFound)
	})
	t.Run("drop", func(t *testing.T) {
		w, ctx := newWorld(t), t.Context()
		w.MakeSource("shop")
		w.Fail["drop shop force=true"] = crashed
		if err := w.DropSource(ctx, "shop", DropSource{Force: true}); !errors.Is(err, crashed) {
			t.Fatal(err)
		}
		delete(w.Fail, "drop shop force=true")
		w.Crash()
		if err := w.Restore(ctx); err != nil {
			t.Fatal(err)
		}
		w.wantCalls("start-source shop; drop shop force=true")
	})
	t.Run("resync", func(t *testing.T) {
		w, ctx := newWorld(t), t.Context()
		w.MakeSource("shop")
		w.MakeFeed("cf1")
		w.Fail["resync cf1"] = crashed
		if err := w.ResyncSource(ctx, "shop"); !errors.Is(err, crashed) {
			t.Fatal(err)
		}
		delete(w.Fail, "resync cf1")
		w.Crash()
		if err := w.Restore(ctx); err != nil {
			t.Fatal(err)
		}
		w.wantCalls("start-source shop; start cf1/1; resync-source shop; resync cf1")
		w.Crash()
		if err := w.Restore(ctx); err != nil {
			t.Fatal(err)
		}
		w.wantCalls("start-source shop; start cf1/1")
	})
}

// One definition that cannot start keeps no other from starting.
func TestRestoreGoesOn(t *testing.T) {
	w := newWorld(t)
	w.MakeSource("a")
	w.MakeSource("b")
	r := controltest.Request("cf1")
	r.Source = "b"
	if _, err := w.CreateChangefeed(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	w.Crash()
	w.Fail["start-source a"] = errors.New("broken")
	if err := w.Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.wantCalls("start-source a; start-source b; start cf1/1")
}

// No answer and no error shows a password, whatever the runtime says.
func TestNothingShowsSecrets(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	leak := weirerr.New(weirerr.TargetUnreachable, "cannot reach %s", controltest.Password).With("dsn", controltest.Password).
		Hint("try %s", controltest.Password).Wrap(errors.New("dial " + controltest.Password))
	var answers []any
	note := func(answer any, err error) {
		answers = append(answers, answer)
		if err != nil {
			answers = append(answers, err.Error())
		}
	}
	w.Fail["probe shop"] = leak
	note(w.CreateSource(ctx, CreateSource{Name: "shop", URL: "env:SHOP"}))
	delete(w.Fail, "probe shop")
	w.MakeSource("shop")
	r := controltest.Request("cf1")
	r.SinkURI = "postgres://u:" + controltest.Password + "@t/db?password=" + controltest.Password
	note(w.CreateChangefeed(ctx, r))
	w.Set("cf1", func(s *FeedStatus) {
		s.Error = &Failure{Message: controltest.Password, Hint: controltest.Password, Fields: []FailureField{{"dsn", controltest.Password}}}
		s.Holder.Waits = controltest.Password
	})
	note(w.GetChangefeed(ctx, "cf1"))
	note(w.ListChangefeeds(ctx))
	note(w.GetSource(ctx, "shop"))
	note(w.ListSources(ctx))
	for _, call := range []string{"pause cf1", "check " + r.SinkURI, "remove cf1", "now shop", "resync-source shop", "tables"} {
		w.Fail[call] = leak
	}
	note(nil, w.PauseChangefeed(ctx, "cf1"))
	note(nil, w.ResumeChangefeed(ctx, "cf1", 0))
	note(w.RemoveChangefeed(ctx, "cf1"))
	note(nil, w.ResyncSource(ctx, "shop"))
	note(w.VerifyTables(ctx, "shop", nil, ""))
	w.State("cf1", StateNormal)
	note(w.Wait(ctx, "cf1"))
	text, err := json.Marshal(answers)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), controltest.Password) {
		t.Errorf("a password shows in %s", text)
	}
	if err := w.Hide(leak); weirerr.CodeOf(err) != weirerr.TargetUnreachable || !strings.Contains(err.Error(), "xxxxx") {
		t.Errorf("hide lost what the error is: %v", err)
	}
}

func TestLocksAreSerialAndCancellable(t *testing.T) {
	var l Locks
	release, err := l.Acquire(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	other, err := l.Acquire(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	other()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Acquire(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v while held", err)
	}
	release()
	if release, err = l.Acquire(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	release()
	if l.Held() != 0 {
		t.Errorf("%d locks are kept for nobody", l.Held())
	}
}
