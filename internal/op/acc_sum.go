package op

import (
	"math/bits"

	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// outOfRange is PostgreSQL's error for a result that its type cannot have.
func outOfRange(what string) *sql.Error {
	return &sql.Error{Code: sql.NumericOutOfRange, Message: what + " out of range", Pos: -1}
}

// asSQL gives the errors of package numeric and datum the form of a row error.
func asSQL(err error) *sql.Error {
	switch e := err.(type) {
	case nil:
		return nil
	case *sql.Error:
		return e
	case *datum.Error:
		return &sql.Error{Code: e.Code, Message: e.Message, Detail: e.Detail, Hint: e.Hint, Pos: -1}
	}
	return &sql.Error{Code: sql.NumericOutOfRange, Message: err.Error(), Pos: -1}
}

// intSum is sum and avg over integers: a sum of 128 bits (low word, high word), and how many.
type intSum struct {
	headOnly
	avg      bool
	result64 bool   // the result is an integer: an error when it does not fit
	name     uint32 // the result's type
}

func (*intSum) size() int { return 24 }

func (*intSum) add(_ uint32, b []byte, v *zset.Vec, i int, w int64) { addWide(b, v.Ints[i], w) }

// addWide adds x × w to the sum and w to the count.
func addWide(b []byte, x, w int64) {
	hi, lo := uint64(x>>63), uint64(x)
	if w != 1 {
		hi, lo = bits.Mul64(uint64(x), uint64(w))
		hi -= uint64(x>>63)&uint64(w) + uint64(w>>63)&uint64(x)
	}
	lo, carry := bits.Add64(uint64(getInt(b)), lo, 0)
	hi, _ = bits.Add64(uint64(getInt(b[8:])), hi, carry)
	putInt(b, int64(lo))
	putInt(b[8:], int64(hi))
	putInt(b[16:], getInt(b[16:])+w)
}

func (*intSum) addRows(d *groupDelta, places []int32, v *zset.Vec, off int) {
	for _, k := range places {
		if i := int(d.rows[k]); v.Nulls == nil || !v.Null(i) {
			addWide(d.heads[k][off:off+24], v.Ints[i], d.in.Weight(i))
		}
	}
}

func (a *intSum) result(b, _ []byte, out *zset.Vec) *sql.Error {
	lo, hi, n := getInt(b), getInt(b[8:]), getInt(b[16:])
	sum := numeric.Num{Hi: hi, Lo: uint64(lo)}
	switch {
	case n == 0:
		out.AppendNull()
	case a.avg:
		mean, arena, err := numeric.Div(out.Data, numeric.V(sum), numeric.V(numeric.FromInt64(n)))
		return appendNum(out, mean, arena, err)
	case !a.result64:
		out.AppendNumHere(sum)
	case hi != lo>>63:
		out.AppendNull()
		if a.name == datum.OIDMoney {
			return outOfRange("money")
		}
		return outOfRange("bigint")
	default:
		out.AppendInt(lo)
	}
	return nil
}

func appendNum(out *zset.Vec, n numeric.Num, arena []byte, err error) *sql.Error {
	if err != nil {
		out.AppendNull()
		return asSQL(err)
	}
	out.Data = arena
	out.AppendNumHere(n)
	return nil
}

// numericSum is sum and avg over numerics: a numeric.Sum, whose spill is an entry.
type numericSum struct {
	spills
	avg bool
}

func (*numericSum) size() int { return numeric.SumSize }

func (a *numericSum) add(slot uint32, b []byte, v *zset.Vec, i int, w int64) {
	s := numeric.LoadSum(b)
	if !s.Spilled() {
		spill := s.Add(v.Num(i), w, nil)
		s.Put(b)
		if len(spill) > 0 {
			a.set(slot, spill)
		}
		return
	}
	spill := s.Add(v.Num(i), w, append([]byte(nil), a.get(slot)...))
	s.Put(b)
	a.set(slot, spill)
}

func (a *numericSum) addRows(d *groupDelta, places []int32, v *zset.Vec, off int) {
	addEach(a, d, places, v, off)
}

func (a *numericSum) rest(slot uint32, dst []byte) []byte { return append(dst, a.get(slot)...) }
func (a *numericSum) keepsRest() bool                     { return true }

func (a *numericSum) result(b, rest []byte, out *zset.Vec) *sql.Error {
	s := numeric.LoadSum(b)
	switch {
	case s.Count(rest) == 0:
		out.AppendNull()
		return nil
	case a.avg:
		n, arena, err := s.Avg(out.Data, rest)
		return appendNum(out, n, arena, err)
	}
	n, arena, err := s.Value(out.Data, rest)
	return appendNum(out, n, arena, err)
}

// intervalSum is sum and avg over intervals: months, days and microseconds apart, and how many.
type intervalSum struct {
	headOnly
	avg bool
}

func (*intervalSum) size() int { return 40 }

func (*intervalSum) add(_ uint32, b []byte, v *zset.Vec, i int, w int64) {
	x := v.Intervals[i]
	putInt(b, getInt(b)+int64(x.Months)*w)
	putInt(b[8:], getInt(b[8:])+int64(x.Days)*w)
	addWide(b[16:40], x.Micros, w)
}

func (a *intervalSum) addRows(d *groupDelta, places []int32, v *zset.Vec, off int) {
	addEach(a, d, places, v, off)
}

func (a *intervalSum) result(b, _ []byte, out *zset.Vec) *sql.Error {
	months, days, lo, hi, n := getInt(b), getInt(b[8:]), getInt(b[16:]), getInt(b[24:]), getInt(b[32:])
	if n == 0 {
		out.AppendNull()
		return nil
	}
	if hi != lo>>63 || months != int64(int32(months)) || days != int64(int32(days)) {
		out.AppendNull()
		return &sql.Error{Code: sql.DatetimeOverflow, Message: "interval out of range", Pos: -1}
	}
	sum := datum.Interval{Months: int32(months), Days: int32(days), Micros: lo}
	if a.avg {
		mean, err := datetime.DivInterval(sum, float64(n))
		if err != nil {
			out.AppendNull()
			return asSQL(err)
		}
		sum = mean
	}
	out.AppendInterval(sum)
	return nil
}
