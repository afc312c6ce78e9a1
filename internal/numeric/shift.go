package numeric

// Exponent is the power of ten of v's first digit, v finite and not 0: 3 of 1234.5, -2 of 0.012.
func Exponent(v Val) int { return whole(v) - 1 }

// Shift is v × 10^n, exactly; v is finite. Its text, when Big, is in the result's own arena.
func Shift(v Val, n int) Val {
	x := v.big()
	x.scale -= n
	x.scaleUp(0)
	r, arena, err := x.num(nil)
	if err != nil {
		return Val{Num: Num{Form: NaN}} // beyond the format
	}
	return Val{Num: r, Arena: arena}
}
