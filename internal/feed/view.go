package feed

import (
	"time"

	"github.com/weirstream/weir/internal/owner"
	"github.com/weirstream/weir/internal/row"
)

// Status tells how the feed is doing.
func (f *Feed) Status() Status {
	got := make(chan Status, 1)
	if f.post(func() { got <- f.view() }) {
		select {
		case s := <-got:
			return s
		case <-f.done:
		}
	}
	<-f.done
	return f.final
}

// view assembles the status; in the loop.
func (f *Feed) view() Status {
	st := f.machine.Status()
	s := Status{
		Name: f.opts.Name, State: string(st.State), Incarnation: st.Incarnation, Term: st.Term,
		StartTs: f.life.start, TargetTs: st.Target, CheckpointTs: st.Checkpoint, ResolvedTs: st.Resolved,
		LastSyncedTs: f.synced, Error: errorOf(st.Fault), Statistics: f.stats, CreatedAt: f.created,
		Tables: append([]TableStatus(nil), f.snapshots...),
	}
	if pin, ok := f.machine.Pin().Ts(); ok {
		s.PinTs = pin
		s.PinBytes = f.opts.Source.Channel().BytesAfter(pin)
	}
	if at := f.machine.RetryAt(); at != 0 {
		s.RetryAt = at.Go()
	}
	if f.life.mark.idle {
		s.ConsistentFrom = max(f.life.mark.consistent, f.life.start)
	} else {
		s.Snapshot = f.snapshotStatus(st)
	}
	s.Holder = f.holder(st)
	return s
}

func errorOf(fault *owner.Fault) *Error {
	if fault == nil {
		return nil
	}
	e := &Error{At: fault.At.Go(), Code: fault.Code, Message: fault.Message, Hint: fault.Hint, Flags: fault.Flags()}
	for _, x := range fault.Fields {
		e.Fields = append(e.Fields, ErrorField{x.Name, x.Value})
	}
	return e
}

// snapshotStatus sums up the snapshots under way, and guesses how long they take.
func (f *Feed) snapshotStatus(owner.Status) *Snapshot {
	n, done, total := f.machine.Lagging()
	s := &Snapshot{RowsDone: done, RowsTotal: total, Tables: n, ETASeconds: -1}
	var began time.Time
	for _, t := range f.snapshots {
		if began.IsZero() || t.Since.Before(began) {
			began = t.Since
		}
	}
	if took := time.Since(began).Seconds(); done > 0 && !began.IsZero() && took > 0 {
		s.ETASeconds = int64(float64(total-done) * took / float64(done))
	}
	return s
}

// holder names what holds the checkpoint.
func (f *Feed) holder(st owner.Status) Holder {
	h := f.machine.Holder()
	out := Holder{Stage: string(h.Stage), Since: h.Since.Go()}
	switch {
	case h.Table != 0:
		out.Table = f.tableName(h.Table)
		if t := f.stalled(h.Table); h.Stage == owner.Snapshot && t != nil {
			out.Table, out.Since, out.Waits = t.Name, t.Since, t.Waits
		}
	case st.Fault != nil:
		out.Table = st.Fault.Field("table")
		out.Waits = st.Fault.Message
	}
	if h.Stage == owner.Waiting {
		if what, since := f.opts.Source.State(); what != "" {
			out.Waits, out.Since = what, since
		}
	}
	return out
}

// stalled is the table whose snapshot waits for something: the one asked for, else
// the one that has waited longest. Tables under snapshot hold the checkpoint
// together; nil when all of them get on.
func (f *Feed) stalled(id row.TableID) (out *TableStatus) {
	for i := range f.snapshots {
		t := &f.snapshots[i]
		if t.Waits == "" {
			continue
		}
		if t.Table == id {
			return t
		}
		if out == nil || t.Since.Before(out.Since) {
			out = t
		}
	}
	return out
}

func (f *Feed) tableName(id row.TableID) string {
	for _, t := range f.snapshots {
		if t.Table == id && t.Name != "" {
			return t.Name
		}
	}
	for _, s := range f.opts.Source.Tables() {
		if s.Table == id {
			return s.FullName()
		}
	}
	return ""
}
