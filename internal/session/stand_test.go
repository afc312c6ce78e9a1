package session_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/adapter/nexmark"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/coordinator"
	"github.com/weirstream/weir/internal/database"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/pgcatalog"
	"github.com/weirstream/weir/internal/pgwire"
	"github.com/weirstream/weir/internal/reconcile"
	"github.com/weirstream/weir/internal/session"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/wal/local"
	"github.com/weirstream/weir/internal/worker"
	"github.com/weirstream/weir/internal/zset"
)

// stand is a server with one database, dev, on real stores, behind the protocol.
type stand struct {
	t    testing.TB
	db   *database.Database
	wire *pgwire.Server
	addr string

	mu     sync.Mutex
	users  map[string]string
	params map[string]string
	feeds  []session.Changefeed
}

func open(t testing.TB) *stand {
	t.Helper()
	s := &stand{t: t, users: map[string]string{"root": ""}, params: map[string]string{"barrier_interval_ms": "250", "checkpoint_frequency": "1"}}
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	meta, err := metastore.Open(filepath.Join(dir, "meta"), log)
	check(t, err)
	store, err := state.Open(filepath.Join(dir, "state"), state.Options{})
	check(t, err)
	w, err := local.Open(filepath.Join(dir, "log"), local.Options{})
	check(t, err)
	views := view.New(view.Options{})
	logs := database.NewLogs(w)
	coord := coordinator.New(coordinator.Options{Log: log})
	catalogs := pgcatalog.New()
	functions, err := expr.Builtins().With(pgcatalog.Functions()...)
	check(t, err)
	ready := make(chan struct{})
	work := worker.New(worker.Options{Store: store, Views: views, Logs: logs, Report: func(r worker.Report) {
		<-ready
		s.db.Report(r)
	}, Shards: 2})
	ctx, cancel := context.WithCancel(context.Background())
	s.db, err = database.Open(ctx, database.Options{
		ID: 1, Name: "dev", Meta: meta, State: store, Logs: logs, Worker: work, Views: views, Coordinator: coord,
		Functions: functions, Parse: parser.ParseQuery, System: append(catalogs.Relations(), database.SystemRelations()...), Log: log,
		Sources: noSources{}, Streams: streams,
	})
	check(t, err)
	close(ready)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		coord.Run(ctx)
	}()
	opener := session.NewOpener(session.Options{
		Server: s, Functions: functions, Catalogs: catalogs, Version: "15.0 (weir test)", Log: log, Now: time.Now,
	})
	s.wire = pgwire.New(pgwire.Config{Opener: opener, Users: opener, Version: "15.0 (weir test)", Log: log})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	s.addr = l.Addr().String()
	go s.wire.Serve(l) //nolint:errcheck // it ends with the test
	t.Cleanup(func() {
		down, stop := context.WithTimeout(context.Background(), 5*time.Second)
		s.wire.Shutdown(down)
		stop()
		cancel()
		<-ended
		check(t, s.db.Close())
		work.Close()
		check(t, views.Close())
		check(t, w.Close())
		check(t, store.Close())
		check(t, meta.Close())
	})
	check(t, s.db.Ready(waitContext(t)))
	return s
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func waitContext(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Minute, fmt.Errorf("%s: a minute is over", t.Name()))
	t.Cleanup(cancel)
	return ctx
}

func (s *stand) url() string { return "postgres://root@" + s.addr + "/dev?sslmode=disable" }

// conn is a client of dev.
func (s *stand) conn(options ...func(*pgx.ConnConfig)) *pgx.Conn {
	s.t.Helper()
	cfg, err := pgx.ParseConfig(s.url())
	check(s.t, err)
	for _, o := range options {
		o(cfg)
	}
	c, err := pgx.ConnectConfig(waitContext(s.t), cfg)
	check(s.t, err)
	s.t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

// What a server has beside its database.

func (s *stand) Database(name string) *database.Database {
	if name == "dev" {
		return s.db
	}
	return nil
}
func (s *stand) Databases() []string                          { return []string{"dev"} }
func (s *stand) CreateDatabase(context.Context, string) error { return notHere }
func (s *stand) DropDatabase(context.Context, string) error   { return notHere }

var notHere = &sql.Error{Code: sql.FeatureNotSupported, Message: "not on this stand", Pos: -1}

func (s *stand) Users() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.users))
}

func (s *stand) Verifier(user string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.users[user]
	return v, ok
}

func (s *stand) PutUser(_ context.Context, user, verifier string, _ bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[user] = verifier
	return nil
}

func (s *stand) DropUser(_ context.Context, user string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.users, user)
	return nil
}

func (s *stand) CreateSource(context.Context, string, string, map[string]string) error {
	return notHere
}
func (s *stand) DropSource(context.Context, string, string) error { return nil }

func (s *stand) Upstream(context.Context, string, string, string) (*catalog.Relation, error) {
	return nil, notHere
}

func (s *stand) Stream(options map[string]string) ([]catalog.Column, error) {
	switch options["nexmark.table.type"] {
	case "Bid", "bid":
		return nexmark.Columns(nexmark.Bid), nil
	}
	return nil, notHere
}

func (s *stand) CreateChangefeed(_ context.Context, c session.Changefeed) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.feeds = append(s.feeds, c)
	return nil
}

func (s *stand) DropChangefeed(_ context.Context, _, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.feeds = slices.DeleteFunc(s.feeds, func(c session.Changefeed) bool { return c.Name == name })
	return nil
}

func (s *stand) AlterChangefeed(_ context.Context, _, name string, pause bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.feeds {
		if s.feeds[i].Name == name {
			s.feeds[i].State = map[bool]string{true: "stopped", false: "normal"}[pause]
		}
	}
	return nil
}

func (s *stand) Changefeeds(string) []session.Changefeed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.feeds)
}

func (s *stand) Parameters(string) (list []session.Parameter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(s.params)) {
		list = append(list, session.Parameter{Name: name, Value: s.params[name]})
	}
	return list
}

func (s *stand) SetParameter(_ context.Context, _, name, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.params[name] = value
	return nil
}

func (s *stand) Bytes(string, catalog.ID) int64       { return 8192 }
func (s *stand) Signal(process uint32, end bool) bool { return !end && s.wire.Cancel(process) }

// noSources is a server without captures.
type noSources struct{}

func (noSources) Now(_ context.Context, source string) (ts.Ts, error) {
	return 0, unknownSource(source)
}
func (noSources) At(_ context.Context, source, _ string) (ts.Ts, error) {
	return 0, unknownSource(source)
}

func (noSources) Reader(source string) (reconcile.Source, error) { return nil, unknownSource(source) }
func (noSources) Claim(_ context.Context, source string, _ *database.Database) (ts.Ts, error) {
	return 0, unknownSource(source)
}
func (noSources) Gone(context.Context, string, *database.Database, string, bool) error { return nil }

func unknownSource(name string) error {
	return &sql.Error{Code: sql.UndefinedObject, Message: "source \"" + name + "\" does not exist", Pos: -1}
}

// bids is a generator's stream.
type bids struct{ *nexmark.Generator }

func (b bids) Fill(from, to int64) *zset.Chunk { return b.Generator.Fill(nexmark.Bid, from, to) }

func streams(*catalog.Relation) (database.Generator, string, error) {
	return bids{nexmark.New(nexmark.Config{Seed: 1})}, "nexmark", nil
}
