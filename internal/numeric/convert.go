package numeric

import (
	"math"
	"strconv"

	"github.com/weirstream/weir/internal/datum"
)

// FromUint64 is v with scale 0.
func FromUint64(v uint64) Num { return Num{Lo: v} }

// FromFloat64 is v to 15 significant digits, as PostgreSQL casts double precision.
func FromFloat64(dst []byte, v float64) (Num, []byte) { return fromFloat(dst, v, 15) }

// FromFloat32 is v to 6 significant digits, as PostgreSQL casts real.
func FromFloat32(dst []byte, v float32) (Num, []byte) { return fromFloat(dst, float64(v), 6) }

func fromFloat(dst []byte, v float64, digits int) (Num, []byte) {
	switch {
	case v != v:
		return Num{Form: NaN}, dst
	case math.IsInf(v, 0):
		return infinity(int(math.Copysign(1, v))), dst
	}
	if i := int64(v); float64(i) == v && i > -1e15 && i < 1e15 && digits == 15 {
		return FromInt64(i), dst
	}
	var buf [32]byte
	text := strconv.AppendFloat(buf[:0], v, 'e', digits-1, 64)
	n, dst, err := fromScientific(dst, text)
	if err != nil {
		return Num{Form: NaN}, dst // cannot be: every float is within the format
	}
	return n, dst
}

// fromScientific reads d.ddde±dd, without the zeros at the fraction's end.
func fromScientific(dst, text []byte) (Num, []byte, error) {
	var coef int64
	scale, i, point, negative := 0, 0, false, false
	for ; text[i] != 'e'; i++ {
		switch c := text[i]; c {
		case '-':
			negative = true
		case '.':
			point = true
		default:
			coef = coef*10 + int64(c-'0')
			if point {
				scale++
			}
		}
	}
	exp, _ := strconv.Atoi(string(text[i+1:]))
	for scale -= exp; coef != 0 && coef%10 == 0; scale-- {
		coef /= 10
	}
	if negative {
		coef = -coef
	}
	if coef == 0 {
		scale = 0
	}
	x := Val{Num: Scaled(coef, 0)}.big()
	x.scale = scale
	x.scaleUp(0)
	return x.num(dst)
}

// ToInt64 is v rounded to an integer, ties away from zero. typ is PostgreSQL's name of
// the integer type, for the error (SQLSTATE 22003) when v is not in [lo, hi].
func ToInt64(v Val, lo, hi int64, typ string) (int64, error) {
	switch v.Form {
	case NaN:
		return 0, &datum.Error{Code: datum.CodeFeatureNotSupported, Message: "cannot convert NaN to " + typ}
	case PosInf, NegInf:
		return 0, &datum.Error{Code: datum.CodeFeatureNotSupported, Message: "cannot convert infinity to " + typ}
	}
	n, ok := v.Num, v.Form == Finite
	if ok && n.Scale > 0 {
		n, ok = cut128(n, 0, true)
	}
	if !ok {
		x := v.big()
		x.round(0)
		n, ok = x.short()
	}
	if i, fits := n.Int64(); ok && fits && i >= lo && i <= hi {
		return i, nil
	}
	return 0, &datum.Error{Code: datum.CodeOutOfRange, Message: typ + " out of range"}
}

// ToFloat64 is the double precision nearest to v. Beyond its range it is an infinity
// or 0 with ok false.
func ToFloat64(v Val) (f float64, ok bool) {
	switch v.Form {
	case NaN:
		return math.NaN(), true
	case PosInf, NegInf:
		return math.Inf(v.Sign()), true
	}
	if c, fits := v.Int64(); fits && v.Scale <= 22 && c >= -1<<53 && c <= 1<<53 {
		return float64(c) / exact10[v.Scale], true // both exact: one rounding
	}
	var buf [96]byte
	f, err := strconv.ParseFloat(string(AppendText(buf[:0], v)), 64)
	return f, err == nil && (f != 0 || v.Sign() == 0)
}

// exact10 has the powers of ten that a float64 holds exactly.
var exact10 = [23]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}
