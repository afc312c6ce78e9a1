package numeric

import "math/bits"

// u128 is an unsigned integer of 128 bits.
type u128 struct{ hi, lo uint64 }

// maxDigits is how many digits a coefficient of 128 bits has at most.
const maxDigits = 38

// pow10 has the powers of ten up to 10^38.
var pow10 = makePow10()

func makePow10() (p [maxDigits + 1]u128) {
	p[0].lo = 1
	for i := 1; i <= maxDigits; i++ {
		p[i], _ = p[i-1].mul64(10)
	}
	return p
}

// pow10u64 has those that fit 64 bits.
var pow10u64 = [20]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

func (a u128) isZero() bool { return a.hi|a.lo == 0 }

func (a u128) less(b u128) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

func (a u128) cmp(b u128) int {
	switch {
	case a.less(b):
		return -1
	case a == b:
		return 0
	}
	return 1
}

// mul64 is a × b; over is what lies above 128 bits.
func (a u128) mul64(b uint64) (p u128, over uint64) {
	h1, l1 := bits.Mul64(a.lo, b)
	h2, l2 := bits.Mul64(a.hi, b)
	mid, carry := bits.Add64(h1, l2, 0)
	return u128{mid, l1}, h2 + carry
}

// mul is a × b in 256 bits.
func (a u128) mul(b u128) (hi, lo u128) {
	low, over := a.mul64(b.lo)
	high, over2 := a.mul64(b.hi)
	var c uint64
	mid, c := bits.Add64(low.hi, high.lo, 0)
	h0, c := bits.Add64(high.hi, over, c)
	return u128{over2 + c, h0}, u128{mid, low.lo}
}

func (a u128) add64(b uint64) u128 {
	lo, c := bits.Add64(a.lo, b, 0)
	return u128{a.hi + c, lo}
}

func (a u128) sub(b u128) u128 {
	lo, c := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, c)
	return u128{hi, lo}
}

func (a u128) double() u128 { return u128{a.hi<<1 | a.lo>>63, a.lo << 1} }

// div is a / b and the remainder; b is not zero.
func (a u128) div(b u128) (q, r u128) {
	if a.hi == 0 && b.hi == 0 {
		return u128{0, a.lo / b.lo}, u128{0, a.lo % b.lo}
	}
	q, r, _ = div256(u128{}, a, b)
	return q, r
}

// div256 is (hi,lo) / d and the remainder; false when the quotient does not fit 128 bits.
func div256(hi, lo, d u128) (q, r u128, ok bool) {
	if !hi.less(d) {
		return u128{}, u128{}, false
	}
	if d.hi == 0 {
		q.hi, r.lo = bits.Div64(hi.lo, lo.hi, d.lo)
		q.lo, r.lo = bits.Div64(r.lo, lo.lo, d.lo)
		return q, r, true
	}
	// Long division by two digits of 64 bits; the divisor's top bit is made 1.
	s := uint(bits.LeadingZeros64(d.hi))
	d1, d0 := shl(d.hi, d.lo, s), d.lo<<s
	u3, u2, u1, u0 := shl(hi.hi, hi.lo, s), shl(hi.lo, lo.hi, s), shl(lo.hi, lo.lo, s), lo.lo<<s
	var r1, r0 uint64
	q.hi, r1, r0 = div3by2(u3, u2, u1, d1, d0)
	q.lo, r1, r0 = div3by2(r1, r0, u0, d1, d0)
	return q, u128{r1 >> s, r0>>s | r1<<(64-s)}, true
}

// shl is the upper word of (hi,lo) << s, s < 64.
func shl(hi, lo uint64, s uint) uint64 { return hi<<s | lo>>(64-s) }

// div3by2 divides three words by two, d1's top bit set and (u2,u1) < (d1,d0).
func div3by2(u2, u1, u0, d1, d0 uint64) (q, r1, r0 uint64) {
	var rhat uint64
	over := false
	if u2 == d1 {
		q = ^uint64(0)
		var c uint64
		rhat, c = bits.Add64(u1, d1, 0)
		over = c != 0
	} else {
		q, rhat = bits.Div64(u2, u1, d1)
	}
	for !over {
		h, l := bits.Mul64(q, d0)
		if h < rhat || h == rhat && l <= u0 {
			break
		}
		q--
		var c uint64
		rhat, c = bits.Add64(rhat, d1, 0)
		over = c != 0
	}
	// The remainder is (u1,u0) - q×(d1,d0) modulo 2^128.
	p, _ := u128{d1, d0}.mul64(q)
	r := u128{u1, u0}.sub(p)
	return q, r.hi, r.lo
}

// digits is how many decimal digits a has; 0 has none.
func (a u128) digits() int {
	if a.hi == 0 {
		return digits64(a.lo)
	}
	n := (128 - bits.LeadingZeros64(a.hi)) * 1233 >> 12 // log10(2)
	if n <= maxDigits && !a.less(pow10[n]) {
		n++
	}
	return n
}

func digits64(v uint64) int {
	n := bits.Len64(v) * 1233 >> 12
	if n < 20 && v >= pow10u64[n] {
		n++
	}
	return n
}

// scaleUp is a × 10^n; false when that has more than 38 digits.
func (a u128) scaleUp(n int) (u128, bool) {
	if a.hi == 0 && n < 20 {
		hi, lo := bits.Mul64(a.lo, pow10u64[n])
		p := u128{hi, lo}
		return p, p.less(pow10[maxDigits])
	}
	if n > maxDigits {
		return u128{}, a.isZero()
	}
	hi, lo := a.mul(pow10[n])
	return lo, hi.isZero() && lo.less(pow10[maxDigits])
}

// scaleDown is a / 10^n, rounded half up; and the same cut off.
func (a u128) scaleDown(n int) (rounded, cut u128) {
	if n > maxDigits {
		return u128{}, u128{} // a has at most 38 digits
	}
	q, r := a.div(pow10[n])
	cut, rounded = q, q
	if !r.double().less(pow10[n]) {
		rounded = q.add64(1)
	}
	return rounded, cut
}

// abs is the coefficient of a Finite number without its sign.
func (n Num) abs() (a u128, neg bool) {
	if n.Hi >= 0 {
		return u128{uint64(n.Hi), n.Lo}, false
	}
	lo, borrow := bits.Sub64(0, n.Lo, 0)
	hi, _ := bits.Sub64(0, uint64(n.Hi), borrow)
	return u128{hi, lo}, true
}

// finite makes a number of a coefficient of at most 38 digits.
func finite(a u128, neg bool, scale int16) Num {
	if neg {
		lo, borrow := bits.Sub64(0, a.lo, 0)
		hi, _ := bits.Sub64(0, a.hi, borrow)
		a = u128{hi, lo}
	}
	return Num{Hi: int64(a.hi), Lo: a.lo, Scale: scale}
}
