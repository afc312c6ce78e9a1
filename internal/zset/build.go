package zset

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
)

// NewVec is an empty column with room for n values.
func NewVec(kind Kind, n int) *Vec {
	v := &Vec{Kind: kind}
	switch kind {
	case Int:
		v.Ints = make([]int64, 0, n)
	case Float:
		v.Floats = make([]float64, 0, n)
	case Numeric:
		v.Nums = make([]numeric.Num, 0, n)
	case Interval:
		v.Intervals = make([]datum.Interval, 0, n)
	case Bytes:
		v.Refs = make([]Ref, 0, n)
	}
	return v
}

// Reset empties v and keeps its memory. Only for a Vec that nobody else has seen.
func (v *Vec) Reset() {
	v.N, v.Nulls = 0, nil
	v.Ints, v.Floats, v.Nums = v.Ints[:0], v.Floats[:0], v.Nums[:0]
	v.Intervals, v.Refs, v.Data = v.Intervals[:0], v.Refs[:0], v.Data[:0]
}

// step counts one more value, which is not NULL.
func (v *Vec) step() {
	if v.Nulls != nil && v.N&63 == 0 {
		v.Nulls = append(v.Nulls, 0)
	}
	v.N++
}

// AppendInt appends to a column of Int.
func (v *Vec) AppendInt(x int64) {
	v.Ints = append(v.Ints, x)
	v.step()
}

// AppendBool appends to a column of Int that holds booleans.
func (v *Vec) AppendBool(x bool) {
	var i int64
	if x {
		i = 1
	}
	v.AppendInt(i)
}

// AppendFloat appends to a column of Float.
func (v *Vec) AppendFloat(x float64) {
	v.Floats = append(v.Floats, x)
	v.step()
}

// AppendNum appends a number to a column of Numeric, with its text when it is Big.
func (v *Vec) AppendNum(x numeric.Val) {
	n := x.Num
	if n.Form == numeric.Big {
		n, v.Data = numeric.Copy(v.Data, x)
	}
	v.Nums = append(v.Nums, n)
	v.step()
}

// AppendNumHere appends a number whose text, if it is Big, lies in v.Data already:
//
//	n, v.Data, err = numeric.Add(v.Data, a, b)
//	v.AppendNumHere(n)
func (v *Vec) AppendNumHere(n numeric.Num) {
	v.Nums = append(v.Nums, n)
	v.step()
}

// AppendInterval appends to a column of Interval.
func (v *Vec) AppendInterval(x datum.Interval) {
	v.Intervals = append(v.Intervals, x)
	v.step()
}

// AppendBytes appends to a column of Bytes; b is copied.
func (v *Vec) AppendBytes(b []byte) {
	off := len(v.Data)
	v.Data = append(v.Data, b...)
	v.Refs = append(v.Refs, Ref{uint32(off), uint32(len(b))})
	v.step()
}

// AppendString is AppendBytes.
func (v *Vec) AppendString(s string) {
	off := len(v.Data)
	v.Data = append(v.Data, s...)
	v.Refs = append(v.Refs, Ref{uint32(off), uint32(len(s))})
	v.step()
}

// AppendTail appends what was put at the end of v.Data from off on:
//
//	off := len(v.Data)
//	v.Data = strconv.AppendInt(v.Data, 7, 10)
//	v.AppendTail(off)
func (v *Vec) AppendTail(off int) {
	v.Refs = append(v.Refs, Ref{uint32(off), uint32(len(v.Data) - off)})
	v.step()
}

// AppendNull appends a NULL.
func (v *Vec) AppendNull() {
	switch v.Kind {
	case Int:
		v.Ints = append(v.Ints, 0)
	case Float:
		v.Floats = append(v.Floats, 0)
	case Numeric:
		v.Nums = append(v.Nums, numeric.Num{})
	case Interval:
		v.Intervals = append(v.Intervals, datum.Interval{})
	case Bytes:
		v.Refs = append(v.Refs, Ref{})
	}
	v.step()
	v.SetNull(v.N - 1)
}

// SetNull makes value i NULL. The value under it stays as it is: it must be zero,
// unless v is read by Null first everywhere.
func (v *Vec) SetNull(i int) {
	if v.Nulls == nil {
		v.Nulls = make([]uint64, (v.N+63)>>6, max((cap64(v)+63)>>6, 1))
	}
	v.Nulls[i>>6] |= 1 << (i & 63)
}

// cap64 is how many values v has room for.
func cap64(v *Vec) int {
	return max(v.N, cap(v.Ints), cap(v.Floats), cap(v.Nums), cap(v.Intervals), cap(v.Refs))
}

// AppendFrom appends value i of src, of the same kind.
func (v *Vec) AppendFrom(src *Vec, i int) {
	if src.Null(i) {
		v.AppendNull()
		return
	}
	switch v.Kind {
	case Int:
		v.AppendInt(src.Ints[i])
	case Float:
		v.AppendFloat(src.Floats[i])
	case Numeric:
		v.AppendNum(src.Num(i))
	case Interval:
		v.AppendInterval(src.Intervals[i])
	case Bytes:
		v.AppendBytes(src.Bytes(i))
	}
}

// Num is value i of a Numeric column, with its arena.
func (v *Vec) Num(i int) numeric.Val { return numeric.Val{Num: v.Nums[i], Arena: v.Data} }

// NumCol is a Numeric column as package numeric computes with it.
func (v *Vec) NumCol() numeric.Col { return numeric.Col{Nums: v.Nums, Arena: v.Data} }

// HasNulls tells whether a value is NULL; it looks at the bitmap only.
func (v *Vec) HasNulls() bool {
	for _, w := range v.Nulls {
		if w != 0 {
			return true
		}
	}
	return false
}

// Constant is a column of n times value i of v.
func (v *Vec) Constant(i, n int) *Vec {
	sel := make([]int32, n)
	for k := range sel {
		sel[k] = int32(i)
	}
	return v.Gather(sel)
}

// Truncate keeps the first n values.
func (v *Vec) Truncate(n int) {
	if n >= v.N {
		return
	}
	switch v.N = n; v.Kind {
	case Int:
		v.Ints = v.Ints[:n]
	case Float:
		v.Floats = v.Floats[:n]
	case Numeric:
		v.Nums = v.Nums[:n]
	case Interval:
		v.Intervals = v.Intervals[:n]
	case Bytes:
		v.Refs = v.Refs[:n]
	}
	if v.Nulls == nil {
		return
	}
	if v.Nulls = v.Nulls[:(n+63)>>6]; n&63 != 0 {
		v.Nulls[n>>6] &= 1<<(n&63) - 1
	}
}
