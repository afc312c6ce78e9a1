package expr

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// Functions of truth values, and of whether there is a value at all.

var (
	notFunc       = &Func{Name: "not", Args: []uint32{datum.OIDBool}, Result: datum.OIDBool, Strict: true, cheap: true, build: always(not)}
	isNullFunc    = &Func{Name: "is null", Args: []uint32{oidAny}, Result: datum.OIDBool, cheap: true, build: always(nullTest(true))}
	isNotNullFunc = &Func{Name: "is not null", Args: []uint32{oidAny}, Result: datum.OIDBool, cheap: true, build: always(nullTest(false))}
)

func not(ev *evaluation, n int, args []*zset.Vec, _ []uint64) *zset.Vec {
	out := ev.column(zset.Int, n)
	src := args[0].Ints
	for i := range out.Ints {
		out.Ints[i] = 1 - src[i]
	}
	return out
}

func nullTest(want bool) kernel {
	return func(ev *evaluation, n int, args []*zset.Vec, _ []uint64) *zset.Vec {
		out := ev.column(zset.Int, n)
		unpack(out.Ints, nullsOf(args[0], n), want)
		return out
	}
}

// unpack writes 1 where a row is in the set and want holds, or is not and want does not.
func unpack(dst []int64, set []uint64, want bool) {
	flip := uint64(1)
	if want {
		flip = 0
	}
	if set == nil {
		for i := range dst {
			dst[i] = int64(flip)
		}
		return
	}
	for i := range dst {
		dst[i] = int64(set[i>>6]>>(i&63)&1 ^ flip)
	}
}

// boolTest is IS [NOT] TRUE or FALSE: never NULL.
func boolTest(value, not bool) *Func {
	name := "is false"
	if value {
		name = "is true"
	}
	if not {
		name = "not " + name
	}
	return &Func{
		Name: name, Args: []uint32{datum.OIDBool}, Result: datum.OIDBool, cheap: true,
		build: always(func(ev *evaluation, n int, args []*zset.Vec, _ []uint64) *zset.Vec {
			out, src, nulls := ev.column(zset.Int, n), args[0].Ints, args[0].Nulls
			for i := range out.Ints {
				same := (src[i] != 0) == value && (nulls == nil || nulls[i>>6]>>(i&63)&1 == 0)
				out.Ints[i] = 0
				if same != not {
					out.Ints[i] = 1
				}
			}
			return out
		}),
	}
}

// distinctFunc is IS [NOT] DISTINCT FROM by an equality: two NULLs are alike, one is different.
func distinctFunc(eq *Func, not bool) *Func {
	name := "distinct "
	if not {
		name = "not distinct "
	}
	return &Func{
		Name: name + eq.Name, Args: eq.Args, Result: datum.OIDBool, cheap: eq.cheap, same: not,
		build: func(s *site) kernel {
			equal := eq.build(s)
			return func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
				a, b := nullsOf(args[0], n), nullsOf(args[1], n)
				nulls := union(a, b)
				v := equal(ev, n, args, union(skip, nulls))
				out := ev.column(zset.Int, n)
				for i := range out.Ints {
					same := v.Ints[i] != 0
					if has(nulls, i) {
						same = has(a, i) && has(b, i)
					}
					out.Ints[i] = 0
					if same == not {
						out.Ints[i] = 1
					}
				}
				return out
			}
		},
	}
}

// minMaxFunc is GREATEST or LEAST by > or <: NULLs do not count.
func minMaxFunc(name string, better *Func, oid uint32) *Func {
	return &Func{
		Name: name + " " + better.Name, Args: []uint32{oid}, Result: oid, Variadic: true,
		build: func(s *site) kernel {
			compare := better.build(&site{args: refsOf(better.Args), consts: make([]*zset.Vec, 2), result: boolType})
			return func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
				best := ev.spreadOut(args[0], n)
				for _, v := range args[1:] {
					best = ev.better(compare, best, v, n, skip)
				}
				return best
			}
		},
	}
}

// spreadOut is v with n values.
func (ev *evaluation) spreadOut(v *zset.Vec, n int) *zset.Vec {
	if v.N == n {
		return v
	}
	return v.Constant(0, n)
}

// better takes v where it is better than best, or where best is NULL.
func (ev *evaluation) better(compare kernel, best, v *zset.Vec, n int, skip []uint64) *zset.Vec {
	vNull, bestNull := nullsOf(v, n), nullsOf(best, n)
	wins := compare(ev, n, []*zset.Vec{v, best}, union(skip, union(vNull, bestNull)))
	take := make([]uint64, words(n))
	for i, w := range packTrue(wins.Ints) {
		nullV, nullBest := wordOf(vNull, i), wordOf(bestNull, i)
		take[i] = (w&^nullBest | nullBest) &^ nullV
	}
	out := ev.column(v.Kind, n)
	if v.Kind != zset.Bytes && v.Kind != zset.Interval {
		zero(out)
	}
	copyRows(n, out, best, take)
	copyRows(n, out, v, complement(take, n))
	return out
}

func wordOf(set []uint64, i int) uint64 {
	if set == nil {
		return 0
	}
	return set[i]
}
