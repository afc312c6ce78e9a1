package worker

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/zset"
)

// tally counts rows and sums the second column by the first: a small operator
// with state, a Flush, and Misses.
type tally struct {
	table   *arrange.Table
	queue   []*zset.Chunk
	keys    arrange.Batch
	slots   []uint32
	old     map[int64][2]int64 // of groups changed in this epoch
	flushed bool
	poison  int64 // a key that makes it fail
}

func newTally(poison int64) *tally {
	return &tally{table: arrange.New(), old: map[int64][2]int64{}, poison: poison}
}

func (t *tally) Push(_ int, c *zset.Chunk) { t.queue = append(t.queue, c) }
func (t *tally) Flush()                    { t.flushed = true }
func (t *tally) Tables() []op.Table        { return []op.Table{t.table} }

func (t *tally) Run(out *op.Output, _ int) op.Status {
	for len(t.queue) > 0 {
		if !t.take(t.queue[0], out) {
			return op.Miss
		}
		t.queue = slices.Delete(t.queue, 0, 1)
	}
	if t.flushed {
		t.flushed = false
		if !t.emit(out) {
			t.flushed = true
			return op.Miss
		}
	}
	t.table.Tick()
	return op.Done
}

func (t *tally) find(keys []int64) bool {
	t.keys.Reset()
	v := zset.NewVec(zset.Int, len(keys))
	for i, k := range keys {
		v.AppendInt(k)
		t.keys.Data = zset.AppendKey(t.keys.Data, v, i, zset.Order{})
		t.keys.End()
	}
	t.slots = make([]uint32, len(keys))
	return !t.table.FindOrInsert(&t.keys, t.slots)
}

func (t *tally) take(c *zset.Chunk, out *op.Output) bool {
	if !t.find(c.Cols[0].Ints) {
		return false
	}
	for i, slot := range t.slots {
		key := c.Cols[0].Ints[i]
		if key == t.poison {
			out.Fault = errors.New("poison")
		}
		n, sum := t.value(slot)
		if _, seen := t.old[key]; !seen {
			t.old[key] = [2]int64{n, sum}
		}
		w := c.Weight(i)
		head := t.table.SetHead(slot, 16)
		binary.BigEndian.PutUint64(head, uint64(n+w))
		binary.BigEndian.PutUint64(head[8:], uint64(sum+w*c.Cols[1].Ints[i]))
	}
	return true
}

func (t *tally) value(slot uint32) (n, sum int64) {
	if head := t.table.Head(slot); head != nil {
		n, sum = int64(binary.BigEndian.Uint64(head)), int64(binary.BigEndian.Uint64(head[8:]))
	}
	return n, sum
}

func (t *tally) emit(out *op.Output) bool {
	var keys []int64
	for k := range t.old {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	if !t.find(keys) {
		return false
	}
	c := zset.NewChunk([]zset.Kind{zset.Int, zset.Int, zset.Int}, 2*len(keys))
	add := func(key, n, sum, w int64) {
		if n != 0 {
			c.Cols[0].AppendInt(key)
			c.Cols[1].AppendInt(n)
			c.Cols[2].AppendInt(sum)
			c.AppendWeight(w)
		}
	}
	for i, k := range keys {
		n, sum := t.value(t.slots[i])
		if was := t.old[k]; was != [2]int64{n, sum} {
			add(k, was[0], was[1], -1)
			add(k, n, sum, 1)
		}
		if n == 0 {
			t.table.DropHead(t.slots[i])
		}
	}
	clear(t.old)
	if c.N > 0 {
		out.Chunks = append(out.Chunks, c)
	}
	return true
}

// tallyJob counts by key; or, reading another tally, how many keys have each count.
func tallyJob(id dataflow.JobID, over *dataflow.Job, poison int64) (*dataflow.Job, *dataflow.Node) {
	make := func(int, int) (op.Operator, error) { return newTally(poison), nil }
	j := &dataflow.Job{ID: id, Name: "tally", FirstTable: uint32(id) * 10, TableCount: 1}
	n := &dataflow.Node{What: "tally", Make: make}
	if over == nil {
		in := &dataflow.Node{What: "input"}
		n.In = []dataflow.In{{From: in}}
		j.Nodes, j.Root = []*dataflow.Node{in, n}, n
		return j, in
	}
	swap := &dataflow.Node{What: "swap", Make: func(int, int) (op.Operator, error) { return &swapped{}, nil }, In: []dataflow.In{{From: over.Root}}}
	n.In = []dataflow.In{{From: swap, Via: dataflow.Exchange{Kind: dataflow.ByHash, Cols: []int{0}}}}
	j.Nodes, j.Root, j.Reads = []*dataflow.Node{swap, n}, n, []dataflow.JobID{over.ID}
	return j, nil
}

// swapped gives (count, key) of a tally's rows.
type swapped struct{ queue []*zset.Chunk }

func (s *swapped) Push(_ int, c *zset.Chunk) { s.queue = append(s.queue, c.Project([]int{1, 0})) }
func (s *swapped) Flush()                    {}
func (s *swapped) Tables() []op.Table        { return nil }
func (s *swapped) Run(out *op.Output, _ int) op.Status {
	out.Chunks, s.queue = append(out.Chunks, s.queue...), nil
	return op.Done
}
