package expr

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// Row is one row of a call, for functions that are written row by row: it reads the arguments
// and takes the result. It is reused: valid until the function returns.
type Row struct {
	ev   *evaluation
	args []argument
	out  *zset.Vec
	i    int

	// Of a set function, see Expander: rows it gave before, how many to give now, and whether there are others.
	first, most int
	more        bool
}

// argument is a column, or one value for all rows: then its index mask is 0.
type argument struct {
	v    *zset.Vec
	mask int
}

func argumentOf(v *zset.Vec, n int) argument {
	if v.N == 1 && n != 1 {
		return argument{v, 0}
	}
	return argument{v, -1}
}

// index masks for loops over two columns: a[i&ma].
func strides(a, b *zset.Vec, n int) (ma, mb int) {
	return argumentOf(a, n).mask, argumentOf(b, n).mask
}

// Env is what the evaluation may depend on.
func (r *Row) Env() *Env { return r.ev.env }

// Len is the number of arguments.
func (r *Row) Len() int { return len(r.args) }

// Null tells whether argument k is NULL.
func (r *Row) Null(k int) bool { a := &r.args[k]; return a.v.Null(r.i & a.mask) }

// Int, Bool, Float, Num, Interval and Bytes are argument k, which has to be of that kind. Bytes borrows.
func (r *Row) Int(k int) int64               { a := &r.args[k]; return a.v.Ints[r.i&a.mask] }
func (r *Row) Bool(k int) bool               { return r.Int(k) != 0 }
func (r *Row) Float(k int) float64           { a := &r.args[k]; return a.v.Floats[r.i&a.mask] }
func (r *Row) Num(k int) numeric.Val         { a := &r.args[k]; return a.v.Num(r.i & a.mask) }
func (r *Row) Interval(k int) datum.Interval { a := &r.args[k]; return a.v.Intervals[r.i&a.mask] }
func (r *Row) Bytes(k int) []byte            { a := &r.args[k]; return a.v.Bytes(r.i & a.mask) }

// SetInt and the others give the result. Without one it is the zero value.
func (r *Row) SetInt(x int64)               { r.out.Ints[r.i] = x }
func (r *Row) SetFloat(x float64)           { r.out.Floats[r.i] = x }
func (r *Row) SetInterval(x datum.Interval) { r.out.Intervals[r.i] = x }
func (r *Row) SetNull()                     { r.out.SetNull(r.i) }

// SetNum gives a numeric result.
func (r *Row) SetNum(x numeric.Val) {
	n := x.Num
	if n.Form == numeric.Big {
		n, r.out.Data = numeric.Copy(r.out.Data, x)
	}
	r.out.Nums[r.i] = n
}

// SetBool gives a boolean result.
func (r *Row) SetBool(x bool) {
	r.out.Ints[r.i] = 0
	if x {
		r.out.Ints[r.i] = 1
	}
}

// SetBytes gives a result of kind Bytes; b is copied.
func (r *Row) SetBytes(b []byte) {
	off := len(r.out.Data)
	r.out.Data = append(r.out.Data, b...)
	r.tail(off)
}

// SetString is SetBytes.
func (r *Row) SetString(s string) {
	off := len(r.out.Data)
	r.out.Data = append(r.out.Data, s...)
	r.tail(off)
}

// data is the arena of the result, to append to; set makes what was appended the result.
func (r *Row) data() []byte { return r.out.Data }

func (r *Row) set(data []byte) {
	off := len(r.out.Data)
	r.out.Data = data
	r.tail(off)
}

func (r *Row) tail(off int) {
	r.out.Refs[r.i] = zset.Ref{Off: uint32(off), Len: uint32(len(r.out.Data) - off)}
}

// setNum takes what a function of package numeric returns for r.data().
func (r *Row) setNum(n numeric.Num, arena []byte, err error) error {
	r.out.Data = arena
	if err != nil {
		return err
	}
	r.out.Nums[r.i] = n
	return nil
}

// maxData bounds the octets of one result column. More is an error of the row.
const maxData = 1 << 30

// maxValue bounds the octets of one value.
const maxValue = 1 << 27

var errTooLong = rowFail(sql.ProgramLimitExceeded, "requested length too large")

// perRow makes a kernel of a function of one row.
func perRow(f func(r *Row) error) func(*site) kernel {
	return func(s *site) kernel { return rowKernel(zset.KindOf(s.result.OID), f) }
}

func rowKernel(kind zset.Kind, f func(r *Row) error) kernel {
	return func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
		r := Row{ev: ev, out: ev.column(kind, n), args: make([]argument, len(args))}
		if kind != zset.Bytes && kind != zset.Interval {
			zero(r.out)
		}
		for k, v := range args {
			r.args[k] = argumentOf(v, n)
		}
		if kind == zset.Bytes {
			r.out.Data = make([]byte, 0, 16*n)
		}
		eachRow(n, skip, func(i int) {
			r.i = i
			if err := f(&r); err != nil {
				ev.fail(i, err)
			}
			if len(r.out.Data) > maxData {
				r.out.Data, r.out.Refs[i] = r.out.Data[:r.out.Refs[i].Off], zset.Ref{}
				ev.fail(i, errTooLong)
			}
		})
		return r.out
	}
}

func zero(v *zset.Vec) {
	clear(v.Ints)
	clear(v.Floats)
	clear(v.Nums)
}

// slicing makes a kernel of a function whose result lies within its first argument: nothing is copied.
func slicing(f func(r *Row, s []byte) (lo, hi int, err error)) func(*site) kernel {
	return func(*site) kernel {
		return func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
			r := Row{ev: ev, out: ev.column(zset.Bytes, n), args: make([]argument, len(args))}
			for k, v := range args {
				r.args[k] = argumentOf(v, n)
			}
			src, mask := args[0], r.args[0].mask
			r.out.Data = src.Data[:len(src.Data):len(src.Data)]
			eachRow(n, skip, func(i int) {
				r.i = i
				ref := src.Refs[i&mask]
				lo, hi, err := f(&r, src.Data[ref.Off:ref.Off+ref.Len])
				if err != nil {
					ev.fail(i, err)
				}
				r.out.Refs[i] = zset.Ref{Off: ref.Off + uint32(lo), Len: uint32(hi - lo)}
			})
			return r.out
		}
	}
}
