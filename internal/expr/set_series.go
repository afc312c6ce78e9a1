package expr

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/sql"
)

func declareSets(r *Registry) {
	for _, t := range []string{"int4", "int8"} {
		r.set("generate_series("+t+","+t+") "+t, intSeries)
		r.set("generate_series("+t+","+t+","+t+") "+t, intSeries)
	}
	r.set("generate_series(numeric,numeric) numeric", numSeries)
	r.set("generate_series(numeric,numeric,numeric) numeric", numSeries)
	r.set("unnest(anyarray) anyelement", unnest)
	r.set("generate_subscripts(anyarray,int4) int4", subscripts)
}

var errStepZero = rowFail(sql.InvalidParameter, "step size cannot equal zero")

func intSeries(s *site) func(r *Row) error {
	return func(r *Row) error {
		from, to, step := r.Int(0), r.Int(1), int64(1)
		if r.Len() == 3 {
			step = r.Int(2)
		}
		if step == 0 {
			return errStepZero
		}
		n := seriesLen(from, to, step)
		switch {
		case n > maxRows:
			return errTooManyRows
		case n > maxHeld && r.most > maxHeld:
			return errTooMuchHeld
		}
		last := min(n, uint64(r.first)+uint64(r.most))
		for k := uint64(r.first); k < last; k++ {
			r.out.AppendInt(from + int64(k)*step)
		}
		r.more = last < n
		return nil
	}
}

// seriesLen is how many integers a series has.
func seriesLen(from, to, step int64) uint64 {
	switch {
	case step > 0 && from <= to:
		return (uint64(to)-uint64(from))/uint64(step) + 1
	case step < 0 && from >= to:
		return (uint64(from)-uint64(to))/-uint64(step) + 1
	}
	return 0
}

func numSeries(*site) func(r *Row) error {
	return func(r *Row) error {
		from, to, step := r.Num(0), r.Num(1), numeric.V(numeric.FromInt64(1))
		if r.Len() == 3 {
			step = r.Num(2)
		}
		for _, a := range []struct {
			v    numeric.Val
			what string
		}{{from, "start value"}, {to, "stop value"}, {step, "step size"}} {
			if a.v.Form == numeric.NaN {
				return rowFail(sql.InvalidParameter, "%s cannot be NaN", a.what)
			}
			if !a.v.IsFinite() {
				return rowFail(sql.InvalidParameter, "%s cannot be infinity", a.what)
			}
		}
		sign := step.Sign()
		if sign == 0 {
			return errStepZero
		}
		last, err := nth(from, step, maxRows)
		switch {
		case err != nil:
			return err
		case numeric.Cmp(last, to)*sign <= 0:
			return errTooManyRows
		}
		x, err := nth(from, step, r.first)
		for n := 0; err == nil && numeric.Cmp(x, to)*sign <= 0; n++ {
			switch {
			case n > maxHeld:
				return errTooMuchHeld
			case n == r.most:
				r.more = true
				return nil
			}
			r.out.AppendNum(x)
			x, err = plus(x, step)
		}
		return err
	}
}

// nth is the value of a series that n others come before.
func nth(from, step numeric.Val, n int) (numeric.Val, error) {
	if n == 0 {
		return from, nil
	}
	by, arena, err := numeric.Mul(nil, step, numeric.V(numeric.FromInt64(int64(n))))
	if err != nil {
		return numeric.Val{}, err
	}
	return plus(from, numeric.Val{Num: by, Arena: arena})
}

func plus(a, b numeric.Val) (numeric.Val, error) {
	n, arena, err := numeric.Add(nil, a, b)
	return numeric.Val{Num: n, Arena: arena}, err
}

func unnest(s *site) func(r *Row) error {
	elem := elementOf(s.args[0].OID)
	return func(r *Row) error {
		a, err := r.array(0, elem)
		if err != nil {
			return err
		}
		r.out.AppendAll(a.elems)
		return nil
	}
}

func subscripts(s *site) func(r *Row) error {
	return func(r *Row) error {
		a, err := datum.ParseArray(r.Bytes(0), datum.Delim(elementOf(s.args[0].OID)))
		if err != nil {
			return err
		}
		if d := r.Int(1); d >= 1 && int(d) <= a.NDim {
			dim := a.Dims[d-1]
			for i := range dim.Len {
				r.out.AppendInt(int64(dim.Lower + i))
			}
		}
		return nil
	}
}
