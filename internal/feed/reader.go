package feed

import (
	"context"
	"errors"
	"time"

	"github.com/weirstream/weir/internal/reconcile"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// reader reads the channel from where an attempt begins and turns it into
// batches. It is used by one goroutine.
type reader struct {
	*tables
	channel     wal.Channel
	gate        *gate
	incarnation uint64
	target      ts.Ts    // read no further; 0: no end
	skip        Position // the target has everything up to here
	batches     batches
	most        int    // items of a batch
	b           *batch // being filled

	at      ts.Ts // everything up to here is processed
	side    ts.Ts // of the last chunk that took effect
	last    *mark // as of the last time the state was encoded
	dirty   bool  // the state has changed since
	changed ts.Ts // when it did
	encoded time.Time
	every   time.Duration // between two encodings, at least
	polled  time.Time
	asked   bool         // snapshots were asked for since the side channel was last removed
	saved   func() *mark // the mark that is saved
	units   []unit       // of the run being decided
	pieces  [][]byte     // their changes
	finder  reconcile.Finder
}

// pollEvery is how often the source is asked for new tables.
const pollEvery = time.Second

// run reads until ctx ends, an error occurs or the target is reached.
func (r *reader) run(ctx context.Context, from ts.Ts) error {
	rd, err := r.channel.Read(from)
	if err != nil {
		return err
	}
	rd = &gated{Reader: rd, gate: r.gate}
	defer rd.Close()
	r.at = from
	if err := r.begin(ctx); err != nil {
		return err
	}
	for {
		in, err := rd.Next(ctx)
		if err != nil {
			return err
		}
		if err := r.entries(ctx, in.Entries); err != nil {
			return err
		}
		r.at = max(r.at, r.bound(in.Resolved))
		if err := r.housekeep(ctx); err != nil {
			return err
		}
		if err := r.flush(ctx, Position{Ts: r.at}); err != nil {
			return err
		}
		if r.target != 0 && r.at >= r.target {
			<-ctx.Done() // the owner stops the attempt
			return ctx.Err()
		}
	}
}

// begin asks for the snapshots that are due.
func (r *reader) begin(ctx context.Context) error {
	var err error
	if r.b, err = r.next(ctx); err != nil {
		return err
	}
	excluded, err := r.exclude(r.at)
	if err != nil {
		return err
	}
	r.changedIf(excluded, r.at)
	r.changedIf(r.discover(), r.at)
	r.changedIf(r.last.idle != r.consumer.Idle(), r.at)
	r.polled = time.Now()
	if err := r.ask(ctx); err != nil {
		return err
	}
	return r.flush(ctx, Position{Ts: r.at})
}

// ask requests the snapshots that the state needs.
func (r *reader) ask(ctx context.Context) error {
	want := r.consumer.Wants()
	if len(want) == 0 {
		return nil
	}
	r.asked = true
	return r.source.Backfill(ctx, r.consumer.ID(), want)
}

// housekeep looks for new tables, and removes the side channel when what it
// held is delivered and saved.
func (r *reader) housekeep(ctx context.Context) error {
	now := time.Now()
	if now.Sub(r.polled) < pollEvery {
		return nil
	}
	r.polled = now
	if r.discover() {
		r.changedIf(true, r.at)
		if err := r.ask(ctx); err != nil {
			return err
		}
	}
	if m := r.saved(); r.asked && r.consumer.Idle() && !r.dirty && m != nil && m == r.last {
		r.asked = false
		return r.source.CancelBackfill(r.consumer.ID())
	}
	return nil
}

func (r *reader) changedIf(yes bool, at ts.Ts) {
	if yes {
		r.dirty, r.changed = true, at
	}
}

func (r *reader) bound(t ts.Ts) ts.Ts {
	if r.target != 0 {
		return min(t, r.target)
	}
	return t
}

// entries processes what one read returned, in runs that need no other step
// in between.
func (r *reader) entries(ctx context.Context, all []wal.Entry) error {
	for len(all) > 0 {
		e := &all[0]
		if r.target != 0 && e.Ts > r.target {
			return nil
		}
		n := 1
		var err error
		switch {
		case e.Kind == wal.KindMarker:
			err = r.marker(ctx, e)
		case e.Large != nil:
			err = r.large(ctx, e)
		default:
			n, err = r.small(ctx, all)
		}
		if err != nil {
			return err
		}
		r.at = all[n-1].Ts
		if err := r.flushFull(ctx); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// small processes a run of ordinary transactions, and returns how many.
func (r *reader) small(ctx context.Context, all []wal.Entry) (int, error) {
	r.units, r.pieces = r.units[:0], r.pieces[:0]
	for i := range all {
		e := &all[i]
		if e.Kind == wal.KindMarker || e.Large != nil || r.target != 0 && e.Ts > r.target {
			break
		}
		r.units, r.pieces = append(r.units, unit{entry: e, changes: e.Changes}), append(r.pieces, e.Changes)
	}
	n := 0
	for n < len(r.units) {
		k, err := r.finder.Prepare(ctx, r.pieces[n:])
		if err != nil {
			return n, err
		}
		for i := range r.units[n : n+k] {
			u := &r.units[n+i]
			if err := r.unit(ctx, u, r.txn(u.entry)); err != nil {
				return n, err
			}
			r.b.count++
			r.at = u.entry.Ts
			if err := r.flushFull(ctx); err != nil {
				return n, err
			}
		}
		n += k
		r.settle(r.units[n-1].entry)
	}
	return n, nil
}

// settle tells the snapshots how far the stream has passed.
func (r *reader) settle(e *wal.Entry) {
	if r.consumer.Idle() || len(e.Position) == 0 {
		return
	}
	r.consumer.Settle(e.Position, e.Ts)
	r.changedIf(true, e.Ts)
}

// txn describes an entry, or is nil when its changes are delivered already.
func (r *reader) txn(e *wal.Entry) *Txn {
	if !r.skip.Less(Position{Ts: e.Ts}) {
		return nil
	}
	t := r.b.txns.next()
	t.Ts, t.Xid, t.CommitUs = e.Ts, e.Xid, e.CommitUs
	t.Position = r.b.arena.copy(e.Position)
	return t
}

// large streams the parts of a large transaction: the batches it fills have no
// boundary but the last.
func (r *reader) large(ctx context.Context, e *wal.Entry) error {
	if err := r.flush(ctx, Position{Ts: r.at}); err != nil {
		return err
	}
	err := reconcile.Parts(r.channel, e.Large, func(changes []byte) error {
		return r.part(ctx, unit{entry: e, changes: changes})
	})
	if err != nil {
		return err
	}
	r.b.count++
	r.at = e.Ts
	r.settle(e)
	return r.flush(ctx, Position{Ts: e.Ts})
}

func (r *reader) part(ctx context.Context, u unit) error {
	if r.full() {
		if err := r.send(ctx); err != nil {
			return err
		}
	}
	if _, err := r.finder.Prepare(ctx, [][]byte{u.changes}); err != nil {
		return err
	}
	return r.unit(ctx, &u, r.txn(u.entry))
}

// full tells whether the batch holds enough.
func (r *reader) full() bool { return r.b.bytes >= batchBytes || len(r.b.items) >= r.most }

// flushFull hands the batch over when it holds enough; everything before r.at
// is in it.
func (r *reader) flushFull(ctx context.Context) error {
	if !r.full() {
		return nil
	}
	return r.flush(ctx, Position{Ts: r.at})
}

// flush hands the batch over as complete up to pos.
func (r *reader) flush(ctx context.Context, pos Position) error {
	r.b.pos, r.b.boundary = pos, true
	if pos.Offset == 0 { // in the middle of a chunk there is no state to restart from
		if err := r.encode(); err != nil {
			return err
		}
		if !r.dirty {
			r.b.mark = r.last
		}
	}
	return r.send(ctx)
}

// encode renews the mark when the state changed, now and then while it keeps
// changing, and at once when nothing more is there to read.
func (r *reader) encode() error {
	if !r.dirty {
		return nil
	}
	now := time.Now()
	if now.Sub(r.encoded) < r.every && r.channel.Status().Durable > r.at {
		return nil
	}
	m, err := r.tables.mark(r.incarnation, r.changed, r.side)
	if err != nil {
		return err
	}
	r.last, r.dirty, r.encoded = m, false, now
	return nil
}

// send passes the batch to the writer and takes a free one.
func (r *reader) send(ctx context.Context) error {
	select {
	case r.batches.full <- r.b:
	case <-ctx.Done():
		return ctx.Err()
	}
	var err error
	r.b, err = r.next(ctx)
	return err
}

func (r *reader) next(ctx context.Context) (*batch, error) {
	select {
	case b := <-r.batches.free:
		b.reset()
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// badEntry wraps what is wrong with the bytes of an entry.
func (r *reader) badEntry(e *wal.Entry, cause error) error {
	return weirerr.New(weirerr.LogCorrupt, "an entry of the log does not decode").
		With("channel", r.channel.Name()).With("ts", e.Ts).Wrap(cause).
		Hint("run weir log verify; resync the changefeed when the log is damaged")
}

// named adds the table to an error that says nothing of it.
func named(err error, s *row.Schema) error {
	var e *weirerr.Error
	if s == nil || !errors.As(err, &e) {
		return err
	}
	for _, f := range e.Fields {
		if f.Name == "table" {
			return err
		}
	}
	return e.With("table", s.FullName())
}
