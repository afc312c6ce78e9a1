package expr

import (
	"bytes"
	"cmp"

	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr/jsontext"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/zset"
)

// relation is one of the six comparisons.
type relation uint8

const (
	eq relation = iota
	ne
	lt
	le
	gt
	ge
)

// comparisons are the operators and how PostgreSQL names their functions.
var comparisons = []struct {
	symbol string
	short  string // int4eq
	long   string // date_eq
	cmp    relation
}{
	{"=", "eq", "_eq", eq}, {"<>", "ne", "_ne", ne}, {"<", "lt", "_lt", lt},
	{"<=", "le", "_le", le}, {">", "gt", "_gt", gt}, {">=", "ge", "_ge", ge},
}

// holds tells whether an order of -1, 0 or 1 satisfies the relation.
func (r relation) holds(order int) bool {
	switch r {
	case eq:
		return order == 0
	case ne:
		return order != 0
	case lt:
		return order < 0
	case le:
		return order <= 0
	case gt:
		return order > 0
	}
	return order >= 0
}

// compareInts compares columns of kind Int by their numbers.
func compareInts(rel relation) func(*site) kernel {
	return always(func(ev *evaluation, n int, args []*zset.Vec, _ []uint64) *zset.Vec {
		out := ev.column(zset.Int, n)
		ma, mb := strides(args[0], args[1], n)
		compareOrdered(rel, out.Ints, args[0].Ints, args[1].Ints, ma, mb)
		return out
	})
}

// turned is the relation with its sides changed.
func (r relation) turned() relation {
	switch r {
	case lt:
		return gt
	case le:
		return ge
	case gt:
		return lt
	case ge:
		return le
	}
	return r
}

// compareOrdered writes 1 where the relation holds. It has a loop for each relation so that none branches, and
// one for a constant on a side.
func compareOrdered[T int64 | float64](rel relation, dst []int64, a, b []T, ma, mb int) {
	switch {
	case ma == 0 && mb != 0:
		compareConstant(rel.turned(), dst, b, a[0])
	case mb == 0 && ma != 0:
		compareConstant(rel, dst, a, b[0])
	case rel == gt || rel == ge:
		compareOrdered(rel.turned(), dst, b, a, mb, ma)
	case rel == eq:
		for i := range dst {
			dst[i] = bit(a[i&ma] == b[i&mb])
		}
	case rel == ne:
		for i := range dst {
			dst[i] = bit(a[i&ma] != b[i&mb])
		}
	case rel == lt:
		for i := range dst {
			dst[i] = bit(a[i&ma] < b[i&mb])
		}
	default:
		for i := range dst {
			dst[i] = bit(a[i&ma] <= b[i&mb])
		}
	}
}

func compareConstant[T int64 | float64](rel relation, dst []int64, a []T, c T) {
	a = a[:len(dst)]
	switch rel {
	case eq:
		for i := range dst {
			dst[i] = bit(a[i] == c)
		}
	case ne:
		for i := range dst {
			dst[i] = bit(a[i] != c)
		}
	case lt:
		for i := range dst {
			dst[i] = bit(a[i] < c)
		}
	case le:
		for i := range dst {
			dst[i] = bit(a[i] <= c)
		}
	case gt:
		for i := range dst {
			dst[i] = bit(a[i] > c)
		}
	case ge:
		for i := range dst {
			dst[i] = bit(a[i] >= c)
		}
	}
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// compareFloats has NaN equal to itself and above all.
func compareFloats(rel relation) func(*site) kernel {
	return always(func(ev *evaluation, n int, args []*zset.Vec, _ []uint64) *zset.Vec {
		out := ev.column(zset.Int, n)
		ma, mb := strides(args[0], args[1], n)
		a, b := args[0].Floats, args[1].Floats
		if !hasNaN(a) && !hasNaN(b) {
			compareOrdered(rel, out.Ints, a, b, ma, mb)
			return out
		}
		for i := range out.Ints {
			out.Ints[i] = bit(rel.holds(orderFloats(a[i&ma], b[i&mb])))
		}
		return out
	})
}

func hasNaN(v []float64) bool {
	for _, x := range v {
		if x != x {
			return true
		}
	}
	return false
}

func orderFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return cmp.Compare(bit(a != a), bit(b != b))
}

// compareBytes compares by octets, which is the order of collation C.
func compareBytes(rel relation) func(*site) kernel {
	return always(func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
		out := ev.column(zset.Int, n)
		ma, mb := strides(args[0], args[1], n)
		a, b := args[0], args[1]
		if rel == eq || rel == ne {
			want := bit(rel == eq)
			for i := range out.Ints {
				x, y := a.Refs[i&ma], b.Refs[i&mb]
				same := x.Len == y.Len && string(a.Data[x.Off:x.Off+x.Len]) == string(b.Data[y.Off:y.Off+y.Len])
				out.Ints[i] = bit(same) ^ want ^ 1
			}
			return out
		}
		clear(out.Ints)
		eachRow(n, skip, func(i int) { out.Ints[i] = bit(rel.holds(bytes.Compare(a.Bytes(i&ma), b.Bytes(i&mb)))) })
		return out
	})
}

// compareBpchar ignores blanks at the end.
func compareBpchar(rel relation) func(*site) kernel {
	return perRow(func(r *Row) error {
		r.SetBool(rel.holds(bytes.Compare(bytes.TrimRight(r.Bytes(0), " "), bytes.TrimRight(r.Bytes(1), " "))))
		return nil
	})
}

func compareNums(rel relation) func(*site) kernel {
	return always(func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
		out := ev.column(zset.Int, n)
		clear(out.Ints)
		ma, mb := strides(args[0], args[1], n)
		a, b := args[0], args[1]
		eachRow(n, skip, func(i int) {
			order, ok := numeric.Cmp128(a.Nums[i&ma], b.Nums[i&mb])
			if !ok {
				order = numeric.Cmp(a.Num(i&ma), b.Num(i&mb))
			}
			out.Ints[i] = bit(rel.holds(order))
		})
		return out
	})
}

func compareIntervals(rel relation) func(*site) kernel {
	return perRow(func(r *Row) error {
		r.SetBool(rel.holds(datetime.CompareIntervals(r.Interval(0), r.Interval(1))))
		return nil
	})
}

// compareArrays compares element by element, then by length, then by dimensions. NULL is above all elements and
// equal to itself.
func compareArrays(rel relation) func(*site) kernel {
	return func(s *site) kernel {
		elem := elementOf(s.args[0].OID)
		return rowKernel(zset.Int, func(r *Row) error {
			a, err := r.array(0, elem)
			if err != nil {
				return err
			}
			b, err := r.array(1, elem)
			if err != nil {
				return err
			}
			r.SetBool(rel.holds(a.order(&b)))
			return nil
		})
	}
}

func (a *array) order(b *array) int {
	for i := range min(a.elems.N, b.elems.N) {
		if o := orderValues(a.elem, a.elems, i, b.elems, i); o != 0 {
			return o
		}
	}
	if o := cmp.Compare(a.elems.N, b.elems.N); o != 0 {
		return o
	}
	if o := cmp.Compare(len(a.dims), len(b.dims)); o != 0 {
		return o
	}
	for i, d := range a.dims {
		if o := cmp.Or(cmp.Compare(d.Len, b.dims[i].Len), cmp.Compare(d.Lower, b.dims[i].Lower)); o != 0 {
			return o
		}
	}
	return 0
}

// orderValues compares two values of a type; NULL is above all.
func orderValues(oid uint32, a *zset.Vec, i int, b *zset.Vec, j int) int {
	if a.Null(i) || b.Null(j) {
		return cmp.Compare(bit(a.Null(i)), bit(b.Null(j)))
	}
	switch a.Kind {
	case zset.Int:
		return cmp.Compare(a.Ints[i], b.Ints[j])
	case zset.Float:
		return orderFloats(a.Floats[i], b.Floats[j])
	case zset.Numeric:
		return numeric.Cmp(a.Num(i), b.Num(j))
	case zset.Interval:
		return datetime.CompareIntervals(a.Intervals[i], b.Intervals[j])
	}
	x, y := a.Bytes(i), b.Bytes(j)
	if oid == datum.OIDJSONB {
		return jsontext.Compare(x, y)
	}
	if oid == datum.OIDBpchar {
		x, y = bytes.TrimRight(x, " "), bytes.TrimRight(y, " ")
	}
	return bytes.Compare(x, y)
}

func declareComparisons(r *Registry) {
	for _, c := range comparisons {
		for _, a := range intTypes {
			for _, b := range intTypes {
				name := "int" + a.digit + b.digit
				if a == b {
					name = "int" + a.digit
				}
				r.op(c.symbol, name+c.short+"("+a.name+","+b.name+") bool", compareInts(c.cmp), cheap)
			}
		}
		r.op(c.symbol, "oid"+c.short+"(oid,oid) bool", compareInts(c.cmp), cheap)
		r.op(c.symbol, "char"+c.short+"(char,char) bool", compareBytes(c.cmp), cheap)
		for _, t := range []string{"date", "time", "timestamp", "timestamptz"} {
			r.op(c.symbol, t+c.long+"("+t+","+t+") bool", compareInts(c.cmp), cheap)
		}
		for _, a := range []string{"4", "8"} {
			for _, b := range []string{"4", "8"} {
				name := "float" + a + b
				if a == b {
					name = "float" + a
				}
				r.op(c.symbol, name+c.short+"(float"+a+",float"+b+") bool", compareFloats(c.cmp), cheap)
			}
		}
		r.op(c.symbol, "numeric"+c.long+"(numeric,numeric) bool", compareNums(c.cmp), cheap)
		r.op(c.symbol, "interval"+c.long+"(interval,interval) bool", compareIntervals(c.cmp), cheap)
		r.op(c.symbol, textName(c.cmp, c.short, c.long)+"(text,text) bool", compareBytes(c.cmp), cheap)
		for _, names := range [][2]string{{"name", "name"}, {"name", "text"}, {"text", "name"}} {
			prefix := map[string]string{"name": "name", "text": "text"}[names[0]]
			suffix := map[string]string{"name": "name", "text": "text"}[names[1]]
			if names[0] == names[1] {
				suffix = ""
			}
			r.op(c.symbol, prefix+c.short+suffix+"("+names[0]+","+names[1]+") bool", compareBytes(c.cmp), cheap)
		}
		r.op(c.symbol, "bytea"+c.short+"(bytea,bytea) bool", compareBytes(c.cmp), cheap)
		r.op(c.symbol, "uuid"+c.long+"(uuid,uuid) bool", compareBytes(c.cmp), cheap)
		r.op(c.symbol, "bpchar"+c.short+"(bpchar,bpchar) bool", compareBpchar(c.cmp), cheap)
		r.op(c.symbol, "array"+c.long+"(anyarray,anyarray) bool", compareArrays(c.cmp))
		if c.cmp == eq || c.cmp == ne {
			r.op(c.symbol, "enum"+c.long+"(anyenum,anyenum) bool", compareBytes(c.cmp), cheap)
		}
	}
}

// textName is texteq, textne, text_lt, …: PostgreSQL names two of the six otherwise.
func textName(rel relation, short, long string) string {
	if rel == eq || rel == ne {
		return "text" + short
	}
	return "text" + long
}
