package feed

import (
	"context"
	"errors"

	"github.com/weirstream/weir/internal/owner"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// attempt is one run of a feed: a sink, a reader and a writer, from Start to
// Ended.
type attempt struct {
	start owner.Start
	opts  Options
	gate  *gate
	mark  *mark    // the state at start.Checkpoint
	last  Position // that this feed committed last, as far as it knows
	saved func() *mark

	opened func(pos, target Position) // where it goes on; what the target has (0: none)
	report func(d delivery)
	busy   func(table row.TableID)
}

// run delivers until ctx ends or something fails, and closes the sink.
func (a *attempt) run(ctx context.Context) error {
	sink, err := a.opts.OpenSink()
	if err != nil {
		return err
	}
	w, err := a.deliver(ctx, sink)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.opts.CloseTimeout)
	defer cancel()
	if e := sink.Close(closing); e != nil && err == nil {
		err = e
	}
	if w != nil {
		w.close()
	}
	return err
}

func (a *attempt) deliver(ctx context.Context, sink Sink) (*writer, error) {
	lane := Lane{
		Cluster: a.opts.Cluster, Changefeed: a.opts.Name, Incarnation: a.start.Incarnation, Term: a.start.Attempt,
	}
	pos, ok, err := sink.Open(ctx, lane)
	if err != nil {
		return nil, err
	}
	from, skip, err := a.begin(sink, pos, ok)
	if err != nil {
		return nil, err
	}
	a.opened(skip, pos)
	r, err := a.reader(skip)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	read := make(chan error, 1)
	go func() {
		err := a.judge(r.run(ctx, from), ok)
		cancel(err)
		read <- err
	}()
	w := a.writer(sink, skip, r.batches)
	err = w.run(ctx)
	cancel(err)
	return w, first(err, <-read)
}

// first is the error that caused the other one.
func first(a, b error) error {
	if a == nil || errors.Is(a, context.Canceled) && b != nil {
		return b
	}
	return a
}

// begin decides where to read from, and what the target has already: its own
// position wins over what we saved.
func (a *attempt) begin(sink Sink, pos Position, ok bool) (from ts.Ts, skip Position, err error) {
	saved := Position{Ts: a.start.Checkpoint}
	if !ok {
		if _, forgets := sink.(Forgetful); !forgets && a.last != (Position{}) {
			return 0, pos, weirerr.New(weirerr.TargetBehind, "the target has lost the position it had").
				With("changefeed", a.opts.Name).With("committed", a.last.Ts).
				Hint("restore the target's bookkeeping, or resync the changefeed")
		}
		return saved.Ts, saved, nil
	}
	if a.last == (Position{}) || !pos.Less(a.last) {
		if pos.Less(saved) {
			pos = saved // nothing happened in between
		}
		return saved.Ts, pos, nil
	}
	// The target is older than what it once confirmed. We can deliver again what
	// it lacks as long as the state is the same since, and the log has it.
	from = checkpoint(pos)
	if a.mark.since > from {
		return 0, pos, weirerr.New(weirerr.TargetBehind, "the target stands before a snapshot or a schema change delivered to it").
			With("changefeed", a.opts.Name).With("target", pos.Ts).With("delivered", a.last.Ts).
			Hint("resync the changefeed")
	}
	return min(from, saved.Ts), pos, nil
}

// judge names what it means when the log does not reach back to the position.
func (a *attempt) judge(err error, hasPosition bool) error {
	if weirerr.CodeOf(err) != weirerr.LogTruncated || !hasPosition {
		return err
	}
	return weirerr.New(weirerr.TargetBehind, "the target's position lies below the start of the log").
		With("changefeed", a.opts.Name).Wrap(err).Hint("resync the changefeed")
}

func (a *attempt) reader(skip Position) (*reader, error) {
	t := newTables(a.opts.Source, a.opts.Filter, ConsumerID(a.opts.Name, a.start.Incarnation))
	if err := t.restore(a.mark.state); err != nil {
		return nil, err
	}
	return &reader{
		tables: t, finder: t.finder(), channel: a.opts.Source.Channel(), gate: a.gate, incarnation: a.start.Incarnation,
		target: a.start.Target, skip: skip, batches: newBatches(a.opts.Prefetch),
		most: min(batchItems, a.opts.BatchRows, a.opts.SnapshotRows), every: a.opts.encodeEvery, last: a.mark, side: a.mark.side, saved: a.saved, asked: true,
	}, nil
}

// snapshotBytes bounds a target transaction of snapshot rows.
const snapshotBytes = 32 << 20

func (a *attempt) writer(sink Sink, skip Position, b batches) *writer {
	return &writer{
		sink: sink, skip: skip, batches: b, report: a.report, busy: a.busy, answers: make(chan error, ahead),
		limits: limits{
			rows: a.opts.BatchRows, bytes: a.opts.BatchBytes,
			snapshotRows: a.opts.SnapshotRows, snapshotBytes: max(snapshotBytes, a.opts.BatchBytes),
			linger: a.opts.FlushInterval,
		},
	}
}

// checkpoint is the Ts up to which a position covers everything.
func checkpoint(p Position) ts.Ts {
	if p.Offset == 0 {
		return p.Ts
	}
	return p.Ts - 1
}
