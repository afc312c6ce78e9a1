package feed

import (
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirstream/weir/internal/filter"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// Start says where a new feed begins.
type Start string

// Where a new feed begins: with a snapshot of its tables, or with what is
// committed from now on.
const (
	StartInitial Start = "initial"
	StartNow     Start = "now"
)

// Options of a feed. Name, Source, OpenSink, Store, Pins and Log must be set;
// other zero values mean the defaults given.
type Options struct {
	Name     string // of the changefeed; the owner of its pin
	Cluster  string // of this installation, names the position at the target
	Source   Source
	OpenSink func() (Sink, error) // makes a sink; the feed then calls its Open
	Store    Store
	Pins     Pins
	Filter   *filter.Filter // nil: every table of the source

	// Incarnation of a new feed: above that of any earlier feed of the same name.
	// 0 takes the time in milliseconds.
	Incarnation uint64

	Start    Start // initial
	StartTs  ts.Ts // begin after this Ts, without a snapshot; overrides Start
	TargetTs ts.Ts // deliver up to here, then finish; 0: for ever

	BatchRows     int           // changes in a target transaction, before it commits: 60,000
	BatchBytes    int           // their encoded bytes: 32 MiB
	SnapshotRows  int           // rows of a snapshot in a target transaction: 200,000
	FlushInterval time.Duration // how long a small batch may wait for more: 0, not at all
	SaveInterval  time.Duration // between saves of the checkpoint: 500 ms
	Prefetch      int           // decoded batches (each about 1 MiB) ahead of the sink: 8
	CloseTimeout  time.Duration // for a sink to close: 5 s

	RetryInitial time.Duration // pause before the first retry, then doubled: 1 s
	RetryMax     time.Duration // 10 min
	StuckAfter   time.Duration // fail after retries without progress for so long: 30 min

	encodeEvery time.Duration // at least, between two encodings of the state while it changes: 250 ms

	Random     func() float64 // jitter of the pauses, in [0, 1): math/rand
	Log        *slog.Logger
	Registerer prometheus.Registerer // nil: no metrics
}

func orDefault[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// complete checks o and fills in the defaults.
func (o *Options) complete() error {
	bad := func(what string) error {
		return weirerr.New(weirerr.InvalidArgument, "%s", what).With("changefeed", o.Name)
	}
	switch {
	case o.Name == "":
		return bad("a changefeed needs a name")
	case o.Source == nil, o.OpenSink == nil, o.Store == nil, o.Pins == nil, o.Log == nil:
		return bad("a changefeed needs a source, a sink, a store, pins and a log")
	case o.BatchRows < 0, o.BatchBytes < 0, o.SnapshotRows < 0, o.Prefetch < 0:
		return bad("batch limits must not be negative")
	case o.FlushInterval < 0, o.SaveInterval < 0, o.RetryInitial < 0, o.RetryMax < 0, o.StuckAfter < 0:
		return bad("intervals must not be negative")
	}
	orDefault(&o.Start, StartInitial)
	if o.Start != StartInitial && o.Start != StartNow {
		return bad("start must be initial or now")
	}
	orDefault(&o.BatchRows, 60_000)
	orDefault(&o.BatchBytes, 32<<20)
	orDefault(&o.SnapshotRows, 200_000)
	orDefault(&o.SaveInterval, 500*time.Millisecond)
	orDefault(&o.Prefetch, 8)
	orDefault(&o.encodeEvery, 250*time.Millisecond)
	orDefault(&o.CloseTimeout, 5*time.Second)
	orDefault(&o.RetryInitial, time.Second)
	orDefault(&o.RetryMax, 10*time.Minute)
	orDefault(&o.StuckAfter, 30*time.Minute)
	if o.Random == nil {
		o.Random = rand.Float64
	}
	return nil
}
