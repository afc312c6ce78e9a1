package controltest

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/ts"
)

// Password is the secret of the connection strings in these tests.
const Password = "s3cr3t-Passw0rd"

// Runtime stands in for what a node runs; it records calls and can be made to fail.
type Runtime struct {
	mu       sync.Mutex
	calls    []string
	Fail     map[string]error // by call, such as "start cf1"
	Upstream map[string]control.Upstream
	status   map[string]control.FeedStatus
	Waiting  chan struct{} // closed when a Wait begins
	Position ts.Ts
	Log      []control.ChannelStatus
	Report   control.VerifyReport
	Source   control.SourceStatus // of every source
}

func (r *Runtime) call(format string, args ...any) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := fmt.Sprintf(format, args...)
	r.calls = append(r.calls, name)
	return r.Fail[name]
}

// Took returns the calls since the last time.
func (r *Runtime) Took() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := strings.Join(r.calls, "; ")
	r.calls = nil
	return out
}

// Set changes the status that changefeed id tells.
func (r *Runtime) Set(id string, change func(*control.FeedStatus)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.status[id]
	change(&s)
	r.status[id] = s
}

// State sets a changefeed's state.
func (r *Runtime) State(id string, s control.State) {
	r.Set(id, func(f *control.FeedStatus) { f.State = s })
}

type fakeSources struct{ *Runtime }

func (f fakeSources) Probe(_ context.Context, s control.Source) (control.Upstream, error) {
	err := f.call("probe %s", s.Name)
	if u, ok := f.Upstream[s.URL]; ok {
		return u, err
	}
	return control.Upstream{System: "1", Database: s.Name}, err
}
func (f fakeSources) Start(_ context.Context, s control.Source) error {
	return f.call("start-source %s", s.Name)
}
func (f fakeSources) Resync(_ context.Context, s control.Source) error {
	return f.call("resync-source %s", s.Name)
}
func (f fakeSources) Followed(string) error { return nil }
func (f fakeSources) Drop(_ context.Context, s control.Source, force bool) error {
	return f.call("drop %s force=%v", s.Name, force)
}
func (f fakeSources) Status(string) (control.SourceStatus, bool) {
	return f.Source, true
}
func (f fakeSources) Now(ctx context.Context, name string) (ts.Ts, error) {
	return f.Position, f.call("now %s", name)
}
func (f fakeSources) Tables(context.Context, string) ([]control.Table, error) {
	return []control.Table{
		{ID: 1, Namespace: "public", Name: "orders"},
		{ID: 2, Namespace: "public", Name: "secret"},
		{ID: 3, Namespace: "public", Name: "bad"},
	}, f.call("tables")
}

type fakeFeeds struct{ *Runtime }

func (f fakeFeeds) Start(_ context.Context, cf control.Changefeed) error {
	err := f.call("start %s/%d", cf.ID, cf.Incarnation)
	if err == nil {
		f.Set(cf.ID, func(s *control.FeedStatus) {
			if s.State == "" {
				s.State = control.StateNormal
			}
		})
	}
	return err
}
func (f fakeFeeds) Pause(_ context.Context, id string) error {
	f.State(id, control.StateStopped)
	return f.call("pause %s", id)
}
func (f fakeFeeds) Resume(_ context.Context, id string, overwrite ts.Ts) error {
	f.State(id, control.StateNormal)
	return f.call("resume %s %s", id, overwrite)
}
func (f fakeFeeds) Update(_ context.Context, cf control.Changefeed) error {
	return f.call("update %s", cf.ID)
}
func (f fakeFeeds) Remove(_ context.Context, cf control.Changefeed) error {
	err := f.call("remove %s", cf.ID)
	if err == nil {
		f.mu.Lock()
		delete(f.status, cf.ID)
		f.mu.Unlock()
	}
	return err
}
func (f fakeFeeds) Resync(_ context.Context, id string) error { return f.call("resync %s", id) }
func (f fakeFeeds) Status(id string) (control.FeedStatus, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.status[id]
	return s, ok
}
func (f fakeFeeds) Wait(ctx context.Context, id string, t ts.Ts) error {
	if err := f.call("wait %s %s", id, t); err != nil {
		return err
	}
	if f.Waiting != nil {
		close(f.Waiting)
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

type fakeLog struct{ *Runtime }

func (f fakeLog) Channels() ([]control.ChannelStatus, error) { return f.Log, nil }

type fakeVerifier struct{ *Runtime }

func (f fakeVerifier) Verify(context.Context, control.Changefeed, int) (control.VerifyReport, error) {
	return f.Report, nil
}

type fakeSink struct{ *Runtime }

func (f fakeSink) Check(_ context.Context, uri string, _ *config.Changefeed) error {
	return f.call("check %s", uri)
}
func (fakeSink) Describe(t control.Table) string {
	if t.Name == "bad" {
		return "it has no columns"
	}
	return ""
}
