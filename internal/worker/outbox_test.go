package worker

import (
	"testing"

	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/zset"
)

// A relation's changes are in the outbox after the epoch that Leaves tells, whoever had them
// collected before; not before, and not once it stays.
func TestOutboxBeginsWhenItIsArmed(t *testing.T) {
	w := &Worker{outboxes: map[uint32]*outbox{}}
	o := w.outbox(1)
	rows := map[view.Relation]*zset.Chunk{}
	c := zset.NewChunk([]zset.Kind{zset.Int}, 2)
	for i, weight := range []int64{1, -1} {
		c.Cols[0].AppendInt(int64(i))
		c.AppendWeight(weight)
	}
	rows[7] = c
	logs := func(prev ts.Ts) *zset.Chunk {
		if l := o.log(prev, rows); l != nil {
			return l.rows[7]
		}
		return nil
	}
	taps := map[dataflow.JobID]ts.Ts{7: 10} // a subscriber's, for long
	for _, step := range []struct {
		leave []dataflow.JobID
		epoch ts.Ts // that ends
		since ts.Ts
		had   bool // the epoch is in the outbox
	}{
		{nil, 20, 0, false},
		{[]dataflow.JobID{7}, 30, 30, false},
		{[]dataflow.JobID{7, 8}, 40, 30, true},
		{[]dataflow.JobID{8}, 50, 0, false},
		{[]dataflow.JobID{7}, 60, 60, false},
		{[]dataflow.JobID{7}, 70, 60, true},
	} {
		w.Leave(1, step.leave)
		got := logs(step.epoch - 10)
		o.arm(taps, step.epoch)
		if since := w.Leaves(1, 7); since != step.since || (got != nil) != step.had {
			t.Errorf("epoch %d: in the outbox after %d, %v; want %d, %v", step.epoch, since, got != nil, step.since, step.had)
		}
		if got != nil && (got.Weight(0) != -1 || got.Weight(1) != 1) {
			t.Errorf("epoch %d: what has gone is not first: %v", step.epoch, got.W)
		}
	}
}
