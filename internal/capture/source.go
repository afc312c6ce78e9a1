package capture

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// Options of a source. Name, Upstream, WAL, Store and Log must be set; other
// zero values mean the defaults given.
type Options struct {
	Name     string
	Upstream Upstream
	WAL      wal.Log
	Store    *metastore.Store

	ChunkRows    int           // rows of a snapshot chunk: 50,000
	ChunkWorkers int           // chunks read at once for one consumer: 2
	SideBytes    int64         // chunks a consumer may have waiting for it: 256 MiB
	PollInterval time.Duration // between looks at the catalog for new tables: 2 s

	Log        *slog.Logger
	Registerer prometheus.Registerer // nil: no metrics
}

func (o *Options) complete() {
	if o.ChunkRows == 0 {
		o.ChunkRows = 50_000
	}
	if o.ChunkWorkers == 0 {
		o.ChunkWorkers = 2
	}
	if o.SideBytes == 0 {
		o.SideBytes = 256 << 20
	}
	if o.PollInterval == 0 {
		o.PollInterval = 2 * time.Second
	}
}

// Source captures one upstream into one channel. Open it, Run it, Close it.
type Source struct {
	opts    Options
	log     *slog.Logger
	channel wal.Channel
	schemas *Schemas
	tables  *tables
	stream  *stream
	jobs    *jobs
	metrics *metrics

	mu struct {
		sync.Mutex
		waits string // what the capture waits for; empty while it streams
		since time.Time
		err   error // the last one, while it waits
	}
}

const channelPrefix = "source-"

// ChannelName is the name of a source's channel.
func ChannelName(source string) string { return channelPrefix + source }

// IsSourceChannel tells the channels of sources from those of their consumers.
func IsSourceChannel(name string) bool { return strings.HasPrefix(name, channelPrefix) }

// Open opens the source's channel, creating it for a new source, and takes its
// next term. It does not talk to the upstream.
func Open(ctx context.Context, o Options) (*Source, error) {
	o.complete()
	channel, err := o.WAL.Channel(ChannelName(o.Name))
	if err != nil {
		return nil, err
	}
	schemas, err := OpenSchemas(o.Store, o.Name)
	if err != nil {
		return nil, err
	}
	s := &Source{
		opts: o, channel: channel, schemas: schemas,
		log:    o.Log.With("source", o.Name),
		tables: newTables(), metrics: newMetrics(o.Registerer, o.Name),
	}
	s.stream = newStream(s)
	s.jobs = newJobs(s)
	s.wait("to be started", nil)
	if err := s.stream.lead(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Run captures until ctx ends, reconnecting for ever. It returns nil then.
func (s *Source) Run(ctx context.Context) error {
	var helpers sync.WaitGroup
	defer helpers.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	helpers.Go(func() { s.pollTables(ctx) })
	helpers.Go(func() { s.promise(ctx) })
	helpers.Go(func() { s.jobs.run(ctx) })

	pause := &backoff.ExponentialBackOff{InitialInterval: 200 * time.Millisecond, RandomizationFactor: 0.3, Multiplier: 2, MaxInterval: 4 * time.Second}
	pause.Reset()
	for {
		began := time.Now()
		err := s.connect(ctx)
		if ctx.Err() != nil {
			s.wait("to be started", nil)
			return nil
		}
		if time.Since(began) > 30*time.Second {
			pause.Reset()
		}
		s.metrics.reconnects.Inc()
		s.wait("the next attempt to reach the upstream", err)
		s.log.Warn("capture interrupted", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(pause.NextBackOff()):
		}
	}
}

// connect prepares the upstream and streams from it until something fails.
func (s *Source) connect(ctx context.Context) error {
	if err := s.stream.ready(ctx); err != nil {
		return err
	}
	if err := s.Prepare(ctx); err != nil {
		return err
	}
	from := s.stream.begin()
	s.wait("", nil)
	s.log.Info("streaming", "from", from)
	return s.opts.Upstream.Stream(ctx, from, s.stream)
}

// Prepare checks the upstream's identity against the first one met, and makes
// publications and slot ready. It reports what is wrong with the upstream.
func (s *Source) Prepare(ctx context.Context) error {
	id, err := s.opts.Upstream.Identity(ctx)
	if err != nil {
		return err
	}
	if err := s.checkIdentity(id); err != nil {
		return err
	}
	resume := s.stream.position()
	found, err := s.opts.Upstream.Tables(ctx) // publications come before the slot
	if err != nil {
		return err
	}
	start, created, err := s.opts.Upstream.Prepare(ctx, resume)
	if err != nil {
		return err
	}
	if created && len(resume) > 0 {
		return weirerr.New(weirerr.SlotMissing, "the replication slot was created anew although the log has a position").
			With("source", s.opts.Name).Hint("run: weir source resync %s", s.opts.Name)
	}
	s.tables.set(found)
	return s.stream.startAt(ctx, start)
}

// identityKey is where the first identity met is kept.
func identityKey(source string) string { return "identity/" + source }

func (s *Source) checkIdentity(now Identity) error {
	return s.opts.Store.Update(func(tx *metastore.Tx) error {
		var was Identity
		known, err := tx.Get(identityKey(s.opts.Name), &was)
		if err != nil {
			return err
		}
		if !known {
			return tx.Put(identityKey(s.opts.Name), now)
		}
		if was.System != now.System || was.Database != now.Database || was.Timeline != now.Timeline {
			return weirerr.New(weirerr.UpstreamIdentity, "the upstream is another one than the log was written from").
				With("source", s.opts.Name).
				With("system", was.System+" -> "+now.System).
				With("timeline", timelines(was, now)).
				With("database", was.Database+" -> "+now.Database).
				Hint("point the source back at its server, or take this one as the new truth with: weir source resync %s", s.opts.Name)
		}
		if was == now {
			return nil
		}
		return tx.Put(identityKey(s.opts.Name), now) // a new server version
	})
}

// promise keeps the channel's resolved Ts moving while the stream is up.
func (s *Source) promise(ctx context.Context) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if what, _ := s.State(); what == "" {
			_, _ = s.stream.promise(0) // it remembers what fails
		}
	}
}

// wait notes what the capture waits for; empty when it streams.
func (s *Source) wait(what string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.waits != what || s.mu.since.IsZero() {
		s.mu.waits, s.mu.since = what, time.Now()
	}
	s.mu.err = err
	s.metrics.streaming.Set(map[bool]float64{true: 1}[what == ""])
}

// State says what the capture waits for and since when; "" while it streams.
func (s *Source) State() (what string, since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.err != nil {
		return s.mu.waits + ": " + s.mu.err.Error(), s.mu.since
	}
	return s.mu.waits, s.mu.since
}

// Err is why the capture waits; nil while it streams.
func (s *Source) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.err
}

// CaughtUp returns a Ts at or above that of everything committed upstream before
// the call, once all that is in the log.
func (s *Source) CaughtUp(ctx context.Context) (ts.Ts, error) {
	position, err := s.opts.Upstream.Now(ctx)
	if err != nil {
		return 0, err
	}
	return s.Passed(ctx, position)
}

// Passed waits until the stream has delivered everything at or below position,
// and returns a Ts at or above its entries.
func (s *Source) Passed(ctx context.Context, position []byte) (ts.Ts, error) {
	if err := s.stream.await(ctx, position); err != nil {
		what, since := s.State()
		return 0, weirerr.New(weirerr.NotReady, "the capture has not reached the upstream's position").
			With("source", s.opts.Name).With("waits for", what).With("since", since.Format(time.RFC3339)).Wrap(err)
	}
	return s.stream.promise(0)
}

// Promise has no later entry of the channel at or below t, whether the upstream can be
// reached or not: what comes from it gets its Ts when it comes.
func (s *Source) Promise(t ts.Ts) error {
	_, err := s.stream.promise(t)
	return err
}

// Close gives up the writer and closes the channels. Run must have returned.
func (s *Source) Close() error {
	err := s.jobs.close()
	if e := s.stream.close(); err == nil {
		err = e
	}
	if e := s.channel.Close(); err == nil {
		err = e
	}
	s.metrics.unregister()
	return err
}
