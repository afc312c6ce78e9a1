package node

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/database"
	"github.com/weirstream/weir/internal/httpapi"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/secret"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/wal/local"
	"github.com/weirstream/weir/internal/wal/pinstore"
	"github.com/weirstream/weir/internal/weirerr"
)

// saveTimeout bounds the end: checkpoints are saved within it.
const saveTimeout = 8 * time.Second

// node is everything that runs.
type node struct {
	cfg      config.Server
	version  string
	format   format
	log      *slog.Logger
	level    *slog.LevelVar
	registry *prometheus.Registry
	redactor *secret.Redactor

	store       *metastore.Store
	wal         *local.Log
	logs        *database.Logs // the same, with who writes its channels
	witness     *witness
	pins        *pins
	sources     *sources
	changefeeds *changefeeds
	control     *control.Control
	engine      *engine
	sql         *sqlServer
	helpers     sync.WaitGroup
	stop        context.CancelFunc // of what runs beside the doors

	mu       sync.Mutex
	notReady error
}

// Run is a server: it returns when ctx ends, with the checkpoints saved, or when
// it cannot start.
func Run(ctx context.Context, cfg config.Server, version string) (err error) {
	n := &node{cfg: cfg, version: version, registry: prometheus.NewRegistry(), redactor: &secret.Redactor{}, level: &slog.LevelVar{}}
	if n.log, err = newLogger(cfg.Logging, n.level, n.redactor); err != nil {
		return err
	}
	token, err := httpapi.ReadToken(cfg.HTTP.TokenFile)
	if err != nil {
		return err
	}
	listener, err := httpapi.Listen(cfg.HTTPAddr, cfg.HTTP)
	if err != nil {
		return err
	}
	n.setReady(weirerr.New(weirerr.NotReady, "the server is starting"))
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	n.stop = stop
	defer stop()
	if err := n.open(running); err != nil {
		return errors.Join(err, listener.Close(), n.close())
	}
	sqlListener, err := n.listenSQL()
	if err != nil {
		return errors.Join(err, listener.Close(), n.close())
	}
	n.log.Info("weir is up", "version", version, "http", listener.Addr().String(), "sql", addressOf(sqlListener), "data_dir", cfg.DataDir, "cluster", n.format.Cluster)
	n.helpers.Go(func() { n.restore(running, sqlListener) })
	err = httpapi.Serve(ctx, listener, n.door(listener, token), cfg.HTTP, n.log)
	n.setReady(weirerr.New(weirerr.NotReady, "the server is stopping"))
	return errors.Join(err, n.close())
}

// open opens the stores, checks them against each other, and wires the rest.
func (n *node) open(ctx context.Context) (err error) {
	dir := n.cfg.DataDir
	if n.format, err = openDataDir(dir); err != nil {
		return err
	}
	n.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	n.wal, err = local.Open(LogDir(dir), local.Options{
		Options: wal.Options{SegmentBytes: int64(n.cfg.Log.SegmentBytes)}, Logger: n.log, Metrics: local.NewMetrics(n.registry),
	})
	if err != nil {
		return err
	}
	if n.store, err = metastore.Open(metaDir(dir), n.log); err != nil {
		return err
	}
	w := &witness{log: n.wal, store: n.store, last: map[string]ts.Ts{}}
	if err := w.check(); err != nil {
		return err
	}
	n.witness = w // from here on it takes notes, also when we stop
	n.wire(ctx)
	n.helpers.Go(func() {
		n.witness.run(ctx, func(err error) { n.log.Error("noting how old the stores are", "error", err) })
	})
	n.helpers.Go(func() { n.pins.guard.Run(ctx) })
	return nil
}

// wire makes the runtime and control. Nothing runs yet.
func (n *node) wire(ctx context.Context) {
	lookup := secret.OS()
	n.pins = &pins{
		store: pinstore.New(n.store), log: n.log, registry: n.registry, all: map[string]*wal.Checkpoint{},
		guard:     newGuard(LogDir(n.cfg.DataDir), n.wal, n.cfg.Log, n.log),
		saveEvery: n.cfg.Log.CheckpointEvery.Std(), evictable: int64(n.cfg.Log.SegmentBytes),
	}
	n.logs = database.NewLogs(n.wal)
	n.sources = &sources{
		ctx: ctx, wal: n.wal, logs: n.logs, store: n.store, pins: n.pins, witness: n.witness,
		sideBytes: int64(n.cfg.Log.SideBytes), capture: n.cfg.Capture, lookup: lookup, log: n.log, registry: n.registry, all: map[string]*source{},
	}
	kinds := sinkKinds(n.log)
	n.changefeeds = &changefeeds{
		cluster: n.format.Cluster, sources: n.sources, pins: n.pins, store: n.store, kinds: kinds,
		lookup: lookup, log: n.log, registry: n.registry, all: map[string]*changefeed{}, waiting: map[string]control.Changefeed{},
	}
	checks := map[string]control.Sink{}
	for scheme, kind := range kinds {
		checks[scheme] = kind
	}
	verify := &verifier{n.sources, n.changefeeds, lookup}
	n.control = control.New(control.Options{
		Store: n.store, Sources: n.sources, Changefeeds: n.changefeeds, Log: &logs{n.wal, n.pins},
		Sinks: checks, Verifiers: map[string]control.Verifier{"postgres": verify, "postgresql": verify},
		Lookup: lookup, Redactor: n.redactor, Logger: n.log, Now: time.Now, Version: n.version,
	})
}

// restore starts what is defined; the doors are open meanwhile, and not ready. A database's
// tables follow sources, so sources come first.
func (n *node) restore(ctx context.Context, sqlListener net.Listener) {
	err := n.control.Restore(ctx)
	if err == nil {
		err = n.startSQL(ctx, sqlListener)
	}
	if err == nil && n.engine != nil {
		n.changefeeds.attach(ctx, n.engine)
	}
	if err != nil && ctx.Err() == nil {
		n.log.Error("starting what is defined", "error", err)
		n.setReady(err)
		return
	}
	n.setReady(nil)
}

// door makes the HTTP API.
func (n *node) door(l net.Listener, token string) httpHandler {
	return httpapi.New(httpapi.Options{
		Control: n.control, Ready: n.ready, Logger: n.log, Level: n.level, Metrics: n.registry, Now: time.Now,
		Node: httpapi.Node{
			ID: n.format.Cluster + "-1", Cluster: n.format.Cluster, Address: l.Addr().String(),
			Version: n.version, GitHash: revision(), PID: os.Getpid(),
		},
		Token: token, Loopback: config.Loopback(n.cfg.HTTPAddr),
		MaxBody: int64(n.cfg.HTTP.MaxBodyBytes), MaxWaits: n.cfg.HTTP.MaxWaits, PProf: n.cfg.HTTP.PProf,
	})
}

func (n *node) ready() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.notReady
}

func (n *node) setReady(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notReady = err
}

// close takes down what open and restore have made, in the opposite order.
func (n *node) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), saveTimeout)
	defer cancel()
	var all error
	note := func(what string, err error) {
		if err != nil {
			n.log.Error(what, "error", err)
			all = errors.Join(all, err)
		}
	}
	n.stopSQL(ctx, note)
	if n.changefeeds != nil {
		note("stopping the changefeeds", n.changefeeds.close(ctx))
	}
	if n.witness != nil { // while the channels are open to take the note
		note("noting how old the stores are", n.witness.note())
	}
	if n.sources != nil {
		note("stopping the sources", n.sources.close(ctx))
	}
	n.stop()
	n.helpers.Wait()
	if n.wal != nil {
		note("closing the log", n.wal.Close())
	}
	if n.store != nil {
		note("closing the metadata store", n.store.Close())
	}
	n.log.Info("weir is down")
	return all
}
