package expr

import (
	"slices"
	"strings"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// elementFunc is a[i]…: NULL when there is no such element, or a has not so many dimensions.
func elementFunc(arr, elem uint32, dims int) *Func {
	args := []uint32{arr}
	for range dims {
		args = append(args, datum.OIDInt4)
	}
	return &Func{
		Name: "element", Args: args, Result: elem, Strict: true,
		build: func(s *site) kernel {
			return rowAppender(zset.KindOf(elem), func(r *Row) error {
				a, err := r.array(0, elem)
				if err != nil {
					return err
				}
				if at, ok := a.place(r, dims); ok {
					r.out.AppendFrom(a.elems, at)
				} else {
					r.out.AppendNull()
				}
				return nil
			})
		},
	}
}

// place is where the element is that the arguments behind the array say.
func (a *array) place(r *Row, dims int) (at int, ok bool) {
	if len(a.dims) != dims {
		return 0, false
	}
	for k, d := range a.dims {
		i := r.Int(1+k) - int64(d.Lower)
		if i < 0 || i >= int64(d.Len) {
			return 0, false
		}
		at = at*int(d.Len) + int(i)
	}
	return at, true
}

// rowAppender makes a kernel of a function that appends its result to the column.
func rowAppender(kind zset.Kind, f func(r *Row) error) kernel {
	return func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
		r := Row{ev: ev, out: zset.NewVec(kind, n), args: make([]argument, len(args))}
		for k, v := range args {
			r.args[k] = argumentOf(v, n)
		}
		for i := range n {
			if r.i = i; !has(skip, i) {
				if err := f(&r); err != nil {
					ev.fail(i, err)
				}
			}
			if r.out.N <= i {
				r.out.AppendNull()
			}
		}
		return r.out
	}
}

// sliceFunc is a[lo:hi] of the first dimension. What is not written is the array's own bound. The arguments
// are the array and two bounds, NULL where not written.
func sliceFunc(arr uint32, hasLo, hasHi bool) *Func {
	name := "slice"
	if hasLo {
		name += " lo"
	}
	if hasHi {
		name += " hi"
	}
	elem := elementOf(arr)
	return &Func{
		Name: name, Args: []uint32{arr, datum.OIDInt4, datum.OIDInt4}, Result: arr,
		build: perRow(func(r *Row) error {
			if r.Null(0) || hasLo && r.Null(1) || hasHi && r.Null(2) {
				r.SetNull()
				return nil
			}
			a, err := r.array(0, elem)
			if err != nil {
				return err
			}
			if len(a.dims) == 0 {
				r.SetString("{}")
				return nil
			}
			first := int64(a.dims[0].Lower)
			lo, hi := first, first+int64(a.dims[0].Len)-1
			if hasLo {
				lo = max(lo, r.Int(1))
			}
			if hasHi {
				hi = min(hi, r.Int(2))
			}
			r.setArray(a.cut(lo-first, hi-first+1))
			return nil
		}),
	}
}

// cut is items lo to hi, exclusive, of the first dimension; bounds start at 1 again.
func (a *array) cut(lo, hi int64) array {
	if hi <= lo {
		return array{elem: a.elem, elems: zset.NewVec(a.elems.Kind, 0)}
	}
	width := int64(a.elems.N) / int64(a.dims[0].Len)
	out := array{elem: a.elem, elems: a.elems.Slice(int(lo*width), int(hi*width))}
	for i, d := range a.dims {
		if i == 0 {
			d.Len = int32(hi - lo)
		}
		out.dims = append(out.dims, datum.Dim{Lower: 1, Len: d.Len})
	}
	return out
}

// anyAllFunc is x op ANY (array) or x op ALL (array).
func anyAllFunc(op *Func, all bool) *Func {
	name, among := "any ", op
	if all {
		name, among = "all ", nil
	}
	return &Func{
		Name: name + op.Name, Args: []uint32{op.Args[0], arrayOf(op.Args[1])}, Result: datum.OIDBool, among: among,
		build: func(s *site) kernel {
			elem := elementOf(s.args[1].OID)
			if k := anyConstants(op, s, elem, all); k != nil {
				return k
			}
			compare := op.build(&site{args: []datum.TypeRef{s.args[0], datum.Ref(elem)}, consts: make([]*zset.Vec, 2), result: boolType})
			return rowKernel(zset.Int, func(r *Row) error { return anyAll(r, compare, elem, op.Strict, all) })
		},
	}
}

// anyConstants looks x up where the array is constant: = ANY and <> ALL are IN and NOT IN. nil where that does not do.
func anyConstants(op *Func, s *site, elem uint32, all bool) kernel {
	c := s.constant(1)
	if c == nil || !all && !slices.Contains(bytewise, op.Name) || all && !slices.Contains(bytewise, strings.Replace(op.Name, "ne", "eq", 1)) {
		return nil
	}
	a, err := decodeArray(c.Bytes(0), elem)
	if err != nil || a.elems.N == 0 {
		return nil
	}
	var list []*zset.Vec
	for i := range a.elems.N {
		list = append(list, a.elems.Slice(i, i+1))
	}
	in := inList(op.Args[0], list)
	return func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
		v := in(ev, n, args[:1], union(skip, nullsOf(args[0], n)))
		if !all {
			return v
		}
		out := not(ev, n, []*zset.Vec{v}, nil)
		out.Nulls = v.Nulls
		return out
	}
}

// anyAll asks every element. An empty array decides whatever x is.
func anyAll(r *Row, compare kernel, elem uint32, strict, all bool) error {
	if r.Null(1) {
		r.SetNull()
		return nil
	}
	a, err := elementsOf(r, elem)
	if err != nil {
		return err
	}
	r.SetBool(all)
	if a.N == 0 {
		return nil
	}
	if r.Null(0) && strict {
		r.SetNull()
		return nil
	}
	x := r.args[0].v
	one := x.Slice(r.i&r.args[0].mask, r.i&r.args[0].mask+1)
	inner := &evaluation{env: r.Env(), n: a.N, scopes: [][]uint64{nil}, state: []any{nil}}
	v := compare(inner, a.N, []*zset.Vec{one, a}, a.Nulls)
	if inner.errs != nil {
		return inner.errs[0].Err
	}
	unknown := false
	for i := range a.N {
		switch null := a.Null(i) || v.Null(i); {
		case null:
			unknown = true
		case v.Bool(i) != all:
			r.SetBool(!all)
			return nil
		}
	}
	if unknown {
		r.SetNull()
	}
	return nil
}

// lastArray is the array that a step has decoded last: an array that is constant is decoded once.
type lastArray struct {
	text  string
	elems *zset.Vec
}

func elementsOf(r *Row, elem uint32) (*zset.Vec, error) {
	last := kept(r.ev, func() *lastArray { return &lastArray{} })
	text := r.Bytes(1)
	if last.elems != nil && last.text == string(text) {
		return last.elems, nil
	}
	a, err := decodeArray(text, elem)
	if err != nil {
		return nil, err
	}
	last.text, last.elems = string(text), a.elems
	return a.elems, nil
}
