package expr

import (
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/zset"
)

// numericColumns are the operations that package numeric does a column at a time.
type numericColumns func(out *numeric.Col, a, b numeric.Col, n int, fail func(i int, err error))

func numericArithmetic(op numericColumns) func(*site) kernel {
	return always(func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
		out := ev.column(zset.Numeric, n)
		col := numeric.Col{Nums: out.Nums[:0]}
		op(&col, args[0].NumCol(), args[1].NumCol(), n, func(i int, err error) {
			if !has(skip, i) {
				ev.fail(i, err)
			}
		})
		out.Nums, out.Data = col.Nums, col.Arena
		return out
	})
}

// num1 and num2 make functions of one and of two numerics.
func num1(f func(dst []byte, v numeric.Val) (numeric.Num, []byte, error)) func(*site) kernel {
	return perRow(func(r *Row) error { return r.setNum(f(r.data(), r.Num(0))) })
}

func num2(f func(dst []byte, a, b numeric.Val) (numeric.Num, []byte, error)) func(*site) kernel {
	return perRow(func(r *Row) error { return r.setNum(f(r.data(), r.Num(0), r.Num(1))) })
}

func declareNumerics(r *Registry) {
	const one, two = "(numeric) numeric", "(numeric,numeric) numeric"
	r.op("+", "numeric_add"+two, numericArithmetic(numeric.AddCols))
	r.op("-", "numeric_sub"+two, numericArithmetic(numeric.SubCols))
	r.op("*", "numeric_mul"+two, numericArithmetic(numeric.MulCols))
	r.op("/", "numeric_div"+two, num2(numeric.Div))
	r.op("%", "numeric_mod"+two, num2(numeric.Mod))
	r.fn("mod"+two, num2(numeric.Mod))
	r.fn("div"+two, num2(numeric.Quo))
	r.op("+", "numeric_uplus"+one, nil)
	negate := perRow(func(r *Row) error {
		n, arena := numeric.Neg(r.data(), r.Num(0))
		return r.setNum(n, arena, nil)
	})
	abs := perRow(func(r *Row) error {
		n, arena := numeric.Abs(r.data(), r.Num(0))
		return r.setNum(n, arena, nil)
	})
	r.op("-", "numeric_uminus"+one, negate)
	r.op("@", "numeric_abs"+one, abs)
	r.fn("abs"+one, abs)
	r.fn("sign"+one, perRow(func(r *Row) error {
		if n := r.Num(0).Num; n.Form == numeric.NaN {
			r.out.Nums[r.i] = n
		} else {
			r.out.Nums[r.i] = numeric.FromInt64(int64(r.Num(0).Sign()))
		}
		return nil
	}))
	r.fn("ceil"+one, num1(numeric.Ceil))
	r.fn("ceiling"+one, num1(numeric.Ceil))
	r.fn("floor"+one, num1(numeric.Floor))
	round := func(f func(dst []byte, v numeric.Val, n int) (numeric.Num, []byte, error), name string) {
		r.fn(name+one, num1(func(dst []byte, v numeric.Val) (numeric.Num, []byte, error) { return f(dst, v, 0) }))
		r.fn(name+"(numeric,int4) numeric", perRow(func(r *Row) error { return r.setNum(f(r.data(), r.Num(0), int(r.Int(1)))) }))
	}
	round(numeric.Round, "round")
	round(numeric.Trunc, "trunc")
	r.fn("scale(numeric) int4", perRow(func(r *Row) error {
		if n := r.Num(0); n.IsFinite() {
			r.SetInt(int64(n.Scale))
		} else {
			r.SetNull()
		}
		return nil
	}))
}
