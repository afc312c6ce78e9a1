package op

import (
	"bytes"
	"encoding/binary"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// befores are the states of the marked groups when the epoch began, one after the other.
type befores struct {
	data []byte
	from []int // state i is data[from[i]:from[i+1]]
}

// begin starts the state of one more group.
func (b *befores) begin() { b.from = append(b.from, len(b.data)) }

func (b *befores) at(i int) []byte {
	end := len(b.data)
	if i+1 < len(b.from) {
		end = b.from[i+1]
	}
	return b.data[b.from[i]:end]
}

func (b *befores) reset() {
	const keep = 1 << 20
	if cap(b.data) > keep {
		b.data = nil
	}
	b.data, b.from = b.data[:0], b.from[:0]
}

func putLength(b []byte, n int) { binary.LittleEndian.PutUint32(b, uint32(n)) }

// aggFlush is how far the end of the epoch has come, and the rows at hand.
type aggFlush struct {
	at     int // marked group
	slots  []uint32
	was    []bool // it had a row before, has one now
	is     []bool
	olds   []*zset.Vec // results, by aggregate
	news   []*zset.Vec
	oldErr []expr.RowError
	newErr []expr.RowError
	state  []byte
	sel    []int32
	kinds  []zset.Kind
	report reporter
	global keyer
}

func (f *aggFlush) init(a *Aggregate) {
	for _, agg := range a.c.Aggs {
		f.kinds = append(f.kinds, zset.KindOf(agg.Fn.Result.OID))
	}
	f.report.print = a.c.Print
}

// runFlush gives out the changed groups.
func (a *Aggregate) runFlush(out *Output, budget int) Status {
	if a.c.Global && !a.global && !a.makeGlobal() {
		return Miss
	}
	marked := a.table.Marked()
	for a.flush.at < len(marked) {
		if budget <= 0 {
			return More
		}
		n := min(budget, chunkRows, len(marked)-a.flush.at)
		a.flushGroups(marked[a.flush.at:a.flush.at+n], out)
		if out.Fault != nil {
			return Done
		}
		a.flush.at += n
		budget -= n
	}
	a.table.Unmark()
	a.before.reset()
	a.flush.at, a.flushing = 0, false
	a.tick()
	return Done
}

// makeGlobal sees to it that the one group of no columns exists.
func (a *Aggregate) makeGlobal() bool {
	k := &a.flush.global
	k.batch.Reset()
	k.batch.End()
	k.slots = grow(k.slots, 1)
	if a.table.FindOrInsert(&k.batch, k.slots) {
		return false
	}
	if slot := k.slots[0]; a.table.Head(slot) == nil && a.table.Mark(slot, false) {
		a.before.begin()
		clear(a.table.SetHead(slot, a.fixed))
	}
	a.global = true
	return true
}

// flushGroups gives out some of the changed groups.
func (a *Aggregate) flushGroups(slots []uint32, out *Output) {
	f := &a.flush
	f.slots, f.was, f.is = f.slots[:0], f.was[:0], f.is[:0]
	f.olds, f.news = newVecs(f.kinds, len(slots)), newVecs(f.kinds, len(slots))
	f.oldErr, f.newErr = nil, nil
	for i, slot := range slots {
		old, head := a.before.at(f.at+i), a.table.Head(slot)
		if getInt(head) < 0 {
			out.Fault = a.negative(slot)
			return
		}
		f.state = a.state(slot, head, f.state[:0])
		if !bytes.Equal(old, f.state) {
			a.results(slot, old)
		}
	}
	a.emit(out)
	for _, slot := range slots {
		if !a.c.Global && getInt(a.table.Head(slot)) == 0 {
			a.table.DropHead(slot)
		}
	}
}

// results computes the old and the new row of a group.
func (a *Aggregate) results(slot uint32, old []byte) {
	f := &a.flush
	was := len(old) > 0 && (a.c.Global || getInt(old) > 0)
	is := a.c.Global || getInt(f.state) > 0
	if !was && !is {
		return
	}
	row := len(f.slots)
	f.slots, f.was, f.is = append(f.slots, slot), append(f.was, was), append(f.is, is)
	if err := a.row(old, f.olds, was); err != nil {
		f.oldErr = append(f.oldErr, expr.RowError{Row: row, Err: err})
	}
	if err := a.row(f.state, f.news, is); err != nil {
		f.newErr = append(f.newErr, expr.RowError{Row: row, Err: err})
	}
}

// row appends the results of a state; NULLs when there is no row.
func (a *Aggregate) row(state []byte, to []*zset.Vec, exists bool) (failed *sql.Error) {
	if !exists {
		for _, v := range to {
			v.AppendNull()
		}
		return nil
	}
	rests := state[a.fixed:]
	for k, acc := range a.accs {
		var rest []byte
		if acc.keepsRest() {
			n := binary.LittleEndian.Uint32(rests)
			rest, rests = rests[4:4+n], rests[4+n:]
		}
		if err := acc.result(state[a.offs[k]:a.fixed], rest, to[k]); err != nil && failed == nil {
			failed = err
		}
	}
	return failed
}

// emit gives out the rows that differ: all old ones, then all new ones.
func (a *Aggregate) emit(out *Output) {
	f := &a.flush
	oldBad, newBad := failures(f.oldErr), failures(f.newErr)
	same := func(i int) bool {
		if !f.was[i] || !f.is[i] || oldBad[i] != nil || newBad[i] != nil {
			return false
		}
		for k := range f.olds {
			if !sameExact(f.olds[k], i, f.news[k], i) {
				return false
			}
		}
		return true
	}
	var gone, come, bad []int32
	for i := range f.slots {
		if same(i) {
			continue
		}
		if f.was[i] && oldBad[i] == nil {
			gone = append(gone, int32(i))
		}
		if f.is[i] && newBad[i] == nil {
			come = append(come, int32(i))
		}
		if oldBad[i] != nil || newBad[i] != nil {
			bad = append(bad, int32(i))
		}
	}
	groups := a.groups(out)
	a.emitRows(groups, f.olds, gone, -1, out)
	a.emitRows(groups, f.news, come, 1, out)
	if len(bad) > 0 {
		c := &zset.Chunk{N: len(f.slots), Cols: groups}
		f.report.report(c.Negate(), f.oldErr, out)
		f.report.report(c, f.newErr, out)
	}
}

func failures(errs []expr.RowError) map[int]*sql.Error {
	m := make(map[int]*sql.Error, len(errs))
	for _, e := range errs {
		m[e.Row] = e.Err
	}
	return m
}

// groups are the group columns of the rows at hand.
func (a *Aggregate) groups(out *Output) []*zset.Vec {
	kinds := make([]zset.Kind, len(a.c.Group))
	for i, c := range a.c.Group {
		kinds[i] = a.c.Kinds[c]
	}
	cols := newVecs(kinds, len(a.flush.slots))
	for _, slot := range a.flush.slots {
		if _, err := zset.DecodeExactRow(cols, a.table.Head(slot)[a.fixed:]); err != nil {
			out.Fault = corrupt("aggregate", err)
		}
	}
	return cols
}

func (a *Aggregate) emitRows(groups, results []*zset.Vec, sel []int32, w int64, out *Output) {
	if len(sel) == 0 || out.Fault != nil {
		return
	}
	c := &zset.Chunk{N: len(sel)}
	for _, v := range groups {
		c.Cols = append(c.Cols, v.Gather(sel))
	}
	for _, v := range results {
		c.Cols = append(c.Cols, v.Gather(sel))
	}
	if w < 0 {
		c = c.Negate()
	}
	out.Chunks = append(out.Chunks, c)
}

// negative is the fault of a group that has had more rows taken back than it was given.
func (a *Aggregate) negative(slot uint32) error {
	kinds := make([]zset.Kind, len(a.c.Group))
	for i, c := range a.c.Group {
		kinds[i] = a.c.Kinds[c]
	}
	return negativeWeight("aggregate", kinds, a.table.Head(slot)[a.fixed:], getInt(a.table.Head(slot)), a.c.Print)
}

// negativeWeight is the fault of a row, in its exact encoding, whose weight is below 0.
func negativeWeight(operator string, kinds []zset.Kind, row []byte, w int64, text RowPrinter) error {
	c := zset.NewChunk(kinds, 1)
	sample := "?"
	if _, err := zset.DecodeExactRow(c.Cols, row); err == nil && text != nil {
		c.AppendWeight(1)
		sample = string(text(nil, c, 0))
	}
	return weirerr.New(weirerr.NegativeWeight, "a row was taken back that is not there").
		With("operator", operator).With("row", sample).With("weight", w).
		Hint("the input of this operator contradicts itself: report it; drop the view and create it again")
}

func newVecs(kinds []zset.Kind, n int) []*zset.Vec {
	return zset.NewChunk(kinds, n).Cols
}

// sameExact tells whether two values are the same, digits shown and all.
func sameExact(a *zset.Vec, i int, b *zset.Vec, j int) bool {
	if a.Null(i) || b.Null(j) {
		return a.Null(i) == b.Null(j)
	}
	switch a.Kind {
	case zset.Int:
		return a.Ints[i] == b.Ints[j]
	case zset.Bytes:
		return bytes.Equal(a.Bytes(i), b.Bytes(j))
	case zset.Interval:
		return a.Intervals[i] == b.Intervals[j]
	}
	var x, y [64]byte
	return bytes.Equal(zset.AppendExact(x[:0], a, i), zset.AppendExact(y[:0], b, j))
}

var _ Table = (*arrange.Table)(nil)
