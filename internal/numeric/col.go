package numeric

import "math/bits"

// Col is a column of numerics and the arena of its Big ones.
type Col struct {
	Nums  []Num
	Arena []byte
}

// Val is value i.
func (c *Col) Val(i int) Val { return Val{c.Nums[i], c.Arena} }

// kernel computes one value of a column.
type kernel func(dst []byte, a, b Val) (Num, []byte, error)

// AddCols appends a + b, row by row, to out. A column of one value is a constant. What
// overflows is 0, and fail is called with its row.
func AddCols(out *Col, a, b Col, n int, fail func(i int, err error)) {
	start := grow(out, n)
	dst, sa, sb := out.Nums[start:], stride(a), stride(b)
	for i := range dst {
		x, y := &a.Nums[i*sa], &b.Nums[i*sb]
		if x.Scale == y.Scale && x.Form|y.Form == Finite {
			lo, c := bits.Add64(x.Lo, y.Lo, 0)
			if hi := x.Hi + y.Hi + int64(c); uint64(hi+limit) < 2*limit {
				dst[i] = Num{Hi: hi, Lo: lo, Scale: x.Scale}
				continue
			}
		}
		rest(out, start+i, x, y, a, b, Add128, Add, i, fail)
	}
}

// SubCols is AddCols for a - b.
func SubCols(out *Col, a, b Col, n int, fail func(i int, err error)) {
	start := grow(out, n)
	dst, sa, sb := out.Nums[start:], stride(a), stride(b)
	for i := range dst {
		x, y := &a.Nums[i*sa], &b.Nums[i*sb]
		if x.Scale == y.Scale && x.Form|y.Form == Finite {
			lo, c := bits.Sub64(x.Lo, y.Lo, 0)
			if hi := x.Hi - y.Hi - int64(c); uint64(hi+limit) < 2*limit {
				dst[i] = Num{Hi: hi, Lo: lo, Scale: x.Scale}
				continue
			}
		}
		rest(out, start+i, x, y, a, b, Sub128, Sub, i, fail)
	}
}

// MulCols is AddCols for a × b.
func MulCols(out *Col, a, b Col, n int, fail func(i int, err error)) {
	start := grow(out, n)
	dst, sa, sb := out.Nums[start:], stride(a), stride(b)
	for i := range dst {
		x, y := &a.Nums[i*sa], &b.Nums[i*sb]
		v, w := int64(x.Lo), int64(y.Lo)
		if x.Hi == v>>63 && y.Hi == w>>63 && x.Form|y.Form == Finite && x.Scale+y.Scale <= MaxScale {
			hi, lo := mulSigned(v, w)
			dst[i] = Num{Hi: hi, Lo: lo, Scale: x.Scale + y.Scale}
			continue
		}
		rest(out, start+i, x, y, a, b, Mul128, Mul, i, fail)
	}
}

// rest computes a row that is not of the commonest kind.
func rest(out *Col, at int, x, y *Num, a, b Col, fast func(a, b Num) (Num, bool), exact kernel, i int, fail func(i int, err error)) {
	if r, ok := fast(*x, *y); ok {
		out.Nums[at] = r
		return
	}
	n, arena, err := exact(out.Arena, Val{*x, a.Arena}, Val{*y, b.Arena})
	if err != nil {
		fail(i, err)
		return
	}
	out.Nums[at], out.Arena = n, arena
}

func stride(c Col) int {
	if len(c.Nums) == 1 {
		return 0
	}
	return 1
}

func grow(out *Col, n int) (start int) {
	start = len(out.Nums)
	out.Nums = append(out.Nums, make([]Num, n)...)
	return start
}
