package op_test

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/zset"
)

// Columns of the input of aggregates.
var (
	aggTypes = []uint32{datum.OIDInt4, datum.OIDText, datum.OIDInt8, datum.OIDFloat8, datum.OIDNumeric, datum.OIDInterval, datum.OIDBool, datum.OIDBool}
	aggKinds = kindsOf(aggTypes)
)

func kindsOf(oids []uint32) (kinds []zset.Kind) {
	for _, oid := range oids {
		kinds = append(kinds, zset.KindOf(oid))
	}
	return kinds
}

// aggRow draws rows of aggKinds.
func aggRow() *rapid.Generator[row] {
	return rapid.Custom(func(t *rapid.T) row {
		r := small(aggKinds).Draw(t, "values")
		for _, k := range []int{6, 7} {
			if r[k] != nil {
				r[k] = int64(rapid.IntRange(0, 1).Draw(t, "bool"))
			}
		}
		return r
	})
}

// aggOf is an aggregate function over a column, as resolution gives it.
func aggOf(kind expr.AggKind, col int) *expr.Aggregate {
	fn := &expr.Aggregate{Name: "agg", Kind: kind}
	if col >= 0 {
		fn.Arg = datum.Ref(aggTypes[col])
	}
	result := fn.Arg.OID
	switch {
	case kind == expr.AggCount:
		result = datum.OIDInt8
	case kind == expr.AggSum && result == datum.OIDInt4:
		result = datum.OIDInt8
	case kind == expr.AggSum && result == datum.OIDInt8, kind == expr.AggAvg && zset.KindOf(result) == zset.Int:
		result = datum.OIDNumeric
	}
	fn.Result = datum.Ref(result)
	return fn
}

// drawAggs draws some aggregates over aggKinds.
func drawAggs(t *rapid.T) (aggs []plan.Agg) {
	for range rapid.IntRange(1, 4).Draw(t, "aggregates") {
		kind := rapid.SampledFrom([]expr.AggKind{expr.AggCount, expr.AggSum, expr.AggAvg, expr.AggMin, expr.AggMax, expr.AggBoolAnd, expr.AggBoolOr}).Draw(t, "kind")
		cols := []int{-1, 0, 1, 2, 3, 4, 5, 6}
		switch kind {
		case expr.AggSum, expr.AggAvg:
			cols = []int{0, 2, 3, 4, 5}
		case expr.AggMin, expr.AggMax:
			cols = []int{0, 1, 2, 3, 4, 5}
		case expr.AggBoolAnd, expr.AggBoolOr:
			cols = []int{6, 7}
		}
		a := plan.Agg{Arg: rapid.SampledFrom(cols).Draw(t, "column"), Filter: rapid.SampledFrom([]int{-1, 6, 7}).Draw(t, "filter")}
		a.Fn = aggOf(kind, a.Arg)
		// How a mean of numerics is shown rests on which of 1.0 and 1.00 is kept.
		a.Distinct = a.Arg >= 0 && rapid.Bool().Draw(t, "distinct") && !(kind == expr.AggAvg && a.Arg == 4)
		aggs = append(aggs, a)
	}
	return aggs
}

// plainly writes equal values in one way: which one of them a group shows is its own affair.
func plainly(x any) any {
	switch x := x.(type) {
	case num:
		if x == "1.00" {
			return num("1.0")
		}
	case datum.Interval:
		return datum.Interval{Days: x.Days + 30*x.Months, Micros: x.Micros}
	case float64:
		if x != x {
			return "NaN"
		}
	}
	return x
}

// batchAgg is one aggregate over rows of a group.
func batchAgg(a plan.Agg, rows []weighted) any {
	var values []weighted
	seen := map[any]bool{}
	n := int64(0)
	for _, r := range rows {
		if a.Filter >= 0 && r.row[a.Filter] != int64(1) {
			continue
		}
		if a.Arg >= 0 {
			x := plainly(r.row[a.Arg])
			if x == nil || a.Distinct && seen[x] {
				continue
			}
			seen[x] = true
			if a.Distinct {
				r.w = 1
				r.row = slices.Clone(r.row)
				if x != "NaN" {
					r.row[a.Arg] = x
				}
			}
			values = append(values, weighted{row{r.row[a.Arg]}, r.w})
		}
		n += r.w
	}
	switch {
	case a.Fn.Kind == expr.AggCount:
		return n
	case n == 0:
		return nil
	}
	return reduce(a.Fn, values, n)
}

// reduce is an aggregate of values, of which there are some.
func reduce(fn *expr.Aggregate, values []weighted, n int64) any {
	switch fn.Kind {
	case expr.AggBoolAnd, expr.AggBoolOr:
		out := values[0].row[0].(int64)
		for _, v := range values {
			if fn.Kind == expr.AggBoolAnd {
				out &= v.row[0].(int64)
			} else {
				out |= v.row[0].(int64)
			}
		}
		return out
	case expr.AggMin, expr.AggMax:
		v := build([]zset.Kind{zset.KindOf(fn.Arg.OID)}, values).Cols[0]
		at := 0
		for i := range v.N {
			if c := zset.Compare(v, i, v, at); c < 0 && fn.Kind == expr.AggMin || c > 0 && fn.Kind == expr.AggMax {
				at = i
			}
		}
		return value(v, at)
	}
	switch zset.KindOf(fn.Arg.OID) {
	case zset.Float:
		return floatSum(values, n, fn.Kind == expr.AggAvg)
	case zset.Interval:
		return intervalSum(values, n, fn.Kind == expr.AggAvg)
	}
	var sum numeric.Sum
	var spill []byte
	v := build([]zset.Kind{zset.KindOf(fn.Arg.OID)}, values).Cols[0]
	for i, x := range values {
		if v.Kind == zset.Int {
			spill = sum.AddInt64(v.Ints[i], x.w, spill)
		} else {
			spill = sum.Add(v.Num(i), x.w, spill)
		}
	}
	result, arena, err := sum.Value(nil, spill)
	if fn.Kind == expr.AggAvg {
		result, arena, err = sum.Avg(nil, spill)
	}
	if err != nil {
		panic(err)
	}
	if fn.Result.OID == datum.OIDInt8 {
		return int64(result.Lo)
	}
	return num(numeric.AppendText(nil, numeric.Val{Num: result, Arena: arena}))
}

func floatSum(values []weighted, n int64, avg bool) any {
	var special float64
	sum := new(big.Float).SetPrec(3000)
	for _, v := range values {
		x := v.row[0].(float64)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			special += x
			continue
		}
		term := new(big.Float).SetPrec(3000).Mul(new(big.Float).SetFloat64(x), new(big.Float).SetInt64(v.w))
		sum.Add(sum, term)
	}
	if special != 0 {
		return special
	}
	f, _ := sum.Float64()
	if avg {
		f /= float64(n)
	}
	return f
}

func intervalSum(values []weighted, n int64, avg bool) any {
	if avg && n != 1 {
		return "not checked here"
	}
	var sum datum.Interval
	for _, v := range values {
		x := v.row[0].(datum.Interval)
		sum.Months += x.Months * int32(v.w)
		sum.Days += x.Days * int32(v.w)
		sum.Micros += x.Micros * v.w
	}
	return sum
}

// batchGroups is an aggregate query over whole inputs.
func batchGroups(group []int, aggs []plan.Agg, global bool, in []weighted, norm func(row) row) zs {
	groups := map[string][]weighted{}
	for _, x := range in {
		var key row
		for _, g := range group {
			key = append(key, x.row[g])
		}
		groups[key.String()] = append(groups[key.String()], x)
	}
	if global && len(groups) == 0 {
		groups[""] = nil
	}
	out := zs{}
	for _, rows := range groups {
		var r row
		for _, g := range group {
			r = append(r, rows[0].row[g])
		}
		for _, a := range aggs {
			r = append(r, batchAgg(a, rows))
		}
		out.add(norm(r), 1)
	}
	return out
}

func TestAggregateIsTheBatchAggregate(t *testing.T) {
	checkRig(t, func(t *rapid.T) {
		aggs := drawAggs(t)
		group := rapid.SampledFrom([][]int{nil, {0}, {1, 0}}).Draw(t, "group")
		grows := rapid.Bool().Draw(t, "only grows")
		norm := func(r row) row {
			for i, a := range aggs {
				x := plainly(r[len(group)+i])
				if n, ok := x.(num); ok && a.Distinct {
					x = num(strings.TrimRight(strings.TrimRight(string(n), "0"), "."))
				}
				_, isInterval := x.(datum.Interval)
				if isInterval && a.Fn.Kind == expr.AggAvg {
					x = "not checked here"
				}
				r[len(group)+i] = x
			}
			return r
		}
		r := newRig(t, func() op.Operator {
			a, err := op.NewAggregate(op.AggregateConfig{Kinds: aggKinds, Group: group, Aggs: aggs, Global: group == nil, AppendOnly: grows})
			if err != nil {
				t.Fatal(err)
			}
			return a
		}, aggKinds)
		r.appends[0], r.norm, r.keeps = grows, norm, group == nil
		r.check([]*rapid.Generator[row]{aggRow()}, func(in [][]weighted) zs {
			return batchGroups(group, aggs, group == nil, in[0], norm)
		})
	})
}
