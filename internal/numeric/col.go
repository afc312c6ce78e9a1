package numeric

// Col is a column of numerics and the arena of its Big ones.
type Col struct {
	Nums  []Num
	Arena []byte
}

// Val is value i.
func (c *Col) Val(i int) Val { return Val{c.Nums[i], c.Arena} }

// at is value i of a column, or the one value of a constant.
func (c *Col) at(i int) Val {
	if len(c.Nums) == 1 {
		i = 0
	}
	return c.Val(i)
}

// kernel computes one value of a column.
type kernel func(dst []byte, a, b Val) (Num, []byte, error)

// AddCols appends a + b, row by row, to out. A column of one value is a constant. What
// overflows is 0, and fail is called with its row.
func AddCols(out *Col, a, b Col, n int, fail func(i int, err error)) {
	start := grow(out, n)
	cols(out.Nums[start:], a, b, Add128, func(i int) { slow(out, start, a, b, i, Add, fail) })
}

// SubCols is AddCols for a - b.
func SubCols(out *Col, a, b Col, n int, fail func(i int, err error)) {
	start := grow(out, n)
	cols(out.Nums[start:], a, b, Sub128, func(i int) { slow(out, start, a, b, i, Sub, fail) })
}

// MulCols is AddCols for a × b.
func MulCols(out *Col, a, b Col, n int, fail func(i int, err error)) {
	start := grow(out, n)
	cols(out.Nums[start:], a, b, Mul128, func(i int) { slow(out, start, a, b, i, Mul, fail) })
}

// cols runs the fast form and leaves what it cannot do to rest.
func cols(out []Num, a, b Col, fast func(a, b Num) (Num, bool), rest func(i int)) {
	sa, sb := stride(a), stride(b)
	for i := range out {
		r, ok := fast(a.Nums[i*sa], b.Nums[i*sb])
		if !ok {
			rest(i)
			continue
		}
		out[i] = r
	}
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

func slow(out *Col, start int, a, b Col, i int, op kernel, fail func(i int, err error)) {
	n, arena, err := op(out.Arena, a.at(i), b.at(i))
	if err != nil {
		fail(i, err)
		return
	}
	out.Nums[start+i], out.Arena = n, arena
}
