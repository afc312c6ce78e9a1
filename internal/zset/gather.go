package zset

import "github.com/weirstream/weir/internal/numeric"

// Gather is the values of v at sel, in that order. It shares v.Data.
func (v *Vec) Gather(sel []int32) *Vec {
	out := &Vec{Kind: v.Kind, N: len(sel), Data: v.Data[:len(v.Data):len(v.Data)]}
	switch v.Kind {
	case Int:
		out.Ints = pick(v.Ints, sel)
	case Float:
		out.Floats = pick(v.Floats, sel)
	case Numeric:
		out.Nums = pick(v.Nums, sel)
	case Interval:
		out.Intervals = pick(v.Intervals, sel)
	case Bytes:
		out.Refs = pick(v.Refs, sel)
	}
	if v.HasNulls() {
		out.Nulls = make([]uint64, (len(sel)+63)>>6)
		for k, i := range sel {
			out.Nulls[k>>6] |= v.Nulls[i>>6] >> (i & 63) & 1 << (k & 63)
		}
	}
	return out
}

func pick[T any](src []T, sel []int32) []T {
	out := make([]T, len(sel))
	for k, i := range sel {
		out[k] = src[i]
	}
	return out
}

// Slice is values lo to hi, exclusive. It shares everything with v, except that a
// bitmap of NULLs that does not start at a word is copied.
func (v *Vec) Slice(lo, hi int) *Vec {
	out := &Vec{Kind: v.Kind, N: hi - lo, Data: v.Data[:len(v.Data):len(v.Data)]}
	switch v.Kind {
	case Int:
		out.Ints = v.Ints[lo:hi:hi]
	case Float:
		out.Floats = v.Floats[lo:hi:hi]
	case Numeric:
		out.Nums = v.Nums[lo:hi:hi]
	case Interval:
		out.Intervals = v.Intervals[lo:hi:hi]
	case Bytes:
		out.Refs = v.Refs[lo:hi:hi]
	}
	if v.HasNulls() {
		out.Nulls = make([]uint64, (hi-lo+63)>>6)
		copyBits(out.Nulls, 0, v.Nulls, lo, hi-lo)
	}
	return out
}

// copyBits sets in dst, from bit at on, the bits of src that are set from bit lo on, n of them.
func copyBits(dst []uint64, at int, src []uint64, lo, n int) {
	for k := 0; k < n; {
		from, to := lo+k, at+k
		step := min(64-from&63, 64-to&63, n-k)
		word := src[from>>6] >> (from & 63)
		if step < 64 {
			word &= 1<<step - 1
		}
		dst[to>>6] |= word << (to & 63)
		k += step
	}
}

// AppendAll appends all values of src, of the same kind.
func (v *Vec) AppendAll(src *Vec) {
	switch v.Kind {
	case Int:
		v.Ints = append(v.Ints, src.Ints...)
	case Float:
		v.Floats = append(v.Floats, src.Floats...)
	case Interval:
		v.Intervals = append(v.Intervals, src.Intervals...)
	case Numeric:
		v.appendNums(src)
	case Bytes:
		v.appendRefs(src)
	}
	n := v.N
	v.N += src.N
	if src.HasNulls() && v.Nulls == nil {
		v.Nulls = make([]uint64, (n+63)>>6)
	}
	if v.Nulls != nil {
		for len(v.Nulls) < (v.N+63)>>6 {
			v.Nulls = append(v.Nulls, 0)
		}
		if src.Nulls != nil {
			copyBits(v.Nulls, n, src.Nulls, 0, src.N)
		}
	}
}

// appendNums copies only the Big numbers' text: the arena may hold much else.
func (v *Vec) appendNums(src *Vec) {
	n := len(v.Nums)
	v.Nums = append(v.Nums, src.Nums...)
	for i := n; i < len(v.Nums); i++ {
		if v.Nums[i].Form == numeric.Big {
			v.Nums[i], v.Data = numeric.Copy(v.Data, src.Num(i-n))
		}
	}
}

// appendRefs copies the values, or the whole Data when that is hardly more.
func (v *Vec) appendRefs(src *Vec) {
	used := 0
	for _, r := range src.Refs {
		used += int(r.Len)
	}
	base := len(v.Data)
	if len(src.Data) <= used+used/8 {
		v.Data = append(v.Data, src.Data...)
		for _, r := range src.Refs {
			v.Refs = append(v.Refs, Ref{r.Off + uint32(base), r.Len})
		}
		return
	}
	for _, r := range src.Refs {
		v.Refs = append(v.Refs, Ref{uint32(len(v.Data)), r.Len})
		v.Data = append(v.Data, src.Data[r.Off:r.Off+r.Len]...)
	}
}
