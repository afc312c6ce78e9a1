package numeric

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// Division of 256 by 128 bits is that of integers, where digits meet at their limits too.
func TestDivisionOfWideIntegers(t *testing.T) {
	word := rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, 1, 1 << 63, 1<<63 - 1, 1<<64 - 1, 1<<64 - 2}))
	rapid.Check(t, func(t *rapid.T) {
		d := u128{word.Draw(t, "d1"), word.Draw(t, "d0")}
		hi, lo := u128{word.Draw(t, "u3"), word.Draw(t, "u2")}, u128{word.Draw(t, "u1"), word.Draw(t, "u0")}
		if rapid.Bool().Draw(t, "equal tops") {
			hi.hi = d.hi
		}
		q, r, ok := div256(hi, lo, d)
		if ok != hi.less(d) {
			t.Fatalf("%v / %v: %v", hi, d, ok)
		}
		if !ok {
			return
		}
		var n, high, den, wantQ, wantR big.Int
		setU128(&n, lo)
		setU128(&high, hi)
		setU128(&den, d)
		n.Add(&n, high.Lsh(&high, 128))
		wantQ.QuoRem(&n, &den, &wantR)
		var gotQ, gotR big.Int
		setU128(&gotQ, q)
		setU128(&gotR, r)
		if gotQ.Cmp(&wantQ) != 0 || gotR.Cmp(&wantR) != 0 {
			t.Fatalf("%v,%v / %v = %v rest %v", hi, lo, d, &gotQ, &gotR)
		}
		top, bottom := lo.mul(d)
		var prod, a big.Int
		setU128(&a, top)
		setU128(&prod, bottom)
		prod.Add(&prod, a.Lsh(&a, 128))
		var want big.Int
		setU128(&want, lo)
		if want.Mul(&want, &den); prod.Cmp(&want) != 0 {
			t.Fatalf("%v × %v = %v", lo, d, &prod)
		}
	})
}
