package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirstream/weir/internal/adapter/postgres"
	"github.com/weirstream/weir/internal/capture"
	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/database"
	"github.com/weirstream/weir/internal/filter"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/secret"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// sources runs what control decided about sources. It implements control.Sources.
type sources struct {
	ctx       context.Context // of the node; captures end with it
	wal       wal.Log
	logs      *database.Logs // is told who writes the channels
	store     *metastore.Store
	pins      *pins
	witness   *witness
	sideBytes int64
	capture   config.Capture
	lookup    secret.Lookup
	log       *slog.Logger
	registry  prometheus.Registerer

	mu  sync.Mutex
	all map[string]*source
}

// source is one that runs.
type source struct {
	*capture.Source
	def      control.Source
	reads    capture.Upstream
	upstream *postgres.Source // the same; nil: it is a database of ours
	stop     context.CancelFunc
	done     chan struct{}                 // closed when Run has returned
	claims   map[uint32]context.CancelFunc // of databases with tables of it: ends the claim's keeper
}

var _ control.Sources = (*sources)(nil)

// connect makes the adapter of a source's upstream. It does not connect yet.
func (s *sources) connect(def control.Source) (*postgres.Source, error) {
	url, err := s.lookup.Resolve(def.URL)
	if err != nil {
		return nil, err
	}
	tables, err := filter.Parse(def.Tables)
	if err != nil {
		return nil, err
	}
	return postgres.New(postgres.Config{Name: def.Name, URL: url, Tables: tables, Readers: s.capture.SnapshotReaders}, s.log)
}

// Probe implements control.Sources.
func (s *sources) Probe(ctx context.Context, def control.Source) (control.Upstream, error) {
	up, err := s.connect(def)
	if err != nil {
		return control.Upstream{}, err
	}
	defer up.Close()
	id, err := up.Identity(ctx)
	if err != nil {
		return control.Upstream{}, err
	}
	return control.Upstream{System: id.System, Database: id.Database, Version: id.Version}, s.fit(ctx, def)
}

// fit is the first fault that keeps the upstream from being captured.
func (s *sources) fit(ctx context.Context, def control.Source) error {
	url, err := s.lookup.Resolve(def.URL)
	if err != nil {
		return err
	}
	tables, err := filter.Parse(def.Tables)
	if err != nil {
		return err
	}
	found, err := postgres.Check(ctx, url, tables)
	if err != nil {
		return err
	}
	for _, f := range found {
		if f.Severity == postgres.Error {
			return weirerr.New(weirerr.UpstreamConfig, "the upstream cannot be captured: %s", f.What).With("source", def.Name).Hint("%s", f.Remedy)
		}
	}
	return nil
}

// Start implements control.Sources.
func (s *sources) Start(ctx context.Context, def control.Source) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[def.Name] != nil {
		return weirerr.New(weirerr.AlreadyExists, "the source runs already").With("source", def.Name)
	}
	up, err := s.connect(def)
	if err != nil {
		return err
	}
	src, err := s.run(ctx, def, up)
	if err != nil {
		return errors.Join(err, up.Close())
	}
	src.upstream = up
	return nil
}

// run captures an upstream, with mu held.
func (s *sources) run(ctx context.Context, def control.Source, up capture.Upstream) (*source, error) {
	c, err := capture.Open(ctx, capture.Options{
		Name: def.Name, Upstream: up, WAL: s.wal, Store: s.store,
		ChunkRows: s.capture.SnapshotChunkRows, ChunkWorkers: s.capture.SnapshotReaders, SideBytes: s.sideBytes, Log: s.log, Registerer: s.registry,
	})
	if err != nil {
		return nil, err
	}
	if err := s.pins.watch(ctx, c.Channel()); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	running, stop := context.WithCancel(s.ctx)
	src := &source{Source: c, def: def, reads: up, stop: stop, done: make(chan struct{}), claims: map[uint32]context.CancelFunc{}}
	s.logs.Serve(c.Channel().Name(), func(_ context.Context, t ts.Ts) error { return c.Promise(t) })
	go func() {
		defer close(src.done)
		if err := c.Run(running); err != nil {
			s.log.Error("capture ended", "source", def.Name, "error", err)
		}
	}()
	s.all[def.Name] = src
	return src, nil
}

// end stops a source; false when it does not run.
func (s *sources) end(ctx context.Context, name string) (bool, error) {
	s.mu.Lock()
	src := s.all[name]
	delete(s.all, name)
	s.mu.Unlock()
	if src == nil {
		return false, nil
	}
	src.stop()
	<-src.done
	s.logs.Serve(src.Channel().Name(), nil)
	return true, errors.Join(s.pins.unwatch(ctx, src.Channel().Name()), src.Close(), src.reads.Close())
}

// Resync implements control.Sources: a new slot, an empty channel. Definitions,
// schema versions and the term of the clock go on.
func (s *sources) Resync(ctx context.Context, def control.Source) error {
	if _, err := s.end(ctx, def.Name); err != nil {
		s.log.Warn("stopping a source before its resync", "source", def.Name, "error", err)
	}
	up, err := s.connect(def)
	if err != nil {
		return err
	}
	err = up.Drop(ctx)
	if e := up.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("drop the old slot: %w", err)
	}
	if err := s.forget(def.Name); err != nil {
		return err
	}
	return s.Start(ctx, def)
}

// forget removes a source's channel and what capture and pins keep of it.
func (s *sources) forget(name string) error {
	channel := capture.ChannelName(name)
	if err := s.pins.forget(channel); err != nil {
		return err
	}
	if err := capture.Forget(s.store, name); err != nil {
		return err
	}
	return s.witness.remove(channel)
}

// Drop implements control.Sources.
func (s *sources) Drop(ctx context.Context, def control.Source, force bool) error {
	if _, err := s.end(ctx, def.Name); err != nil {
		s.log.Warn("stopping a source before dropping it", "source", def.Name, "error", err)
	}
	up, err := s.connect(def)
	if err == nil {
		err = errors.Join(up.Drop(ctx), up.Close())
	}
	if err != nil && !force {
		return errors.Join(err, s.Start(ctx, def))
	}
	if err != nil {
		s.log.Warn("the upstream keeps what the source made there", "source", def.Name, "error", err)
	}
	return s.forget(def.Name)
}

// get finds a running source.
func (s *sources) get(name string) (*source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if src := s.all[name]; src != nil {
		return src, nil
	}
	return nil, weirerr.New(weirerr.NotReady, "the source does not run").With("source", name).
		Hint("see its error in: weir source query %s", name)
}

// Status implements control.Sources.
func (s *sources) Status(name string) (control.SourceStatus, bool) {
	src, err := s.get(name)
	if err != nil {
		return control.SourceStatus{}, false
	}
	status := src.Channel().Status()
	waits, since := src.State()
	out := control.SourceStatus{
		State: "streaming", Waits: waits, Since: since, Position: positionText(status.High),
		DurableTs: status.Durable, ResolvedTs: status.Resolved, TableCount: len(src.Tables()),
	}
	if waits != "" {
		out.State = "waiting"
	}
	if err := src.Err(); err != nil {
		out.Error = failure(err, since)
		if weirerr.FlagsOf(err).FailFast {
			out.State = "failed"
		}
	}
	return out, true
}

// Now implements control.Sources.
func (s *sources) Now(ctx context.Context, name string) (ts.Ts, error) {
	src, err := s.get(name)
	if err != nil {
		return 0, err
	}
	return src.CaughtUp(ctx)
}

// Tables implements control.Sources.
func (s *sources) Tables(ctx context.Context, name string) ([]control.Table, error) {
	src, err := s.get(name)
	if err != nil {
		return nil, err
	}
	found, err := src.upstream.Tables(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]control.Table, len(found))
	for i, t := range found {
		out[i] = control.Table{ID: uint64(t.ID), Namespace: t.Namespace, Name: t.Name, Keyless: t.Keyless, Rows: t.Rows}
	}
	return out, nil
}

// close stops every source.
func (s *sources) close(ctx context.Context) error {
	s.mu.Lock()
	var names []string
	for name := range s.all {
		names = append(names, name)
	}
	s.mu.Unlock()
	var all error
	for _, name := range names {
		_, err := s.end(ctx, name)
		all = errors.Join(all, err)
	}
	return all
}

// failure is err as doors show it.
func failure(err error, at time.Time) *control.Failure {
	f := &control.Failure{Time: at, Code: weirerr.CodeOf(err), Message: err.Error()}
	var e *weirerr.Error
	if errors.As(err, &e) {
		f.Hint = e.Remedy
		for _, field := range e.Fields {
			f.Fields = append(f.Fields, control.FailureField{Name: field.Name, Value: field.Value})
		}
	}
	return f
}

// positionText prints a position as PostgreSQL does; empty when there is none.
func positionText(position []byte) string {
	lsn, err := postgres.LSNOf(position)
	if err != nil || lsn == 0 {
		return ""
	}
	return lsn.String()
}
