package op

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/zset"
)

// TopNConfig describes a TopN.
type TopNConfig struct {
	Kinds  []zset.Kind // of the columns
	Group  []int
	Order  []plan.SortKey
	Rank   plan.RankKind
	Limit  int64 // -1: none
	Offset int64
	// EmitRank: the rank is one more column (int8), the last.
	EmitRank bool
	// AppendOnly: weights are never negative; only rows that can still be in the window are kept.
	AppendOnly bool
	Print      RowPrinter
}

// TopN keeps, of every group, the rows whose rank is in (Offset, Offset+Limit].
// Rows of equal order are told apart by their other columns, so that the window is a
// function of the input. When the epoch ends it gives out the difference between a group's old
// window and its new one.
//
//	entry  suffix: order columns │ other columns │ exact forms of columns whose keys do not say all
//	       value:  weight (varint)
//	head   with AppendOnly: the sum of all weights (8 bytes)
type TopN struct {
	queue
	c      TopNConfig
	keys   keyer
	table  *arrange.Table
	layout rowLayout
	suffix []byte
	n      []byte
	before befores
	at     int // marked group
	rows   emitter
	old    window
	now    window
}

// NewTopN makes a TopN.
func NewTopN(c TopNConfig) *TopN {
	t := &TopN{c: c, table: arrange.New(), layout: newRowLayout(c.Kinds, c.Group, c.Order)}
	t.keys.cols = c.Group
	if t.trims() {
		t.table.Reserve(8)
	}
	t.rows.kinds = c.Kinds
	if c.EmitRank {
		t.rows.kinds = append(slices.Clone(c.Kinds), zset.Int)
	}
	return t
}

// Tables implements Operator.
func (t *TopN) Tables() []Table { return []Table{t.table} }

// Run implements Operator.
func (t *TopN) Run(out *Output, budget int) Status {
	for p := t.first(); p != nil; p = t.first() {
		if budget <= 0 {
			return More
		}
		if t.c.AppendOnly {
			if out.Fault = shrinks("topn", p.in); out.Fault != nil {
				return Done
			}
		}
		t.keys.encode(p.in)
		if t.table.FindOrInsert(&t.keys.batch, t.keys.slots) {
			return Miss
		}
		for k, i := range t.keys.rows {
			w := p.in.Weight(int(i))
			t.add(t.keys.slots[k], p.in, int(i), w)
		}
		budget -= p.in.N
		t.pop()
		t.table.Tick()
	}
	if !t.flushing {
		return Done
	}
	return t.runFlush(out, budget)
}

// add counts a row.
func (t *TopN) add(slot uint32, in *zset.Chunk, i int, w int64) {
	t.suffix = t.layout.appendOrder(t.suffix[:0], in, i)
	if t.c.AppendOnly && t.beyond(slot, t.suffix) {
		return
	}
	t.suffix = t.layout.appendRest(t.suffix, in, i)
	if t.table.Mark(slot, false) {
		t.before.begin()
		t.before.data = t.save(slot, t.before.data)
	}
	id, found := t.table.Get(slot, t.suffix)
	sum := w
	if found {
		have, _ := binary.Varint(t.table.Value(id))
		sum += have
	}
	t.n = binary.AppendVarint(t.n[:0], sum)
	switch {
	case sum == 0:
		t.table.Delete(id)
	case found:
		t.table.SetValue(id, t.n)
	default:
		t.table.Add(slot, t.suffix, t.n)
	}
	if t.c.AppendOnly {
		t.cut(slot, w)
	}
}

// trims tells whether rows that are behind the window are dropped. How many ranks of
// DenseRank are taken would have to be counted each time.
func (t *TopN) trims() bool { return t.c.AppendOnly && t.c.Limit >= 0 && t.c.Rank != plan.DenseRank }

// end is the last rank in the window.
func (t *TopN) end() int64 { return t.c.Offset + t.c.Limit }

// beyond tells whether a row with these order columns comes after a full window.
func (t *TopN) beyond(slot uint32, order []byte) bool {
	if !t.trims() {
		return false
	}
	if head := t.table.Head(slot); head == nil || getInt(head) < t.end() {
		return t.c.Limit == 0
	}
	last := t.table.Last(slot)
	if !last.Valid() {
		return true
	}
	suffix := t.table.Suffix(last.ID())
	return bytes.Compare(suffix[:min(len(suffix), len(order))], order) < 0
}

// cut drops what an added row has pushed out of the window.
func (t *TopN) cut(slot uint32, w int64) {
	if !t.trims() {
		return
	}
	head := t.table.Head(slot)
	if head == nil {
		head = t.table.SetHead(slot, 8)
		clear(head)
	} else {
		t.table.Change(slot)
	}
	total := getInt(head) + w
	for total > t.end() {
		drop := t.tail(slot)
		if total-drop < t.end() {
			break
		}
		total -= drop
		t.dropTail(slot)
	}
	putInt(t.table.Head(slot), total)
}

// tail is the weight of the last row, or, of Rank, of the last and its peers.
func (t *TopN) tail(slot uint32) (w int64) {
	c := t.table.Last(slot)
	if t.c.Rank == plan.RowNumber {
		w, _ = binary.Varint(t.table.Value(c.ID()))
		return w
	}
	last := t.table.Suffix(c.ID())
	order := t.layout.orderLen(last)
	for ; c.Valid(); c.Prev() {
		if !bytes.HasPrefix(t.table.Suffix(c.ID()), last[:order]) {
			break
		}
		n, _ := binary.Varint(t.table.Value(c.ID()))
		w += n
	}
	return w
}

func (t *TopN) dropTail(slot uint32) {
	c := t.table.Last(slot)
	if t.c.Rank == plan.RowNumber {
		t.table.Delete(c.ID())
		return
	}
	last := bytes.Clone(t.table.Suffix(c.ID()))
	order := t.layout.orderLen(last)
	for c.Valid() && bytes.HasPrefix(t.table.Suffix(c.ID()), last[:order]) {
		t.table.Delete(c.ID())
		c = t.table.Last(slot)
	}
}

// runFlush gives out how the windows of the changed groups have changed.
func (t *TopN) runFlush(out *Output, budget int) Status {
	marked := t.table.Marked()
	for ; t.at < len(marked); t.at++ {
		if budget <= 0 {
			t.rows.flush(out)
			return More
		}
		slot := marked[t.at]
		t.old.load(t.before.at(t.at))
		t.now.data = t.save(slot, t.now.data[:0])
		t.now.load(t.now.data)
		budget--
		if err := t.diff(slot, out, &budget); err != nil {
			out.Fault = err
			return Done
		}
	}
	t.rows.flush(out)
	t.table.Unmark()
	t.before.reset()
	t.table.Tick()
	t.at, t.flushing = 0, false
	return Done
}

// diff gives out a group's old rows that are not in its new window, and the other way round.
func (t *TopN) diff(slot uint32, out *Output, budget *int) error {
	a, b := t.old.rows, t.now.rows
	for len(a) > 0 || len(b) > 0 {
		c := 0
		switch {
		case len(a) == 0:
			c = 1
		case len(b) == 0:
			c = -1
		default:
			c = t.compare(&a[0], &b[0])
		}
		w, row := int64(0), &windowRow{}
		switch {
		case c < 0:
			row, w, a = &a[0], -a[0].w, a[1:]
		case c > 0:
			row, w, b = &b[0], b[0].w, b[1:]
		default:
			row, w, a, b = &b[0], b[0].w-a[0].w, a[1:], b[1:]
		}
		if w == 0 {
			continue
		}
		*budget--
		cols := t.rows.cols()
		if err := t.layout.decode(cols, t.table.Key(slot), row.suffix); err != nil {
			return corrupt("topn", err)
		}
		if t.c.EmitRank {
			cols[len(cols)-1].AppendInt(row.rank)
		}
		t.rows.add(w, out)
	}
	return nil
}

func (t *TopN) compare(a, b *windowRow) int {
	if c := bytes.Compare(a.suffix, b.suffix); c != 0 || !t.c.EmitRank {
		return c
	}
	return int(min(max(a.rank-b.rank, -1), 1))
}
