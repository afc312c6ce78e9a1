package controltest

import (
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/secret"
)

// World is a Control over a real metastore and a fake Runtime. Its clock stands
// still unless a test moves it.
type World struct {
	*control.Control
	*Runtime
	Store *metastore.Store
	Env   map[string]string
	Clock time.Time

	t   testing.TB
	dir string
}

// New makes a world with an empty metastore.
func New(t testing.TB) *World {
	w := &World{
		t: t, dir: t.TempDir(),
		Env:   map[string]string{"SHOP": "postgres://u:" + Password + "@h/shop"},
		Clock: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
	}
	w.Runtime = &Runtime{
		Fail: map[string]error{}, Upstream: map[string]control.Upstream{}, status: map[string]control.FeedStatus{},
		Source: control.SourceStatus{State: "streaming", Since: w.Clock, Waits: "last: password=" + Password},
	}
	w.open()
	t.Cleanup(func() { _ = w.Store.Close() })
	return w
}

func (w *World) open() {
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	store, err := metastore.Open(w.dir, log)
	if err != nil {
		w.t.Fatal(err)
	}
	sink := fakeSink{w.Runtime}
	w.Store = store
	w.Control = control.New(control.Options{
		Store: store, Sources: fakeSources{w.Runtime}, Changefeeds: fakeFeeds{w.Runtime}, Log: fakeLog{w.Runtime},
		Sinks:     map[string]control.Sink{"blackhole": sink, "postgres": sink},
		Verifiers: map[string]control.Verifier{"postgres": fakeVerifier{w.Runtime}},
		Lookup: secret.Lookup{
			Env:  func(n string) (string, bool) { v, ok := w.Env[n]; return v, ok },
			File: func(string) ([]byte, error) { return nil, errors.New("no files here") },
		},
		Redactor: &secret.Redactor{}, Logger: log, Now: func() time.Time { return w.Clock }, Version: "test",
	})
}

// Crash loses what was running and opens the store again.
func (w *World) Crash() {
	if err := w.Store.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.open()
	w.Took()
}

// MakeSource creates a source.
func (w *World) MakeSource(name string) {
	w.t.Helper()
	req := control.CreateSource{Name: name, URL: "postgres://u:" + Password + "@h/" + name}
	if _, err := w.CreateSource(w.t.Context(), req); err != nil {
		w.t.Fatal(err)
	}
}

// MakeFeed creates a changefeed into blackhole:// on the only source.
func (w *World) MakeFeed(id string) control.ChangefeedInfo {
	w.t.Helper()
	info, err := w.CreateChangefeed(w.t.Context(), Request(id))
	if err != nil {
		w.t.Fatal(err)
	}
	return info
}

// Request creates a changefeed into blackhole:// on the only source.
func Request(id string) control.CreateChangefeed {
	return control.CreateChangefeed{ID: id, SinkURI: "blackhole://", Config: config.DefaultChangefeed()}
}
