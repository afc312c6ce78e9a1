package op_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/zset"
)

var rowKinds = []zset.Kind{zset.Int, zset.Bytes, zset.Numeric, zset.Float}

func TestDistinctGivesEveryRowOnce(t *testing.T) {
	checkRig(t, func(t *rapid.T) {
		kinds := rapid.SampledFrom([][]zset.Kind{{zset.Int, zset.Bytes}, {zset.Numeric, zset.Int}, {}}).Draw(t, "kinds")
		grows := rapid.Bool().Draw(t, "only grows")
		norm := func(r row) row {
			for i := range r {
				r[i] = plainly(r[i])
			}
			return r
		}
		r := newRig(t, func() op.Operator { return op.NewDistinct(op.DistinctConfig{Kinds: kinds, AppendOnly: grows}) }, kinds)
		r.norm, r.appends[0] = norm, grows
		r.check([]*rapid.Generator[row]{small(kinds)}, func(in [][]weighted) zs {
			out := zs{}
			for _, x := range in[0] {
				if x := norm(slices.Clone(x.row)); out[x.String()] == 0 {
					out.add(x, 1)
				}
			}
			return out
		})
	})
}

func TestMaxOneLetsNoRowOfALargerGroupPass(t *testing.T) {
	checkRig(t, func(t *rapid.T) {
		group := rapid.SampledFrom([][]int{nil, {0}, {1, 0}}).Draw(t, "group")
		kinds := rowKinds[:3]
		r := newRig(t, func() op.Operator { return op.NewMaxOne(op.MaxOneConfig{Kinds: kinds, Group: group}) }, kinds)
		r.check([]*rapid.Generator[row]{small(kinds)}, func(in [][]weighted) zs {
			out, errs := zs{}, int64(0)
			for _, rows := range grouped(group, in[0]) {
				if len(rows) == 1 && rows[0].w == 1 {
					out.add(rows[0].row, 1)
				} else {
					errs++
				}
			}
			total := int64(0)
			for _, w := range r.errs {
				total += w
			}
			if total != errs {
				t.Fatalf("%d errors, want %d", total, errs)
			}
			return out
		})
	})
}

// grouped are rows by their group columns.
func grouped(group []int, in []weighted) map[string][]weighted {
	groups := map[string][]weighted{}
	for _, x := range in {
		var key row
		for _, g := range group {
			key = append(key, plainly(x.row[g]))
		}
		groups[key.String()] = append(groups[key.String()], x)
	}
	return groups
}

// sortRows sorts as TopN does: by order columns, then by the others; equal rows by how they are written.
func sortRows(kinds []zset.Kind, group []int, order []plan.SortKey, rows []weighted) (orders [][]byte) {
	type keyed struct {
		order, rest []byte
		x           weighted
	}
	var list []keyed
	for _, x := range rows {
		c := build(kinds, []weighted{x})
		k := keyed{x: x}
		for _, o := range order {
			k.order = zset.AppendKey(k.order, c.Cols[o.Col], 0, zset.Order{Desc: o.Desc, NullsFirst: o.NullsFirst})
		}
		for i := range kinds {
			if !slices.Contains(group, i) {
				k.rest = zset.AppendKey(k.rest, c.Cols[i], 0, zset.Order{})
			}
		}
		k.rest = zset.AppendExactRow(k.rest, c.Cols, 0)
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b keyed) int {
		if c := bytes.Compare(a.order, b.order); c != 0 {
			return c
		}
		return bytes.Compare(a.rest, b.rest)
	})
	for i, k := range list {
		rows[i] = k.x
		orders = append(orders, k.order)
	}
	return orders
}

// batchTopN is a TopN of a whole input.
func batchTopN(c op.TopNConfig, in []weighted) zs {
	out := zs{}
	emit := func(r row, rank, w int64) {
		if c.EmitRank {
			r = append(slices.Clone(r), rank)
		}
		out.add(r, w)
	}
	inside := func(rank int64) bool { return rank > c.Offset && (c.Limit < 0 || rank <= c.Offset+c.Limit) }
	for _, rows := range grouped(c.Group, in) {
		orders := sortRows(c.Kinds, c.Group, c.Order, rows)
		var before, rank, dense int64
		for i, x := range rows {
			if i == 0 || !bytes.Equal(orders[i], orders[i-1]) {
				rank, dense = before+1, dense+1
			}
			for k := range x.w {
				n := before + k + 1
				switch c.Rank {
				case plan.Rank:
					n = rank
				case plan.DenseRank:
					n = dense
				}
				if inside(n) {
					emit(x.row, n, 1)
				}
			}
			before += x.w
		}
	}
	return out
}

func TestTopNIsTheBatchTopN(t *testing.T) {
	checkRig(t, func(t *rapid.T) {
		kinds := rapid.SampledFrom([][]zset.Kind{rowKinds, {zset.Int, zset.Bytes, zset.Int}}).Draw(t, "kinds")
		c := op.TopNConfig{
			Kinds:      kinds,
			Group:      rapid.SampledFrom([][]int{nil, {0}, {1}, {2}}).Draw(t, "group"),
			Rank:       rapid.SampledFrom([]plan.RankKind{plan.RowNumber, plan.Rank, plan.DenseRank}).Draw(t, "rank"),
			Limit:      int64(rapid.IntRange(-1, 4).Draw(t, "limit")),
			Offset:     int64(rapid.IntRange(0, 2).Draw(t, "offset")),
			EmitRank:   rapid.Bool().Draw(t, "emit rank"),
			AppendOnly: rapid.Bool().Draw(t, "only grows"),
		}
		for _, col := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(kinds)-1), 0, 2, rapid.ID[int]).Draw(t, "order") {
			c.Order = append(c.Order, plan.SortKey{Col: col, Desc: rapid.Bool().Draw(t, "desc"), NullsFirst: rapid.Bool().Draw(t, "nulls first")})
		}
		r := newRig(t, func() op.Operator { return op.NewTopN(c) }, kinds)
		r.appends[0] = c.AppendOnly
		r.check([]*rapid.Generator[row]{small(kinds)}, func(in [][]weighted) zs { return batchTopN(c, in[0]) })
	})
}
