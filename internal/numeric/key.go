package numeric

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/big"
)

// ErrCorrupt reports bytes that are no encoding of a Num.
var ErrCorrupt = errors.New("numeric: malformed encoding")

// The first byte of a key. A positive number is 0.ddd… × 10^e; small exponents are
// in the byte itself, others follow in four bytes. Then come its digits, nine by
// nine, the last group filled with zeros: each is four bytes big-endian of
// group<<1 | 1, or group<<1 at the end. A negative number is the complement of
// its absolute value's key.
const (
	keyNegInf   = 0x01
	keyZero     = 0x80
	keyFar      = 0x81 // e < keyMinExp
	keyNear     = 0x82 // + e - keyMinExp
	keyBeyond   = 0xfb // e > keyMaxExp
	keyPosInf   = 0xfc
	keyNaN      = 0xfd
	keyMinExp   = -20
	keyMaxExp   = keyMinExp + keyBeyond - keyNear - 1
	groupDigits = 9
)

// AppendKey appends bytes that compare as numbers do: equal for equal numbers (1.10
// and 1.1), none a prefix of another's.
func AppendKey(dst []byte, v Val) []byte {
	switch v.Form {
	case NegInf:
		return append(dst, keyNegInf)
	case PosInf:
		return append(dst, keyPosInf)
	case NaN:
		return append(dst, keyNaN)
	case Big:
		return appendLongKey(dst, v)
	}
	a, negative := v.abs()
	n := a.digits()
	if n == 0 {
		return append(dst, keyZero)
	}
	start := len(dst)
	dst = appendKeyExp(dst, n-int(v.Scale))
	if a.hi == 0 && n <= 2*groupDigits {
		dst = appendGroups(dst, a.lo*pow10u64[2*groupDigits-n], false)
	} else {
		dst = appendWideGroups(dst, a, n)
	}
	if negative {
		invert(dst[start:])
	}
	return dst
}

func invert(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}

func appendKeyExp(dst []byte, e int) []byte {
	switch {
	case e < keyMinExp:
		return binary.BigEndian.AppendUint32(append(dst, keyFar), uint32(e+1<<30))
	case e > keyMaxExp:
		return binary.BigEndian.AppendUint32(append(dst, keyBeyond), uint32(e+1<<30))
	}
	return append(dst, byte(keyNear+e-keyMinExp))
}

// appendGroups appends the two groups of 18 digits, the second one unless it is 0
// and nothing follows.
func appendGroups(dst []byte, v uint64, more bool) []byte {
	const tenTo9 = 1_000_000_000
	hi, lo := uint32(v/tenTo9), uint32(v%tenTo9)
	if lo == 0 && !more {
		return binary.BigEndian.AppendUint32(dst, hi<<1)
	}
	last := lo << 1
	if more {
		last |= 1
	}
	return binary.BigEndian.AppendUint64(dst, uint64(hi<<1|1)<<32|uint64(last))
}

// appendWideGroups appends the groups of 19 to 38 digits.
func appendWideGroups(dst []byte, a u128, n int) []byte {
	for n > 2*groupDigits {
		q, r := a.div(pow10[n-2*groupDigits])
		dst = appendGroups(dst, q.lo, !r.isZero())
		if r.isZero() {
			return dst
		}
		a, n = r, n-2*groupDigits
	}
	return appendGroups(dst, a.lo*pow10u64[2*groupDigits-n], false)
}

func appendLongKey(dst []byte, v Val) []byte {
	x := v.big()
	start := len(dst)
	text := new(big.Int).Abs(&x.coef).Append(nil, 10)
	dst = appendKeyExp(dst, len(text)-x.scale)
	for len(text) > 0 && text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	for len(text) > 0 {
		g := uint32(0)
		for i := range groupDigits {
			g *= 10
			if i < len(text) {
				g += uint32(text[i] - '0')
			}
		}
		if g <<= 1; len(text) > groupDigits {
			g |= 1
		}
		dst = binary.BigEndian.AppendUint32(dst, g)
		text = text[min(groupDigits, len(text)):]
	}
	if x.coef.Sign() < 0 {
		invert(dst[start:])
	}
	return dst
}

// KeyLen is the length of the key at the start of b; 0 when there is none. inverted
// says that the key's bytes are complemented.
func KeyLen(b []byte, inverted bool) int {
	if len(b) == 0 {
		return 0
	}
	flip := byte(0)
	if inverted {
		flip = 0xff
	}
	first := b[0] ^ flip
	switch first {
	case keyNegInf, keyZero, keyPosInf, keyNaN:
		return 1
	}
	if first < keyZero {
		flip, first = ^flip, ^first
	}
	n := 1
	switch {
	case first == keyFar || first == keyBeyond:
		n = 5
	case first > keyBeyond:
		return 0
	}
	for n+4 <= len(b) {
		n += 4
		if (b[n-1]^flip)&1 == 0 {
			return n
		}
	}
	return 0
}

// DecodeKey reads the key at the start of b, and gives a number equal to the encoded
// one, with the fewest digits after the point, and what follows the key. dst as in Add.
func DecodeKey(dst, b []byte) (n Num, arena, rest []byte, err error) {
	size := KeyLen(b, false)
	if size == 0 {
		return Num{}, dst, b, ErrCorrupt
	}
	key, rest := b[:size], b[size:]
	switch key[0] {
	case keyNegInf:
		return Num{Form: NegInf}, dst, rest, nil
	case keyPosInf:
		return Num{Form: PosInf}, dst, rest, nil
	case keyNaN:
		return Num{Form: NaN}, dst, rest, nil
	case keyZero:
		return Num{}, dst, rest, nil
	}
	negative := key[0] < keyZero
	if negative {
		key = append([]byte(nil), key...)
		invert(key)
	}
	x, err := decodeDigits(key)
	if err != nil {
		return Num{}, dst, b, err
	}
	if negative {
		x.coef.Neg(&x.coef)
	}
	n, arena, err = x.num(dst)
	return n, arena, rest, err
}

func be32(b []byte) uint32 { return binary.BigEndian.Uint32(b) }

// decodeDigits reads exponent and groups of a positive number's key.
func decodeDigits(key []byte) (x long, err error) {
	e, groups := int(key[0])-keyNear+keyMinExp, key[1:]
	if key[0] == keyFar || key[0] == keyBeyond {
		e, groups = int(binary.BigEndian.Uint32(key[1:]))-1<<30, key[5:]
	}
	// Every number has one key: any other bytes are none.
	canonical := appendKeyExp(nil, e)
	if n := len(groups); key[0] == keyZero || !bytes.Equal(canonical, key[:len(canonical)]) || n > 4 && be32(groups[n-4:]) == 0 {
		return x, ErrCorrupt
	}
	text := make([]byte, 0, len(groups)/4*groupDigits)
	for ; len(groups) > 0; groups = groups[4:] {
		g := be32(groups) >> 1
		if g >= 1_000_000_000 {
			return x, ErrCorrupt
		}
		text = appendUint(text, uint64(g), groupDigits)
	}
	for len(text) > 1 && text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	x.scale = len(text) - e
	if text[0] == '0' || x.scale > MaxScale || e > MaxWhole {
		return x, ErrCorrupt
	}
	x.coef.SetString(string(text), 10)
	x.scaleUp(0)
	return x, nil
}
