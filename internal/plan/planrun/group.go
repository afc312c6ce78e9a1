package planrun

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// groups are the rows by group, in the order of first appearance.
func groups(c *zset.Chunk, cols []int) (order []string, rows map[string][]int) {
	rows = map[string][]int{}
	for i := range c.N {
		k := key(c, cols, i)
		if rows[k] == nil {
			order = append(order, k)
		}
		rows[k] = append(rows[k], i)
	}
	return order, rows
}

func aggregate(n *plan.Aggregate, in *zset.Chunk) (*zset.Chunk, error) {
	order, rows := groups(in, n.Group)
	if n.Global && len(order) == 0 {
		order = []string{""}
	}
	out := empty(n)
	for _, g := range order {
		for k, c := range n.Group {
			out.Cols[k].AppendFrom(in.Cols[c], rows[g][0])
		}
		for k, a := range n.Aggs {
			if err := aggregateRows(out.Cols[len(n.Group)+k], a, in, rows[g]); err != nil {
				return nil, err
			}
		}
		out.N++
	}
	return out, nil
}

func aggregateRows(out *zset.Vec, a plan.Agg, in *zset.Chunk, rows []int) error {
	var use []int
	seen := map[string]bool{}
	for _, i := range rows {
		if a.Filter >= 0 && (in.Cols[a.Filter].Null(i) || !in.Cols[a.Filter].Bool(i)) {
			continue
		}
		if a.Arg >= 0 {
			k := key(in, []int{a.Arg}, i)
			if in.Cols[a.Arg].Null(i) || a.Distinct && seen[k] {
				continue
			}
			seen[k] = true
		}
		use = append(use, i)
	}
	if a.Fn.Kind == expr.AggCount {
		out.AppendInt(int64(len(use)))
		return nil
	}
	if len(use) == 0 {
		out.AppendNull()
		return nil
	}
	v := in.Cols[a.Arg]
	switch a.Fn.Kind {
	case expr.AggMin, expr.AggMax:
		out.AppendFrom(v, extreme(v, use, a.Fn.Kind == expr.AggMin))
	case expr.AggBoolAnd:
		out.AppendBool(!slices.ContainsFunc(use, func(i int) bool { return !v.Bool(i) }))
	case expr.AggBoolOr:
		out.AppendBool(slices.ContainsFunc(use, func(i int) bool { return v.Bool(i) }))
	case expr.AggArray, expr.AggString:
		slices.SortFunc(use, func(i, j int) int { return slices.Compare(v.Bytes(i), v.Bytes(j)) })
		var text []byte
		for n, i := range use {
			text = a.Fn.AppendItem(text, v.Bytes(i), n == 0)
		}
		out.AppendBytes(a.Fn.EndList(text))
	default:
		return total(out, a, v, use)
	}
	return nil
}

// extreme is the last of the least or greatest values: 1.0 and 1 are equal and look different.
func extreme(v *zset.Vec, rows []int, least bool) int {
	best := rows[0]
	for _, i := range rows[1:] {
		if d := zset.Compare(v, i, v, best); least && d <= 0 || !least && d >= 0 {
			best = i
		}
	}
	return best
}

// total is sum or avg.
func total(out *zset.Vec, a plan.Agg, v *zset.Vec, rows []int) error {
	avg := a.Fn.Kind == expr.AggAvg
	switch v.Kind {
	case zset.Float:
		sum := 0.0
		for _, i := range rows {
			sum += v.Floats[i]
		}
		if avg {
			sum /= float64(len(rows))
		}
		if a.Fn.Result.OID == datum.OIDFloat4 {
			sum = float64(float32(sum))
		}
		out.AppendFloat(sum)
		return nil
	case zset.Int, zset.Numeric:
		return exact(out, a, v, rows, avg)
	case zset.Interval:
		if avg {
			return errors.New("planrun: avg of intervals is not computed here")
		}
		var sum datum.Interval
		for _, i := range rows {
			x := v.Intervals[i]
			sum.Months, sum.Days, sum.Micros = sum.Months+x.Months, sum.Days+x.Days, sum.Micros+x.Micros
		}
		out.AppendInterval(sum)
		return nil
	}
	return fmt.Errorf("planrun: no %s of kind %d", a.Fn.Name, v.Kind)
}

// exact sums integers and numerics.
func exact(out *zset.Vec, a plan.Agg, v *zset.Vec, rows []int, avg bool) error {
	sum := numeric.V(numeric.FromInt64(0))
	for _, i := range rows {
		x := numeric.Val{}
		if v.Kind == zset.Int {
			x = numeric.V(numeric.FromInt64(v.Ints[i]))
		} else {
			x = v.Num(i)
		}
		n, arena, err := numeric.Add(nil, sum, x)
		if err != nil {
			return err
		}
		sum = numeric.Val{Num: n, Arena: arena}
	}
	if avg {
		n, arena, err := numeric.Div(nil, sum, numeric.V(numeric.FromInt64(int64(len(rows)))))
		if err != nil {
			return err
		}
		sum = numeric.Val{Num: n, Arena: arena}
	}
	if out.Kind == zset.Int {
		x, err := numeric.ToInt64(sum, math.MinInt64, math.MaxInt64, "bigint")
		if err != nil {
			return err
		}
		out.AppendInt(x)
		return nil
	}
	out.AppendNum(sum)
	return nil
}

func topN(n *plan.TopN, in *zset.Chunk) *zset.Chunk {
	order, rows := groups(in, n.Group)
	out := empty(n)
	for _, g := range order {
		sorted := rows[g]
		slices.SortStableFunc(sorted, func(a, b int) int {
			if d := compareRows(in, n.Order, a, b); d != 0 || n.Rank != plan.RowNumber {
				return d
			}
			return compareAll(in, a, b)
		})
		rank, dense := int64(0), int64(0)
		for at, i := range sorted {
			if at == 0 || compareRows(in, n.Order, sorted[at-1], i) != 0 {
				rank, dense = int64(at), dense+1
			}
			r := map[plan.RankKind]int64{plan.RowNumber: int64(at) + 1, plan.Rank: rank + 1, plan.DenseRank: dense}[n.Rank]
			if r <= n.Offset || n.Limit >= 0 && r > n.Offset+n.Limit {
				continue
			}
			for k, v := range in.Cols {
				out.Cols[k].AppendFrom(v, i)
			}
			if n.EmitRank {
				out.Cols[len(in.Cols)].AppendInt(r)
			}
			out.N++
		}
	}
	return out
}

func compareAll(c *zset.Chunk, a, b int) int {
	for _, v := range c.Cols {
		x, y := zset.AppendKey(nil, v, a, zset.Order{}), zset.AppendKey(nil, v, b, zset.Order{})
		if d := slices.Compare(x, y); d != 0 {
			return d
		}
	}
	return 0
}

func maxOne(n *plan.MaxOne, in *zset.Chunk) error {
	_, rows := groups(in, n.Group)
	for _, r := range rows {
		if len(r) > 1 {
			return &sql.Error{Code: sql.CardinalityViolation, Message: "more than one row returned by a subquery used as an expression", Pos: -1}
		}
	}
	return nil
}
