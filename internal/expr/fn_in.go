package expr

import (
	"slices"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// inFunc is x IN (list) by an equality. The list's values are constant over a chunk.
func inFunc(eq *Func, args []Expr) *Func {
	return &Func{
		Name: "in " + eq.Name, Args: []uint32{eq.Args[0], eq.Args[1]}, Result: datum.OIDBool, Variadic: true,
		cheap: eq.cheap, among: eq,
		build: func(s *site) kernel {
			if k := inConstants(eq, s); k != nil {
				return k
			}
			equal := eq.build(&site{args: refsOf(eq.Args), consts: make([]*zset.Vec, 2), result: boolType})
			return inEach(equal)
		},
	}
}

// inConstants looks a value up in a set. Equality of integers and of texts is that of their bytes;
// of other types it is not, and each is compared.
func inConstants(eq *Func, s *site) kernel {
	if slices.Contains(s.consts[1:], nil) || eq.Args[0] != eq.Args[1] || !slices.Contains(bytewise, eq.Name) {
		return nil
	}
	return inList(eq.Args[0], s.consts[1:])
}

// inList looks values of a type up in a list of constants.
func inList(oid uint32, list []*zset.Vec) kernel {
	hasNull := slices.ContainsFunc(list, func(v *zset.Vec) bool { return v.Null(0) })
	if zset.KindOf(oid) == zset.Int {
		return inInts(list, hasNull)
	}
	return inBytes(list, hasNull)
}

// bytewise are the equalities that hold for equal bytes and no others.
var bytewise = []string{
	"int2eq", "int4eq", "int8eq", "oideq", "booleq", "date_eq", "time_eq", "timestamp_eq", "timestamptz_eq",
	"texteq", "nameeq", "byteaeq", "uuid_eq", "chareq",
}

// few is how many values are compared one by one faster than looked up.
const few = 8

func inInts(list []*zset.Vec, hasNull bool) kernel {
	var values []int64
	set := map[int64]struct{}{}
	for _, v := range list {
		if !v.Null(0) {
			values = append(values, v.Ints[0])
			set[v.Ints[0]] = struct{}{}
		}
	}
	return func(ev *evaluation, n int, args []*zset.Vec, _ []uint64) *zset.Vec {
		out, src := ev.column(zset.Int, n), args[0].Ints
		if len(values) <= few {
			for i := range out.Ints {
				var found int64
				for _, v := range values {
					if src[i] == v {
						found = 1
					}
				}
				out.Ints[i] = found
			}
		} else {
			for i := range out.Ints {
				out.Ints[i] = 0
				if _, ok := set[src[i]]; ok {
					out.Ints[i] = 1
				}
			}
		}
		return inNulls(out, args[0], hasNull)
	}
}

func inBytes(list []*zset.Vec, hasNull bool) kernel {
	set := map[string]struct{}{}
	for _, v := range list {
		if !v.Null(0) {
			set[string(v.Bytes(0))] = struct{}{}
		}
	}
	return func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
		out := ev.column(zset.Int, n)
		clear(out.Ints)
		eachRow(n, skip, func(i int) {
			if _, ok := set[string(args[0].Bytes(i))]; ok {
				out.Ints[i] = 1
			}
		})
		return inNulls(out, args[0], hasNull)
	}
}

// inNulls makes the answer NULL where x is, and where x was not found in a list with a NULL.
func inNulls(out, x *zset.Vec, hasNull bool) *zset.Vec {
	out.Nulls = x.Nulls
	if hasNull {
		out.Nulls = slices.Clone(x.Nulls)
		for i, found := range out.Ints {
			if found == 0 {
				out.SetNull(i)
			}
		}
	}
	return out
}

// inEach compares with each value in turn.
func inEach(equal kernel) kernel {
	return func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
		found, unknown := make([]uint64, words(n)), make([]uint64, words(n))
		x := nullsOf(args[0], n)
		for _, v := range args[1:] {
			nulls := union(x, nullsOf(v, n))
			same := equal(ev, n, []*zset.Vec{args[0], v}, union(skip, union(nulls, found)))
			for i, w := range packTrue(same.Ints) {
				found[i] |= w &^ wordOf(nulls, i)
				unknown[i] |= wordOf(nulls, i)
			}
		}
		out := ev.column(zset.Int, n)
		unpack(out.Ints, found, true)
		for i := range unknown {
			unknown[i] &^= found[i]
		}
		out.Nulls = unknown
		return out
	}
}
