package feed

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/owner"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
)

// markBox passes the mark that is durable from the loop to the reader.
type markBox struct {
	mu sync.Mutex
	m  *mark
}

func (b *markBox) set(m *mark) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.m = m
}

func (b *markBox) get() *mark {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.m
}

// io does what may block, in the order asked for.
func (f *Feed) io() {
	for {
		select {
		case do := <-f.work:
			do(f.ctx)
		case <-f.ctx.Done():
			return
		}
	}
}

// do carries out an effect. The machine has few of them under way at a time, so
// work never fills up.
func (f *Feed) do(effect owner.Effect) {
	name, pins := f.opts.Name, f.opts.Pins
	switch e := effect.(type) {
	case owner.Start:
		f.begin(e)
	case owner.Stop:
		f.stopRun()
	case owner.Save:
		f.save(e)
	case owner.MovePin:
		f.work <- func(ctx context.Context) {
			err := pins.Advance(ctx, name, e.Ts)
			f.warn("advance the pin", err)
			f.tell(owner.PinDone{At: at(), Seq: e.Seq, OK: err == nil})
		}
	case owner.ReleasePin:
		f.work <- func(ctx context.Context) {
			err := pins.Release(ctx, name)
			f.warn("release the pin", err)
			f.tell(owner.PinDone{At: at(), Seq: e.Seq, OK: err == nil})
		}
	case owner.Claim:
		f.claim(e)
	case owner.Delete:
		consumer := ConsumerID(name, f.machine.Status().Incarnation)
		f.work <- func(ctx context.Context) {
			err := f.opts.Source.CancelBackfill(consumer)
			if err == nil {
				err = f.opts.Store.Delete(ctx)
			}
			f.warn("delete the changefeed's record", err)
			f.tell(owner.Deleted{At: at(), Seq: e.Seq, OK: err == nil})
		}
	case owner.Reply:
		f.reply(e.Job, e.Fault.Err())
	case owner.Halt:
		f.halted = true
	}
}

func (f *Feed) warn(what string, err error) {
	if err != nil && f.ctx.Err() == nil {
		f.log.Warn("changefeed will try again", "what", what, "error", err)
	}
}

// promote makes the prepared life the present one when the machine speaks of it.
func (f *Feed) promote(incarnation uint64) {
	if f.next == nil || f.next.incarnation != incarnation {
		return
	}
	old := ConsumerID(f.opts.Name, f.life.incarnation)
	f.life, f.next = *f.next, nil
	source := f.opts.Source
	f.work <- func(context.Context) {
		f.warn("end the snapshots of the earlier incarnation", source.CancelBackfill(old))
	}
}

// savedStatus is the Status part of a Record.
type savedStatus struct {
	owner.Status
	Committed Position `json:"committed"`
	StartTs   ts.Ts    `json:"start_ts"`
	CreatedMs int64    `json:"created_ms"`
	MarkSince ts.Ts    `json:"mark_since"`
	MarkSide  ts.Ts    `json:"mark_side"`
	MarkIdle  bool     `json:"mark_idle"`
	// Consistent is from where on the target is, when MarkIdle.
	Consistent ts.Ts `json:"consistent_from"`
}

func (f *Feed) record(st owner.Status, l *life) (Record, error) {
	status, err := json.Marshal(savedStatus{
		Status: st, Committed: l.committed, StartTs: l.start, CreatedMs: f.created.UnixMilli(),
		MarkSince: l.mark.since, MarkSide: l.mark.side, MarkIdle: l.mark.idle, Consistent: l.mark.consistent,
	})
	return Record{Status: status, State: l.mark.state}, err
}

func (f *Feed) save(e owner.Save) {
	f.promote(e.Status.Incarnation)
	l := f.life
	r, err := f.record(e.Status, &l)
	if f.savedMark.get() == l.mark {
		r.State = nil // it is stored already
	}
	f.work <- func(ctx context.Context) {
		if err == nil {
			err = f.opts.Store.Save(ctx, r)
		}
		f.warn("save the checkpoint", err)
		f.post(func() {
			if err == nil {
				f.stored(l)
			}
			f.step(owner.Saved{At: at(), Seq: e.Seq, OK: err == nil})
		})
	}
}

// stored notes what is durable and lets the side channel go as far as it can.
func (f *Feed) stored(l life) {
	before := f.savedMark.get()
	f.savedMark.set(l.mark)
	if l.mark.side == 0 || l.mark.idle || before != nil && before.side >= l.mark.side && before.incarnation == l.incarnation {
		return
	}
	source, consumer, side := f.opts.Source, ConsumerID(f.opts.Name, l.incarnation), l.mark.side
	f.work <- func(context.Context) {
		ch, err := source.Side(consumer)
		if err == nil {
			err = ch.Truncate(side)
		}
		f.warn("truncate the snapshot channel", err)
	}
}

// claim pins the log for a beginning and prepares the state of a new incarnation.
func (f *Feed) claim(e owner.Claim) {
	o := f.opts
	answer := owner.Claimed{Seq: e.Seq, Ts: e.Ts}
	f.work <- func(ctx context.Context) {
		var l *life
		var err error
		if e.Now {
			answer.Ts = o.Source.Channel().Status().Resolved
		}
		if !e.Held {
			err = f.pin(ctx, &answer.Ts, e.Now)
		}
		if err == nil && e.Anew {
			l, err = newLife(&o, e.Incarnation, answer.Ts, e.Snapshot)
		}
		f.post(func() {
			if f.next = l; err != nil {
				answer.Fault = owner.FaultOf(err, now())
			}
			answer.At = at()
			f.step(answer)
		})
	}
}

// begin runs an attempt.
func (f *Feed) begin(e owner.Start) {
	f.promote(e.Incarnation)
	ctx, cancel := context.WithCancel(f.ctx)
	f.stopRun = cancel
	a := &attempt{start: e, opts: f.opts, gate: f.gate, mark: f.life.mark, last: f.life.committed, saved: f.savedMark.get}
	a.start.Checkpoint = f.life.markTs
	a.opened = func(pos, target Position) {
		f.post(func() {
			if f.life.committed.Less(target) {
				f.life.committed = target
			}
			f.step(owner.Opened{At: at(), Attempt: e.Attempt})
			f.step(owner.Delivered{At: at(), Attempt: e.Attempt, Ts: checkpoint(pos)})
		})
	}
	a.report = func(d delivery) { f.post(func() { f.delivered(e.Attempt, d) }) }
	a.busy = func(table row.TableID) {
		f.tell(owner.Busy{At: at(), Attempt: e.Attempt, Stage: owner.Writing, Table: table})
	}
	f.tasks.Go(func() {
		err := a.run(ctx)
		stopped := ctx.Err() != nil
		cancel()
		f.post(func() { f.ended(e.Attempt, err, stopped) })
	})
}

func (f *Feed) ended(attempt uint64, err error, stopped bool) {
	f.stopRun = nil
	f.reported = map[row.TableID]bool{}
	e := owner.Ended{At: at(), Attempt: attempt}
	if err != nil && !stopped {
		e.Fault = owner.FaultOf(err, now())
		f.log.Warn("delivery failed", "attempt", attempt, "error", err)
	}
	f.step(e)
}

// delivered takes a report of the writer.
func (f *Feed) delivered(attempt uint64, d delivery) {
	if f.machine.Status().Incarnation != f.life.incarnation || f.halted {
		return
	}
	if d.committed && f.life.committed.Less(d.pos) {
		f.life.committed = d.pos
	}
	if d.mark != nil && d.markTs >= f.life.markTs {
		f.life.mark, f.life.markTs = d.mark, d.markTs
	}
	f.count(d.counts)
	if d.counts.bytes > 0 {
		f.synced = max(f.synced, d.pos.Ts)
	}
	f.step(owner.Delivered{
		At: at(), Attempt: attempt, Ts: checkpoint(d.pos), Savable: min(f.life.markTs, checkpoint(d.pos)),
	})
}

func (f *Feed) count(c counts) {
	s := &f.stats
	s.Inserts += c.inserts
	s.Updates += c.updates
	s.Deletes += c.deletes
	s.Reads += c.reads
	s.Truncates += c.truncates
	s.SchemaChanges += c.schemas
	s.Bytes += c.bytes
	s.Transactions += c.txns
	s.Commits += c.commits
	f.metrics.count(c)
}

// pin claims the log after *t; with fresh, after its present end.
func (f *Feed) pin(ctx context.Context, t *ts.Ts, fresh bool) error {
	for try := 0; ; try++ {
		err := f.opts.Pins.Pin(ctx, f.opts.Name, *t, f.evicted)
		if err == nil || !fresh || try == 5 || !stale(err) {
			return err
		}
		select { // the log was truncated past the end we saw
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
		*t = f.opts.Source.Channel().Status().Resolved
	}
}

func (f *Feed) evicted(err error) {
	go f.post(func() { f.step(owner.Evicted{At: at(), Fault: owner.FaultOf(err, now())}) })
}
