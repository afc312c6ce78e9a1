package expr

import (
	"math"
	"math/bits"

	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// intType is one of the integer types; a mixed operation has the larger one's range.
type intType struct {
	name   string
	digit  string
	lo, hi int64
	long   string // in errors
}

var intTypes = []intType{
	{"int2", "2", math.MinInt16, math.MaxInt16, "smallint"},
	{"int4", "4", math.MinInt32, math.MaxInt32, "integer"},
	{"int8", "8", math.MinInt64, math.MaxInt64, "bigint"},
}

// errRange is the overflow of the type.
func (t intType) errRange() *sql.Error {
	return rowFail(sql.NumericOutOfRange, "%s out of range", t.long)
}

var errDivisionByZero = rowFail(sql.DivisionByZero, "division by zero")

// arithmetic computes dst = a op b and gives a word that is not 0 when a result may be out of range.
type arithmetic func(dst, a, b []int64, ma, mb int) uint64

// Sums and differences of 64-bit numbers overflowed when their sign is that of neither operand.
func addInts(dst, a, b []int64, ma, mb int) (bad uint64) {
	for i := range dst {
		x, y := a[i&ma], b[i&mb]
		r := x + y
		dst[i] = r
		bad |= uint64((x ^ r) & (y ^ r))
	}
	return bad >> 63
}

func subInts(dst, a, b []int64, ma, mb int) (bad uint64) {
	for i := range dst {
		x, y := a[i&ma], b[i&mb]
		r := x - y
		dst[i] = r
		bad |= uint64((x ^ y) & (x ^ r))
	}
	return bad >> 63
}

// mulInts: factors of 32 bits cannot overflow; others are looked at again.
func mulInts(dst, a, b []int64, ma, mb int) (bad uint64) {
	for i := range dst {
		x, y := a[i&ma], b[i&mb]
		dst[i] = x * y
		bad |= uint64((x+1<<31)|(y+1<<31)) >> 32
	}
	return bad
}

// checked is an exact operation on one row: ok is false when it leaves 64 bits.
type checked func(x, y int64) (r int64, ok bool)

func addChecked(x, y int64) (int64, bool) { r := x + y; return r, (x^r)&(y^r) >= 0 }
func subChecked(x, y int64) (int64, bool) { r := x - y; return r, (x^y)&(x^r) >= 0 }

func mulChecked(x, y int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	top := int64(hi) - x>>63&y - y>>63&x
	return int64(lo), top == int64(lo)>>63
}

// intArithmetic makes the kernel of +, - or * with the range of a type. Only when something may be out of
// range is it looked at row by row.
func intArithmetic(t intType, all arithmetic, one checked) func(*site) kernel {
	overflow := t.errRange()
	return always(func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
		out := ev.column(zset.Int, n)
		ma, mb := strides(args[0], args[1], n)
		a, b := args[0].Ints, args[1].Ints
		bad := all(out.Ints, a, b, ma, mb)
		if t.hi != math.MaxInt64 {
			bad |= outside(out.Ints, t)
		}
		if bad != 0 {
			eachRow(n, skip, func(i int) {
				if r, ok := one(a[i&ma], b[i&mb]); !ok || r < t.lo || r > t.hi {
					out.Ints[i] = 0
					ev.fail(i, overflow)
				}
			})
		}
		return out
	})
}

// outside is not 0 when a value is out of the type's range.
func outside(v []int64, t intType) (bad uint64) {
	for _, x := range v {
		bad |= uint64(x-t.lo) &^ uint64(t.hi-t.lo)
	}
	return bad
}

// intDivision makes the kernel of / or %.
func intDivision(t intType, mod bool) func(*site) kernel {
	overflow := t.errRange()
	return always(func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
		out := ev.column(zset.Int, n)
		clear(out.Ints)
		ma, mb := strides(args[0], args[1], n)
		a, b := args[0].Ints, args[1].Ints
		eachRow(n, skip, func(i int) {
			x, y := a[i&ma], b[i&mb]
			switch {
			case y == 0:
				ev.fail(i, errDivisionByZero)
			case y == -1 && mod:
			case y == -1 && x == t.lo:
				ev.fail(i, overflow)
			case mod:
				out.Ints[i] = x % y
			default:
				out.Ints[i] = x / y
			}
		})
		return out
	})
}

// int1 and int2 make functions of one and of two integers.
func int1(f func(x int64) (int64, error)) func(*site) kernel {
	return perRow(func(r *Row) error {
		v, err := f(r.Int(0))
		r.SetInt(v)
		return err
	})
}

func int2(f func(x, y int64) (int64, error)) func(*site) kernel {
	return perRow(func(r *Row) error {
		v, err := f(r.Int(0), r.Int(1))
		r.SetInt(v)
		return err
	})
}

func declareInts(r *Registry) {
	for ai, a := range intTypes {
		for bi, b := range intTypes {
			wide, name := intTypes[max(ai, bi)], "int"+a.digit+b.digit
			if ai == bi {
				name = "int" + a.digit
			}
			types := "(" + a.name + "," + b.name + ") " + wide.name
			r.op("+", name+"pl"+types, intArithmetic(wide, addInts, addChecked))
			r.op("-", name+"mi"+types, intArithmetic(wide, subInts, subChecked))
			r.op("*", name+"mul"+types, intArithmetic(wide, mulInts, mulChecked))
			// A result cannot leave the left operand's range but for the smallest divided by -1.
			div := wide
			div.lo = max(a.lo, wide.lo)
			if ai < bi {
				div.lo = math.MinInt64
			}
			r.op("/", name+"div"+types, intDivision(div, false))
		}
		declareIntOps(r, a)
	}
}

func declareIntOps(r *Registry, t intType) {
	one, two := "("+t.name+") "+t.name, "("+t.name+","+t.name+") "+t.name
	shift, name := "("+t.name+",int4) "+t.name, t.name
	overflow := t.errRange()
	r.op("%", name+"mod"+two, intDivision(t, true))
	r.fn("mod"+two, intDivision(t, true))
	r.op("+", name+"up"+one, nil)
	negate := int1(func(x int64) (int64, error) {
		if x == t.lo {
			return 0, overflow
		}
		return -x, nil
	})
	abs := int1(func(x int64) (int64, error) {
		if x == t.lo {
			return 0, overflow
		}
		return max(x, -x), nil
	})
	r.op("-", name+"um"+one, negate)
	r.op("@", name+"abs"+one, abs)
	r.fn("abs"+one, abs)
	r.op("&", name+"and"+two, int2(func(x, y int64) (int64, error) { return x & y, nil }))
	r.op("|", name+"or"+two, int2(func(x, y int64) (int64, error) { return x | y, nil }))
	r.op("#", name+"xor"+two, int2(func(x, y int64) (int64, error) { return x ^ y, nil }))
	r.op("~", name+"not"+one, int1(func(x int64) (int64, error) { return ^x, nil }))
	width := map[string]int64{"2": 32, "4": 32, "8": 64}[t.digit] // an int2 is shifted as an int4
	r.op("<<", name+"shl"+shift, int2(func(x, y int64) (int64, error) { return t.wrap(x << (y & (width - 1))), nil }))
	r.op(">>", name+"shr"+shift, int2(func(x, y int64) (int64, error) { return x >> (y & (width - 1)), nil }))
	if t.digit != "2" {
		r.fn("gcd"+two, int2(func(x, y int64) (int64, error) { return t.gcd(x, y) }))
		r.fn("lcm"+two, int2(func(x, y int64) (int64, error) { return t.lcm(x, y) }))
	}
}

// wrap cuts a number to the type's bits.
func (t intType) wrap(x int64) int64 {
	switch t.digit {
	case "2":
		return int64(int16(x))
	case "4":
		return int64(int32(x))
	}
	return x
}

func (t intType) gcd(x, y int64) (int64, error) {
	a, b := magnitude(x), magnitude(y)
	for b != 0 {
		a, b = b, a%b
	}
	if a > uint64(t.hi) {
		return 0, t.errRange()
	}
	return int64(a), nil
}

func (t intType) lcm(x, y int64) (int64, error) {
	if x == 0 || y == 0 {
		return 0, nil
	}
	g, err := t.gcd(x, y)
	if err != nil {
		return 0, err
	}
	r, ok := mulChecked(x/g, y)
	if !ok || r == math.MinInt64 || max(r, -r) > t.hi {
		return 0, t.errRange()
	}
	return max(r, -r), nil
}

// magnitude is |x|, also of the smallest number.
func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}
