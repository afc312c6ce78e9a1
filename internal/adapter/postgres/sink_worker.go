package postgres

import (
	"context"
	"sync/atomic"
)

// worker runs an applier in a goroutine of its own, so that the feed reads and
// collects while the target works. At most one piece is applied, one waits and
// one is collected.
type worker struct {
	a      *applier
	ctx    context.Context // of the connection's use
	cancel context.CancelFunc
	jobs   chan job
	free   chan *piece
	ended  chan struct{}
	err    atomic.Pointer[error] // the first one; everything after it is refused
}

// job is a piece to apply, or a call to make and to answer.
type job struct {
	piece *piece
	call  func(ctx context.Context, a *applier) error
	done  chan error
}

const pieces = 3

func startWorker(a *applier) *worker {
	w := &worker{a: a, jobs: make(chan job, 1), free: make(chan *piece, pieces), ended: make(chan struct{})}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	for range pieces {
		w.free <- newPiece()
	}
	go w.run()
	return w
}

func (w *worker) run() {
	defer close(w.ended)
	for j := range w.jobs {
		err := w.failed()
		switch {
		case err != nil:
		case j.piece != nil:
			err = w.a.apply(w.ctx, j.piece)
		default:
			err = j.call(w.ctx, w.a)
		}
		if err != nil {
			w.fail(err)
		}
		if j.piece != nil {
			w.free <- again(j.piece, err)
		}
		if j.done != nil {
			j.done <- err
		}
	}
}

// again is the piece, emptied. After an error it is another, since a COPY that
// broke off may still be reading it.
func again(p *piece, err error) *piece {
	if err != nil {
		return newPiece()
	}
	p.reset()
	return p
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

// apply queues a piece and gives an empty one for it.
func (w *worker) apply(ctx context.Context, p *piece) (*piece, error) {
	if err := w.failed(); err != nil {
		return nil, err
	}
	select {
	case w.jobs <- job{piece: p}:
	case <-ctx.Done():
		w.fail(ctx.Err())
		return nil, ctx.Err()
	}
	select {
	case next := <-w.free:
		return next, w.failed()
	case <-ctx.Done():
		w.fail(ctx.Err())
		return nil, ctx.Err()
	}
}

// do makes a call after all that is queued and waits for it. When ctx ends first
// the connection is given up.
func (w *worker) do(ctx context.Context, call func(ctx context.Context, a *applier) error) error {
	j := job{call: call, done: make(chan error, 1)}
	select {
	case w.jobs <- j:
	case <-ctx.Done():
		w.fail(ctx.Err())
		return ctx.Err()
	}
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		w.fail(ctx.Err())
		w.cancel()
		<-j.done
		return ctx.Err()
	}
}

// stop ends the goroutine and the connection. It does not wait for the target:
// what is under way is interrupted.
func (w *worker) stop(ctx context.Context) {
	w.cancel()
	close(w.jobs)
	<-w.ended
	w.a.close(ctx)
}
