package numeric

import (
	"math/bits"

	"github.com/weirstream/weir/internal/datum"
)

// The faults of arithmetic.
var (
	errOverflow   = &datum.Error{Code: datum.CodeOutOfRange, Message: "value overflows numeric format"}
	errDivideZero = &datum.Error{Code: datum.CodeDivisionByZero, Message: "division by zero"}
)

// limit is the upper word of 10^38: what lies within it is in range for sure.
const limit = 5421010862427522170

// inRange tells whether (hi,lo), two's complement, has at most 38 digits. A sum of
// two such numbers that wrapped does not.
func inRange(hi int64, lo uint64) bool {
	if uint64(hi+limit) < 2*limit {
		return true
	}
	a, _ := Num{Hi: hi, Lo: lo}.abs()
	return a.less(pow10[maxDigits])
}

// Add128 is a + b when both are Finite and so is the sum.
func Add128(a, b Num) (Num, bool) {
	if a.Scale != b.Scale || a.Form|b.Form != Finite {
		return addScaled(a, b)
	}
	lo, c := bits.Add64(a.Lo, b.Lo, 0)
	hi := a.Hi + b.Hi + int64(c)
	return Num{Hi: hi, Lo: lo, Scale: a.Scale}, inRange(hi, lo)
}

// Sub128 is a - b when both are Finite and so is the difference.
func Sub128(a, b Num) (Num, bool) {
	if a.Scale != b.Scale || a.Form|b.Form != Finite {
		return addScaled(a, neg(b))
	}
	lo, c := bits.Sub64(a.Lo, b.Lo, 0)
	hi := a.Hi - b.Hi - int64(c)
	return Num{Hi: hi, Lo: lo, Scale: a.Scale}, inRange(hi, lo)
}

// addScaled brings both to one scale first.
func addScaled(a, b Num) (Num, bool) {
	if a.Form|b.Form != Finite {
		return Num{}, false
	}
	var ok bool
	if a.Scale < b.Scale {
		a, ok = rescale(a, b.Scale)
	} else {
		b, ok = rescale(b, a.Scale)
	}
	if !ok {
		return Num{}, false
	}
	lo, c := bits.Add64(a.Lo, b.Lo, 0)
	hi := a.Hi + b.Hi + int64(c)
	return Num{Hi: hi, Lo: lo, Scale: a.Scale}, inRange(hi, lo)
}

// rescale gives a Finite number more digits after the point; false when they are too many.
func rescale(n Num, scale int16) (Num, bool) {
	d := int(scale - n.Scale)
	if v := int64(n.Lo); n.Hi == v>>63 && d < 19 {
		hi, lo := mulSigned(v, int64(pow10u64[d]))
		return Num{Hi: hi, Lo: lo, Scale: scale}, true // 64 bits and 18 digits more are 37 digits
	}
	a, negative := n.abs()
	a, ok := a.scaleUp(d)
	return finite(a, negative, scale), ok
}

// mulSigned is a × b in 128 bits, two's complement.
func mulSigned(a, b int64) (hi int64, lo uint64) {
	h, lo := bits.Mul64(uint64(a), uint64(b))
	return int64(h) - a>>63&b - b>>63&a, lo
}

// Mul128 is a × b when both are Finite and so is the product.
func Mul128(a, b Num) (Num, bool) {
	scale := int(a.Scale) + int(b.Scale)
	if a.Form|b.Form != Finite || scale > MaxScale {
		return Num{}, false
	}
	if x, y := int64(a.Lo), int64(b.Lo); a.Hi == x>>63 && b.Hi == y>>63 {
		hi, lo := mulSigned(x, y)
		return Num{Hi: hi, Lo: lo, Scale: int16(scale)}, true
	}
	x, n1 := a.abs()
	y, n2 := b.abs()
	hi, lo := x.mul(y)
	return finite(lo, n1 != n2, int16(scale)), hi.isZero() && lo.less(pow10[maxDigits])
}

func neg(n Num) Num {
	switch n.Form {
	case Finite:
		lo, c := bits.Sub64(0, n.Lo, 0)
		n.Hi, n.Lo = -n.Hi-int64(c), lo
	case NegInf:
		n.Form = PosInf
	case PosInf:
		n.Form = NegInf
	}
	return n
}

// Add is a + b. dst is the arena of the result: it comes back, longer when the
// result is Big.
func Add(dst []byte, a, b Val) (Num, []byte, error) {
	if n, ok := Add128(a.Num, b.Num); ok {
		return n, dst, nil
	}
	if !a.IsFinite() || !b.IsFinite() {
		return addSpecial(a.Form, b.Form), dst, nil
	}
	x, y := a.big(), b.big()
	x.add(&y)
	return x.num(dst)
}

// Sub is a - b; dst as in Add.
func Sub(dst []byte, a, b Val) (Num, []byte, error) {
	if n, ok := Sub128(a.Num, b.Num); ok {
		return n, dst, nil
	}
	if !a.IsFinite() || !b.IsFinite() {
		return addSpecial(a.Form, neg(b.Num).Form), dst, nil
	}
	x, y := a.big(), b.big()
	y.coef.Neg(&y.coef)
	x.add(&y)
	return x.num(dst)
}

// addSpecial adds where one at least is NaN or infinite.
func addSpecial(a, b Form) Num {
	switch {
	case a == NaN || b == NaN || a == PosInf && b == NegInf || a == NegInf && b == PosInf:
		return Num{Form: NaN}
	case a <= Big:
		return Num{Form: b}
	}
	return Num{Form: a}
}

// Mul is a × b, shown with the digits of both; dst as in Add.
func Mul(dst []byte, a, b Val) (Num, []byte, error) {
	if n, ok := Mul128(a.Num, b.Num); ok {
		return n, dst, nil
	}
	if !a.IsFinite() || !b.IsFinite() {
		return mulSpecial(a.Num, b.Num), dst, nil
	}
	x, y := a.big(), b.big()
	x.coef.Mul(&x.coef, &y.coef)
	x.scale += y.scale
	if x.scale > MaxScale {
		x.round(MaxScale)
	}
	return x.num(dst)
}

func mulSpecial(a, b Num) Num {
	s := a.Sign() * b.Sign()
	if a.Form == NaN || b.Form == NaN || s == 0 {
		return Num{Form: NaN}
	}
	return infinity(s)
}

func infinity(sign int) Num {
	if sign < 0 {
		return Num{Form: NegInf}
	}
	return Num{Form: PosInf}
}

// Neg is -a; dst as in Add.
func Neg(dst []byte, a Val) (Num, []byte) {
	if a.Form != Big {
		return neg(a.Num), dst
	}
	x := a.big()
	x.coef.Neg(&x.coef)
	n, dst, _ := x.num(dst)
	return n, dst
}

// Abs is a without its sign; dst as in Add.
func Abs(dst []byte, a Val) (Num, []byte) {
	if a.Form != NaN && a.Sign() < 0 {
		return Neg(dst, a)
	}
	return Copy(dst, a)
}

// Cmp is -1, 0 or 1 in PostgreSQL's order: numbers by value whatever their scales,
// -Infinity first, NaN last and equal to itself.
func Cmp(a, b Val) int {
	if c, ok := Cmp128(a.Num, b.Num); ok {
		return c
	}
	if !a.IsFinite() || !b.IsFinite() {
		return cmpInt(rank(a.Form), rank(b.Form))
	}
	x, y := a.big(), b.big()
	return x.cmp(&y)
}

// rank orders what is not a number around the numbers.
func rank(f Form) int {
	switch f {
	case NegInf:
		return -1
	case PosInf:
		return 1
	case NaN:
		return 2
	}
	return 0
}

func cmpInt(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Cmp128 is Cmp when both are Finite.
func Cmp128(a, b Num) (int, bool) {
	if a.Form|b.Form != Finite {
		return 0, false
	}
	if a.Scale != b.Scale {
		return cmpScaled(a, b), true
	}
	switch {
	case a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo:
		return -1, true
	case a.Hi == b.Hi && a.Lo == b.Lo:
		return 0, true
	}
	return 1, true
}

func cmpScaled(a, b Num) int {
	if sa, sb := a.Sign(), b.Sign(); sa != sb || sa == 0 {
		return cmpInt(sa, sb)
	}
	x, negative := a.abs()
	y, _ := b.abs()
	var c int
	if a.Scale < b.Scale {
		c = cmpShifted(x, int(b.Scale-a.Scale), y)
	} else {
		c = -cmpShifted(y, int(a.Scale-b.Scale), x)
	}
	if negative {
		return -c
	}
	return c
}

// cmpShifted compares x × 10^n with y, neither 0.
func cmpShifted(x u128, n int, y u128) int {
	if n > maxDigits {
		return 1
	}
	hi, lo := x.mul(pow10[n])
	if !hi.isZero() {
		return 1
	}
	return lo.cmp(y)
}
