package feed

import (
	"context"
	"time"
)

// ahead is how many commits may be under way. One is committed, the other waits
// in the target's hands: more would bring nothing, and be lost with a failure.
const ahead = 2

// sent is a commit under way.
type sent struct {
	delivery
	began  time.Time
	behind *delivery // nothing happened up to there, after the commit
}

// nothing passes on a position up to which nothing happened. It is not reported
// before the commits that are under way.
func (w *writer) nothing(ctx context.Context) error {
	d := w.delivery(false)
	if n := len(w.sent); n > 0 {
		if was := w.sent[n-1].behind; was != nil {
			d.counts.txns += was.counts.txns
		}
		w.sent[n-1].behind = &d
		return nil
	}
	if w.skip.Less(d.pos) {
		if err := w.sink.Resolved(ctx, d.pos); err != nil {
			return err
		}
	}
	w.report(d)
	return nil
}

func (w *writer) commit(ctx context.Context) error {
	s := sent{began: time.Now()}
	p, pipelined := w.sink.(Pipelined)
	if !pipelined {
		if err := w.sink.Commit(ctx, w.last.pos); err != nil {
			return err
		}
		s.delivery = w.delivery(true)
		w.confirmed(&s)
		return nil
	}
	for len(w.sent) >= ahead {
		select {
		case err := <-w.answers:
			if err := w.answered(err); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	answers := w.answers
	if err := p.CommitAhead(ctx, w.last.pos, func(err error) { answers <- err }); err != nil {
		return err
	}
	s.delivery = w.delivery(true)
	w.sent = append(w.sent, s)
	return nil
}

// answered takes the answer to the oldest commit under way.
func (w *writer) answered(err error) error {
	if err != nil {
		return err
	}
	s := w.sent[0]
	w.sent = append(w.sent[:0], w.sent[1:]...)
	w.confirmed(&s)
	return nil
}

func (w *writer) confirmed(s *sent) {
	s.counts.took = time.Since(s.began)
	w.report(s.delivery)
	if s.behind != nil {
		w.report(*s.behind)
	}
}

// close takes the answers that have come in since run has returned: the sink is
// closed, and those that are missing will not come.
func (w *writer) close() {
	for len(w.sent) > 0 {
		select {
		case err := <-w.answers:
			if w.answered(err) != nil {
				return
			}
		default:
			return
		}
	}
}

// delivery ends what is counted.
func (w *writer) delivery(committed bool) delivery {
	if committed {
		w.counts.commits++
		w.open, w.rows, w.bytes, w.snapshot = false, 0, 0, false
	}
	d := delivery{pos: w.last.pos, committed: committed, mark: w.mark, markTs: w.markTs, counts: w.counts}
	w.counts = counts{}
	return d
}
