package op_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// Sums of any floats are rounded once, and what is taken back leaves no trace.
func TestSumsOfFloatsAreExact(t *testing.T) {
	kinds := []zset.Kind{zset.Float}
	draw := rapid.Custom(func(t *rapid.T) row {
		return row{math.Ldexp(float64(rapid.Int64Range(-1<<53, 1<<53).Draw(t, "mantissa")), rapid.IntRange(-1074, 960).Draw(t, "exponent"))}
	})
	checkRig(t, func(t *rapid.T) {
		aggs := []plan.Agg{
			{Fn: fnOf(expr.AggSum, datum.OIDFloat8, datum.OIDFloat8), Filter: -1},
			{Fn: fnOf(expr.AggAvg, datum.OIDFloat8, datum.OIDFloat8), Filter: -1},
		}
		r := newRig(t, func() op.Operator {
			return must(op.NewAggregate(op.AggregateConfig{Kinds: kinds, Aggs: aggs, Global: true}))
		}, kinds)
		r.keeps = true
		r.check([]*rapid.Generator[row]{draw}, func(in [][]weighted) zs {
			return batchGroups(nil, aggs, true, in[0], func(r row) row { return r })
		})
	})
}

// Sums of integers beyond 64 bits are numerics where the type says so, else row errors that heal.
func TestSumsBeyondTheirTypeAreErrors(t *testing.T) {
	kinds := []zset.Kind{zset.Int}
	aggs := []plan.Agg{
		{Fn: fnOf(expr.AggSum, datum.OIDInt8, datum.OIDNumeric), Filter: -1},
		{Fn: fnOf(expr.AggSum, datum.OIDInt4, datum.OIDInt8), Filter: -1},
	}
	rapid.Check(t, func(t *rapid.T) {
		r := newRig(t, func() op.Operator {
			return must(op.NewAggregate(op.AggregateConfig{Kinds: kinds, Aggs: aggs, Global: true}))
		}, kinds)
		big := weighted{row{int64(math.MinInt64)}, 3}
		r.push(0, []weighted{big})
		r.epoch()
		r.expect(zs{})
		if n := r.errs[row{sql.NumericOutOfRange, "bigint out of range", ""}.String()]; n != 1 || len(r.errs) != 1 {
			t.Fatalf("errors\n%v", r.errs)
		}
		big.w = -2
		r.push(0, []weighted{big})
		r.epoch()
		r.expect(collect([]weighted{{row{num("-9223372036854775808"), int64(math.MinInt64)}, 1}}))
		if len(r.errs) > 0 {
			t.Fatalf("errors stay\n%v", r.errs)
		}
	})
}

// A group whose results are the same is silent, whatever happened to its rows.
func TestAggregateSaysNothingWhenNothingChanges(t *testing.T) {
	kinds := []zset.Kind{zset.Int, zset.Int}
	a := must(op.NewAggregate(op.AggregateConfig{Kinds: kinds, Group: []int{0},
		Aggs: []plan.Agg{{Fn: fnOf(expr.AggMax, datum.OIDInt8, datum.OIDInt8), Arg: 1, Filter: -1}}}))
	epoch := func(rows ...weighted) (n int) {
		a.Push(0, build(kinds, rows))
		a.Flush()
		var out op.Output
		a.Run(&out, 100)
		for _, c := range out.Chunks {
			n += c.N
		}
		return n
	}
	if n := epoch(weighted{row{int64(1), int64(7)}, 1}); n != 1 {
		t.Fatalf("%d rows for the first", n)
	}
	if n := epoch(weighted{row{int64(1), int64(3)}, 1}, weighted{row{int64(1), int64(7)}, 5}, weighted{row{int64(2), nil}, 1}, weighted{row{int64(2), nil}, -1}); n != 0 {
		t.Errorf("%d rows come out, and no result has changed", n)
	}
	if n := epoch(weighted{row{int64(1), int64(7)}, -6}); n != 2 {
		t.Errorf("%d rows for a changed maximum, want the old and the new", n)
	}
}
