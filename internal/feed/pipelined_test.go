package feed

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
)

// pipelined is a connection to a target that commits in the background.
type pipelined struct {
	*sink
	queue chan queued
	done  sync.WaitGroup
}

type queued struct {
	ops    []Item
	pos    Position
	answer func(error)
}

func newPipelined(s *sink) *pipelined {
	p := &pipelined{sink: s, queue: make(chan queued, 16)}
	p.done.Go(func() {
		var failed error
		for q := range p.queue {
			if failed == nil {
				failed = (&sink{t: s.t, lane: s.lane, ops: q.ops}).Commit(context.Background(), q.pos)
			}
			q.answer(failed)
		}
	})
	return p
}

func (p *pipelined) CommitAhead(_ context.Context, pos Position, done func(error)) error {
	p.queue <- queued{p.ops, pos, done}
	p.ops, p.head = nil, nil
	return nil
}

func (p *pipelined) Close(context.Context) error {
	close(p.queue)
	p.done.Wait()
	return nil
}

// held is a sink whose commits are answered by the test.
type held struct {
	Sink
	commits  chan queued
	resolved []Position
}

func (h *held) Write(context.Context, []Item) error { return nil }

func (h *held) Resolved(_ context.Context, pos Position) error {
	h.resolved = append(h.resolved, pos)
	return nil
}

func (h *held) CommitAhead(_ context.Context, pos Position, done func(error)) error {
	h.commits <- queued{pos: pos, answer: done}
	return nil
}

// heldWriter runs a writer over a held sink; reports come in order.
func heldWriter(t *testing.T) (h *held, give func(at ts.Ts, items int), reports chan delivery, ended chan error, w *writer) {
	h = &held{commits: make(chan queued, 8)}
	reports, ended = make(chan delivery, 64), make(chan error, 1)
	w = &writer{
		sink: h, batches: batches{free: make(chan *batch, 64), full: make(chan *batch, 64)}, answers: make(chan error, ahead),
		limits: limits{rows: 1, bytes: 1 << 20}, report: func(d delivery) { reports <- d }, busy: func(row.TableID) {},
	}
	give = func(at ts.Ts, items int) {
		w.batches.full <- &batch{items: make([]Item, items), pos: Position{Ts: at}, boundary: true, count: 1}
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() { ended <- w.run(ctx) }()
	return h, give, reports, ended, w
}

func receive[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(20 * time.Second):
		t.Fatalf("no %s within 20 s", what)
		panic("unreachable")
	}
}

// Nothing is reported before the target has confirmed it, not even that nothing
// happened behind it.
func TestOnlyConfirmedCommitsAreReported(t *testing.T) {
	h, give, reports, _, _ := heldWriter(t)
	give(1, 1)
	first := receive(t, "commit", h.commits)
	give(2, 1)
	second := receive(t, "commit", h.commits)
	give(3, 0) // nothing happened
	give(4, 1)
	give(5, 1)
	for range 50 { // what may be sent is on its way; the third must wait
		select {
		case q := <-h.commits:
			t.Fatalf("%v is sent while two are under way", q.pos)
		case d := <-reports:
			t.Fatalf("%v is reported before it is confirmed", d.pos)
		case <-time.After(time.Millisecond):
		}
	}
	first.answer(nil)
	if d := receive(t, "report", reports); d.pos.Ts != 1 || !d.committed || d.counts.txns != 1 {
		t.Fatalf("%+v", d)
	}
	third := receive(t, "commit", h.commits)
	second.answer(nil)
	if d := receive(t, "report", reports); d.pos.Ts != 2 || !d.committed {
		t.Fatalf("%+v", d)
	}
	if d := receive(t, "report", reports); d.pos.Ts != 3 || d.committed || d.counts.txns != 1 {
		t.Fatalf("%+v", d)
	}
	third.answer(nil)
	if d := receive(t, "report", reports); d.pos.Ts != 4 || !d.committed {
		t.Fatalf("%+v", d)
	}
	if len(h.resolved) > 0 {
		t.Fatalf("the target is told of %v out of order", h.resolved)
	}
}

// The first failure ends the writer, though it has nothing to write.
func TestAFailedCommitEndsTheWriter(t *testing.T) {
	h, give, reports, ended, w := heldWriter(t)
	give(1, 1)
	give(2, 1)
	first, second := receive(t, "commit", h.commits), receive(t, "commit", h.commits)
	refused := errors.New("refused")
	first.answer(refused)
	second.answer(refused)
	if err := receive(t, "end", ended); !errors.Is(err, refused) {
		t.Fatal(err)
	}
	w.close()
	if len(reports) > 0 {
		t.Fatalf("%+v is reported", <-reports)
	}
}

// What is confirmed while the sink closes counts.
func TestCommitsConfirmedAtCloseAreReported(t *testing.T) {
	h := &held{commits: make(chan queued, 8)}
	reports := make(chan delivery, 8)
	w := &writer{sink: h, answers: make(chan error, ahead), report: func(d delivery) { reports <- d }}
	for at := range ts.Ts(2) {
		w.last = &batchEnd{pos: Position{Ts: at + 1}, boundary: true}
		if err := w.commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	(<-h.commits).answer(nil)
	(<-h.commits).answer(errors.New("closed"))
	w.close()
	if d := receive(t, "report", reports); d.pos.Ts != 1 || len(reports) > 0 {
		t.Fatalf("%+v, and %d more", d, len(reports))
	}
}
