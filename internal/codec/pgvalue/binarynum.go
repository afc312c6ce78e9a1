package pgvalue

import (
	"encoding/binary"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/zset"
)

// Signs of a numeric in binary.
const (
	signPositive = 0x0000
	signNegative = 0x4000
	signNaN      = 0xc000
	signPosInf   = 0xd000
	signNegInf   = 0xf000
	infScale     = 0x20 // what the server sends, of no meaning
)

// appendNumericBinary appends int16s: how many groups of four digits, the first one's
// weight, sign, scale, then the groups without zeros at either end.
func appendNumericBinary(dst []byte, n numeric.Val) []byte {
	switch n.Form {
	case numeric.NaN:
		return appendShorts(dst, 0, 0, signNaN, 0)
	case numeric.PosInf:
		return appendShorts(dst, 0, 0, signPosInf, infScale)
	case numeric.NegInf:
		return appendShorts(dst, 0, 0, signNegInf, infScale)
	}
	var buf [128]byte
	text := numeric.AppendText(buf[:0], n)
	sign := uint16(signPositive)
	if text[0] == '-' {
		sign, text = signNegative, text[1:]
	}
	scale := int(n.Scale)
	whole, frac := text, []byte(nil)
	if scale > 0 {
		whole, frac = text[:len(text)-scale-1], text[len(text)-scale:]
	}
	start := len(dst)
	weight := (len(whole)+3)/4 - 1
	dst = appendShorts(dst, 0, 0, sign, uint16(scale))
	lead := (weight+1)*4 - len(whole) // zeros before the first digit of the first group
	group, filled, groups := 0, lead, 0
	put := func(d byte) {
		group = group*10 + int(d-'0')
		if filled++; filled < 4 {
			return
		}
		if group == 0 && groups == 0 {
			weight--
		} else {
			dst = binary.BigEndian.AppendUint16(dst, uint16(group))
			groups++
		}
		group, filled = 0, 0
	}
	for _, d := range whole {
		put(d)
	}
	for _, d := range frac {
		put(d)
	}
	for filled > 0 {
		put('0')
	}
	for ; groups > 0 && dst[len(dst)-1] == 0 && dst[len(dst)-2] == 0; groups-- {
		dst = dst[:len(dst)-2]
	}
	if groups == 0 {
		weight = 0
		binary.BigEndian.PutUint16(dst[start+4:], signPositive)
	}
	binary.BigEndian.PutUint16(dst[start:], uint16(groups))
	binary.BigEndian.PutUint16(dst[start+2:], uint16(weight))
	return dst
}

func appendShorts(dst []byte, v ...uint16) []byte {
	for _, x := range v {
		dst = binary.BigEndian.AppendUint16(dst, x)
	}
	return dst
}

func numericFromBinary(v *zset.Vec, mod int32, b []byte) error {
	if len(b) < 8 {
		return badBinary()
	}
	groups, weight := int(binary.BigEndian.Uint16(b)), int(int16(binary.BigEndian.Uint16(b[2:])))
	sign, scale := binary.BigEndian.Uint16(b[4:]), int(binary.BigEndian.Uint16(b[6:]))
	if b = b[8:]; len(b) != 2*groups {
		return badBinary()
	}
	switch sign {
	case signNaN:
		return appendNumeric(v, mod, []byte("NaN"))
	case signPosInf:
		return appendNumeric(v, mod, []byte("Infinity"))
	case signNegInf:
		return appendNumeric(v, mod, []byte("-Infinity"))
	case signPositive, signNegative:
	default:
		return fault(datum.CodeInvalidBinary, "invalid sign in external \"numeric\" value")
	}
	if scale > numeric.MaxScale {
		return fault(datum.CodeInvalidBinary, "invalid scale in external \"numeric\" value")
	}
	text, ok := decimalText(b, weight, scale, sign == signNegative)
	if !ok {
		return fault(datum.CodeInvalidBinary, "invalid digit in external \"numeric\" value")
	}
	return appendNumeric(v, mod, text)
}

// decimalText writes groups of four digits out; digits beyond scale are cut off.
func decimalText(groups []byte, weight, scale int, negative bool) ([]byte, bool) {
	text := make([]byte, 0, 2*len(groups)+scale+8)
	if negative {
		text = append(text, '-')
	}
	text = append(text, '0')
	group := func(w int) (int, bool) {
		i := weight - w
		if i < 0 || i >= len(groups)/2 {
			return 0, true
		}
		g := int(binary.BigEndian.Uint16(groups[2*i:]))
		return g, g < 10000
	}
	for w := weight; w >= 0; w-- {
		g, ok := group(w)
		if !ok {
			return nil, false
		}
		text = datum.AppendPadded(text, uint64(g), 4)
	}
	text = append(text, '.')
	point := len(text)
	for w := -1; len(text) < point+scale || weight-w < len(groups)/2; w-- {
		g, ok := group(w)
		if !ok {
			return nil, false
		}
		text = datum.AppendPadded(text, uint64(g), 4)
	}
	return text[:point+scale], true
}
