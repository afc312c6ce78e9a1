package op

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// limbs of a fixedSum: 2^-1074 is bit 0; the largest float8 × the largest weight × 2^63 rows fits.
const limbs = (1074 + 1024 + 64 + 64 + 63) / 64

// fixedSum is an exact sum of float8s, a number in two's complement. Adding and
// taking away in any order gives the same sum, which floats do not.
type fixedSum [limbs]uint64

// add adds x × w; x is finite.
func (s *fixedSum) add(x float64, w int64) {
	u := math.Float64bits(x)
	exp, mantissa := int(u>>52&0x7ff), u&(1<<52-1)
	if exp > 0 {
		mantissa |= 1 << 52
		exp--
	}
	negative := u>>63 != 0
	if w < 0 {
		negative, w = !negative, -w
	}
	hi, lo := bits.Mul64(mantissa, uint64(w)) // at most 117 bits
	at, shift := exp>>6, uint(exp&63)
	part := [3]uint64{lo << shift, hi<<shift | lo>>1>>(63-shift), hi >> 1 >> (63 - shift)}
	if negative {
		s.sub(at, part)
		return
	}
	var carry uint64
	for k, p := range part {
		s[at+k], carry = bits.Add64(s[at+k], p, carry)
	}
	for at += 3; carry != 0 && at < limbs; at++ {
		s[at], carry = bits.Add64(s[at], 0, carry)
	}
}

func (s *fixedSum) sub(at int, part [3]uint64) {
	var borrow uint64
	for k, p := range part {
		s[at+k], borrow = bits.Sub64(s[at+k], p, borrow)
	}
	for at += 3; borrow != 0 && at < limbs; at++ {
		s[at], borrow = bits.Sub64(s[at], 0, borrow)
	}
}

// float is the sum, rounded to the nearest float8, ties to even.
func (s *fixedSum) float() float64 {
	t, sign := *s, 1.0
	if t[limbs-1]>>63 != 0 {
		sign = -1
		carry := uint64(1)
		for k := range t {
			t[k], carry = bits.Add64(^t[k], 0, carry)
		}
	}
	top := limbs - 1
	for top > 0 && t[top] == 0 {
		top--
	}
	length := top*64 + bits.Len64(t[top])
	if length <= 53 {
		return sign * math.Ldexp(float64(t[0]), -1074)
	}
	low := length - 53
	mantissa := t.bits(low) & (1<<53 - 1)
	if t.bits(low-1)&1 != 0 && (mantissa&1 != 0 || t.anyBelow(low-1)) {
		mantissa++
	}
	return sign * math.Ldexp(float64(mantissa), low-1074)
}

// bits is the 64 bits from bit at on.
func (s *fixedSum) bits(at int) uint64 {
	k, shift := at>>6, uint(at&63)
	x := s[k] >> shift
	if shift > 0 && k+1 < limbs {
		x |= s[k+1] << (64 - shift)
	}
	return x
}

func (s *fixedSum) anyBelow(at int) bool {
	for k := range at >> 6 {
		if s[k] != 0 {
			return true
		}
	}
	return s[at>>6]&(1<<(at&63)-1) != 0
}

// encode appends the limbs that matter: the place of the lowest, then all up to the highest, whose sign
// goes on above. Equal sums have equal encodings; that of 0 is empty.
func (s *fixedSum) encode(dst []byte) []byte {
	low, high := 0, limbs
	for low < limbs && s[low] == 0 {
		low++
	}
	if low == limbs {
		return dst
	}
	sign := uint64(int64(s[limbs-1]) >> 63)
	for high > low+1 && s[high-1] == sign && s[high-2]>>63 == sign&1 {
		high--
	}
	dst = append(dst, byte(low))
	for _, limb := range s[low:high] {
		dst = binary.LittleEndian.AppendUint64(dst, limb)
	}
	return dst
}

func (s *fixedSum) decode(b []byte) {
	*s = fixedSum{}
	if len(b) < 9 {
		return
	}
	at := int(b[0])
	for b = b[1:]; len(b) >= 8 && at < limbs; b = b[8:] {
		s[at] = binary.LittleEndian.Uint64(b)
		at++
	}
	for sign := uint64(int64(s[at-1]) >> 63); at < limbs; at++ {
		s[at] = sign
	}
}

// floatSum is sum and avg over floats: how many values, NaNs, +Inf and -Inf there
// are in the head, the exact sum of the others as an entry.
type floatSum struct {
	spills
	avg    bool
	single bool // the result is a float4
	sum    fixedSum
	buf    []byte
}

// single tells whether an aggregate's result is a float4.
func single(fn *expr.Aggregate) bool { return fn.Result.OID == datum.OIDFloat4 }

func (*floatSum) size() int { return 32 }

func (a *floatSum) add(slot uint32, b []byte, v *zset.Vec, i int, w int64) {
	x := v.Floats[i]
	putInt(b, getInt(b)+w)
	switch {
	case x != x:
		putInt(b[8:], getInt(b[8:])+w)
	case math.IsInf(x, 1):
		putInt(b[16:], getInt(b[16:])+w)
	case math.IsInf(x, -1):
		putInt(b[24:], getInt(b[24:])+w)
	default:
		a.sum.decode(a.get(slot))
		a.sum.add(x, w)
		a.buf = a.sum.encode(a.buf[:0])
		a.set(slot, a.buf)
	}
}

func (a *floatSum) addRows(d *groupDelta, places []int32, v *zset.Vec, off int) {
	addEach(a, d, places, v, off)
}

func (a *floatSum) rest(slot uint32, dst []byte) []byte { return append(dst, a.get(slot)...) }
func (a *floatSum) keepsRest() bool                     { return true }

func (a *floatSum) result(b, rest []byte, out *zset.Vec) *sql.Error {
	n, nans, plus, minus := getInt(b), getInt(b[8:]), getInt(b[16:]), getInt(b[24:])
	switch {
	case n == 0:
		out.AppendNull()
		return nil
	case nans > 0 || plus > 0 && minus > 0:
		out.AppendFloat(math.NaN())
		return nil
	case plus > 0:
		out.AppendFloat(math.Inf(1))
		return nil
	case minus > 0:
		out.AppendFloat(math.Inf(-1))
		return nil
	}
	a.sum.decode(rest)
	x := a.sum.float()
	over := math.IsInf(x, 0)
	if a.avg {
		x /= float64(n)
	}
	if a.single {
		x = float64(float32(x))
		over = math.IsInf(x, 0)
	}
	if over {
		out.AppendNull()
		return &sql.Error{Code: sql.NumericOutOfRange, Message: "value out of range: overflow", Pos: -1}
	}
	out.AppendFloat(x)
	return nil
}
