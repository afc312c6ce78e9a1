package numeric

import (
	"bytes"
	"fmt"
	"math/big"

	"github.com/weirstream/weir/internal/datum"
)

// FromText reads a numeric as PostgreSQL's input function does: blanks around,
// a sign, digits, a point, an exponent; NaN, inf and infinity in any case. dst as in Add.
func FromText(dst, text []byte) (Num, []byte, error) {
	if n, ok := fromPlain(text); ok {
		return n, dst, nil
	}
	s := bytes.Trim(text, " \t\n\r\f\v")
	rest, negative := cutSign(s)
	switch lower := bytes.ToLower(rest); string(lower) {
	case "nan":
		if len(rest) == len(s) {
			return Num{Form: NaN}, dst, nil
		}
	case "inf", "infinity":
		if negative {
			return Num{Form: NegInf}, dst, nil
		}
		return Num{Form: PosInf}, dst, nil
	}
	x, err := scan(rest, text)
	if err != nil {
		return Num{}, dst, err
	}
	if negative {
		x.coef.Neg(&x.coef)
	}
	return x.num(dst)
}

func cutSign(b []byte) (rest []byte, neg bool) {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		return b[1:], b[0] == '-'
	}
	return b, false
}

// fromPlain reads [-]digits[.digits] of up to 18 digits.
func fromPlain(b []byte) (Num, bool) {
	digits, negative := b, false
	if len(b) > 0 && b[0] == '-' {
		digits, negative = b[1:], true
	}
	if len(digits) == 0 || len(digits) > 19 {
		return Num{}, false
	}
	var v uint64
	point := -1
	for i, c := range digits {
		d := c - '0'
		if d > 9 {
			if c != '.' || point >= 0 {
				return Num{}, false
			}
			point = i
			continue
		}
		v = v*10 + uint64(d)
	}
	scale := 0
	switch {
	case point >= 0 && len(digits) > 1:
		scale = len(digits) - 1 - point
	case point >= 0 || len(digits) == 19:
		return Num{}, false
	}
	n := int64(v)
	if negative {
		n = -n
	}
	return Scaled(n, int16(scale)), true
}

// scan reads digits, point and exponent; whole is quoted in errors.
func scan(b, whole []byte) (long, error) {
	var x long
	digits := make([]byte, 0, len(b))
	point, i := -1, 0
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c-'0' <= 9:
			digits = append(digits, c)
		case c == '.' && point < 0:
			point = len(digits)
		default:
			goto exponent
		}
	}
exponent:
	if len(digits) == 0 {
		return x, badText(whole)
	}
	if point >= 0 {
		x.scale = len(digits) - point
	}
	exp, ok := scanExponent(b[i:])
	if !ok {
		return x, badText(whole)
	}
	if exp >= maxExponent || exp <= -maxExponent {
		return x, errOverflow
	}
	digits = bytes.TrimLeft(digits, "0")
	x.scale -= exp
	if len(digits)-x.scale > MaxWhole+4 || x.scale > MaxScale {
		return x, errOverflow
	}
	if len(digits) > 0 {
		x.coef.SetString(string(digits), 10)
	}
	x.scaleUp(0)
	return x, nil
}

// maxExponent is beyond what an exponent may be.
const maxExponent = 1 << 30

// scanExponent reads e[+-]digits, or nothing.
func scanExponent(b []byte) (exp int, ok bool) {
	if len(b) == 0 {
		return 0, true
	}
	rest, negative := cutSign(b[1:])
	if b[0]|0x20 != 'e' || len(rest) == 0 {
		return 0, false
	}
	for _, c := range rest {
		if c-'0' > 9 {
			return 0, false
		}
		exp = min(exp*10+int(c-'0'), maxExponent)
	}
	if negative {
		exp = -exp
	}
	return exp, true
}

func badText(text []byte) error {
	return &datum.Error{Code: datum.CodeInvalidText, Message: fmt.Sprintf("invalid input syntax for type numeric: %q", text)}
}

// AppendText appends what PostgreSQL prints.
func AppendText(dst []byte, v Val) []byte {
	switch v.Form {
	case Big:
		return append(dst, v.text()...)
	case NegInf:
		return append(dst, "-Infinity"...)
	case PosInf:
		return append(dst, "Infinity"...)
	case NaN:
		return append(dst, "NaN"...)
	}
	a, negative := v.abs()
	var buf [2 * maxDigits]byte
	return appendPlain(dst, a.appendDigits(buf[:0]), negative, int(v.Scale))
}

// appendDigits appends a in decimal; nothing for 0.
func (a u128) appendDigits(dst []byte) []byte {
	if a.hi == 0 {
		return appendUint(dst, a.lo, digits64(a.lo))
	}
	n := a.digits()
	q, r := a.div(u128{0, 1e19})
	if q.hi != 0 { // cannot be: a has at most 38 digits
		var z big.Int
		setU128(&z, a)
		return z.Append(dst, 10)
	}
	return appendUint(appendUint(dst, q.lo, n-19), r.lo, 19)
}

// appendUint appends the last n digits of v.
func appendUint(dst []byte, v uint64, n int) []byte {
	start := len(dst)
	dst = append(dst, "00000000000000000000"[:n]...)
	for i := start + n - 1; i >= start; i-- {
		dst[i] = byte('0' + v%10)
		v /= 10
	}
	return dst
}
