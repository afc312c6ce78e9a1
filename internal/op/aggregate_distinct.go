package op

import (
	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/zset"
)

// counts tells whether an aggregate must count its values: of min, max and the
// booleans DISTINCT changes nothing.
func counts(agg plan.Agg) bool {
	return agg.Distinct && (agg.Fn.Kind == expr.AggCount || agg.Fn.Kind == expr.AggSum || agg.Fn.Kind == expr.AggAvg || agg.Fn.IsList())
}

// distinctSet counts the values of one column in every group, for all DISTINCT
// aggregates over it.
//
//	key   the group's key, then the value's; in the bucket of the group
//	head  how often the value came (8 bytes), for each FILTER │ the value, exact, if its key does not say it
type distinctSet struct {
	table   *arrange.Table
	col     int
	lossy   bool
	filters []int   // FILTER columns, -1: none
	users   [][]int // aggregates, by filter
	batch   arrange.Batch
	places  []int32 // in the group delta
	slots   []uint32
	value   *zset.Vec // of a lossy kind: the value as it is kept
	kind    zset.Kind
	buf     []byte
}

func (a *Aggregate) addDistinct(k int, agg plan.Agg, kind zset.Kind) {
	var set *distinctSet
	for _, d := range a.distinct {
		if d.col == agg.Arg {
			set = d
		}
	}
	if set == nil {
		set = &distinctSet{table: arrange.New(), col: agg.Arg, lossy: lossy(kind), kind: kind}
		a.distinct = append(a.distinct, set)
	}
	for i, f := range set.filters {
		if f == agg.Filter {
			set.users[i] = append(set.users[i], k)
			return
		}
	}
	set.filters, set.users = append(set.filters, agg.Filter), append(set.users, []int{k})
}

// passes tells whether a row counts for filter f.
func (d *distinctSet) passes(in *zset.Chunk, f, i int) bool {
	return d.filters[f] < 0 || isTrue(in.Cols[d.filters[f]], i)
}

func (d *distinctSet) passesAny(in *zset.Chunk, i int) bool {
	for f := range d.filters {
		if d.passes(in, f, i) {
			return true
		}
	}
	return false
}

// find looks up the values of a chunk; it tells whether some are missing in memory.
func (d *distinctSet) find(a *Aggregate, in *zset.Chunk) (missing bool) {
	d.batch.Reset()
	d.places = d.places[:0]
	v := in.Cols[d.col]
	for k, row := range a.keys.rows {
		i := int(row)
		if v.Null(i) || !d.passesAny(in, i) {
			continue
		}
		d.batch.Data = zset.AppendKey(append(d.batch.Data, a.keys.batch.Key(k)...), v, i, zset.Order{})
		d.batch.EndIn(arrange.BucketOf(a.keys.batch.Hashes[k]))
		d.places = append(d.places, int32(k))
	}
	d.slots = grow(d.slots, d.batch.Len())
	return d.table.FindOrInsert(&d.batch, d.slots)
}

// apply counts the values, and tells the aggregates which came and which went.
func (d *distinctSet) apply(a *Aggregate, in *zset.Chunk) {
	fixed := 8 * len(d.filters)
	for n, k := range d.places {
		i := int(a.delta.rows[k])
		slot := d.slots[n]
		head := d.table.Head(slot)
		if head == nil {
			d.buf = d.buf[:0]
			if d.lossy {
				d.buf = zset.AppendExact(d.buf, in.Cols[d.col], i)
			}
			head = d.table.SetHead(slot, fixed+len(d.buf))
			clear(head[:fixed])
			copy(head[fixed:], d.buf)
		} else {
			d.table.Change(slot)
		}
		d.count(a, in, k, head, i)
		if allZero(head[:fixed]) {
			d.table.DropHead(slot)
		}
	}
}

func (d *distinctSet) count(a *Aggregate, in *zset.Chunk, k int32, head []byte, i int) {
	w := in.Weight(i)
	for f := range d.filters {
		if !d.passes(in, f, i) {
			continue
		}
		b := head[8*f:]
		old := getInt(b)
		putInt(b, old+w)
		if (old > 0) == (old+w > 0) {
			continue
		}
		sign := int64(1)
		if old > 0 {
			sign = -1
		}
		v, at := in.Cols[d.col], i
		if d.lossy {
			v, at = d.kept(head[8*len(d.filters):]), 0
		}
		for _, user := range d.users[f] {
			a.accs[user].add(a.delta.slots[k], a.delta.heads[k][a.offs[user]:], v, at, sign)
		}
	}
}

// kept is the value as the table has it: what was added must be what is taken away.
func (d *distinctSet) kept(exact []byte) *zset.Vec {
	v := zset.NewVec(d.kind, 1)
	if _, err := zset.DecodeExact(v, exact); err != nil {
		v.Reset()
		v.AppendNull()
	}
	return v
}

func allZero(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		if getInt(b) != 0 {
			return false
		}
	}
	return true
}
