package numeric

import (
	"math"
	"math/big"
)

// Logarithms and exponentials are computed in binary fixed point: an integer counts
// units of 2^-bits. apd computes them too, at 320 microseconds a logarithm of 20
// digits and two seconds for a power of 2,600; this takes a small part of that.

// spare is how many bits more than asked for are carried through a computation.
const spare = 48

// bitsFor is how many bits hold digits after the point, and some more.
func bitsFor(digits int) uint { return uint(float64(max(digits, 1))*3.3219281) + spare }

// fixed is x in units of 2^-bits, cut off.
func (x *long) fixed(bits uint) *big.Int {
	f := new(big.Int).Lsh(&x.coef, bits)
	return f.Quo(f, tenTo(x.scale))
}

// fromFixed is f units of 2^-bits, rounded to scale digits after the point.
func fromFixed(dst []byte, f *big.Int, bits uint, scale int) (Num, []byte, error) {
	x := long{scale: scale}
	x.coef = *quoRound(new(big.Int).Mul(f, tenTo(scale)), new(big.Int).Lsh(big.NewInt(1), bits))
	return x.num(dst)
}

// reductions is how often an argument is made smaller before its series: it balances
// the steps of both.
func reductions(bits uint) uint { return uint(math.Sqrt(float64(bits)) / 2) }

// lnFixed is ln x in units of 2^-bits; x is positive.
func lnFixed(x *long, bits uint) *big.Int {
	s := reductions(bits)
	w := bits + s + spare
	// x = m × 2^k with m between 1/2 and 2.
	den := tenTo(x.scale)
	k := x.coef.BitLen() - den.BitLen()
	m := new(big.Int)
	if up := int(w) - k; up >= 0 {
		m.Quo(m.Lsh(&x.coef, uint(up)), den)
	} else {
		m.Quo(&x.coef, den.Lsh(den, uint(-up)))
	}
	for range s {
		m.Sqrt(m.Lsh(m, w))
	}
	one := new(big.Int).Lsh(big.NewInt(1), w)
	// ln m = 2 atanh((m-1)/(m+1)), times 2 for every root taken.
	y := new(big.Int).Sub(m, one)
	y.Quo(y.Lsh(y, w), m.Add(m, one))
	ln := atanh(y, w)
	ln.Lsh(ln, s+1)
	ln.Add(ln, new(big.Int).Mul(big.NewInt(int64(k)), ln2(w)))
	return ln.Rsh(ln, w-bits)
}

// atanh is y + y³/3 + y⁵/5 + …, all in units of 2^-w.
func atanh(y *big.Int, w uint) *big.Int {
	square := new(big.Int).Mul(y, y)
	square.Rsh(square, w)
	sum, power, term := new(big.Int).Set(y), new(big.Int).Set(y), new(big.Int)
	for n := int64(3); power.Sign() != 0; n += 2 {
		power.Rsh(power.Mul(power, square), w)
		if power.Sign() < 0 && power.BitLen() <= 1 {
			break // a negative number shifted right ends at -1
		}
		sum.Add(sum, term.Quo(power, big.NewInt(n)))
	}
	return sum
}

// ln2 is ln 2 = 2 atanh(1/3) in units of 2^-w.
func ln2(w uint) *big.Int {
	power := new(big.Int).Lsh(big.NewInt(1), w+8)
	power.Quo(power, big.NewInt(3))
	sum, term, nine := new(big.Int).Set(power), new(big.Int), big.NewInt(9)
	for n := int64(3); power.Sign() != 0; n += 2 {
		power.Quo(power, nine)
		sum.Add(sum, term.Quo(power, big.NewInt(n)))
	}
	return sum.Rsh(sum, 7)
}

// expFixed is e^x, both in units of 2^-bits. For a result of k bits before the point, bits
// must have k more than are wanted after it, in x too.
func expFixed(x *big.Int, bits uint) *big.Int {
	s := reductions(bits)
	w := bits + 2*s + spare
	x = new(big.Int).Lsh(x, w-bits)
	// x = k ln 2 + r.
	l := ln2(w)
	k, r := new(big.Int).DivMod(x, l, new(big.Int))
	// The remainder of k × ln 2 loses as many bits as k has: spare covers them.
	r.Rsh(r, s)
	one := new(big.Int).Lsh(big.NewInt(1), w)
	sum, term := new(big.Int).Add(one, r), new(big.Int).Set(r)
	for n := int64(2); term.Sign() != 0; n++ {
		term.Rsh(term.Mul(term, r), w)
		term.Quo(term, big.NewInt(n))
		sum.Add(sum, term)
	}
	for range s {
		sum.Rsh(sum.Mul(sum, sum), w)
	}
	if shift := k.Int64() - int64(w-bits); shift >= 0 {
		return sum.Lsh(sum, uint(shift))
	} else {
		return sum.Rsh(sum, uint(-shift))
	}
}
