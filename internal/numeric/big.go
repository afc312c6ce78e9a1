package numeric

import (
	"math/big"
)

// long is a number on its way through the exact, allocating path: coef × 10^-scale.
type long struct {
	coef  big.Int
	scale int
}

// big takes a finite number apart.
func (v Val) big() long {
	var x long
	x.scale = int(v.Scale)
	if v.Form == Big {
		x.coef.SetString(string(withoutPoint(v.text())), 10)
		return x
	}
	a, negative := v.abs()
	setU128(&x.coef, a)
	if negative {
		x.coef.Neg(&x.coef)
	}
	return x
}

func setU128(z *big.Int, a u128) {
	z.SetUint64(a.hi)
	if a.hi != 0 {
		z.Lsh(z, 64)
	}
	var lo big.Int
	z.Or(z, lo.SetUint64(a.lo))
}

func withoutPoint(text []byte) []byte {
	for i, c := range text {
		if c == '.' {
			return append(append(make([]byte, 0, len(text)), text[:i]...), text[i+1:]...)
		}
	}
	return text
}

// num makes a Num of x, appending to dst when it is Big.
func (x *long) num(dst []byte) (Num, []byte, error) {
	if n, ok := x.short(); ok {
		return n, dst, nil
	}
	digits := x.coef.Text(10)
	sign := int64(1)
	if digits[0] == '-' {
		sign, digits = -1, digits[1:]
	}
	if len(digits)-x.scale > MaxWhole || x.scale > MaxScale {
		return Num{}, dst, errOverflow
	}
	off := len(dst)
	dst = appendPlain(dst, digits, sign < 0, x.scale)
	return Num{Hi: sign, Lo: uint64(off)<<32 | uint64(len(dst)-off), Scale: int16(x.scale), Form: Big}, dst, nil
}

// short makes a Finite number of x; false when it is too long for that.
func (x *long) short() (Num, bool) {
	if x.coef.BitLen() > 127 || x.scale > MaxScale {
		return Num{}, false
	}
	var buf [16]byte
	x.coef.FillBytes(buf[:])
	a := u128{be64(buf[:8]), be64(buf[8:])}
	return finite(a, x.coef.Sign() < 0, int16(x.scale)), a.less(pow10[maxDigits])
}

func be64(b []byte) (v uint64) {
	for _, c := range b[:8] {
		v = v<<8 | uint64(c)
	}
	return v
}

// appendPlain appends digits with the point scale digits from their end.
func appendPlain[D []byte | string](dst []byte, digits D, negative bool, scale int) []byte {
	if negative {
		dst = append(dst, '-')
	}
	whole := len(digits) - scale
	if whole <= 0 {
		dst = append(dst, '0')
	} else {
		dst = append(dst, digits[:whole]...)
	}
	if scale == 0 {
		return dst
	}
	dst = append(dst, '.')
	for i := whole; i < 0; i++ {
		dst = append(dst, '0')
	}
	return append(dst, digits[max(whole, 0):]...)
}

// tenTo is 10^n.
func tenTo(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

func (x *long) scaleUp(scale int) {
	if scale > x.scale {
		x.coef.Mul(&x.coef, tenTo(scale-x.scale))
		x.scale = scale
	}
}

// add adds y to x; both may be rescaled.
func (x *long) add(y *long) {
	x.scaleUp(y.scale)
	y.scaleUp(x.scale)
	x.coef.Add(&x.coef, &y.coef)
}

func (x *long) cmp(y *long) int {
	x.scaleUp(y.scale)
	y.scaleUp(x.scale)
	return x.coef.Cmp(&y.coef)
}

// round brings x to scale digits after the point, which may be negative or more
// than it has, ties away from zero.
func (x *long) round(scale int) {
	if scale >= x.scale {
		x.scaleUp(scale)
		return
	}
	d := tenTo(x.scale - scale)
	x.coef, x.scale = *quoRound(&x.coef, d), scale
}

// quoRound is a / b to the nearest integer, ties away from zero.
func quoRound(a, b *big.Int) *big.Int {
	var q, r big.Int
	q.QuoRem(a, b, &r)
	if r.Abs(r.Lsh(&r, 1)).CmpAbs(b) >= 0 {
		q.Add(&q, big.NewInt(int64(a.Sign()*b.Sign())))
	}
	return &q
}

// truncate cuts x off at scale digits after the point.
func (x *long) truncate(scale int) {
	if scale >= x.scale {
		x.scaleUp(scale)
		return
	}
	x.coef.Quo(&x.coef, tenTo(x.scale-scale))
	x.scale = scale
}
