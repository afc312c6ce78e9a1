package numeric

import (
	"fmt"

	"github.com/weirstream/weir/internal/datum"
)

// PostgreSQL's bounds of the digits that round and trunc are asked for.
const maxRound = 2000

// Round is v with n digits after the point, ties away from zero; a negative n
// rounds to tens, hundreds, …. dst as in Add.
func Round(dst []byte, v Val, n int) (Num, []byte, error) { return cutAt(dst, v, n, true) }

// Trunc is v cut off at n digits after the point; as Round otherwise.
func Trunc(dst []byte, v Val, n int) (Num, []byte, error) { return cutAt(dst, v, n, false) }

func cutAt(dst []byte, v Val, n int, round bool) (Num, []byte, error) {
	n = min(max(n, -maxRound), maxRound)
	if r, ok := cut128(v.Num, n, round); ok {
		return r, dst, nil
	}
	if !v.IsFinite() {
		return v.Num, dst, nil
	}
	x := v.big()
	if round {
		x.round(n)
	} else {
		x.truncate(n)
	}
	x.scaleUp(0)
	return x.num(dst)
}

// cut128 is cutAt on the fast path.
func cut128(v Num, n int, round bool) (Num, bool) {
	drop := int(v.Scale) - n
	if v.Form != Finite {
		return Num{}, false
	}
	if drop <= 0 {
		return rescaleTo(v, n)
	}
	a, negative := v.abs()
	rounded, cut := a.scaleDown(drop)
	if !round {
		rounded = cut
	}
	if n >= 0 {
		return finite(rounded, negative, int16(n)), true
	}
	a, ok := rounded.scaleUp(-n)
	return finite(a, negative, 0), ok
}

func rescaleTo(v Num, n int) (Num, bool) {
	if n > MaxScale {
		return Num{}, false
	}
	return rescale(v, int16(n))
}

// Ceil is the least integer that is not below v; dst as in Add.
func Ceil(dst []byte, v Val) (Num, []byte, error) { return integer(dst, v, 1) }

// Floor is the greatest integer that is not above v; dst as in Add.
func Floor(dst []byte, v Val) (Num, []byte, error) { return integer(dst, v, -1) }

// integer goes from v to the next integer in the direction dir, unless v is one.
func integer(dst []byte, v Val, dir int64) (Num, []byte, error) {
	if !v.IsFinite() {
		return v.Num, dst, nil
	}
	cut, dst, err := Trunc(dst, v, 0)
	if err != nil || int64(v.Sign()) != dir || Cmp(v, Val{cut, dst}) == 0 {
		return cut, dst, err
	}
	return Add(dst, Val{cut, dst}, V(FromInt64(dir)))
}

// Fit makes v a value of numeric(precision, scale): rounded to scale, an error of
// SQLSTATE 22003 when it has too many digits before the point. dst as in Add.
func Fit(dst []byte, v Val, precision, scale int) (Num, []byte, error) {
	switch v.Form {
	case NaN:
		return v.Num, dst, nil
	case PosInf, NegInf:
		return Num{}, dst, &datum.Error{Code: datum.CodeOutOfRange, Message: "numeric field overflow",
			Detail: fmt.Sprintf("A field with precision %d, scale %d cannot hold an infinite value.", precision, scale)}
	}
	n, dst, err := cutAt(dst, v, scale, true)
	if err != nil {
		return n, dst, err
	}
	if whole(Val{n, dst}) > precision-scale {
		bound := "1"
		if precision != scale {
			bound = fmt.Sprintf("10^%d", precision-scale)
		}
		return Num{}, dst, &datum.Error{Code: datum.CodeOutOfRange, Message: "numeric field overflow",
			Detail: fmt.Sprintf("A field with precision %d, scale %d must round to an absolute value less than %s.", precision, scale, bound)}
	}
	return n, dst, nil
}

// whole is the number of digits before the point without leading zeros; negative for
// zeros after the point; very negative for 0.
func whole(v Val) int {
	if v.Form == Big {
		x := v.big()
		return len(x.coef.Text(10)) - max(0, -x.coef.Sign()) - x.scale
	}
	a, _ := v.abs()
	if a.isZero() {
		return -MaxScale
	}
	return a.digits() - int(v.Scale)
}

// FitTypmod is Fit for PostgreSQL's type modifier; -1 leaves v as it is.
func FitTypmod(dst []byte, v Val, mod int32) (Num, []byte, error) {
	precision, scale, ok := Typmod(mod)
	if !ok {
		n, dst := Copy(dst, v)
		return n, dst, nil
	}
	return Fit(dst, v, precision, scale)
}

// Typmod takes a numeric's type modifier apart; false when there is none.
func Typmod(mod int32) (precision, scale int, ok bool) {
	if mod < 4 {
		return 0, 0, false
	}
	mod -= 4
	return int(mod >> 16 & 0xffff), int((mod&0x7ff)^1024) - 1024, true
}

// MakeTypmod is the modifier of numeric(precision, scale).
func MakeTypmod(precision, scale int) int32 { return int32(precision<<16|scale&0x7ff) + 4 }
