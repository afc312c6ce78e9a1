package expr

import (
	"math"

	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// floatArithmetic is an operation that may overflow, or underflow to zero.
type floatArithmetic struct {
	all func(dst, a, b []float64, ma, mb int)
	// err looks at one row whose result is infinite, NaN or zero.
	err func(x, y, r float64) error
}

func addFloats(dst, a, b []float64, ma, mb int) {
	for i := range dst {
		dst[i] = a[i&ma] + b[i&mb]
	}
}

func subFloats(dst, a, b []float64, ma, mb int) {
	for i := range dst {
		dst[i] = a[i&ma] - b[i&mb]
	}
}

func mulFloats(dst, a, b []float64, ma, mb int) {
	for i := range dst {
		dst[i] = a[i&ma] * b[i&mb]
	}
}

func divFloats(dst, a, b []float64, ma, mb int) {
	for i := range dst {
		dst[i] = a[i&ma] / b[i&mb]
	}
}

func sumError(x, y, r float64) error {
	if math.IsInf(r, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
		return errFloatOverflow
	}
	return nil
}

func mulError(x, y, r float64) error {
	if r == 0 && x != 0 && y != 0 {
		return errFloatUnderflow
	}
	return sumError(x, y, r)
}

func divError(x, y, r float64) error {
	switch {
	case y == 0 && x == x:
		return errDivisionByZero
	case r == 0 && x != 0 && !math.IsInf(y, 0):
		return errFloatUnderflow
	case math.IsInf(r, 0) && !math.IsInf(x, 0):
		return errFloatOverflow
	}
	return nil
}

// floatKernel computes in 64 bits and, for real, rounds to 32: the same as computing in 32 for the four
// operations. Rows whose result is not a plain number are looked at.
func floatKernel(op floatArithmetic, real bool) func(*site) kernel {
	return always(func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec {
		out := ev.column(zset.Float, n)
		ma, mb := strides(args[0], args[1], n)
		a, b := args[0].Floats, args[1].Floats
		op.all(out.Floats, a, b, ma, mb)
		odd := false
		for i, r := range out.Floats {
			if real {
				r = float64(float32(r))
				out.Floats[i] = r
			}
			odd = odd || r-r != 0 || r == 0
		}
		if odd {
			eachRow(n, skip, func(i int) {
				if r := out.Floats[i]; r-r != 0 || r == 0 {
					if err := op.err(a[i&ma], b[i&mb], r); err != nil {
						ev.fail(i, err)
					}
				}
			})
		}
		return out
	})
}

// float1 and float2 make functions of one and of two floats.
func float1(f func(x float64) (float64, error)) func(*site) kernel {
	return perRow(func(r *Row) error {
		v, err := f(r.Float(0))
		r.SetFloat(v)
		return err
	})
}

func float2(f func(x, y float64) (float64, error)) func(*site) kernel {
	return perRow(func(r *Row) error {
		v, err := f(r.Float(0), r.Float(1))
		r.SetFloat(v)
		return err
	})
}

// total is a function that never fails.
func total(f func(float64) float64) func(float64) (float64, error) {
	return func(x float64) (float64, error) { return f(x), nil }
}

func declareFloats(r *Registry) {
	for _, a := range []string{"4", "8"} {
		for _, b := range []string{"4", "8"} {
			name, result, real := "float"+a+b, "8", a == "4" && b == "4"
			if a == b {
				name, result = "float"+a, a
			}
			types := "(float" + a + ",float" + b + ") float" + result
			r.op("+", name+"pl"+types, floatKernel(floatArithmetic{addFloats, sumError}, real))
			r.op("-", name+"mi"+types, floatKernel(floatArithmetic{subFloats, sumError}, real))
			r.op("*", name+"mul"+types, floatKernel(floatArithmetic{mulFloats, mulError}, real))
			r.op("/", name+"div"+types, floatKernel(floatArithmetic{divFloats, divError}, real))
		}
		one := "(float" + a + ") float" + a
		r.op("+", "float"+a+"up"+one, nil)
		r.op("-", "float"+a+"um"+one, float1(total(func(x float64) float64 { return -x })))
		r.op("@", "float"+a+"abs"+one, float1(total(math.Abs)))
		r.fn("abs"+one, float1(total(math.Abs)))
	}
	r.op("^", "dpow(float8,float8) float8", float2(power))
	r.op("|/", "dsqrt(float8) float8", float1(sqrt))
	r.op("||/", "dcbrt(float8) float8", float1(total(math.Cbrt)))
	declareFloatMath(r)
}

func declareFloatMath(r *Registry) {
	one := func(name string, f func(float64) (float64, error)) { r.fn(name+"(float8) float8", float1(f)) }
	one("sqrt", sqrt)
	one("cbrt", total(math.Cbrt))
	one("ceil", total(math.Ceil))
	one("ceiling", total(math.Ceil))
	one("floor", total(math.Floor))
	one("round", total(math.RoundToEven))
	one("trunc", total(math.Trunc))
	one("sign", total(func(x float64) float64 {
		return float64(bit(x > 0) - bit(x < 0)) // NaN too is 0
	}))
	one("exp", exp)
	one("ln", logarithm(math.Log))
	one("log", logarithm(math.Log10))
	one("log10", logarithm(math.Log10))
	one("degrees", func(x float64) (float64, error) { return ranged(x, x/(math.Pi/180)) })
	one("radians", func(x float64) (float64, error) { return ranged(x, x*(math.Pi/180)) })
	one("sin", trigonometric(math.Sin))
	one("cos", trigonometric(math.Cos))
	one("tan", trigonometric(math.Tan))
	one("cot", trigonometric(func(x float64) float64 { return 1 / math.Tan(x) }))
	one("asin", within1(math.Asin))
	one("acos", within1(math.Acos))
	one("atan", total(math.Atan))
	one("sinh", total(math.Sinh))
	one("cosh", total(math.Cosh))
	one("tanh", total(math.Tanh))
	two := func(name string, f func(x, y float64) (float64, error)) {
		r.fn(name+"(float8,float8) float8", float2(f))
	}
	two("atan2", func(x, y float64) (float64, error) { return math.Atan2(x, y), nil })
	two("power", power)
	two("pow", power)
	r.fn("pi() float8", perRow(func(r *Row) error {
		r.SetFloat(math.Pi)
		return nil
	}))
}

func ranged(x, r float64) (float64, error) {
	if math.IsInf(r, 0) && !math.IsInf(x, 0) {
		return 0, errFloatOverflow
	}
	return r, nil
}

func sqrt(x float64) (float64, error) {
	if x < 0 {
		return 0, rowFail(sql.InvalidPowerArgument, "cannot take square root of a negative number")
	}
	return math.Sqrt(x), nil
}

func exp(x float64) (float64, error) {
	r := math.Exp(x)
	switch {
	case math.IsInf(r, 0) && !math.IsInf(x, 0):
		return 0, errFloatOverflow
	case r == 0 && !math.IsInf(x, 0):
		return 0, errFloatUnderflow
	}
	return r, nil
}

func logarithm(f func(float64) float64) func(float64) (float64, error) {
	return func(x float64) (float64, error) {
		switch {
		case x == 0:
			return 0, rowFail(sql.InvalidLogArgument, "cannot take logarithm of zero")
		case x < 0:
			return 0, rowFail(sql.InvalidLogArgument, "cannot take logarithm of a negative number")
		}
		return f(x), nil
	}
}

var errInput = rowFail(sql.NumericOutOfRange, "input is out of range")

func trigonometric(f func(float64) float64) func(float64) (float64, error) {
	return func(x float64) (float64, error) {
		if math.IsInf(x, 0) {
			return 0, errInput
		}
		return f(x), nil
	}
}

func within1(f func(float64) float64) func(float64) (float64, error) {
	return func(x float64) (float64, error) {
		if x < -1 || x > 1 {
			return 0, errInput
		}
		return f(x), nil
	}
}

func power(x, y float64) (float64, error) {
	switch {
	case x == 0 && y < 0:
		return 0, rowFail(sql.InvalidPowerArgument, "zero raised to a negative power is undefined")
	case x < 0 && y != math.Floor(y) && !math.IsInf(y, 0):
		return 0, rowFail(sql.InvalidPowerArgument, "a negative number raised to a non-integer power yields a complex result")
	}
	r := math.Pow(x, y)
	finite := !math.IsInf(x, 0) && !math.IsInf(y, 0)
	switch {
	case finite && math.IsInf(r, 0):
		return 0, errFloatOverflow
	case finite && r == 0 && x != 0:
		return 0, errFloatUnderflow
	}
	return r, nil
}
