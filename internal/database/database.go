package database

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/coordinator"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/worker"
)

// Options of a Database. All must be set.
type Options struct {
	ID          uint32
	Name        string
	Config      barrier.Config
	Meta        *metastore.Store
	State       *state.Store
	Logs        *Logs
	Worker      *worker.Worker
	Views       *view.Views
	Coordinator *coordinator.Coordinator
	Functions   *expr.Registry
	// Parse reads a view's body.
	Parse func(text string) (*sql.Select, error)
	// System are the relations that are made up when read.
	System []*catalog.Relation
	// Sources are the captures that tables follow.
	Sources Sources
	// Streams makes the generator of a source that has columns of its own, and names
	// the position that it shares with others.
	Streams func(rel *catalog.Relation) (gen Generator, position string, err error)
	// Memory is shared by all databases. Nil: 1 GiB for this one.
	Memory *Memory
	Log    *slog.Logger
	// Register is called once, before anything runs for the database: the worker's reports
	// about it go to Report from then on. Nil: they do already.
	Register func(db *Database)
}

// Database is one running database. Its methods may be called concurrently.
type Database struct {
	o      Options
	id     barrier.Database
	log    *slog.Logger
	writer *writer
	cat    atomic.Pointer[catalog.Catalog]

	ddl sync.Mutex // one change of names at a time, until its barrier is committed

	mu      sync.Mutex
	info    Info
	jobs    map[catalog.ID]*job
	tables  map[catalog.ID]*table
	pending map[catalog.ID]*change // of the barriers under way
	attempt barrier.Attempt
	opened  map[barrier.Graph]bool
	cuts    map[barrier.Graph]ts.Ts        // committed, of the graphs that are open
	ended   []barrier.Graph                // of jobs dropped while being created; the store still has something
	done    map[epochKey]*worker.Collected // collected, not committed
	// settled is the last transaction of an earlier process: what it wrote is in no
	// overlay, so writers wait for an epoch that holds it.
	settled          ts.Ts
	nextRow, lastRow int64 // row ids reserved
}

// epochKey names an epoch of a graph.
type epochKey struct {
	graph barrier.Graph
	curr  ts.Ts
}

// table is an own table's writing side.
type table struct {
	rel     *catalog.Relation
	lock    tableLock
	overlay overlay // by the holder of lock
}

// ChannelName is the log channel of a database's own tables.
func ChannelName(name string) string { return "dml_" + name }

// Open loads a database, creating it when it is not there, and hands it to the
// coordinator, which recovers it. Close ends it.
func Open(ctx context.Context, o Options) (*Database, error) {
	if o.Memory == nil {
		o.Memory = NewMemory(1 << 30)
	}
	channel, err := o.Logs.Channel(ChannelName(o.Name))
	if err != nil {
		return nil, err
	}
	db := &Database{
		o: o, id: barrier.Database(o.ID), log: o.Log.With("database", o.Name), writer: &writer{channel: channel},
		jobs: map[catalog.ID]*job{}, tables: map[catalog.ID]*table{}, pending: map[catalog.ID]*change{},
		opened: map[barrier.Graph]bool{}, cuts: map[barrier.Graph]ts.Ts{}, done: map[epochKey]*worker.Collected{},
	}
	db.settled = channel.Status().Durable
	if err := db.create(); err != nil {
		return nil, err
	}
	if _, err := db.load(); err != nil {
		return nil, err
	}
	if o.Register != nil {
		o.Register(db)
	}
	o.Logs.Serve(channel.Name(), db.writer.promise)
	db.claims(ctx)
	o.Coordinator.Add(db.id, o.Config, (*control)(db))
	return db, nil
}

// create writes a new database's definition.
func (db *Database) create() error {
	return db.o.Meta.Update(func(tx *metastore.Tx) error {
		ok, err := tx.Get(keyInfo(db.o.ID), &db.info)
		if err != nil || ok {
			return err
		}
		db.info = Info{ID: db.o.ID, Name: db.o.Name, Config: db.o.Config, NextTable: 1, NextID: catalog.FirstID, NextRow: 1}
		return tx.Put(keyInfo(db.o.ID), db.info)
	})
}

// Name is the database's name, and ID its number.
func (db *Database) Name() string { return db.o.Name }

// ID is the database's number.
func (db *Database) ID() uint32 { return db.o.ID }

// Catalog is what the database holds, as of the last committed epoch.
func (db *Database) Catalog() *catalog.Catalog { return db.cat.Load() }

// Flush returns when everything that was written before the call is in the committed epoch.
func (db *Database) Flush(ctx context.Context) error {
	if err := db.awake(ctx); err != nil {
		return err
	}
	at := db.durable()
	if err := db.o.Coordinator.Do(ctx, db.id, barrier.Flush, false); err != nil {
		return db.command(err)
	}
	return db.WaitFor(ctx, at)
}

// WaitFor returns when the committed epoch holds everything up to at, and readers see it.
func (db *Database) WaitFor(ctx context.Context, at ts.Ts) error {
	if db.o.Views.Epoch(db.o.ID) >= at {
		return nil
	}
	if err := db.o.Coordinator.Wait(ctx, db.id, at); err != nil {
		return err
	}
	_, err := db.o.Views.Wait(ctx, db.o.ID, at)
	return err
}

// Committed is the committed epoch of this moment.
func (db *Database) Committed() ts.Ts {
	var rec graphRecord
	_, _ = db.o.Meta.Get(keyGraph(db.o.ID, 0), &rec)
	return rec.Epoch
}

// Cut is the Ts up to which nothing of the log is needed any more: the lowest committed
// epoch of its graphs.
func (db *Database) Cut() ts.Ts {
	db.mu.Lock()
	defer db.mu.Unlock()
	at := db.cuts[barrier.Main]
	for _, c := range db.cuts {
		at = min(at, c)
	}
	return at
}

// Barriers is what the database has set of its own about them.
func (db *Database) Barriers() barrier.Config {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.info.Config
}

// Bytes is what a relation takes on the disk, with all that its job keeps.
func (db *Database) Bytes(id catalog.ID) (total int64) {
	db.mu.Lock()
	j := db.jobs[id]
	db.mu.Unlock()
	if j == nil {
		return 0
	}
	for _, t := range j.stateTables() {
		n, _ := db.o.State.TableBytes(db.o.ID, t)
		total += n
	}
	return total
}

// Ready returns when the database runs: its first epoch of this process is committed.
func (db *Database) Ready(ctx context.Context) error {
	for {
		_, moved := db.o.Coordinator.Committed(db.id)
		if db.running() {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// running tells whether an epoch of the present attempt is committed.
func (db *Database) running() bool {
	for _, s := range db.o.Coordinator.Status() {
		if s.Database == db.id {
			return !s.Recovering && s.Ran
		}
	}
	return false
}

// Configure changes how often the database has barriers.
func (db *Database) Configure(c barrier.Config) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	info := db.info
	info.Config = c
	if err := db.o.Meta.Update(func(tx *metastore.Tx) error { return tx.Put(keyInfo(db.o.ID), info) }); err != nil {
		return err
	}
	db.info = info
	db.o.Coordinator.Configure(barrier.Configure{Database: db.id, Config: c})
	return nil
}

// table finds an own table's writing side.
func (db *Database) table(rel *catalog.Relation) (*table, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if t := db.tables[rel.ID]; t != nil {
		return t, nil
	}
	return nil, &sql.Error{Code: sql.UndefinedTable, Message: "relation \"" + rel.Name + "\" does not exist", Pos: -1}
}

// Close ends the database's graphs. The coordinator has ended before.
func (db *Database) Close() error {
	db.dropGraphs()
	db.writer.close()
	return db.o.Views.Drop(db.o.ID)
}
