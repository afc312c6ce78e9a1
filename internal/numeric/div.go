package numeric

import (
	"math/big"

	"github.com/weirstream/weir/internal/datum"
)

// PostgreSQL shows at least minSignificant digits of a quotient, root or logarithm,
// and at most maxResultScale after the point.
const (
	minSignificant = 16
	maxResultScale = 1000
)

// Div is a / b with PostgreSQL's choice of digits: at least 16 significant ones,
// and no fewer after the point than a or b have. dst as in Add.
func Div(dst []byte, a, b Val) (Num, []byte, error) {
	if !a.IsFinite() || !b.IsFinite() {
		n, err := divSpecial(a.Num, b.Num)
		return n, dst, err
	}
	if b.Sign() == 0 {
		return Num{}, dst, errDivideZero
	}
	scale := quotientScale(a, b)
	if n, ok := div128(a.Num, b.Num, scale, true); ok {
		return n, dst, nil
	}
	x := quotient(a, b, scale, quoRound)
	return x.num(dst)
}

// quotient is a / b with scale digits.
func quotient(a, b Val, scale int, div func(a, b *big.Int) *big.Int) long {
	x, y := a.big(), b.big()
	if up := scale + y.scale - x.scale; up >= 0 {
		x.coef.Mul(&x.coef, tenTo(up))
	} else {
		y.coef.Mul(&y.coef, tenTo(-up))
	}
	return long{coef: *div(&x.coef, &y.coef), scale: scale}
}

func truncated(a, b *big.Int) *big.Int { return new(big.Int).Quo(a, b) }

// Quo is a / b cut off to an integer (PostgreSQL's div).
func Quo(dst []byte, a, b Val) (Num, []byte, error) {
	if !a.IsFinite() || !b.IsFinite() {
		n, err := divSpecial(a.Num, b.Num)
		return n, dst, err
	}
	if b.Sign() == 0 {
		return Num{}, dst, errDivideZero
	}
	if n, ok := div128(a.Num, b.Num, 0, false); ok {
		return n, dst, nil
	}
	x := quotient(a, b, 0, truncated)
	return x.num(dst)
}

// divSpecial divides where one at least is NaN or infinite.
func divSpecial(a, b Num) (Num, error) {
	switch {
	case a.Form == NaN || b.Form == NaN:
		return Num{Form: NaN}, nil
	case a.IsFinite():
		return Num{}, nil // by an infinity
	case !b.IsFinite():
		return Num{Form: NaN}, nil
	case b.Sign() == 0:
		return Num{}, errDivideZero
	}
	return infinity(a.Sign() * b.Sign()), nil
}

// div128 is a / b with scale digits, rounded half away from zero or cut off; false
// when it takes more than 256 bits.
func div128(a, b Num, scale int, round bool) (Num, bool) {
	up := scale + int(b.Scale) - int(a.Scale)
	if a.Form|b.Form != Finite || up < -maxDigits || up > maxDigits {
		return Num{}, false
	}
	x, n1 := a.abs()
	y, n2 := b.abs()
	var hi u128
	if up >= 0 {
		hi, x = x.mul(pow10[up])
	} else if hi, y = y.mul(pow10[-up]); !hi.isZero() {
		return Num{}, false
	}
	if hi.isZero() && x.hi|y.hi == 0 {
		q, r := x.lo/y.lo, x.lo%y.lo
		if round && r >= y.lo-r {
			q++
		}
		return finite(u128{0, q}, n1 != n2, int16(scale)), true
	}
	q, r, ok := div256(hi, x, y)
	if !ok {
		return Num{}, false
	}
	if round && !r.less(y.sub(r)) {
		q = q.add64(1)
	}
	return finite(q, n1 != n2, int16(scale)), q.less(pow10[maxDigits])
}

// quotientScale is how many digits after the point a / b gets. PostgreSQL estimates the
// quotient's size from the leading groups of four digits, and so do we.
func quotientScale(a, b Val) int {
	w1, f1 := a.lead()
	w2, f2 := b.lead()
	w := w1 - w2
	if f1 <= f2 {
		w--
	}
	return min(max(minSignificant-4*w, int(a.Scale), int(b.Scale), 0), maxResultScale)
}

// lead is the first group of four decimal digits that is not 0, aligned at the
// point, and its weight: the value is about first × 10000^weight. Of 0 both are 0.
func (v Val) lead() (weight, first int) {
	if v.Form == Big {
		return leadText(v.text(), int(v.Scale))
	}
	a, _ := v.abs()
	n := a.digits()
	if n == 0 {
		return 0, 0
	}
	weight = floorDiv4(n - int(v.Scale) - 1)
	// The group ends at 10^(4×weight), which is drop digits from the right of a.
	drop := int(v.Scale) + 4*weight
	if drop <= 0 {
		a, _ := a.mul64(pow10u64[-drop]) // at most three zeros
		return weight, int(a.lo)
	}
	if a.hi == 0 && drop < 20 {
		return weight, int(a.lo / pow10u64[drop])
	}
	q, _ := a.div(pow10[drop])
	return weight, int(q.lo)
}

func floorDiv4(n int) int { return n >> 2 }

// leadText is lead of a canonical text.
func leadText(text []byte, scale int) (weight, first int) {
	digits := make([]byte, 0, len(text))
	for _, c := range text {
		if c >= '0' && (c > '0' || len(digits) > 0) {
			digits = append(digits, c-'0')
		}
	}
	weight = floorDiv4(len(digits) - scale - 1)
	take := len(digits) - scale - 4*weight
	for i := range take {
		first *= 10
		if i < len(digits) {
			first += int(digits[i])
		}
	}
	return weight, first
}

// Mod is what Quo leaves, with a's sign; dst as in Add.
func Mod(dst []byte, a, b Val) (Num, []byte, error) {
	switch {
	case a.Form == NaN || b.Form == NaN:
		return Num{Form: NaN}, dst, nil
	case b.IsFinite() && b.Sign() == 0:
		return Num{}, dst, errDivideZero
	case !a.IsFinite():
		return Num{Form: NaN}, dst, nil
	case !b.IsFinite():
		n, dst := Copy(dst, a)
		return n, dst, nil
	}
	if n, ok := mod128(a.Num, b.Num); ok {
		return n, dst, nil
	}
	x, y := a.big(), b.big()
	x.scaleUp(y.scale)
	y.scaleUp(x.scale)
	x.coef.Rem(&x.coef, &y.coef)
	return x.num(dst)
}

func mod128(a, b Num) (Num, bool) {
	if a.Form|b.Form != Finite {
		return Num{}, false
	}
	scale, ok1, ok2 := max(a.Scale, b.Scale), true, true
	x, negative := a.abs()
	y, _ := b.abs()
	x, ok1 = x.scaleUp(int(scale - a.Scale))
	y, ok2 = y.scaleUp(int(scale - b.Scale))
	if !ok1 || !ok2 {
		return Num{}, false
	}
	_, r := x.div(y)
	return finite(r, negative, scale), true
}

// fault makes an error of its own.
func fault(code, message string) error { return &datum.Error{Code: code, Message: message} }
