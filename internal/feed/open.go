package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/weirstream/weir/internal/owner"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// open takes the feed up from its record, or creates it. evicted is set when
// the log has not kept what the record needs.
func (f *Feed) open(ctx context.Context) (st owner.Status, evicted, err error) {
	r, found, err := f.opts.Store.Load(ctx)
	if err != nil {
		return st, nil, fmt.Errorf("load the record of changefeed %s: %w", f.opts.Name, err)
	}
	if !found {
		st, err = f.create(ctx)
		return st, nil, err
	}
	var s savedStatus
	if err := json.Unmarshal(r.Status, &s); err != nil {
		return st, nil, fmt.Errorf("record of changefeed %s: %w", f.opts.Name, err)
	}
	f.created = time.UnixMilli(s.CreatedMs).UTC()
	f.life = life{
		incarnation: s.Incarnation, start: s.StartTs, markTs: s.Checkpoint, committed: s.Committed,
		mark: &mark{
			incarnation: s.Incarnation, state: r.State, since: s.MarkSince, side: s.MarkSide,
			idle: s.MarkIdle, consistent: s.Consistent,
		},
	}
	f.savedMark.set(f.life.mark)
	if s.Released() {
		return s.Status, nil, nil
	}
	err = f.pin(ctx, &s.Checkpoint, false)
	if stale(err) || weirerr.FlagsOf(err).LogGone {
		return s.Status, err, nil
	}
	return s.Status, nil, err
}

// create begins a feed at the present end of the log, and puts it on record.
func (f *Feed) create(ctx context.Context) (owner.Status, error) {
	o := &f.opts
	f.created = time.Now().UTC()
	incarnation := max(o.Incarnation, 1)
	if o.Incarnation == 0 {
		incarnation = uint64(f.created.UnixMilli())
	}
	if o.Start == StartNow || o.StartTs != 0 {
		if err := f.awaitSource(ctx); err != nil {
			return owner.Status{}, err
		}
	}
	from, now := o.StartTs, o.StartTs == 0
	if now {
		from = o.Source.Channel().Status().Resolved
	}
	if o.TargetTs != 0 && o.TargetTs <= from {
		return owner.Status{}, weirerr.New(weirerr.InvalidArgument, "the target %s is not above the start %s", o.TargetTs, from).
			With("changefeed", o.Name).Hint("choose a later target")
	}
	if err := f.pin(ctx, &from, now); err != nil {
		return owner.Status{}, err
	}
	l, err := newLife(o, incarnation, from, now && o.Start == StartInitial)
	if err != nil {
		return owner.Status{}, errors.Join(err, o.Pins.Release(ctx, o.Name))
	}
	st := owner.Status{
		State: owner.Normal, Incarnation: incarnation, Checkpoint: from, Resolved: from, Target: o.TargetTs,
		Since: owner.Time(f.created.UnixMilli()),
	}
	f.life = *l
	r, err := f.record(st, l)
	if err == nil {
		err = o.Store.Save(ctx, r)
	}
	if err != nil {
		return owner.Status{}, errors.Join(err, o.Pins.Release(ctx, o.Name))
	}
	f.savedMark.set(l.mark)
	return st, nil
}

// sourceTimeout bounds how long a feed that begins without a snapshot waits for
// its source to know which tables there are.
const sourceTimeout = 10 * time.Second

// awaitSource returns when the source streams: a table it lists only later is new.
func (f *Feed) awaitSource(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sourceTimeout)
	defer cancel()
	for {
		what, since := f.opts.Source.State()
		if what == "" {
			return nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return weirerr.New(weirerr.NotReady, "the source does not stream yet").With("changefeed", f.opts.Name).
				With("waits", what).With("since", since.UTC().Format(time.RFC3339)).Wrap(ctx.Err()).
				Hint("see weir source query; create the changefeed again when it streams")
		}
	}
}

// newLife prepares an incarnation that begins after from: with the snapshots of
// all tables, or with every table as it is.
func newLife(o *Options, incarnation uint64, from ts.Ts, snapshot bool) (*life, error) {
	t := newTables(o.Source, o.Filter, ConsumerID(o.Name, incarnation))
	if !snapshot {
		t.adopt()
	}
	m, err := t.mark(incarnation, from, 0)
	if err != nil {
		return nil, err
	}
	m.idle = m.idle && !snapshot
	return &life{incarnation: incarnation, start: from, mark: m, markTs: from}, nil
}

// stale tells whether a claim came too late.
func stale(err error) bool {
	code := weirerr.CodeOf(err)
	return err != nil && (code == weirerr.CheckpointStale || code == weirerr.LogTruncated)
}
