package op

import (
	"encoding/binary"
	"fmt"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// accumulator is how one aggregate is kept in its group: size bytes of the group's
// head and, of some, entries of the group.
type accumulator interface {
	size() int
	// add counts value i of v, which is not NULL, w times; b is its part of the head.
	add(slot uint32, b []byte, v *zset.Vec, i int, w int64)
	// addRows is add of many rows.
	addRows(d *groupDelta, places []int32, v *zset.Vec, off int)
	// rest appends what result needs beside the head; keepsRest tells whether that can be anything.
	rest(slot uint32, dst []byte) []byte
	keepsRest() bool
	// result appends the aggregate's value, NULL when it fails.
	result(b, rest []byte, out *zset.Vec) *sql.Error
}

// groupDelta is a chunk with the group of every row.
type groupDelta struct {
	in    *zset.Chunk
	rows  []int32  // row of the chunk, by place
	slots []uint32 // its group
	heads [][]byte // the group's head
}

// headOnly is for accumulators that are in the head entirely.
type headOnly struct{}

func (headOnly) rest(_ uint32, dst []byte) []byte { return dst }
func (headOnly) keepsRest() bool                  { return false }

// addEach is addRows for accumulators that have nothing better.
func addEach(a accumulator, d *groupDelta, places []int32, v *zset.Vec, off int) {
	for _, k := range places {
		if i := int(d.rows[k]); !v.Null(i) {
			a.add(d.slots[k], d.heads[k][off:], v, i, d.in.Weight(i))
		}
	}
}

func getInt(b []byte) int64    { return int64(binary.LittleEndian.Uint64(b)) }
func putInt(b []byte, v int64) { binary.LittleEndian.PutUint64(b, uint64(v)) }

// count is count(x), and count(*) when v is nil.
type count struct{ headOnly }

func (count) size() int { return 8 }

func (count) add(_ uint32, b []byte, _ *zset.Vec, _ int, w int64) { putInt(b, getInt(b)+w) }

func (count) addRows(d *groupDelta, places []int32, v *zset.Vec, off int) {
	nulls := v != nil && v.Nulls != nil
	for _, k := range places {
		i := int(d.rows[k])
		if nulls && v.Null(i) {
			continue
		}
		b := d.heads[k][off:]
		putInt(b, getInt(b)+d.in.Weight(i))
	}
}

func (count) result(b, _ []byte, out *zset.Vec) *sql.Error {
	out.AppendInt(getInt(b))
	return nil
}

// truth is bool_and and bool_or: how many are false, how many are true.
type truth struct {
	headOnly
	or bool
}

func (*truth) size() int { return 16 }

func (*truth) add(_ uint32, b []byte, v *zset.Vec, i int, w int64) {
	b = b[8*v.Ints[i]:]
	putInt(b, getInt(b)+w)
}

func (a *truth) addRows(d *groupDelta, places []int32, v *zset.Vec, off int) {
	addEach(a, d, places, v, off)
}

func (a *truth) result(b, _ []byte, out *zset.Vec) *sql.Error {
	no, yes := getInt(b), getInt(b[8:])
	switch {
	case no+yes == 0:
		out.AppendNull()
	case a.or:
		out.AppendBool(yes > 0)
	default:
		out.AppendBool(no == 0)
	}
	return nil
}

// newAccumulator chooses how an aggregate is kept. k tells its entries from those of others.
func newAccumulator(t *arrange.Table, k int, agg plan.Agg, kind zset.Kind, appendOnly bool) (accumulator, error) {
	fn := agg.Fn
	sums := fn.Kind == expr.AggSum || fn.Kind == expr.AggAvg
	switch {
	case fn.Kind == expr.AggCount:
		return count{}, nil
	case fn.Kind == expr.AggBoolAnd, fn.Kind == expr.AggBoolOr:
		return &truth{or: fn.Kind == expr.AggBoolOr}, nil
	case (fn.Kind == expr.AggMin || fn.Kind == expr.AggMax) && appendOnly:
		return newFinal(t, k, fn.Kind == expr.AggMax, kind), nil
	case fn.Kind == expr.AggMin || fn.Kind == expr.AggMax:
		return newExtreme(t, k, fn.Kind == expr.AggMax, kind), nil
	case fn.IsList():
		return newList(t, k, fn), nil
	case sums && kind == zset.Int:
		return &intSum{avg: fn.Kind == expr.AggAvg, result64: zset.KindOf(fn.Result.OID) == zset.Int, name: fn.Result.OID}, nil
	case sums && kind == zset.Numeric:
		return &numericSum{spills: spills{t, prefixOf(k)}, avg: fn.Kind == expr.AggAvg}, nil
	case sums && kind == zset.Float:
		return &floatSum{spills: spills{t, prefixOf(k)}, avg: fn.Kind == expr.AggAvg, single: single(fn)}, nil
	case sums && kind == zset.Interval:
		return &intervalSum{avg: fn.Kind == expr.AggAvg}, nil
	}
	return nil, fmt.Errorf("op: no way to keep aggregate %s over kind %d", fn.Name, kind)
}

// prefixOf begins the suffixes of an aggregate's entries.
func prefixOf(k int) []byte { return []byte{byte(k >> 8), byte(k)} }

// spills are the entries, at most one a group, of an accumulator whose state does not always fit the head.
type spills struct {
	table  *arrange.Table
	suffix []byte
}

func (s *spills) get(slot uint32) []byte {
	if id, found := s.table.Get(slot, s.suffix); found {
		return s.table.Value(id)
	}
	return nil
}

// set keeps a value; an empty one is no entry.
func (s *spills) set(slot uint32, value []byte) {
	id, found := s.table.Get(slot, s.suffix)
	switch {
	case len(value) > 0 && found:
		s.table.SetValue(id, value)
	case len(value) > 0:
		s.table.Add(slot, s.suffix, value)
	case found:
		s.table.Delete(id)
	}
}
