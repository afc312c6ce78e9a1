package node

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/coordinator"
	"github.com/weirstream/weir/internal/database"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/membudget"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/pgcatalog"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/worker"
)

// stateDir is the state of tables and views inside a data directory.
func stateDir(dataDir string) string { return filepath.Join(dataDir, "state") }

// Metadata of the engine: how often it was started (attempts of databases are above
// those of earlier processes), the next database's id, the system's barriers.
const (
	keyStarts   = "engine/starts"
	keyNextDB   = "engine/next_database"
	keyBarriers = "engine/barriers"
	databases   = "database/"
)

// firstDatabase is there from the start.
const firstDatabase = "dev"

// engine is what keeps tables and views of all databases.
type engine struct {
	meta      *metastore.Store
	log       *slog.Logger
	sources   *sources
	pins      *pins
	functions *expr.Registry
	system    []*catalog.Relation
	catalogs  *pgcatalog.Catalogs

	state       *state.Store
	views       *view.Views
	logs        *database.Logs
	worker      *worker.Worker
	coordinator *coordinator.Coordinator
	memory      *database.Memory
	ctx         context.Context // of what runs beside calls; ended by stop
	stop        context.CancelFunc
	running     sync.WaitGroup

	mu     sync.Mutex
	config barrier.Config // of the system
	byID   map[uint32]*database.Database
	names  map[string]*database.Database
}

// openEngine opens the state store and every database.
func openEngine(ctx context.Context, cfg config.Server, meta *metastore.Store, logs *database.Logs, logger *slog.Logger, r prometheus.Registerer, src *sources, p *pins) (e *engine, err error) {
	e = &engine{
		meta: meta, log: logger, sources: src, pins: p, logs: logs, catalogs: pgcatalog.New(),
		memory: database.NewMemory(int64(cfg.SQL.QueryMemory)),
		byID:   map[uint32]*database.Database{}, names: map[string]*database.Database{},
		config: barrier.Config{Interval: cfg.SQL.BarrierEvery.Std(), Frequency: cfg.SQL.Checkpoint},
	}
	if e.functions, err = expr.Builtins().With(pgcatalog.Functions()...); err != nil {
		return nil, err
	}
	e.system = append(e.catalogs.Relations(), database.SystemRelations()...)
	memory := membudget.State(int64(cfg.SQL.MemoryBytes))
	if e.state, err = state.Open(stateDir(cfg.DataDir), state.Options{CacheBytes: membudget.Blocks(memory), Logger: logger}); err != nil {
		return nil, err
	}
	first, err := e.begin()
	if err != nil {
		return nil, err
	}
	e.views = view.New(view.Options{})
	e.coordinator = coordinator.New(coordinator.Options{
		Options: barrier.Options{Interval: e.config.Interval, Frequency: e.config.Frequency, FirstAttempt: first}, Log: logger, Registerer: r,
	})
	e.worker = worker.New(worker.Options{
		Store: e.state, Views: e.views, Logs: e.logs, Report: e.report, Log: logger, Shards: cfg.SQL.Shards, Memory: memory,
		Full: e.full, Held: membudget.NewPace().Held,
	})
	infos, err := e.infos()
	if err != nil {
		return nil, err
	}
	e.ctx, e.stop = context.WithCancel(ctx)
	for _, i := range infos {
		if err := e.open(ctx, i); err != nil {
			return e, err
		}
	}
	e.running.Go(func() { e.coordinator.Run(e.ctx) })
	return e, nil
}

// begin counts this start, and reads what the system's barriers are.
func (e *engine) begin() (first barrier.Attempt, err error) {
	var starts uint64
	err = e.meta.Update(func(tx *metastore.Tx) error {
		if _, err := tx.Get(keyStarts, &starts); err != nil {
			return err
		}
		if _, err := tx.Get(keyBarriers, &e.config); err != nil {
			return err
		}
		starts++
		return tx.Put(keyStarts, starts)
	})
	return barrier.Attempt(starts << 32), err
}

// infos are the databases that are defined; the first one always is.
func (e *engine) infos() ([]database.Info, error) {
	var all []database.Info
	err := e.meta.Scan(databases, func(key string, raw []byte) error {
		if !strings.HasSuffix(key, "/info") {
			return nil
		}
		var i database.Info
		if err := metastore.Decode(key, raw, &i); err != nil {
			return err
		}
		all = append(all, i)
		return nil
	})
	if err == nil && len(all) == 0 {
		all = append(all, database.Info{ID: 1, Name: firstDatabase})
	}
	return all, err
}

// open opens a database, and makes it when it is new.
func (e *engine) open(ctx context.Context, i database.Info) error {
	db, err := database.Open(ctx, database.Options{
		ID: i.ID, Name: i.Name, Config: i.Config, Meta: e.meta, State: e.state, Logs: e.logs, Worker: e.worker, Views: e.views,
		Coordinator: e.coordinator, Functions: e.functions, Parse: parser.ParseQuery, System: e.system,
		Sources: e.sources, Streams: stream, Memory: e.memory, Log: e.log, Register: func(db *database.Database) { e.add(db) },
	})
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.names[i.Name] = db
	return e.watch(ctx, db)
}

// add makes a database known to the worker's reports.
func (e *engine) add(db *database.Database) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.byID[db.ID()] = db
}

// report passes a worker's report to the database that it is about.
func (e *engine) report(r worker.Report) {
	id := database.ReportOf(r)
	e.mu.Lock()
	db := e.byID[id]
	e.mu.Unlock()
	if db != nil {
		db.Report(r)
	}
}

// full has a database's barrier come before its time.
func (e *engine) full(g state.Graph, next ts.Ts) {
	e.coordinator.Report(barrier.Want{Database: barrier.Database(g.Database), At: next})
}

// ownPin is the owner of the claim on a database's own channel.
func ownPin(name string) string { return "database/" + name }

// watch truncates a database's own channel behind its committed epoch.
func (e *engine) watch(ctx context.Context, db *database.Database) error {
	name := database.ChannelName(db.Name())
	channel, err := e.logs.Channel(name)
	if err != nil {
		return err
	}
	if err := e.pins.watch(ctx, channel); err != nil {
		return err
	}
	claims := e.pins.of(name).Claims(wal.Budget{OnFull: wal.Block})
	err = claims.Pin(ctx, ownPin(db.Name()), db.Committed(), func(error) {})
	if weirerr.CodeOf(err) != weirerr.CheckpointStale && err != nil {
		return err
	}
	e.running.Go(func() { e.follow(e.ctx, db, claims) })
	return nil
}

// follow moves the claim on a database's own channel with its committed epoch.
func (e *engine) follow(ctx context.Context, db *database.Database, claims *wal.Claims) {
	var at ts.Ts
	for {
		epoch, moved := e.coordinator.Committed(barrier.Database(db.ID()))
		if moved == nil {
			return
		}
		if epoch > at {
			if err := claims.Advance(ctx, ownPin(db.Name()), epoch); err != nil {
				e.log.Debug("moving a database's claim on its log", "database", db.Name(), "error", err)
			}
			at = epoch
		}
		select {
		case <-ctx.Done():
			return
		case <-moved:
		}
		select { // a claim need not follow every epoch
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}

// ready returns when every database runs.
func (e *engine) ready(ctx context.Context) error {
	for _, name := range e.Databases() {
		if err := e.Database(name).Ready(ctx); err != nil {
			return fmt.Errorf("database %s: %w", name, err)
		}
	}
	return nil
}

// Database implements session.Server.
func (e *engine) Database(name string) *database.Database {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.names[name]
}

// Databases implements session.Server.
func (e *engine) Databases() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []string
	for name := range e.names {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// CreateDatabase implements session.Server.
func (e *engine) CreateDatabase(ctx context.Context, name string) error {
	if e.Database(name) != nil {
		return &sql.Error{Code: "42P04", Message: "database \"" + name + "\" already exists", Pos: -1}
	}
	var next uint32
	err := e.meta.Update(func(tx *metastore.Tx) error {
		if _, err := tx.Get(keyNextDB, &next); err != nil {
			return err
		}
		next = max(next, 2)
		return tx.Put(keyNextDB, next+1)
	})
	if err != nil {
		return err
	}
	if err := e.open(context.WithoutCancel(ctx), database.Info{ID: next, Name: name}); err != nil {
		return err
	}
	return e.Database(name).Ready(ctx)
}

// DropDatabase implements session.Server.
func (e *engine) DropDatabase(_ context.Context, name string) error {
	if e.Database(name) == nil {
		return &sql.Error{Code: sql.UndefinedDatabase, Message: "database \"" + name + "\" does not exist", Pos: -1}
	}
	return &sql.Error{
		Code: sql.FeatureNotSupported, Message: "DROP DATABASE is not supported yet", Pos: -1,
		Hint: "Drop what it holds; an empty database costs next to nothing.",
	}
}

// close ends the coordinator, the databases, the worker, and closes the store.
func (e *engine) close() (err error) {
	note := func(e error) {
		if err == nil {
			err = e
		}
	}
	if e.stop != nil {
		e.stop()
	}
	e.running.Wait()
	for _, name := range e.Databases() {
		note(e.Database(name).Close())
	}
	if e.worker != nil {
		e.worker.Close()
	}
	if e.views != nil {
		note(e.views.Close())
	}
	if e.state != nil {
		note(e.state.Close())
	}
	return err
}
