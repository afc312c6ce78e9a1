package numeric

import (
	"encoding/binary"
	"math/bits"
)

// The first byte of an exact encoding; 0 is left to the caller, for NULL. The common
// case has scale and size of the coefficient in it: exactPacked + scale*9 + size.
const (
	exactNaN    = 1
	exactPosInf = 2
	exactNegInf = 3
	exactBig    = 4 // uvarint length, text
	exactWide   = 5 // uvarint scale, 16 bytes
	exactFar    = 6 // uvarint scale, 8 bytes
	exactPacked = 16
	packedScale = 26 // scales below it fit the first byte
)

// AppendExact appends v with its display scale: a first byte that is never 0 and tells
// how to read the rest, then the coefficient, little-endian, as short as it goes.
func AppendExact(dst []byte, v Val) []byte {
	switch v.Form {
	case NaN:
		return append(dst, exactNaN)
	case PosInf:
		return append(dst, exactPosInf)
	case NegInf:
		return append(dst, exactNegInf)
	case Big:
		text := v.text()
		dst = binary.AppendUvarint(append(dst, exactBig), uint64(len(text)))
		return append(dst, text...)
	}
	c, short := v.Int64()
	switch {
	case !short:
		dst = binary.AppendUvarint(append(dst, exactWide), uint64(v.Scale))
		dst = binary.LittleEndian.AppendUint64(dst, v.Lo)
		return binary.LittleEndian.AppendUint64(dst, uint64(v.Hi))
	case v.Scale >= packedScale:
		dst = binary.AppendUvarint(append(dst, exactFar), uint64(v.Scale))
		return binary.LittleEndian.AppendUint64(dst, v.Lo)
	}
	size := IntBytes(c)
	dst = binary.LittleEndian.AppendUint64(append(dst, byte(exactPacked+int(v.Scale)*9+size)), v.Lo)
	return dst[:len(dst)-8+size]
}

// IntBytes is how many bytes v takes in two's complement; 0 takes none.
func IntBytes(v int64) int {
	if v == 0 {
		return 0
	}
	return (bits.Len64(uint64(v^v>>63)) + 8) >> 3
}

// DecodeExact reads what AppendExact wrote at the start of b. dst as in Add.
func DecodeExact(dst, b []byte) (n Num, arena, rest []byte, err error) {
	if len(b) == 0 || b[0] == 0 {
		return Num{}, dst, b, ErrCorrupt
	}
	first, b := b[0], b[1:]
	if first >= exactPacked {
		p := int(first) - exactPacked
		scale, size := p/9, p%9
		if len(b) < size || scale >= packedScale {
			return Num{}, dst, b, ErrCorrupt
		}
		return Scaled(LoadInt(b, size), int16(scale)), dst, b[size:], nil
	}
	switch first {
	case exactNaN:
		return Num{Form: NaN}, dst, b, nil
	case exactPosInf:
		return Num{Form: PosInf}, dst, b, nil
	case exactNegInf:
		return Num{Form: NegInf}, dst, b, nil
	case exactBig:
		return decodeBig(dst, b)
	}
	scale, w := binary.Uvarint(b)
	if w <= 0 || scale > MaxScale {
		return Num{}, dst, b, ErrCorrupt
	}
	b = b[w:]
	switch {
	case first == exactWide && len(b) >= 16:
		n = Num{Lo: binary.LittleEndian.Uint64(b), Hi: int64(binary.LittleEndian.Uint64(b[8:])), Scale: int16(scale)}
		if !inRange(n.Hi, n.Lo) {
			return Num{}, dst, b, ErrCorrupt
		}
		return n, dst, b[16:], nil
	case first == exactFar && len(b) >= 8:
		return Scaled(int64(binary.LittleEndian.Uint64(b)), int16(scale)), dst, b[8:], nil
	}
	return Num{}, dst, b, ErrCorrupt
}

// LoadInt reads size bytes, 0 to 8, of little-endian two's complement.
func LoadInt(b []byte, size int) int64 {
	if len(b) >= 8 {
		shift := uint(64 - 8*size)
		return int64(binary.LittleEndian.Uint64(b)<<shift) >> shift
	}
	var u uint64
	for i := size - 1; i >= 0; i-- {
		u = u<<8 | uint64(b[i])
	}
	shift := uint(64 - 8*size)
	return int64(u<<shift) >> shift
}

func decodeBig(dst, b []byte) (Num, []byte, []byte, error) {
	size, w := binary.Uvarint(b)
	if w <= 0 || size > uint64(len(b)-w) {
		return Num{}, dst, b, ErrCorrupt
	}
	text, rest := b[w:w+int(size)], b[w+int(size):]
	n, arena, err := FromText(dst, text)
	if err != nil || n.Form != Big {
		return Num{}, dst, b, ErrCorrupt
	}
	return n, arena, rest, nil
}
