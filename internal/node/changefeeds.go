package node

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/filter"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/secret"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// changefeeds runs what control decided about changefeeds. It implements
// control.Changefeeds.
type changefeeds struct {
	cluster  string
	sources  *sources
	pins     *pins
	store    *metastore.Store
	kinds    map[string]sinkKind
	lookup   secret.Lookup
	log      *slog.Logger
	registry prometheus.Registerer

	mu      sync.Mutex
	all     map[string]*changefeed
	engine  *engine                       // nil until databases run
	waiting map[string]control.Changefeed // of databases, until they run
}

// changefeed is one that runs.
type changefeed struct {
	*feed.Feed
	def control.Changefeed
}

var _ control.Changefeeds = (*changefeeds)(nil)

// options maps a definition to what the feed runs with.
func (c *changefeeds) options(def control.Changefeed) (feed.Options, error) {
	src, err := c.sources.get(def.Source)
	if err != nil {
		return feed.Options{}, err
	}
	tables, err := filter.Parse(def.Tables)
	if err != nil {
		return feed.Options{}, err
	}
	cfg := def.Config
	o := feed.Options{
		Name: def.ID, Cluster: c.cluster, Source: src.Source, Filter: tables,
		OpenSink: func() (feed.Sink, error) { return c.openSink(def, src) },
		Store:    feedStore{control.NewFeedStore(c.store, def.ID)},
		Pins:     c.pins.of(src.Channel().Name()).Claims(wal.Budget{OnFull: wal.OnFull(cfg.OnFull)}),
		Start:    feed.StartInitial, TargetTs: def.TargetTs,
		BatchRows: cfg.Batch.MaxRows, BatchBytes: int(cfg.Batch.MaxBytes), FlushInterval: cfg.Batch.MaxDelay.Std(),
		SnapshotRows: cfg.Snapshot.BatchRows,
		RetryInitial: cfg.Retry.Initial.Std(), RetryMax: cfg.Retry.Max.Std(), StuckAfter: cfg.StuckDuration.Std(),
		Log: c.log, Registerer: c.registry,
	}
	switch def.Start {
	case control.StartNow:
		o.Start = feed.StartNow
	case control.StartTs:
		o.StartTs = def.StartTs
	}
	return o, nil
}

// openSink makes a sink; secrets are looked up anew each time.
func (c *changefeeds) openSink(def control.Changefeed, src *source) (feed.Sink, error) {
	uri, err := c.lookup.Resolve(def.SinkURI)
	if err != nil {
		return nil, err
	}
	kind, ok := c.kinds[schemeOf(uri)]
	if !ok {
		return nil, weirerr.New(weirerr.TargetConfig, "no sink understands this URI").With("changefeed", def.ID)
	}
	again, err := c.snapshotAgain(def)
	if err != nil {
		return nil, err
	}
	return kind.open(sinkOptions{changefeed: def, uri: uri, upstream: src.def.Upstream, reconcile: again})
}

// snapshotAgain tells whether the feed is beyond the incarnation that it was
// created with: its snapshot then meets a target that an earlier one filled.
func (c *changefeeds) snapshotAgain(def control.Changefeed) (bool, error) {
	incarnation, err := control.NewFeedStore(c.store, def.ID).Incarnation()
	return incarnation > def.Incarnation, err
}

// Start implements control.Changefeeds.
func (c *changefeeds) Start(ctx context.Context, def control.Changefeed) error {
	if ready, err := c.prepare(ctx, def); err != nil || !ready {
		return err
	}
	return c.start(ctx, def, def, def.Incarnation)
}

// start runs a feed as how says; def is its definition.
func (c *changefeeds) start(ctx context.Context, how, def control.Changefeed, incarnation uint64) error {
	o, err := c.options(how)
	if err != nil {
		return err
	}
	o.Incarnation = incarnation
	f, err := feed.New(ctx, o)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all[def.ID] = &changefeed{f, def}
	return nil
}

func (c *changefeeds) get(id string) (*changefeed, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.all[id]; f != nil {
		return f, nil
	}
	return nil, weirerr.New(weirerr.NotReady, "the changefeed does not run here").With("changefeed", id).
		Hint("its source may not run; see: weir source list")
}

// Pause implements control.Changefeeds.
func (c *changefeeds) Pause(ctx context.Context, id string) error {
	f, err := c.get(id)
	if err != nil {
		return err
	}
	return f.Pause(ctx)
}

// Resume implements control.Changefeeds.
func (c *changefeeds) Resume(ctx context.Context, id string, overwrite ts.Ts) error {
	f, err := c.get(id)
	if err != nil {
		return err
	}
	return f.Resume(ctx, overwrite)
}

// Update implements control.Changefeeds.
func (c *changefeeds) Update(ctx context.Context, def control.Changefeed) error {
	f, err := c.get(def.ID)
	if err != nil {
		return err
	}
	o, err := c.options(def)
	if err != nil {
		return err
	}
	if err := f.Update(ctx, o); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f.def = def
	return nil
}

// Remove implements control.Changefeeds.
func (c *changefeeds) Remove(ctx context.Context, def control.Changefeed) error {
	c.mu.Lock()
	f := c.all[def.ID]
	c.mu.Unlock()
	if f == nil {
		return c.removeStopped(ctx, def)
	}
	if err := f.Remove(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	delete(c.all, def.ID)
	c.mu.Unlock()
	return errors.Join(f.Close(ctx), c.stays(def))
}

// removeStopped forgets a changefeed that does not run, because its source does
// not: its pin, if the channel is watched, and its record.
func (c *changefeeds) removeStopped(ctx context.Context, def control.Changefeed) error {
	if src, err := c.sources.get(def.Source); err == nil {
		if err := c.pins.of(src.Channel().Name()).Release(ctx, def.ID); err != nil {
			return err
		}
	}
	c.mu.Lock()
	delete(c.waiting, def.ID)
	c.mu.Unlock()
	return errors.Join(control.NewFeedStore(c.store, def.ID).Delete(ctx), c.stays(def))
}

// Resync implements control.Changefeeds. The source has begun a new log, in which
// nothing of what the feed kept means anything: it begins again as its next
// incarnation, and its sink reconciles.
func (c *changefeeds) Resync(ctx context.Context, id string) error {
	f, err := c.get(id)
	if err != nil {
		return err
	}
	if err := f.Close(ctx); err != nil {
		c.log.Warn("stopping a changefeed before its resync", "changefeed", id, "error", err)
	}
	src, err := c.sources.get(f.def.Source)
	if err != nil {
		return err
	}
	if err := src.CancelBackfill(feed.ConsumerID(id, f.Status().Incarnation)); err != nil {
		return err
	}
	kept := control.NewFeedStore(c.store, id)
	if err := kept.Delete(ctx); err != nil {
		return err
	}
	last, err := kept.Incarnation()
	if err != nil {
		return err
	}
	again := f.def
	again.Start, again.StartTs = control.StartInitial, 0
	return c.start(ctx, again, f.def, last+1)
}

// Wait implements control.Changefeeds.
func (c *changefeeds) Wait(ctx context.Context, id string, t ts.Ts) error {
	f, err := c.get(id)
	if err != nil {
		return err
	}
	return f.Wait(ctx, t)
}

// close stops every changefeed; each saves its checkpoint.
func (c *changefeeds) close(ctx context.Context) error {
	c.mu.Lock()
	all := c.all
	c.all = map[string]*changefeed{}
	c.mu.Unlock()
	errs := make(chan error, len(all))
	for _, f := range all {
		go func() { errs <- f.Close(ctx) }()
	}
	var joined error
	for range all {
		joined = errors.Join(joined, <-errs)
	}
	return joined
}

// feedStore lets a feed keep its record in control's store.
type feedStore struct{ *control.FeedStore }

func (s feedStore) Load(ctx context.Context) (feed.Record, bool, error) {
	r, ok, err := s.FeedStore.Load(ctx)
	return feed.Record(r), ok, err
}

func (s feedStore) Save(ctx context.Context, r feed.Record) error {
	return s.FeedStore.Save(ctx, control.FeedRecord(r))
}
