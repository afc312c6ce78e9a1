package numeric

import (
	"math/bits"
)

// Sum is the exact sum of a multiset of numerics that come and go. It is a plain
// value of fixed size without pointers; what does not fit (more than 38 digits, more
// than two display scales at once, NaN, infinities) spills to bytes that the caller
// keeps beside it. The zero Sum is empty. Two Sums of the same multiset are equal, and
// so are their spills.
//
// The sum is shown with as many digits as the value in it that is shown with most.
type Sum struct {
	hi      int64 // coefficient at scale
	lo      uint64
	n, n2   int64 // how many values have scale, and scale2
	scale   int16 // the larger one
	scale2  int16 // of no meaning when n2 is 0
	spilled bool
}

// Add adds w copies of v; a negative w takes them away. spill is what the last call
// gave for this Sum, nil at first; it comes back, changed, and is empty mostly.
func (s *Sum) Add(v Val, w int64, spill []byte) []byte {
	if w == 1 && v.Form == Finite && v.Scale == s.scale && s.n > 0 {
		lo, c := bits.Add64(s.lo, v.Lo, 0)
		if hi := s.hi + v.Hi + int64(c); uint64(hi+limit) < 2*limit {
			s.hi, s.lo = hi, lo
			s.n++
			return spill
		}
	}
	if v.Form == Finite && !s.spilled && s.addFast(v.Num, w) {
		return spill
	}
	return s.addSlow(v, w, spill)
}

// AddInt64 is Add for an integer.
func (s *Sum) AddInt64(v, w int64, spill []byte) []byte {
	if n := s.n + w; s.scale == 0 && s.n2 == 0 && !s.spilled && n != 0 {
		h, l := mulSigned(v, w)
		lo, c := bits.Add64(s.lo, l, 0)
		if hi := s.hi + h + int64(c); uint64(hi+limit) < 2*limit {
			s.hi, s.lo, s.n = hi, lo, n
			return spill
		}
	}
	return s.Add(V(FromInt64(v)), w, spill)
}

// addFast adds when v's scale is the one that the sum has; false when it changed nothing.
func (s *Sum) addFast(v Num, w int64) bool {
	if v.Scale != s.scale {
		if s.n|s.n2 != 0 || s.hi != 0 || s.lo != 0 {
			return s.n2 != 0 && v.Scale == s.scale2 && s.addLower(v, w)
		}
		*s = Sum{scale: v.Scale}
	}
	n := s.n + w
	if n == 0 && v.Scale != 0 {
		return s.emptied(v, w)
	}
	if !s.accumulate(v, w) {
		return false
	}
	s.n = n
	return true
}

// addLower adds a value of the smaller scale, when that stays.
func (s *Sum) addLower(v Num, w int64) bool {
	v, ok := rescale(v, s.scale)
	if !ok || s.n2+w == 0 || !s.accumulate(v, w) {
		return false
	}
	s.n2 += w
	return true
}

// emptied takes the last value away; false when it is not the last.
func (s *Sum) emptied(v Num, w int64) bool {
	if s.n2 != 0 {
		return false
	}
	t := *s
	if !t.accumulate(v, w) || t.hi != 0 || t.lo != 0 {
		return false
	}
	*s = Sum{}
	return true
}

// accumulate adds w × v, of the sum's scale, to the coefficient.
func (s *Sum) accumulate(v Num, w int64) bool {
	switch w {
	case 1:
	case -1:
		v = neg(v)
	default:
		p, ok := Mul128(v, FromInt64(w))
		if !ok {
			return false
		}
		v = p
	}
	lo, c := bits.Add64(s.lo, v.Lo, 0)
	hi := s.hi + v.Hi + int64(c)
	if !inRange(hi, lo) {
		return false
	}
	s.hi, s.lo = hi, lo
	return true
}

func (s *Sum) addSlow(v Val, w int64, spill []byte) []byte {
	x := s.wide(spill)
	x.add(v, w)
	return s.narrow(&x, spill)
}

// Merge adds all that o, whose spill is given, holds.
func (s *Sum) Merge(o *Sum, oSpill, spill []byte) []byte {
	x, y := s.wide(spill), o.wide(oSpill)
	x.merge(&y)
	return s.narrow(&x, spill)
}

// Count is how many values are in the sum.
func (s *Sum) Count(spill []byte) int64 {
	if !s.spilled {
		return s.n + s.n2
	}
	x := s.wide(spill)
	return x.count()
}

// Value is the sum. Of no values it is 0, where PostgreSQL has NULL. dst as in Add.
func (s *Sum) Value(dst, spill []byte) (Num, []byte, error) {
	if !s.spilled {
		return Num{Hi: s.hi, Lo: s.lo, Scale: s.scale}, dst, nil
	}
	x := s.wide(spill)
	if n, special := x.special(); special {
		return n, dst, nil
	}
	return x.sum.num(dst)
}

// Avg is the mean of the values, of which there must be one, with PostgreSQL's choice of
// digits. dst as in Add.
func (s *Sum) Avg(dst, spill []byte) (Num, []byte, error) {
	sum, arena, err := s.Value(nil, spill)
	if err != nil {
		return Num{}, dst, err
	}
	return Div(dst, Val{sum, arena}, V(FromInt64(s.Count(spill))))
}
