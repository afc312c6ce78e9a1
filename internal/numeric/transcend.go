package numeric

import (
	"math"

	"github.com/weirstream/weir/internal/datum"
)

// maxResult bounds exponents as PostgreSQL does: e^x is out of range beyond three times it.
const maxResult = 2000

// clampScale bounds the digits after the point of a result, which has at least those of
// its operands.
func clampScale(scale int, operands ...Val) int {
	for _, v := range operands {
		scale = max(scale, int(v.Scale))
	}
	return min(max(scale, 0), maxResultScale)
}

// Sqrt is the square root; dst as in Add.
func Sqrt(dst []byte, v Val) (Num, []byte, error) {
	switch {
	case v.Form == NegInf || v.IsFinite() && v.Sign() < 0:
		return Num{}, dst, fault("2201F", "cannot take square root of a negative number")
	case !v.IsFinite():
		return v.Num, dst, nil
	}
	weight, _ := v.lead()
	size := 2*(weight+1) - 1 // decimal weight of the root
	if weight < 0 && v.Sign() != 0 {
		size = 1 - 2*(-weight-1) - 2
	}
	scale := clampScale(minSignificant-size, v)
	// The integer root of coef × 10^(2×(scale+1) - x.scale) has one digit more than shown.
	// What is cut off below it cannot turn the rounding, since a tie is exact.
	x := v.big()
	if up := 2*(scale+1) - x.scale; up >= 0 {
		x.coef.Mul(&x.coef, tenTo(up))
	} else {
		x.coef.Quo(&x.coef, tenTo(-up))
	}
	r := long{scale: scale + 1}
	r.coef.Sqrt(&x.coef)
	r.round(scale)
	return r.num(dst)
}

// Exp is e^v; dst as in Add.
func Exp(dst []byte, v Val) (Num, []byte, error) {
	switch v.Form {
	case NaN, PosInf:
		return v.Num, dst, nil
	case NegInf:
		return Num{}, dst, nil
	}
	f, _ := ToFloat64(v)
	weight := math.Max(math.Min(f*0.434294481903252, maxResult), -maxResult)
	scale := clampScale(minSignificant-int(weight), v)
	if n, err, extreme := expExtreme(f, scale); extreme {
		return n, dst, err
	}
	bits := expBits(f, scale)
	x := v.big()
	return fromFixed(dst, expFixed(x.fixed(bits), bits), bits, scale)
}

// expExtreme is e^f when that is out of range or nothing but zeros.
func expExtreme(f float64, scale int) (Num, error, bool) {
	switch {
	case f >= maxResult*3:
		return Num{}, errOverflow, true
	case f <= -maxResult*3:
		return Num{Scale: int16(scale)}, nil, true
	}
	return Num{}, nil, false
}

// expBits is enough for e^f with scale digits after the point.
func expBits(f float64, scale int) uint {
	return bitsFor(scale) + uint(max(f, 0)*1.4427) + 16
}

var (
	errLogNegative = &datum.Error{Code: datum.CodeInvalidLogArgument, Message: "cannot take logarithm of a negative number"}
	errLogZero     = &datum.Error{Code: datum.CodeInvalidLogArgument, Message: "cannot take logarithm of zero"}
)

func logDomain(v Val) error {
	switch {
	case v.Form == NegInf || v.IsFinite() && v.Sign() < 0:
		return errLogNegative
	case v.IsFinite() && v.Sign() == 0:
		return errLogZero
	}
	return nil
}

// Ln is the natural logarithm; dst as in Add.
func Ln(dst []byte, v Val) (Num, []byte, error) {
	if v.Form == NaN {
		return v.Num, dst, nil
	}
	if err := logDomain(v); err != nil {
		return Num{}, dst, err
	}
	if v.Form == PosInf {
		return v.Num, dst, nil
	}
	scale := clampScale(minSignificant-v.logWeight(), v)
	bits := bitsFor(scale)
	x := v.big()
	return fromFixed(dst, lnFixed(&x, bits), bits, scale)
}

// logWeight is about the decimal weight of ln v, v > 0, estimated as PostgreSQL does.
func (v Val) logWeight() int {
	lo, hi := Scaled(9, 1), Scaled(11, 1)
	if Cmp(v, V(lo)) >= 0 && Cmp(v, V(hi)) <= 0 {
		// Close to 1: ln(1+x) is about x.
		n, arena, err := Sub(nil, v, V(FromInt64(1)))
		if err != nil || n.Sign() == 0 {
			return 0
		}
		w, first := Val{n, arena}.lead()
		return w*4 + int(math.Log10(float64(first)))
	}
	w, first := v.lead()
	w, digits := w*4, float64(first)
	if next, ok := v.second(); ok {
		digits, w = digits*10000+float64(next), w-4
	}
	ln := math.Log(digits) + float64(w)*2.302585092994046
	return int(math.Log10(math.Abs(ln)))
}

// second is the group of four digits after the leading one; false when only zeros follow.
func (v Val) second() (int, bool) {
	w, _ := v.lead()
	x := v.big()
	x.coef.Abs(&x.coef)
	// Digits below the leading group: v modulo 10000^w.
	cut := long{scale: 0}
	cut.coef.SetInt64(1)
	cut.scale = -4 * w
	if cut.scale < 0 {
		cut.scaleUp(0)
	}
	x.scaleUp(cut.scale)
	cut.scaleUp(x.scale)
	x.coef.Rem(&x.coef, &cut.coef)
	if x.coef.Sign() == 0 {
		return 0, false
	}
	x.coef.Mul(&x.coef, tenTo(4))
	x.coef.Quo(&x.coef, &cut.coef)
	return int(x.coef.Int64()), true
}

// Log is the logarithm of v to the base b; dst as in Add.
func Log(dst []byte, b, v Val) (Num, []byte, error) {
	if b.Form == NaN || v.Form == NaN {
		return Num{Form: NaN}, dst, nil
	}
	for _, x := range []Val{b, v} {
		if err := logDomain(x); err != nil {
			return Num{}, dst, err
		}
	}
	switch {
	case b.Form == PosInf && v.Form == PosInf:
		return Num{Form: NaN}, dst, nil
	case b.Form == PosInf:
		return Num{}, dst, nil
	case v.Form == PosInf:
		return v.Num, dst, nil
	}
	weight := v.logWeight() - b.logWeight()
	scale := clampScale(minSignificant-weight, b, v)
	// The quotient is as exact, in relation to its size, as its parts.
	digits := scale + max(weight, 0) + 2*max(-b.logWeight(), -v.logWeight(), 0) + 8
	bits := bitsFor(digits)
	x, y := v.big(), b.big()
	lnV, lnB := lnFixed(&x, bits), lnFixed(&y, bits)
	if lnB.Sign() == 0 {
		return Num{}, dst, errDivideZero
	}
	r := long{scale: scale}
	r.coef = *quoRound(lnV.Mul(lnV, tenTo(scale)), lnB)
	return r.num(dst)
}
