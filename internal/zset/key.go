package zset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/bits"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
)

// ErrCorrupt reports bytes that are no encoding of a value.
var ErrCorrupt = errors.New("zset: malformed encoding")

// Order is how a column is sorted. The zero Order is PostgreSQL's ASC: NULLs last.
type Order struct{ Desc, NullsFirst bool }

// Descending is PostgreSQL's DESC: NULLs first.
var Descending = Order{Desc: true, NullsFirst: true}

// First bytes of a key. Those of values lie between the two of NULL, complemented or not.
const (
	keyNullFirst = 0x00
	keyNullLast  = 0xff
	keyValue     = 0x80 // Float, Bytes; of Int: 0
	keySmall     = 100  // integers of at most this size are one byte, keyValue + v
	keyPositive  = keyValue + keySmall
	keyNegative  = keyValue - keySmall
	keyEnd       = 0x01 // after 0x00: the end of a value of Bytes
	keyEscape    = 0xff // after 0x00: a 0x00 in it
)

// AppendKey appends bytes that compare as PostgreSQL sorts value i: equal bytes for
// equal values, none a prefix of another's of its kind. Text sorts by bytes; values
// that are kept as text (json, arrays, …) are equal when their text is.
//
//	NULL      00 or ff
//	Int       80+v when small, else one byte of size and sign and v big-endian, short
//	Float     80, 8 bytes; -0 is 0, NaN is above all
//	Numeric   see package numeric
//	Interval  two Int: days (a month has 30) and microseconds of a day
//	Bytes     80, the bytes with 00 as 00 ff, 00 01
func AppendKey(dst []byte, v *Vec, i int, o Order) []byte {
	if v.Null(i) {
		return appendNullKey(dst, o)
	}
	start := len(dst)
	switch v.Kind {
	case Int:
		dst = appendIntKey(dst, v.Ints[i])
	case Float:
		dst = appendFloatKey(dst, v.Floats[i])
	case Numeric:
		dst = numeric.AppendKey(dst, v.Num(i))
	case Interval:
		dst = appendIntervalKey(dst, v.Intervals[i])
	case Bytes:
		dst = appendBytesKey(dst, v.Bytes(i))
	}
	if o.Desc {
		invert(dst[start:])
	}
	return dst
}

func appendNullKey(dst []byte, o Order) []byte {
	if o.NullsFirst {
		return append(dst, keyNullFirst)
	}
	return append(dst, keyNullLast)
}

func invert(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}

func appendIntKey(dst []byte, v int64) []byte {
	if uint64(v+keySmall) <= 2*keySmall {
		return append(dst, byte(keyValue+v))
	}
	n := (bits.Len64(uint64(v^v>>63)) + 7) >> 3
	first := keyPositive + n
	if v < 0 {
		first = keyNegative - n
	}
	dst = binary.BigEndian.AppendUint64(append(dst, byte(first)), uint64(v)<<(64-8*n))
	return dst[:len(dst)-8+n]
}

func appendFloatKey(dst []byte, f float64) []byte {
	u := math.Float64bits(f + 0) // -0 + 0 is 0
	switch {
	case f != f:
		u = nanKey
	case u>>63 != 0:
		u = ^u
	default:
		u |= 1 << 63
	}
	return binary.BigEndian.AppendUint64(append(dst, keyValue), u)
}

// nanKey is above the key of +Infinity.
const nanKey = 0xfff8_0000_0000_0000

// appendIntervalKey takes a month as 30 days and a day as 24 hours, as PostgreSQL
// compares intervals.
func appendIntervalKey(dst []byte, v datum.Interval) []byte {
	days, micros := spanDays(v)
	return appendIntKey(appendIntKey(dst, days), micros)
}

func spanDays(v datum.Interval) (days, micros int64) {
	days, micros = v.Micros/datum.Day, v.Micros%datum.Day
	if micros < 0 {
		days, micros = days-1, micros+datum.Day
	}
	return days + int64(v.Months)*30 + int64(v.Days), micros
}

func appendBytesKey(dst, b []byte) []byte {
	dst = append(dst, keyValue)
	for {
		i := bytes.IndexByte(b, 0)
		if i < 0 {
			break
		}
		dst = append(append(dst, b[:i]...), 0, keyEscape)
		b = b[i+1:]
	}
	return append(append(dst, b...), 0, keyEnd)
}

// SkipKey gives what follows the key at the start of b.
func SkipKey(kind Kind, b []byte, o Order) ([]byte, error) {
	if len(b) == 0 {
		return nil, ErrCorrupt
	}
	n := 0
	switch {
	case b[0] == keyNullFirst || b[0] == keyNullLast:
		n = 1
	case kind == Int:
		n = intKeyLen(b, o.Desc)
	case kind == Float:
		n = 9
	case kind == Numeric:
		n = numeric.KeyLen(b, o.Desc)
	case kind == Interval:
		if n = intKeyLen(b, o.Desc); n > 0 && n < len(b) {
			m := intKeyLen(b[n:], o.Desc)
			if n += m; m == 0 {
				n = 0
			}
		} else {
			n = 0
		}
	case kind == Bytes:
		n = bytesKeyLen(b, o.Desc)
	}
	if n == 0 || n > len(b) {
		return nil, ErrCorrupt
	}
	return b[n:], nil
}

func intKeyLen(b []byte, inverted bool) int {
	first := int(b[0])
	if inverted {
		first ^= 0xff
	}
	n := 1
	if first > keyPositive {
		n += first - keyPositive
	} else if first < keyNegative {
		n += keyNegative - first
	}
	if n > 9 || n > len(b) {
		return 0
	}
	return n
}

func bytesKeyLen(b []byte, inverted bool) int {
	zero, end, escape := byte(0), byte(keyEnd), byte(keyEscape)
	if inverted {
		zero, end, escape = ^zero, ^end, ^escape
	}
	for n := 1; ; {
		i := bytes.IndexByte(b[n:], zero)
		if i < 0 || n+i+1 == len(b) {
			return 0
		}
		n += i + 2
		switch b[n-1] {
		case end:
			return n
		case escape:
		default:
			return 0
		}
	}
}

// DecodeKey appends to v a value equal to the one whose key is at the start of b, and
// gives what follows the key. Equal is not the same: scales of numerics, the sign of
// -0 and how an interval was written are not in a key.
func DecodeKey(v *Vec, b []byte, o Order) (rest []byte, err error) {
	rest, err = SkipKey(v.Kind, b, o)
	if err != nil {
		return b, err
	}
	key := b[:len(b)-len(rest)]
	if key[0] == keyNullFirst || key[0] == keyNullLast {
		v.AppendNull()
		return rest, nil
	}
	if o.Desc {
		var short [32]byte // on the stack, for all but long text
		key = append(short[:0], key...)
		invert(key)
	}
	switch v.Kind {
	case Int:
		v.AppendInt(decodeIntKey(key))
	case Float:
		v.AppendFloat(decodeFloatKey(key))
	case Numeric:
		n, arena, _, err := numeric.DecodeKey(v.Data, key)
		if err != nil {
			return b, ErrCorrupt
		}
		v.Data = arena
		v.AppendNumHere(n)
	case Interval:
		return rest, decodeIntervalKey(v, key)
	case Bytes:
		decodeBytesKey(v, key)
	}
	return rest, nil
}

func decodeIntKey(key []byte) int64 {
	first := int(key[0])
	if first >= keyNegative && first <= keyPositive {
		return int64(first - keyValue)
	}
	u := uint64(0)
	if first < keyNegative {
		u = ^u
	}
	for _, c := range key[1:] {
		u = u<<8 | uint64(c)
	}
	return int64(u)
}

func decodeFloatKey(key []byte) float64 {
	u := binary.BigEndian.Uint64(key[1:])
	if u == nanKey {
		return math.NaN()
	}
	if u>>63 != 0 {
		return math.Float64frombits(u &^ (1 << 63))
	}
	return math.Float64frombits(^u)
}

func decodeIntervalKey(v *Vec, key []byte) error {
	n := intKeyLen(key, false)
	days, micros := decodeIntKey(key[:n]), decodeIntKey(key[n:])
	if micros < 0 || micros >= datum.Day {
		return ErrCorrupt
	}
	months := int64(0)
	if days != int64(int32(days)) {
		months = days / 30
		days -= months * 30
		if m := months; m != int64(int32(m)) {
			months = max(min(m, math.MaxInt32), math.MinInt32)
			days += (m - months) * 30
		}
	}
	if days != int64(int32(days)) {
		return decodeLongInterval(v, months, days, micros)
	}
	v.AppendInterval(datum.Interval{Months: int32(months), Days: int32(days), Micros: micros})
	return nil
}

// decodeLongInterval moves days to the microseconds.
func decodeLongInterval(v *Vec, months, days, micros int64) error {
	over := days - max(min(days, math.MaxInt32), math.MinInt32)
	if over > math.MaxInt64/datum.Day-1 || over < math.MinInt64/datum.Day+1 {
		return ErrCorrupt
	}
	v.AppendInterval(datum.Interval{Months: int32(months), Days: int32(days - over), Micros: over*datum.Day + micros})
	return nil
}

func decodeBytesKey(v *Vec, key []byte) {
	off := len(v.Data)
	for b := key[1 : len(key)-2]; ; {
		i := bytes.IndexByte(b, 0)
		if i < 0 {
			v.Data = append(v.Data, b...)
			break
		}
		v.Data = append(v.Data, b[:i+1]...)
		b = b[i+2:]
	}
	v.AppendTail(off)
}
