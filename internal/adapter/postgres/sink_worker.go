package postgres

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirstream/weir/internal/weirerr"
)

// worker runs an applier in a goroutine of its own, so that the feed reads and
// collects while the target works. What a job sends ahead is a flight; one that
// fails is done again, with all behind it, one answer at a time.
//
//	jobs ─► applier ─┬─ ahead ─► pipe ─► landed
//	                 │             └──► failed: mend, redo ─► landed
//	                 └─ one answer at a time, when the pipe is idle
//
// A fixed number of pieces goes round: one is collected, the others are queued or
// kept until the target has them.
type worker struct {
	a      *applier
	ctx    context.Context // of the connection's use
	cancel context.CancelFunc
	jobs   chan job
	free   chan *piece
	ended  chan struct{}
	err    atomic.Pointer[error] // the first one; everything after it is refused
	abort  sync.Once
}

// job is one of: a piece to apply, a commit to make, a chunk to begin, or a call
// to make and to answer.
type job struct {
	piece  *piece
	commit *commit
	begin  *chunkRef
	call   func(ctx context.Context, a *applier) error
	done   chan error
}

// pieces are enough for two target transactions of a backlog and a third one's
// beginning.
const pieces = 8

// patience is how long a closing sink waits for commits under way.
const patience = time.Second

func startWorker(a *applier) *worker {
	w := &worker{a: a, jobs: make(chan job, pieces), free: make(chan *piece, pieces), ended: make(chan struct{})}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	for range pieces {
		w.free <- newPiece()
	}
	a.pipe = newPipe(a.conn.PgConn(), w.landed)
	go w.run()
	return w
}

// landed gives a flight's piece back and tells that its commit is durable.
func (w *worker) landed(f *flight) {
	if f.piece != nil {
		f.piece.reset()
		w.free <- f.piece
	}
	if f.commit {
		f.then.done(nil)
	}
}

// lost gives up a flight, or a job that did not get that far.
func (w *worker) lost(p *piece, c *commit, err error) {
	w.fail(err)
	if p != nil {
		w.free <- newPiece() // a COPY that broke off may still be reading the other
	}
	if c != nil {
		c.done(err)
	}
}

func (w *worker) run() {
	defer close(w.ended)
	for {
		j, ok := w.next()
		if !ok {
			break
		}
		err := w.failed()
		if err == nil && w.a.pipe.refused() {
			err = w.mend()
		}
		ahead := false
		if err == nil {
			ahead, err = w.ahead(j)
		}
		if err == nil && !ahead {
			if err = w.mend(); err == nil {
				err = w.plainly(j)
			}
		}
		switch {
		case err != nil && ahead: // the flight is lost in its turn
			w.fail(err)
		case err != nil:
			w.lost(j.piece, j.commit, err)
		}
		if j.done != nil {
			j.done <- err
		}
	}
	_ = w.a.pipe.flush()
}

// next waits for a job; meanwhile nothing stays in the pipe's buffer.
func (w *worker) next() (job, bool) {
	select {
	case j, ok := <-w.jobs:
		return j, ok
	default:
	}
	for {
		_ = w.a.pipe.flush()
		select {
		case j, ok := <-w.jobs:
			return j, ok
		case <-w.a.pipe.trouble:
			if w.a.pipe.refused() {
				_ = w.mend()
			}
		}
	}
}

// ahead sends the job's statements without waiting for an answer. It is false
// when that cannot be done or the job failed before anything was sent.
func (w *worker) ahead(j job) (bool, error) {
	switch {
	case j.piece != nil && w.a.mayGoAhead(j.piece):
		return w.a.pieceAhead(w.ctx, j.piece)
	case j.commit != nil && w.a.mayCommitAhead():
		return w.a.commitAhead(*j.commit)
	case j.begin != nil:
		return w.a.beginAhead(j.begin), nil
	}
	return false, nil
}

// plainly does a job one answer at a time. The pipe is idle.
func (w *worker) plainly(j job) error {
	switch {
	case j.piece != nil:
		return w.again(&flight{piece: j.piece})
	case j.commit != nil:
		return w.again(&flight{commit: true, then: *j.commit})
	case j.begin != nil:
		return w.a.enterAnew(w.ctx, j.begin)
	}
	return j.call(w.ctx, w.a)
}

// again does what a flight is for, one answer at a time.
func (w *worker) again(f *flight) (err error) {
	if f.commit {
		err = w.a.commit(w.ctx, f.then.pos)
	} else {
		err = w.a.apply(w.ctx, f.piece)
	}
	if err == nil {
		w.landed(f)
	}
	return err
}

// mend waits until nothing is under way. What has failed is done again; if that
// does not help, it is the error, and everything behind has not happened.
func (w *worker) mend() error {
	failed := w.a.pipe.wait()
	if len(failed) == 0 {
		return nil
	}
	err := w.failed()
	if err == nil {
		err = w.a.retreat(w.ctx, failed[0])
	}
	for _, f := range failed {
		if err == nil {
			err = w.again(f)
		}
		if err == nil {
			continue
		}
		var c *commit
		if f.commit {
			c = &f.then
		}
		w.lost(f.piece, c, err)
	}
	return err
}

// fail notes the first error.
func (w *worker) fail(err error) { w.err.CompareAndSwap(nil, &err) }

// failed is the error that ended the work, or nil.
func (w *worker) failed() error {
	if err := w.err.Load(); err != nil {
		return *err
	}
	return nil
}

// blank takes an empty piece.
func (w *worker) blank() *piece { return <-w.free }

// piece queues a piece and gives an empty one for it.
func (w *worker) piece(ctx context.Context, p *piece) (*piece, error) {
	if err := w.put(ctx, job{piece: p}); err != nil {
		return nil, err
	}
	select {
	case next := <-w.free:
		return next, w.failed()
	case <-ctx.Done():
		w.fail(ctx.Err())
		return nil, ctx.Err()
	}
}

// put queues a job.
func (w *worker) put(ctx context.Context, j job) error {
	if err := w.failed(); err != nil {
		return err
	}
	select {
	case w.jobs <- j:
		return nil
	case <-ctx.Done():
		w.fail(ctx.Err())
		return ctx.Err()
	}
}

// do makes a call after all that is queued and waits for it.
func (w *worker) do(ctx context.Context, call func(ctx context.Context, a *applier) error) error {
	j := job{call: call, done: make(chan error, 1)}
	if err := w.put(ctx, j); err != nil {
		return err
	}
	return w.await(ctx, j.done)
}

// await waits for a job's answer. When ctx ends first the connection is given up.
func (w *worker) await(ctx context.Context, done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		w.fail(ctx.Err())
		w.giveUp(context.WithoutCancel(ctx))
		<-done
		return ctx.Err()
	}
}

// giveUp interrupts what is under way, here and at the server: it must not go on
// with what it has received, which holds locks and may commit.
func (w *worker) giveUp(ctx context.Context) {
	w.abort.Do(func() {
		if !w.a.pipe.idle() {
			ctx, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			_ = w.a.conn.PgConn().CancelRequest(ctx)
		}
		w.a.pipe.cut()
		w.cancel()
	})
}

// stop ends the goroutines and the connection. Commits under way are given a
// moment; the rest is interrupted.
func (w *worker) stop(ctx context.Context) {
	w.fail(weirerr.New(weirerr.WrongState, "the sink is not open"))
	close(w.jobs)
	waiting, cancel := context.WithTimeout(ctx, patience)
	select {
	case <-w.ended:
		w.a.pipe.committed(waiting)
	case <-waiting.Done():
	}
	cancel()
	w.giveUp(ctx)
	<-w.ended
	w.a.pipe.close()
	for _, f := range w.a.pipe.wait() {
		if f.commit {
			f.then.done(w.a.commitError(f.err))
		}
	}
	w.a.close(ctx)
}
