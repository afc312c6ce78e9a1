package numeric

import (
	"math"
	"math/big"

	"github.com/weirstream/weir/internal/datum"
)

var (
	errZeroPower = &datum.Error{Code: datum.CodeInvalidPowerArgument, Message: "zero raised to a negative power is undefined"}
	errComplex   = &datum.Error{Code: datum.CodeInvalidPowerArgument, Message: "a negative number raised to a non-integer power yields a complex result"}
)

// Power is b^e; dst as in Add.
func Power(dst []byte, b, e Val) (Num, []byte, error) {
	if !b.IsFinite() || !e.IsFinite() {
		n, err := powerSpecial(b, e)
		return n, dst, err
	}
	integer := isInteger(e)
	switch {
	case b.Sign() == 0 && e.Sign() < 0:
		return Num{}, dst, errZeroPower
	case b.Sign() < 0 && !integer:
		return Num{}, dst, errComplex
	}
	if i, ok := smallInteger(e); ok && integer {
		return powerInt(dst, b, i)
	}
	if b.Sign() == 0 {
		return Num{Scale: minSignificant}, dst, nil
	}
	return powerReal(dst, b, e)
}

func isInteger(v Val) bool {
	n, arena, err := Trunc(nil, v, 0)
	return err == nil && Cmp(Val{n, arena}, v) == 0
}

func isOdd(v Val) bool {
	n, arena, err := Mod(nil, v, V(FromInt64(2)))
	return err == nil && Val{n, arena}.Sign() != 0
}

func smallInteger(v Val) (int, bool) {
	i, err := ToInt64(v, math.MinInt32, math.MaxInt32, "integer")
	return int(i), err == nil
}

// powerSpecial follows the rules of C's pow for NaN and the infinities.
func powerSpecial(b, e Val) (Num, error) {
	one, zero := FromInt64(1), Num{}
	switch {
	case b.Form == NaN:
		if e.IsFinite() && e.Sign() == 0 {
			return one, nil
		}
		return Num{Form: NaN}, nil
	case e.Form == NaN:
		if b.IsFinite() && Cmp(b, V(one)) == 0 {
			return one, nil
		}
		return Num{Form: NaN}, nil
	case b.IsFinite() && b.Sign() == 0 && e.Form == NegInf:
		return zero, errZeroPower
	case b.IsFinite() && Cmp(b, V(one)) == 0, e.IsFinite() && e.Sign() == 0:
		return one, nil
	case b.IsFinite() && b.Sign() == 0:
		return zero, nil
	case !e.IsFinite():
		return powerOfInfinite(b, e), nil
	case e.Sign() < 0:
		return zero, nil // an infinity to a negative power
	case b.Form == PosInf:
		return Num{Form: PosInf}, nil
	case !isInteger(e):
		return zero, errComplex
	case isOdd(e):
		return Num{Form: NegInf}, nil
	}
	return Num{Form: PosInf}, nil
}

// powerOfInfinite is b to an infinite power.
func powerOfInfinite(b, e Val) Num {
	size := 1 // whether |b| is below, at or above 1
	if b.IsFinite() {
		n, arena := Abs(nil, b)
		size = Cmp(Val{n, arena}, V(FromInt64(1)))
	}
	switch {
	case size == 0:
		return FromInt64(1)
	case (size > 0) == (e.Form == PosInf):
		return Num{Form: PosInf}
	}
	return Num{}
}

// powerInt multiplies.
func powerInt(dst []byte, b Val, e int) (Num, []byte, error) {
	scale := clampScale(minSignificant, b)
	one := V(Num{Lo: 1})
	switch {
	case e == 0:
		return Round(dst, one, scale)
	case e == 1:
		return Round(dst, b, scale)
	case e == -1:
		x := quotient(one, b, scale, quoRound)
		return x.num(dst)
	case e == 2:
		n, arena, err := Mul(nil, b, b)
		if err != nil {
			return Num{}, dst, err
		}
		return Round(dst, Val{n, arena}, scale)
	case b.Sign() == 0:
		return Num{Scale: int16(scale)}, dst, nil
	}
	size := float64(e) * b.log10()
	if size > MaxWhole+4 {
		return Num{}, dst, errOverflow
	}
	if size+1 < -float64(scale) {
		return Num{Scale: int16(scale)}, dst, nil
	}
	return multiplied(dst, b, e, scale, size)
}

// multiplied squares and multiplies in binary floating point, wide enough for the result
// of about size digits before the point.
func multiplied(dst []byte, b Val, e, scale int, size float64) (Num, []byte, error) {
	prec := uint(max(float64(scale)+math.Abs(size), 20)*3.3219281) + 2*spare
	x := b.big()
	base := new(big.Float).SetPrec(prec).SetInt(&x.coef)
	base.Quo(base, new(big.Float).SetPrec(prec).SetInt(tenTo(x.scale)))
	r := new(big.Float).SetPrec(prec).SetInt64(1)
	n := uint64(e)
	if e < 0 {
		n = -n
	}
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			r.Mul(r, base)
		}
		if n > 1 {
			base.Mul(base, base)
		}
	}
	if e < 0 {
		r.Quo(big.NewFloat(1).SetPrec(prec), r)
	}
	// Two digits more than are shown, cut off there and rounded after.
	r.Mul(r, new(big.Float).SetPrec(prec).SetInt(tenTo(scale+2)))
	half := big.NewFloat(0.5)
	if r.Sign() < 0 {
		half.Neg(half)
	}
	y := long{scale: scale + 2}
	r.Add(r, half).Int(&y.coef)
	y.round(scale)
	return y.num(dst)
}

// log10 is about the decimal logarithm of |v|, v not 0.
func (v Val) log10() float64 {
	x := v.big()
	bits := x.coef.BitLen()
	shift := max(bits-64, 0)
	x.coef.Abs(&x.coef)
	x.coef.Rsh(&x.coef, uint(shift))
	return math.Log10(float64(x.coef.Uint64())) + float64(shift)*math.Log10(2) - float64(x.scale)
}

// powerReal is exp(e × ln b).
func powerReal(dst []byte, b, e Val) (Num, []byte, error) {
	negative := b.Sign() < 0 && isOdd(e)
	n, arena := Abs(nil, b)
	b = Val{n, arena}
	x, y := b.big(), e.big()
	rough := bitsFor(8 + max(-b.logWeight(), 0))
	lnB, _ := new(big.Float).SetInt(lnFixed(&x, rough)).Float64()
	f, _ := ToFloat64(e)
	f *= math.Ldexp(lnB, -int(rough))
	if math.Abs(f) > maxResult*3.01 {
		if f > 0 {
			return Num{}, dst, errOverflow
		}
		return Num{Scale: maxResultScale}, dst, nil
	}
	scale := clampScale(minSignificant-int(f*0.434294481903252), b, e)
	r, err, extreme := expExtreme(f, scale)
	if !extreme {
		bits := expBits(f, scale)
		fine := bits + uint(y.coef.BitLen()) + 16
		p := lnFixed(&x, fine)
		p.Quo(p.Mul(p, &y.coef), tenTo(y.scale))
		r, dst, err = fromFixed(dst, expFixed(p.Rsh(p, fine-bits), bits), bits, scale)
	}
	if negative && err == nil {
		r, dst = Neg(dst, Val{r, dst})
	}
	return r, dst, err
}
