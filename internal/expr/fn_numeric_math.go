package expr

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

func declareNumericMath(r *Registry) {
	const one, two = "(numeric) numeric", "(numeric,numeric) numeric"
	r.fn("sqrt"+one, num1(numeric.Sqrt))
	r.fn("exp"+one, num1(numeric.Exp))
	r.fn("ln"+one, num1(numeric.Ln))
	r.fn("log"+two, num2(numeric.Log))
	log10 := num1(func(dst []byte, v numeric.Val) (numeric.Num, []byte, error) {
		return numeric.Log(dst, numeric.V(numeric.FromInt64(10)), v)
	})
	r.fn("log"+one, log10)
	r.fn("log10"+one, log10)
	r.op("^", "numeric_power"+two, num2(numeric.Power))
	r.fn("power"+two, num2(numeric.Power))
	r.fn("pow"+two, num2(numeric.Power))
	r.fn("min_scale(numeric) int4", perRow(func(r *Row) error {
		v := r.Num(0)
		if !v.IsFinite() {
			r.SetNull()
			return nil
		}
		r.SetInt(int64(minScale(v)))
		return nil
	}))
	r.fn("trim_scale"+one, num1(func(dst []byte, v numeric.Val) (numeric.Num, []byte, error) {
		if !v.IsFinite() {
			return v.Num, dst, nil
		}
		return numeric.Trunc(dst, v, minScale(v))
	}))
	r.fn("factorial(int8) numeric", perRow(factorial))
	r.fn("width_bucket(numeric,numeric,numeric,int4) int4", perRow(widthBucket))
	r.fn("width_bucket(float8,float8,float8,int4) int4", perRow(widthBucketFloat))
	r.fn("width_bucket(anycompatible,anycompatiblearray) int4", arrayKernel(1, widthBucketArray))
	declareRandom(r)
}

// minScale is the digits after the point that are needed.
func minScale(v numeric.Val) int {
	text := numeric.AppendText(nil, v)
	scale := int(v.Scale)
	for scale > 0 && text[len(text)-1] == '0' {
		text, scale = text[:len(text)-1], scale-1
	}
	return scale
}

// maxFactorial is the largest number whose factorial fits the format.
const maxFactorial = 32177

func factorial(r *Row) error {
	n := r.Int(0)
	switch {
	case n < 0:
		return rowFail(sql.NumericOutOfRange, "factorial of a negative number is undefined")
	case n > maxFactorial:
		return rowFail(sql.NumericOutOfRange, "value overflows numeric format")
	}
	return r.setNum(numeric.FromText(r.data(), new(big.Int).MulRange(1, max(n, 1)).Append(nil, 10)))
}

var (
	errBuckets = rowFail(sql.InvalidWidthBucket, "count must be greater than zero")
	errBounds  = rowFail(sql.InvalidWidthBucket, "lower bound cannot equal upper bound")
)

func widthBucket(r *Row) error {
	v, lo, hi, count := r.Num(0), r.Num(1), r.Num(2), r.Int(3)
	switch {
	case count <= 0:
		return errBuckets
	case v.Form == numeric.NaN || lo.Form == numeric.NaN || hi.Form == numeric.NaN:
		return rowFail(sql.InvalidWidthBucket, "operand, lower bound, and upper bound cannot be NaN")
	case !lo.IsFinite() || !hi.IsFinite():
		return rowFail(sql.InvalidWidthBucket, "lower and upper bounds must be finite")
	}
	order := numeric.Cmp(lo, hi)
	if order == 0 {
		return errBounds
	}
	switch {
	case numeric.Cmp(v, lo)*order > 0:
		r.SetInt(0)
		return nil
	case numeric.Cmp(v, hi)*order <= 0:
		return r.setBucket(count + 1)
	}
	// count × (v - lo) ÷ (hi - lo), cut off.
	a, dst, err := numeric.Sub(nil, v, lo)
	if err != nil {
		return err
	}
	a, dst, err = numeric.Mul(dst, numeric.Val{Num: a, Arena: dst}, numeric.V(numeric.FromInt64(count)))
	if err != nil {
		return err
	}
	b, dst, err := numeric.Sub(dst, hi, lo)
	if err != nil {
		return err
	}
	q, dst, err := numeric.Quo(dst, numeric.Val{Num: a, Arena: dst}, numeric.Val{Num: b, Arena: dst})
	if err != nil {
		return err
	}
	n, err := numeric.ToInt64(numeric.Val{Num: q, Arena: dst}, math.MinInt32, math.MaxInt32, "integer")
	if err != nil {
		return err
	}
	return r.setBucket(min(n, count-1) + 1)
}

func (r *Row) setBucket(n int64) error {
	if n > math.MaxInt32 {
		return rowFail(sql.NumericOutOfRange, "integer out of range")
	}
	r.SetInt(n)
	return nil
}

func widthBucketFloat(r *Row) error {
	v, lo, hi, count := r.Float(0), r.Float(1), r.Float(2), r.Int(3)
	switch {
	case count <= 0:
		return errBuckets
	case v != v || lo != lo || hi != hi:
		return rowFail(sql.InvalidWidthBucket, "operand, lower bound, and upper bound cannot be NaN")
	case math.IsInf(lo, 0) || math.IsInf(hi, 0):
		return rowFail(sql.InvalidWidthBucket, "lower and upper bounds must be finite")
	case lo == hi:
		return errBounds
	}
	below, above := v < lo, v >= hi
	if lo > hi {
		below, above = v > lo, v <= hi
	}
	switch {
	case below:
		r.SetInt(0)
		return nil
	case above:
		return r.setBucket(count + 1)
	}
	share := (v/2 - lo/2) / (hi/2 - lo/2)
	return r.setBucket(min(int64(share*float64(count)), count-1) + 1)
}

// widthBucketArray finds a value among ascending bounds.
func widthBucketArray(r *Row, elem uint32) error {
	a, err := r.array(1, elem)
	switch {
	case err != nil:
		return err
	case len(a.dims) > 1:
		return rowFail(sql.ArraySubscript, "thresholds must be one-dimensional array")
	case a.elems.HasNulls():
		return rowFail(sql.NullNotAllowed, "thresholds array must not contain NULLs")
	}
	v, lo, hi := &r.args[0], 0, a.elems.N
	for lo < hi {
		mid := (lo + hi) / 2
		if orderValues(elem, v.v, r.i&v.mask, a.elems, mid) < 0 {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	r.SetInt(int64(lo))
	return nil
}

// declareRandom has what is different at every call. Where it comes from is the caller's: Env.Random.
func declareRandom(r *Registry) {
	r.fn("random() float8", always(rowKernel(zset.Float, func(r *Row) error {
		bits, err := r.random()
		r.SetFloat(float64(bits>>11) / (1 << 53))
		return err
	})), volatile)
	r.fn("gen_random_uuid() uuid", always(rowKernel(zset.Bytes, func(r *Row) error {
		hi, err := r.random()
		if err != nil {
			return err
		}
		lo, err := r.random()
		id := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, hi), lo)
		id[6] = id[6]&0x0f | 0x40 // version 4
		id[8] = id[8]&0x3f | 0x80 // variant 1
		r.SetBytes(id)
		return err
	})), volatile)
	r.fn("clock_timestamp() timestamptz", perRow(func(r *Row) error {
		r.SetInt(int64(r.Env().Now))
		return nil
	}), volatile)
}

var errNoRandom = rowFail(sql.FeatureNotSupported, "random values are not available here")

func (r *Row) random() (uint64, error) {
	if r.Env().Random == nil {
		return 0, errNoRandom
	}
	return r.Env().Random(), nil
}
