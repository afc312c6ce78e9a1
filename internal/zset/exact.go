package zset

import (
	"encoding/binary"
	"math"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
)

// First bytes of an exact value; 0 is NULL for every kind.
const (
	exactSmall    = 9  // Int: from here on the value is in the byte
	exactSmallest = 23 // -exactSmallest is the least such value
	exactFloat32  = 2  // Float: 4 bytes follow; 1: 8 bytes
)

// AppendExact appends value i exactly: display scale, sign of zero and all. It is
// read back with DecodeExact, knowing the kind.
//
//	NULL      00
//	Int       1..8: so many bytes, little-endian; 9..255: the value + 32
//	Float     01, 8 bytes; 02, 4 bytes when that is the same value
//	Numeric   see package numeric
//	Interval  01, three signed varints
//	Bytes     uvarint length + 1, the bytes
func AppendExact(dst []byte, v *Vec, i int) []byte {
	if v.Null(i) {
		return append(dst, 0)
	}
	switch v.Kind {
	case Int:
		return appendIntExact(dst, v.Ints[i])
	case Float:
		return appendFloatExact(dst, v.Floats[i])
	case Numeric:
		return numeric.AppendExact(dst, v.Num(i))
	case Interval:
		x := v.Intervals[i]
		dst = binary.AppendVarint(append(dst, 1), int64(x.Months))
		return binary.AppendVarint(binary.AppendVarint(dst, int64(x.Days)), x.Micros)
	}
	b := v.Bytes(i)
	return append(binary.AppendUvarint(dst, uint64(len(b))+1), b...)
}

func appendIntExact(dst []byte, x int64) []byte {
	if uint64(x+exactSmallest) <= 255-exactSmall {
		return append(dst, byte(x+exactSmallest+exactSmall))
	}
	n := numeric.IntBytes(x)
	dst = binary.LittleEndian.AppendUint64(append(dst, byte(n)), uint64(x))
	return dst[:len(dst)-8+n]
}

func appendFloatExact(dst []byte, f float64) []byte {
	if g := float32(f); math.Float64bits(float64(g)) == math.Float64bits(f) {
		return binary.LittleEndian.AppendUint32(append(dst, exactFloat32), math.Float32bits(g))
	}
	return binary.LittleEndian.AppendUint64(append(dst, 1), math.Float64bits(f))
}

// DecodeExact appends to v the value at the start of b and gives what follows it.
func DecodeExact(v *Vec, b []byte) (rest []byte, err error) {
	if len(b) == 0 {
		return b, ErrCorrupt
	}
	first := b[0]
	if first == 0 {
		v.AppendNull()
		return b[1:], nil
	}
	switch v.Kind {
	case Int:
		if first >= exactSmall {
			v.AppendInt(int64(first) - exactSmall - exactSmallest)
			return b[1:], nil
		}
		n := int(first)
		if len(b) <= n {
			return b, ErrCorrupt
		}
		v.AppendInt(numeric.LoadInt(b[1:], n))
		return b[1+n:], nil
	case Float:
		return decodeFloatExact(v, b)
	case Numeric:
		n, arena, rest, err := numeric.DecodeExact(v.Data, b)
		if err != nil {
			return b, ErrCorrupt
		}
		v.Data = arena
		v.AppendNumHere(n)
		return rest, nil
	case Interval:
		return decodeIntervalExact(v, b)
	}
	size, w := binary.Uvarint(b)
	if w <= 0 || size == 0 || size-1 > uint64(len(b)-w) {
		return b, ErrCorrupt
	}
	end := w + int(size-1)
	v.AppendBytes(b[w:end])
	return b[end:], nil
}

func decodeFloatExact(v *Vec, b []byte) ([]byte, error) {
	switch {
	case b[0] == exactFloat32 && len(b) >= 5:
		v.AppendFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(b[1:]))))
		return b[5:], nil
	case b[0] == 1 && len(b) >= 9:
		v.AppendFloat(math.Float64frombits(binary.LittleEndian.Uint64(b[1:])))
		return b[9:], nil
	}
	return b, ErrCorrupt
}

func decodeIntervalExact(v *Vec, b []byte) ([]byte, error) {
	months, m := binary.Varint(b[1:])
	if m <= 0 {
		return b, ErrCorrupt
	}
	days, d := binary.Varint(b[1+m:])
	if d <= 0 {
		return b, ErrCorrupt
	}
	micros, u := binary.Varint(b[1+m+d:])
	if u <= 0 || b[0] != 1 || months != int64(int32(months)) || days != int64(int32(days)) {
		return b, ErrCorrupt
	}
	v.AppendInterval(datum.Interval{Months: int32(months), Days: int32(days), Micros: micros})
	return b[1+m+d+u:], nil
}

// AppendExactRow appends the values of row i, column after column.
func AppendExactRow(dst []byte, cols []*Vec, i int) []byte {
	for _, v := range cols {
		dst = AppendExact(dst, v, i)
	}
	return dst
}

// DecodeExactRow appends one row to cols and gives what follows it. On an error the
// columns may have different lengths: give them up.
func DecodeExactRow(cols []*Vec, b []byte) (rest []byte, err error) {
	for _, v := range cols {
		if v.Kind == Int && len(b) > 8 && b[0] != 0 { // the common case without a call
			x, n := shortInt(b)
			v.Ints = append(v.Ints, x)
			v.step()
			b = b[n:]
			continue
		}
		if b, err = DecodeExact(v, b); err != nil {
			return b, err
		}
	}
	return b, nil
}

// shortInt reads an Int that is not NULL, with eight bytes after its first.
func shortInt(b []byte) (x int64, n int) {
	first := int(b[0])
	if first >= exactSmall {
		return int64(first - exactSmall - exactSmallest), 1
	}
	shift := uint(64 - 8*first)
	return int64(binary.LittleEndian.Uint64(b[1:])<<shift) >> (shift & 63), 1 + first
}

// SkipExact gives what follows the value at the start of b.
func SkipExact(kind Kind, b []byte) (rest []byte, err error) {
	if len(b) > 0 && b[0] == 0 {
		return b[1:], nil
	}
	n := 0
	switch {
	case len(b) == 0:
	case kind == Int:
		if n = 1; b[0] < exactSmall {
			n += int(b[0])
		}
	case kind == Float && b[0] == exactFloat32:
		n = 5
	case kind == Float && b[0] == 1:
		n = 9
	case kind == Float:
	case kind == Bytes:
		size, w := binary.Uvarint(b)
		if w > 0 && size > 0 && size-1 <= uint64(len(b)-w) {
			n = w + int(size-1)
		}
	default:
		rest, err := DecodeExact(&Vec{Kind: kind}, b)
		return rest, err
	}
	if n == 0 || n > len(b) {
		return b, ErrCorrupt
	}
	return b[n:], nil
}
