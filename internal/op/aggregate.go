package op

import (
	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// AggregateConfig describes an Aggregate. The output is the group columns, then
// the aggregates.
type AggregateConfig struct {
	Kinds []zset.Kind // of the input's columns
	Group []int
	Aggs  []plan.Agg
	// Global: no GROUP BY was written: one row, also over empty input. Only on the shard that has it.
	Global bool
	// AppendOnly: weights are never negative; min and max then keep one value.
	AppendOnly bool
	// Print prints a chunk of the group columns, for error reports.
	Print RowPrinter
}

// Aggregate keeps accumulators for each group and, when the epoch ends, gives out
// the old row of a changed group with -1 and the new one with +1.
//
//	head     how many rows (8 bytes) │ accumulators, side by side │ group columns, exact
//	entries  what does not fit, of min, max and sums: suffix number of the aggregate (2 bytes), …
//
// Its first Table has the groups; then comes one for each column of a DISTINCT aggregate.
type Aggregate struct {
	queue
	c        AggregateConfig
	keys     keyer
	table    *arrange.Table
	accs     []accumulator
	offs     []int // of the accumulators in the head
	fixed    int   // where the group columns begin in the head
	rests    []int // accumulators that keep something beside the head
	distinct []*distinctSet
	filters  []filterPlaces
	delta    groupDelta
	all      []int32
	before   befores
	flush    aggFlush
	global   bool // the global group is known to exist
}

// filterPlaces is a FILTER column and the places where it is true.
type filterPlaces struct {
	col    int // -1: all
	places []int32
}

// NewAggregate makes an Aggregate.
func NewAggregate(c AggregateConfig) (*Aggregate, error) {
	a := &Aggregate{c: c, table: arrange.New(), fixed: 8}
	a.keys.cols = c.Group
	for k, agg := range c.Aggs {
		var kind zset.Kind
		if agg.Arg >= 0 {
			kind = c.Kinds[agg.Arg]
		}
		acc, err := newAccumulator(a.table, k, agg, kind, c.AppendOnly)
		if err != nil {
			return nil, weirerr.New(weirerr.InvalidArgument, "an aggregate cannot be maintained").Wrap(err)
		}
		a.accs, a.offs = append(a.accs, acc), append(a.offs, a.fixed)
		a.fixed += acc.size()
		if acc.keepsRest() {
			a.rests = append(a.rests, k)
		}
		if counts(agg) {
			a.addDistinct(k, agg, kind)
		} else {
			a.filter(agg.Filter)
		}
	}
	a.table.Reserve(a.fixed + 10*len(c.Group))
	for _, d := range a.distinct {
		d.table.Reserve(8 * len(d.filters))
	}
	a.flush.init(a)
	return a, nil
}

// filter is the number of a FILTER column among those there are.
func (a *Aggregate) filter(col int) int {
	for i := range a.filters {
		if a.filters[i].col == col {
			return i
		}
	}
	a.filters = append(a.filters, filterPlaces{col: col})
	return len(a.filters) - 1
}

// Tables implements Operator.
func (a *Aggregate) Tables() []Table {
	tables := []Table{a.table}
	for _, d := range a.distinct {
		tables = append(tables, d.table)
	}
	return tables
}

// Run implements Operator.
func (a *Aggregate) Run(out *Output, budget int) Status {
	for p := a.first(); p != nil; p = a.first() {
		if budget <= 0 {
			return More
		}
		if a.c.AppendOnly {
			if out.Fault = shrinks("aggregate", p.in); out.Fault != nil {
				return Done
			}
		}
		if !a.find(p.in) {
			return Miss
		}
		a.apply(p.in)
		budget -= p.in.N
		a.pop()
		a.tick()
	}
	if !a.flushing {
		return Done
	}
	return a.runFlush(out, budget)
}

func (a *Aggregate) tick() {
	a.table.Tick()
	for _, d := range a.distinct {
		d.table.Tick()
	}
}

// find looks up the groups of a chunk's rows; false when some are missing in memory.
func (a *Aggregate) find(in *zset.Chunk) bool {
	a.keys.encode(in)
	missing := a.table.FindOrInsert(&a.keys.batch, a.keys.slots)
	a.filterRows(in)
	for _, d := range a.distinct {
		missing = d.find(a, in) || missing
	}
	return !missing
}

// filterRows lists the places at which each FILTER is true.
func (a *Aggregate) filterRows(in *zset.Chunk) {
	rows := a.keys.rows
	for len(a.all) < len(rows) {
		a.all = append(a.all, int32(len(a.all)))
	}
	for i := range a.filters {
		f := &a.filters[i]
		if f.col < 0 {
			f.places = a.all[:len(rows)]
			continue
		}
		f.places = f.places[:0]
		for k, row := range rows {
			if isTrue(in.Cols[f.col], int(row)) {
				f.places = append(f.places, int32(k))
			}
		}
	}
}

// isTrue tells whether value i of a boolean column is true, not NULL.
func isTrue(v *zset.Vec, i int) bool { return v.Ints[i] != 0 && !v.Null(i) }

// apply counts a chunk's rows.
func (a *Aggregate) apply(in *zset.Chunk) {
	d := &a.delta
	d.in, d.rows, d.slots = in, a.keys.rows, a.keys.slots[:len(a.keys.rows)]
	d.heads = grow(d.heads, len(d.rows))
	for k, slot := range d.slots {
		if a.table.Mark(slot, false) {
			a.begin(slot, in, int(d.rows[k]))
		}
		d.heads[k] = a.table.Head(slot)
	}
	for k, head := range d.heads {
		putInt(head, getInt(head)+in.Weight(int(d.rows[k])))
	}
	for k, agg := range a.c.Aggs {
		if counts(agg) {
			continue
		}
		var v *zset.Vec
		if agg.Arg >= 0 {
			v = in.Cols[agg.Arg]
		}
		a.accs[k].addRows(d, a.filters[a.filter(agg.Filter)].places, v, a.offs[k])
	}
	for _, set := range a.distinct {
		set.apply(a, in)
	}
}

// begin remembers what a group was before the epoch, and makes its head if it has none.
func (a *Aggregate) begin(slot uint32, in *zset.Chunk, row int) {
	head := a.table.Head(slot)
	a.before.begin()
	if head != nil {
		a.before.data = a.state(slot, head, a.before.data)
		a.table.Change(slot)
		return
	}
	buf := a.keys.batch.Data // a place to build: the keys end where they ended
	for _, c := range a.c.Group {
		buf = zset.AppendExact(buf, in.Cols[c], row)
	}
	exact := buf[len(a.keys.batch.Data):]
	head = a.table.SetHead(slot, a.fixed+len(exact))
	clear(head[:a.fixed])
	copy(head[a.fixed:], exact)
}

// state appends all that a group's results depend on.
func (a *Aggregate) state(slot uint32, head, dst []byte) []byte {
	dst = append(dst, head[:a.fixed]...)
	for _, k := range a.rests {
		at := len(dst)
		dst = append(dst, 0, 0, 0, 0)
		dst = a.accs[k].rest(slot, dst)
		putLength(dst[at:], len(dst)-at-4)
	}
	return dst
}
