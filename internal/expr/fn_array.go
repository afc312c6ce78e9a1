package expr

import (
	"slices"
	"strconv"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// arrayKernel makes a function of arrays; elem is the element type of the argument that is one.
func arrayKernel(at int, f func(r *Row, elem uint32) error) func(*site) kernel {
	return func(s *site) kernel {
		elem := elementOf(s.args[at].OID)
		return rowKernel(zset.KindOf(s.result.OID), func(r *Row) error { return f(r, elem) })
	}
}

func declareArrays(r *Registry) {
	r.fn("array_length(anyarray,int4) int4", arrayKernel(0, dimension(func(d datum.Dim) int64 { return int64(d.Len) })))
	r.fn("array_lower(anyarray,int4) int4", arrayKernel(0, dimension(func(d datum.Dim) int64 { return int64(d.Lower) })))
	r.fn("array_upper(anyarray,int4) int4", arrayKernel(0, dimension(func(d datum.Dim) int64 { return int64(d.Lower + d.Len - 1) })))
	r.fn("array_ndims(anyarray) int4", arrayKernel(0, func(r *Row, elem uint32) error {
		a, err := datum.ParseArray(r.Bytes(0), datum.Delim(elem))
		if err == nil && a.NDim == 0 {
			r.SetNull()
		}
		r.SetInt(int64(a.NDim))
		return err
	}))
	r.fn("array_dims(anyarray) text", arrayKernel(0, arrayDims))
	r.fn("cardinality(anyarray) int4", arrayKernel(0, func(r *Row, elem uint32) error {
		a, err := datum.ParseArray(r.Bytes(0), datum.Delim(elem))
		r.SetInt(int64(a.Len))
		return err
	}))
	r.op("||", "array_append(anycompatiblearray,anycompatible) anycompatiblearray", arrayKernel(0, func(r *Row, elem uint32) error {
		return arrayGrow(r, elem, 0, 1)
	}), lax)
	r.op("||", "array_prepend(anycompatible,anycompatiblearray) anycompatiblearray", arrayKernel(1, func(r *Row, elem uint32) error {
		return arrayGrow(r, elem, 1, 0)
	}), lax)
	r.op("||", "array_cat(anycompatiblearray,anycompatiblearray) anycompatiblearray", arrayKernel(0, arrayCat), lax)
	r.fn("array_position(anycompatiblearray,anycompatible) int4", arrayKernel(0, arrayPosition), lax)
	r.fn("array_position(anycompatiblearray,anycompatible,int4) int4", arrayKernel(0, arrayPosition), lax)
	r.fn("array_positions(anycompatiblearray,anycompatible) int4[]", arrayKernel(0, arrayPositions), lax)
	r.fn("array_remove(anycompatiblearray,anycompatible) anycompatiblearray", arrayKernel(0, arrayRemove), lax)
	r.fn("array_replace(anycompatiblearray,anycompatible,anycompatible) anycompatiblearray", arrayKernel(0, arrayReplace), lax)
	r.fn("trim_array(anyarray,int4) anyarray", arrayKernel(0, trimArray))
	r.op("@>", "arraycontains(anyarray,anyarray) bool", arrayKernel(0, func(r *Row, elem uint32) error { return arrayTest(r, elem, 0, 1, true) }))
	r.op("<@", "arraycontained(anyarray,anyarray) bool", arrayKernel(0, func(r *Row, elem uint32) error { return arrayTest(r, elem, 1, 0, true) }))
	r.op("&&", "arrayoverlap(anyarray,anyarray) bool", arrayKernel(0, func(r *Row, elem uint32) error { return arrayTest(r, elem, 0, 1, false) }))
	declareArrayText(r)
}

// dimension is a function of the dimension that argument 1 counts from 1.
func dimension(f func(d datum.Dim) int64) func(r *Row, elem uint32) error {
	return func(r *Row, elem uint32) error {
		a, err := datum.ParseArray(r.Bytes(0), datum.Delim(elem))
		if err != nil {
			return err
		}
		if n := r.Int(1); n >= 1 && n <= int64(a.NDim) {
			r.SetInt(f(a.Dims[n-1]))
		} else {
			r.SetNull()
		}
		return nil
	}
}

func arrayDims(r *Row, elem uint32) error {
	a, err := datum.ParseArray(r.Bytes(0), datum.Delim(elem))
	if err != nil || a.NDim == 0 {
		r.SetNull()
		return err
	}
	dst := r.data()
	for _, d := range a.Dims[:a.NDim] {
		dst = strconv.AppendInt(append(dst, '['), int64(d.Lower), 10)
		dst = append(strconv.AppendInt(append(dst, ':'), int64(d.Lower)+int64(d.Len)-1, 10), ']')
	}
	r.set(dst)
	return nil
}

// arrayOrEmpty is argument k; NULL is an array without elements.
func (r *Row) arrayOrEmpty(k int, elem uint32) (array, error) {
	if r.Null(k) {
		return list(elem, zset.NewVec(zset.KindOf(elem), 1)), nil
	}
	return r.array(k, elem)
}

// arrayGrow puts a value at the end of an array, or, when it comes first, at the beginning.
func arrayGrow(r *Row, elem uint32, arr, value int) error {
	a, err := r.arrayOrEmpty(arr, elem)
	if err != nil {
		return err
	}
	if len(a.dims) > 1 {
		return rowFail("22000", "argument must be empty or one-dimensional array")
	}
	elems := zset.NewVec(a.elems.Kind, a.elems.N+1)
	v := &r.args[value]
	if value < arr {
		elems.AppendFrom(v.v, r.i&v.mask)
	}
	elems.AppendAll(a.elems)
	if value > arr {
		elems.AppendFrom(v.v, r.i&v.mask)
	}
	out := list(elem, elems)
	if len(a.dims) == 1 {
		out.dims[0].Lower = a.dims[0].Lower
	}
	r.setArray(out)
	return nil
}

func arrayCat(r *Row, elem uint32) error {
	if r.Null(0) && r.Null(1) {
		r.SetNull()
		return nil
	}
	a, err := r.arrayOrEmpty(0, elem)
	if err != nil {
		return err
	}
	b, err := r.arrayOrEmpty(1, elem)
	if err != nil {
		return err
	}
	out, err := a.cat(&b)
	if err == nil {
		r.setArray(out)
	}
	return err
}

// cat joins arrays of one number of dimensions, or one of them and an item of it.
func (a *array) cat(b *array) (array, error) {
	switch {
	case len(a.dims) == 0:
		return *b, nil
	case len(b.dims) == 0:
		return *a, nil
	}
	out := array{elem: a.elem, elems: zset.NewVec(a.elems.Kind, a.elems.N+b.elems.N)}
	sameTail := func(x, y []datum.Dim) bool {
		return slices.EqualFunc(x, y, func(p, q datum.Dim) bool { return p == q })
	}
	switch {
	case len(a.dims) == len(b.dims) && sameTail(a.dims[1:], b.dims[1:]):
		out.dims = slices.Clone(a.dims)
		out.dims[0].Len += b.dims[0].Len
	case len(a.dims) == len(b.dims)+1 && sameTail(a.dims[1:], b.dims):
		out.dims = slices.Clone(a.dims)
		out.dims[0].Len++
	case len(b.dims) == len(a.dims)+1 && sameTail(b.dims[1:], a.dims):
		out.dims = slices.Clone(b.dims)
		out.dims[0].Len++
	default:
		return out, rowFail(sql.ArraySubscript, "cannot concatenate incompatible arrays")
	}
	out.elems.AppendAll(a.elems)
	out.elems.AppendAll(b.elems)
	return out, nil
}

// equalsArg tells whether element i of a is argument k; NULLs are equal.
func (r *Row) equalsArg(a *array, i, k int) bool {
	v := &r.args[k]
	return orderValues(a.elem, a.elems, i, v.v, r.i&v.mask) == 0
}

func (r *Row) oneDimension(a *array, what string) error {
	if len(a.dims) > 1 {
		return rowFail(sql.FeatureNotSupported, "%s is not supported", what)
	}
	return nil
}

const searching = "searching for elements in multidimensional arrays"

func arrayPosition(r *Row, elem uint32) error {
	if r.Null(0) {
		r.SetNull()
		return nil
	}
	a, err := r.array(0, elem)
	if err == nil {
		err = r.oneDimension(&a, searching)
	}
	if err != nil {
		return err
	}
	if len(a.dims) == 0 {
		r.SetNull()
		return nil
	}
	lower := int64(a.dims[0].Lower)
	from := lower
	if r.Len() == 3 {
		if r.Null(2) {
			return rowFail(sql.NullNotAllowed, "initial position must not be null")
		}
		from = max(r.Int(2), lower)
	}
	for i := from - lower; i < int64(a.elems.N); i++ {
		if r.equalsArg(&a, int(i), 1) {
			r.SetInt(i + lower)
			return nil
		}
	}
	r.SetNull()
	return nil
}

func arrayPositions(r *Row, elem uint32) error {
	if r.Null(0) {
		r.SetNull()
		return nil
	}
	a, err := r.array(0, elem)
	if err == nil {
		err = r.oneDimension(&a, searching)
	}
	if err != nil {
		return err
	}
	at := zset.NewVec(zset.Int, 1)
	for i := range a.elems.N {
		if r.equalsArg(&a, i, 1) {
			at.AppendInt(int64(a.dims[0].Lower) + int64(i))
		}
	}
	r.setArray(list(datum.OIDInt4, at))
	return nil
}

func arrayRemove(r *Row, elem uint32) error {
	if r.Null(0) {
		r.SetNull()
		return nil
	}
	a, err := r.array(0, elem)
	if err == nil {
		err = r.oneDimension(&a, "removing elements from multidimensional arrays")
	}
	if err != nil {
		return err
	}
	kept := zset.NewVec(a.elems.Kind, a.elems.N)
	for i := range a.elems.N {
		if !r.equalsArg(&a, i, 1) {
			kept.AppendFrom(a.elems, i)
		}
	}
	out := list(elem, kept)
	if len(out.dims) == 1 {
		out.dims[0].Lower = a.dims[0].Lower
	}
	r.setArray(out)
	return nil
}

func arrayReplace(r *Row, elem uint32) error {
	if r.Null(0) {
		r.SetNull()
		return nil
	}
	a, err := r.array(0, elem)
	if err != nil {
		return err
	}
	with := &r.args[2]
	out := zset.NewVec(a.elems.Kind, a.elems.N)
	for i := range a.elems.N {
		if r.equalsArg(&a, i, 1) {
			out.AppendFrom(with.v, r.i&with.mask)
		} else {
			out.AppendFrom(a.elems, i)
		}
	}
	a.elems = out
	r.setArray(a)
	return nil
}

func trimArray(r *Row, elem uint32) error {
	a, err := r.array(0, elem)
	if err != nil {
		return err
	}
	length := int64(0)
	if len(a.dims) > 0 {
		length = int64(a.dims[0].Len)
	}
	n := r.Int(1)
	if n < 0 || n > length {
		return rowFail(sql.ArraySubscript, "number of elements to trim must be between 0 and %d", length)
	}
	if length == 0 {
		r.SetString("{}")
		return nil
	}
	r.setArray(a.cut(0, length-n))
	return nil
}

// arrayTest tells whether array whole has all (or any) of the elements of part. NULLs are equal to nothing.
func arrayTest(r *Row, elem uint32, whole, part int, all bool) error {
	a, err := r.array(whole, elem)
	if err != nil {
		return err
	}
	b, err := r.array(part, elem)
	if err != nil {
		return err
	}
	r.SetBool(all)
	for j := range b.elems.N {
		if found := !b.elems.Null(j) && a.has(b.elems, j); found != all {
			r.SetBool(found)
			return nil
		}
	}
	return nil
}

func (a *array) has(v *zset.Vec, j int) bool {
	for i := range a.elems.N {
		if !a.elems.Null(i) && orderValues(a.elem, a.elems, i, v, j) == 0 {
			return true
		}
	}
	return false
}

// appendElemText appends an element as the functions that make text of arrays print it: by the session's settings.
func (a *array) appendElemText(dst []byte, i int, o pgvalue.Options) []byte {
	return pgvalue.AppendText(dst, a.elems, i, datum.Ref(a.elem), o)
}
