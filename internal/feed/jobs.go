package feed

import (
	"context"

	"github.com/weirstream/weir/internal/owner"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// Pause stops the delivery; it returns when nothing is delivered any more and
// that is on record. The log stays claimed.
func (f *Feed) Pause(ctx context.Context) error { return f.job(ctx, owner.Job{Kind: owner.Pause}) }

// Resume goes on from the checkpoint, also at once when it waits for a retry.
// With overwrite (not 0) the feed begins a new incarnation after that Ts.
func (f *Feed) Resume(ctx context.Context, overwrite ts.Ts) error {
	j := owner.Job{Kind: owner.Resume}
	if overwrite != 0 {
		j.Overwrite = owner.Known(overwrite)
	}
	return f.job(ctx, j)
}

// Remove ends the feed and forgets its pin, its record and its snapshots. The
// feed is of no use afterwards.
func (f *Feed) Remove(ctx context.Context) error { return f.job(ctx, owner.Job{Kind: owner.Remove}) }

// Resync begins a new incarnation with snapshots of all tables; a sink that
// reconciles makes the target equal, deletes included.
func (f *Feed) Resync(ctx context.Context) error { return f.job(ctx, owner.Job{Kind: owner.Resync}) }

// Update replaces filter, sink, target and limits of a feed that is stopped or
// failed; the rest of o is ignored. It takes effect with the next start: tables
// that the filter newly takes are snapshot, those it takes no more are left as
// they are at the target.
func (f *Feed) Update(ctx context.Context, o Options) error {
	now := f.options()
	o.Name, o.Cluster, o.Source, o.Store, o.Pins = now.Name, now.Cluster, now.Source, now.Store, now.Pins
	o.encodeEvery, o.Log, o.Registerer, o.Start, o.StartTs, o.Random = now.encodeEvery, now.Log, now.Registerer, now.Start, now.StartTs, now.Random
	if err := o.complete(); err != nil {
		return err
	}
	if err := f.job(ctx, owner.Job{Kind: owner.Update, Target: owner.Known(o.TargetTs)}); err != nil {
		return err
	}
	f.post(func() { f.opts = o })
	return nil
}

func (f *Feed) options() Options {
	got := make(chan Options, 1)
	if f.post(func() { got <- f.opts }) {
		select {
		case o := <-got:
			return o
		case <-f.done:
		}
	}
	return f.opts // the loop has ended
}

// job hands a request to the owner and waits for its answer.
func (f *Feed) job(ctx context.Context, j owner.Job) error {
	reply := make(chan error, 1)
	posted := f.post(func() {
		if f.halted {
			reply <- f.closedError()
			return
		}
		f.lastJob++
		j.ID, j.At = f.lastJob, at()
		f.replies[j.ID] = reply
		f.step(j)
	})
	if !posted {
		return f.closedError()
	}
	select {
	case err := <-reply:
		return err
	case <-ctx.Done():
		return weirerr.New(weirerr.NotReady, "the changefeed has not finished to %s; it goes on", j.Kind).
			With("changefeed", f.opts.Name).Wrap(ctx.Err())
	case <-f.done:
		select {
		case err := <-reply:
			return err
		default:
			return f.closedError()
		}
	}
}

func (f *Feed) reply(job uint64, err error) {
	if reply, ok := f.replies[job]; ok {
		delete(f.replies, job)
		reply <- err
	}
}

// Close stops the delivery, saves the last checkpoint and ends. When ctx ends
// before, what is not saved is delivered again at the next start, and known to
// an exactly-once target.
func (f *Feed) Close(ctx context.Context) error {
	f.tell(owner.Close{At: at()})
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
	}
	f.cancel()
	<-f.done
	return weirerr.New(weirerr.NotReady, "the last checkpoint was not saved in time").With("changefeed", f.opts.Name).Wrap(ctx.Err())
}

// Done is closed when the feed has ended, by Close or Remove.
func (f *Feed) Done() <-chan struct{} { return f.done }

// waiter waits for the checkpoint to reach a Ts.
type waiter struct {
	t    ts.Ts
	done chan error
}

// Wait returns when everything up to t is durable at the target, or with an
// error when the feed will not get there, or when ctx ends: that error names
// what holds the checkpoint.
func (f *Feed) Wait(ctx context.Context, t ts.Ts) error {
	w := waiter{t, make(chan error, 1)}
	if !f.post(func() { f.waiters = append(f.waiters, w); f.wake() }) {
		return f.closedError()
	}
	select {
	case err := <-w.done:
		return err
	case <-f.done:
		select {
		case err := <-w.done:
			return err
		default:
			return f.closedError()
		}
	case <-ctx.Done():
	}
	f.post(func() { f.forgetWaiter(w) })
	s := f.Status()
	return weirerr.New(weirerr.NotReady, "the changefeed has not got there in time").
		With("changefeed", s.Name).With("wanted", t).With("checkpoint", s.CheckpointTs).With("state", s.State).
		With("table", s.Holder.Table).With("stage", s.Holder.Stage).With("waits", s.Holder.Waits).Wrap(ctx.Err())
}

func (f *Feed) forgetWaiter(w waiter) {
	for i := range f.waiters {
		if f.waiters[i] == w {
			f.waiters = append(f.waiters[:i], f.waiters[i+1:]...)
			return
		}
	}
}

// wake answers the waiters that can be answered.
func (f *Feed) wake() {
	if len(f.waiters) == 0 {
		return
	}
	st := f.machine.Status()
	left := f.waiters[:0]
	for _, w := range f.waiters {
		switch {
		case st.Checkpoint >= w.t && st.State != owner.Removed:
			w.done <- nil
		case st.State == owner.Failed, st.State == owner.Stopped, st.State == owner.Finished, st.State == owner.Removed, f.halted:
			w.done <- f.unreachable(st)
		default:
			left = append(left, w)
		}
	}
	f.waiters = left
}

func (f *Feed) unreachable(st owner.Status) error {
	e := weirerr.New(weirerr.WrongState, "the changefeed is %s at %s", st.State, st.Checkpoint).With("changefeed", f.opts.Name)
	if st.Fault != nil {
		return e.Wrap(st.Fault.Err())
	}
	return e
}
