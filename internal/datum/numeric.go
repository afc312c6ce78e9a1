package datum

import (
	"bytes"
	"math/big"
	"math/bits"

	"github.com/cockroachdb/apd/v3"
)

// Form tells a number from what numeric has besides numbers.
type Form uint8

// Forms of a numeric.
const (
	Finite Form = iota
	NaN
	Infinity // with Decimal.Negative: -Infinity
)

// Decimal is a numeric taken apart but not yet computed with: sign and digits,
// borrowed from the text. Its display scale is len(Frac).
type Decimal struct {
	Form      Form
	Negative  bool
	Int, Frac []byte // digits only; Int may have leading zeros, either may be empty
}

// ScanNumeric takes the text of a numeric apart without allocating.
func ScanNumeric(b []byte) (Decimal, error) {
	var d Decimal
	rest, neg := cutSign(b)
	d.Negative = neg
	if len(rest) > 0 && rest[0] > '9' {
		switch string(rest) {
		case "NaN":
			d.Form, d.Negative = NaN, false
			return d, nil
		case "Infinity":
			d.Form = Infinity
			return d, nil
		}
		return d, bad("numeric", b)
	}
	d.Int = rest
	if dot := bytes.IndexByte(rest, '.'); dot >= 0 {
		d.Int, d.Frac = rest[:dot], rest[dot+1:]
	}
	if len(d.Int)+len(d.Frac) == 0 || !allDigits(d.Int) || !allDigits(d.Frac) {
		return Decimal{}, bad("numeric", b)
	}
	return d, nil
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}

// ParseNumeric reads a numeric into d, keeping its display scale.
func ParseNumeric(b []byte, d *apd.Decimal) error {
	n, err := ScanNumeric(b)
	if err != nil {
		return err
	}
	d.Negative, d.Exponent, d.Form = n.Negative, -int32(len(n.Frac)), apd.Finite
	switch {
	case n.Form == NaN:
		d.Form, d.Exponent = apd.NaN, 0
	case n.Form == Infinity:
		d.Form, d.Exponent = apd.Infinite, 0
	case len(n.Int)+len(n.Frac) <= 18:
		i, _ := parseShort(n.Int)
		f, width := parseShort(n.Frac)
		d.Coeff.SetUint64(i*width + f)
	default:
		digits := make([]byte, 0, len(n.Int)+len(n.Frac))
		d.Coeff.SetString(string(append(append(digits, n.Int...), n.Frac...)), 10)
	}
	if d.Form != apd.Finite {
		d.Coeff.SetUint64(0)
	}
	return nil
}

// parseShort reads at most 18 digits, and gives ten to the power of their number.
func parseShort(digits []byte) (v, width uint64) {
	width = 1
	for _, c := range digits {
		v = v*10 + uint64(c-'0')
		width *= 10
	}
	return v, width
}

// AppendUnscaled appends d x 10^scale as the shortest big-endian two's complement
// integer. False when d is not finite or has non-zero digits beyond scale, which
// may be negative.
func (d *Decimal) AppendUnscaled(dst []byte, scale int) ([]byte, bool) {
	whole, frac, zeros := d.Int, d.Frac, 0
	switch {
	case d.Form != Finite:
		return dst, false
	case scale < 0:
		cut := max(len(whole)+scale, 0)
		if !allZero(whole[cut:]) || !allZero(frac) {
			return dst, false
		}
		whole, frac = whole[:cut], nil
	case scale < len(frac):
		if !allZero(frac[scale:]) {
			return dst, false
		}
		frac = frac[:scale]
	default:
		zeros = scale - len(frac)
	}
	if len(whole)+len(frac)+zeros > 38 {
		return d.appendBig(dst, whole, frac, zeros), true
	}
	var hi, lo uint64
	hi, lo = shiftIn(hi, lo, whole)
	hi, lo = shiftIn(hi, lo, frac)
	for range zeros {
		hi, lo = mul10(hi, lo, 0)
	}
	if d.Negative {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	return appendInt128(dst, int64(hi), lo), true
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != '0' {
			return false
		}
	}
	return true
}

func shiftIn(hi, lo uint64, digits []byte) (uint64, uint64) {
	for _, c := range digits {
		hi, lo = mul10(hi, lo, uint64(c-'0'))
	}
	return hi, lo
}

// mul10 is (hi,lo) x 10 + d.
func mul10(hi, lo, d uint64) (uint64, uint64) {
	over, low := bits.Mul64(lo, 10)
	low, carry := bits.Add64(low, d, 0)
	return hi*10 + over + carry, low
}

// AppendInt64 appends v as the shortest big-endian two's complement integer.
func AppendInt64(dst []byte, v int64) []byte { return appendInt128(dst, v>>63, uint64(v)) }

func appendInt128(dst []byte, hi int64, lo uint64) []byte {
	n := 16
	for n > 1 {
		// The top byte may go when it is only a copy of the sign below it.
		top, next := byteAt(hi, lo, n-1), byteAt(hi, lo, n-2)
		if !(top == 0 && next < 0x80 || top == 0xff && next >= 0x80) {
			break
		}
		n--
	}
	for i := n - 1; i >= 0; i-- {
		dst = append(dst, byteAt(hi, lo, i))
	}
	return dst
}

func byteAt(hi int64, lo uint64, i int) byte {
	if i >= 8 {
		return byte(hi >> (8 * (i - 8)))
	}
	return byte(lo >> (8 * i))
}

// appendBig is the way of numbers beyond 38 digits.
func (d *Decimal) appendBig(dst, whole, frac []byte, zeros int) []byte {
	digits := make([]byte, 0, len(whole)+len(frac)+zeros)
	digits = append(append(digits, whole...), frac...)
	for range zeros {
		digits = append(digits, '0')
	}
	var v big.Int
	v.SetString(string(digits), 10)
	if !d.Negative || v.Sign() == 0 {
		abs := v.Bytes()
		if len(abs) == 0 || abs[0] >= 0x80 {
			dst = append(dst, 0)
		}
		return append(dst, abs...)
	}
	// -v is the complement of v-1.
	v.Sub(&v, big.NewInt(1))
	abs := v.Bytes()
	if len(abs) == 0 || abs[0] >= 0x80 {
		dst = append(dst, 0xff)
	}
	for _, c := range abs {
		dst = append(dst, ^c)
	}
	return dst
}
