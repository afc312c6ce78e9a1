package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/secret"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

const password = "s3cr3t-Passw0rd"

// runtime stands in for what a node runs; it records calls and can be made to fail.
type runtime struct {
	mu       sync.Mutex
	calls    []string
	fail     map[string]error // by call, such as "start cf1"
	upstream map[string]Upstream
	status   map[string]FeedStatus
	waiting  chan struct{} // closed when a Wait begins
	position ts.Ts
}

func (r *runtime) call(format string, args ...any) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := fmt.Sprintf(format, args...)
	r.calls = append(r.calls, name)
	return r.fail[name]
}

// took returns the calls since the last time.
func (r *runtime) took() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := strings.Join(r.calls, "; ")
	r.calls = nil
	return out
}

func (r *runtime) set(id string, change func(*FeedStatus)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.status[id]
	change(&s)
	r.status[id] = s
}

func (r *runtime) state(id string, s State) { r.set(id, func(f *FeedStatus) { f.State = s }) }

type fakeSources struct{ *runtime }

func (f fakeSources) Probe(_ context.Context, s Source) (Upstream, error) {
	err := f.call("probe %s", s.Name)
	if u, ok := f.upstream[s.URL]; ok {
		return u, err
	}
	return Upstream{System: "1", Database: s.Name}, err
}
func (f fakeSources) Start(_ context.Context, s Source) error {
	return f.call("start-source %s", s.Name)
}
func (f fakeSources) Resync(_ context.Context, s Source) error {
	return f.call("resync-source %s", s.Name)
}
func (f fakeSources) Drop(_ context.Context, s Source, force bool) error {
	return f.call("drop %s force=%v", s.Name, force)
}
func (f fakeSources) Status(string) (SourceStatus, bool) {
	return SourceStatus{State: "streaming", Waits: "last: password=" + password}, true
}
func (f fakeSources) Now(ctx context.Context, name string) (ts.Ts, error) {
	return f.position, f.call("now %s", name)
}
func (f fakeSources) Tables(context.Context, string) ([]Table, error) {
	return []Table{{ID: 1, Namespace: "public", Name: "orders"}, {ID: 2, Namespace: "public", Name: "secret"},
		{ID: 3, Namespace: "public", Name: "bad"}}, f.call("tables")
}

type fakeFeeds struct{ *runtime }

func (f fakeFeeds) Start(_ context.Context, cf Changefeed) error {
	err := f.call("start %s/%d", cf.ID, cf.Incarnation)
	if err == nil {
		f.set(cf.ID, func(s *FeedStatus) {
			if s.State == "" {
				s.State = StateNormal
			}
		})
	}
	return err
}
func (f fakeFeeds) Pause(_ context.Context, id string) error {
	f.state(id, StateStopped)
	return f.call("pause %s", id)
}
func (f fakeFeeds) Resume(_ context.Context, id string, overwrite ts.Ts) error {
	f.state(id, StateNormal)
	return f.call("resume %s %s", id, overwrite)
}
func (f fakeFeeds) Update(_ context.Context, cf Changefeed) error { return f.call("update %s", cf.ID) }
func (f fakeFeeds) Remove(_ context.Context, cf Changefeed) error {
	err := f.call("remove %s", cf.ID)
	if err == nil {
		f.mu.Lock()
		delete(f.status, cf.ID)
		f.mu.Unlock()
	}
	return err
}
func (f fakeFeeds) Resync(_ context.Context, id string) error { return f.call("resync %s", id) }
func (f fakeFeeds) Status(id string) (FeedStatus, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.status[id]
	return s, ok
}
func (f fakeFeeds) Wait(ctx context.Context, id string, t ts.Ts) error {
	if err := f.call("wait %s %s", id, t); err != nil {
		return err
	}
	if f.waiting != nil {
		close(f.waiting)
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

type fakeLog struct{}

func (fakeLog) Channels() ([]ChannelStatus, error) { return nil, nil }

type fakeSink struct{ *runtime }

func (f fakeSink) Check(_ context.Context, uri string, _ *config.Changefeed) error {
	return f.call("check %s", uri)
}
func (fakeSink) Describe(t Table) string {
	if t.Name == "bad" {
		return "it has no columns"
	}
	return ""
}

type fakeVerifier struct{ report VerifyReport }

func (f fakeVerifier) Verify(context.Context, Changefeed, int) (VerifyReport, error) {
	return f.report, nil
}

// world is a Control over a real metastore and a fake runtime.
type world struct {
	*Control
	*runtime
	t     *testing.T
	dir   string
	store *metastore.Store
	env   map[string]string
	clock time.Time
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, dir: t.TempDir(), env: map[string]string{"SHOP": "postgres://u:" + password + "@h/shop"},
		clock: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	w.runtime = &runtime{fail: map[string]error{}, upstream: map[string]Upstream{}, status: map[string]FeedStatus{}}
	w.open()
	t.Cleanup(func() { _ = w.store.Close() })
	return w
}

func (w *world) open() {
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	store, err := metastore.Open(w.dir, log)
	if err != nil {
		w.t.Fatal(err)
	}
	w.store = store
	w.Control = New(Options{
		Store: store, Sources: fakeSources{w.runtime}, Changefeeds: fakeFeeds{w.runtime}, Log: fakeLog{},
		Sinks:     map[string]Sink{"blackhole": fakeSink{w.runtime}, "postgres": fakeSink{w.runtime}},
		Verifiers: map[string]Verifier{"postgres": fakeVerifier{}},
		Lookup: secret.Lookup{
			Env:  func(n string) (string, bool) { v, ok := w.env[n]; return v, ok },
			File: func(string) ([]byte, error) { return nil, errors.New("no files here") },
		},
		Redactor: &secret.Redactor{}, Logger: log, Now: func() time.Time { return w.clock }, Version: "test",
	})
}

// crash loses what was running and opens the store again.
func (w *world) crash() {
	if err := w.store.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.open()
	w.took()
}

func (w *world) source(name string) {
	w.t.Helper()
	if _, err := w.CreateSource(w.t.Context(), CreateSource{Name: name, URL: "postgres://u:" + password + "@h/" + name}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) feed(id string) ChangefeedInfo {
	w.t.Helper()
	info, err := w.CreateChangefeed(w.t.Context(), request(id))
	if err != nil {
		w.t.Fatal(err)
	}
	return info
}

func request(id string) CreateChangefeed {
	return CreateChangefeed{ID: id, SinkURI: "blackhole://", Config: config.DefaultChangefeed()}
}

func (w *world) wantCode(err error, code weirerr.Code, parts ...string) {
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

func (w *world) wantCalls(want string) {
	w.t.Helper()
	if got := w.took(); got != want {
		w.t.Errorf("calls:\n got %s\nwant %s", got, want)
	}
}
