package numeric

import (
	"encoding/binary"
	"math/big"
	"slices"
)

// wideSum is a Sum on its way through the allocating path.
type wideSum struct {
	sum    long
	scales []scaleCount // ascending, no count 0
	others [3]int64     // how many NaN, PosInf, NegInf
}

type scaleCount struct {
	scale int
	n     int64
}

func other(f Form) int {
	switch f {
	case NaN:
		return 0
	case PosInf:
		return 1
	}
	return 2
}

func (x *wideSum) add(v Val, w int64) {
	if !v.IsFinite() {
		x.others[other(v.Form)] += w
		return
	}
	y := v.big()
	y.coef.Mul(&y.coef, big.NewInt(w))
	x.sum.add(&y)
	x.countScale(int(v.Scale), w)
	x.normalise()
}

func (x *wideSum) countScale(scale int, w int64) {
	i, found := slices.BinarySearchFunc(x.scales, scale, func(c scaleCount, s int) int { return c.scale - s })
	if !found {
		x.scales = slices.Insert(x.scales, i, scaleCount{scale: scale})
	}
	if x.scales[i].n += w; x.scales[i].n == 0 {
		x.scales = slices.Delete(x.scales, i, i+1)
	}
}

func (x *wideSum) merge(y *wideSum) {
	x.sum.add(&y.sum)
	for _, c := range y.scales {
		x.countScale(c.scale, c.n)
	}
	for i, n := range y.others {
		x.others[i] += n
	}
	x.normalise()
}

// normalise gives the sum the largest scale of its values; more only when it could not
// be exact then, while more has been taken away than was there.
func (x *wideSum) normalise() {
	want := 0
	if k := len(x.scales); k > 0 {
		want = x.scales[k-1].scale
	}
	x.sum.scaleUp(want)
	for x.sum.scale > want {
		q, r := new(big.Int).QuoRem(&x.sum.coef, big.NewInt(10), new(big.Int))
		if r.Sign() != 0 {
			return
		}
		x.sum.coef, x.sum.scale = *q, x.sum.scale-1
	}
}

func (x *wideSum) count() (n int64) {
	for _, c := range x.scales {
		n += c.n
	}
	return n + x.others[0] + x.others[1] + x.others[2]
}

// special is the sum when NaN or infinities are in it.
func (x *wideSum) special() (Num, bool) {
	switch {
	case x.others[0] != 0 || x.others[1] != 0 && x.others[2] != 0:
		return Num{Form: NaN}, true
	case x.others[1] != 0:
		return Num{Form: PosInf}, true
	case x.others[2] != 0:
		return Num{Form: NegInf}, true
	}
	return Num{}, false
}

// wide reads the state.
func (s *Sum) wide(spill []byte) (x wideSum) {
	if s.spilled {
		x.decode(spill)
		return x
	}
	x.sum = V(Num{Hi: s.hi, Lo: s.lo, Scale: s.scale}).big()
	if s.n2 != 0 {
		x.scales = append(x.scales, scaleCount{int(s.scale2), s.n2})
	}
	if s.n != 0 {
		x.scales = append(x.scales, scaleCount{int(s.scale), s.n})
	}
	return x
}

// narrow writes the state: into s when it fits, else to spill.
func (s *Sum) narrow(x *wideSum, spill []byte) []byte {
	if t, ok := x.fixed(); ok {
		*s = t
		return spill[:0]
	}
	*s = Sum{spilled: true}
	return x.encode(spill[:0])
}

// fixed is x as a Sum without a spill.
func (x *wideSum) fixed() (s Sum, ok bool) {
	n, ok := x.sum.short()
	if !ok || x.others != [3]int64{} {
		return Sum{}, false
	}
	s = Sum{hi: n.Hi, lo: n.Lo, scale: n.Scale}
	scales := x.scales
	if k := len(scales); k > 0 && scales[k-1].scale == x.sum.scale {
		s.n, scales = scales[k-1].n, scales[:k-1]
	}
	switch len(scales) {
	case 0:
		return s, true
	case 1:
		s.scale2, s.n2 = int16(scales[0].scale), scales[0].n
		return s, true
	}
	return Sum{}, false
}

// encode appends the counts and the coefficient.
func (x *wideSum) encode(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(x.scales)))
	for _, c := range x.scales {
		dst = binary.AppendVarint(binary.AppendUvarint(dst, uint64(c.scale)), c.n)
	}
	for _, n := range x.others {
		dst = binary.AppendVarint(dst, n)
	}
	dst = binary.AppendUvarint(dst, uint64(x.sum.scale))
	dst = append(dst, byte(x.sum.coef.Sign()+1))
	mag := x.sum.coef.Bytes()
	return append(binary.AppendUvarint(dst, uint64(len(mag))), mag...)
}

// decode is the inverse; false for bytes that encode would not write.
func (x *wideSum) decode(b []byte) (rest []byte, ok bool) {
	r := reader{b: b, ok: true}
	k := r.uvarint()
	for i := uint64(0); i < k && r.ok; i++ {
		c := scaleCount{scale: int(r.uvarint() & MaxScale), n: r.varint()}
		if i > 0 && c.scale <= x.scales[i-1].scale || c.n == 0 {
			return b, false
		}
		x.scales = append(x.scales, c)
	}
	for i := range x.others {
		x.others[i] = r.varint()
	}
	x.sum.scale = int(r.uvarint() & MaxScale)
	sign := r.byte()
	x.sum.coef.SetBytes(r.bytes(r.uvarint()))
	if sign == 0 {
		x.sum.coef.Neg(&x.sum.coef)
	}
	return r.b, r.ok && sign <= 2 && int(sign)-1 == x.sum.coef.Sign()
}

// reader takes values off the front of b; ok turns false at the first that is not there.
type reader struct {
	b  []byte
	ok bool
}

func (r *reader) uvarint() uint64 {
	v, w := binary.Uvarint(r.b)
	if w <= 0 {
		r.ok, w = false, 0
	}
	r.b = r.b[w:]
	return v
}

func (r *reader) varint() int64 {
	v, w := binary.Varint(r.b)
	if w <= 0 {
		r.ok, w = false, 0
	}
	r.b = r.b[w:]
	return v
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.ok = false
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.ok = false
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// AppendSum appends s and its spill, to be read by DecodeSum.
func AppendSum(dst []byte, s *Sum, spill []byte) []byte {
	if s.spilled {
		dst = binary.AppendUvarint(append(dst, 1), uint64(len(spill)))
		return append(dst, spill...)
	}
	dst = AppendExact(append(dst, 0), V(Num{Hi: s.hi, Lo: s.lo, Scale: s.scale}))
	dst = binary.AppendVarint(dst, s.n)
	dst = binary.AppendVarint(dst, s.n2)
	if s.n2 != 0 {
		dst = binary.AppendUvarint(dst, uint64(s.scale2))
	}
	return dst
}

// DecodeSum reads a Sum at the start of b. spill is copied, nil when there is none.
func DecodeSum(b []byte) (s Sum, spill, rest []byte, err error) {
	r := reader{b: b, ok: true}
	if r.byte() == 1 {
		spill = append([]byte(nil), r.bytes(r.uvarint())...)
		var x wideSum
		left, ok := x.decode(spill)
		if !r.ok || !ok || len(left) > 0 {
			return Sum{}, nil, b, ErrCorrupt
		}
		return Sum{spilled: true}, spill, r.b, nil
	}
	if !r.ok {
		return Sum{}, nil, b, ErrCorrupt
	}
	n, _, after, err := DecodeExact(nil, r.b)
	if err != nil || n.Form != Finite {
		return Sum{}, nil, b, ErrCorrupt
	}
	r.b = after
	s = Sum{hi: n.Hi, lo: n.Lo, scale: n.Scale, n: r.varint(), n2: r.varint()}
	if s.n2 != 0 {
		s.scale2 = int16(r.uvarint() & MaxScale)
	}
	if !r.ok || b[0] != 0 || s.n2 != 0 && s.scale2 >= s.scale {
		return Sum{}, nil, b, ErrCorrupt
	}
	return s, nil, r.b, nil
}
