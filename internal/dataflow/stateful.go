package dataflow

import (
	"slices"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/plan"
)

// grouped is a node that needs rows together that are equal in some columns; column
// i of its output is column out[i] of its input.
func grouped(in *Node, group, out []int, make func(shard int) (op.Operator, error)) *Node {
	n := &Node{In: []In{meet(in, group)}}
	n.Part = n.In[0].arrives().through(out)
	n.Single = n.In[0].arrives().Kind == OnOne
	n.Make = func(shard, _ int) (op.Operator, error) { return make(shard) }
	return n
}

// aggregate groups; without aggregates it is DISTINCT.
func (c *compiler) aggregate(n *plan.Aggregate, in *Node) *Node {
	cols := n.In.Columns()
	keys := make([]plan.Column, len(n.Group))
	for i, g := range n.Group {
		keys[i] = cols[g]
	}
	if len(n.Aggs) == 0 && !n.Global {
		d := grouped(in, n.Group, n.Group, func(int) (op.Operator, error) {
			return op.NewDistinct(op.DistinctConfig{Kinds: kinds(keys), AppendOnly: c.appendOnly(n.In), Print: c.printer(keys)}), nil
		})
		d.In[0].pick(n.Group)
		return d
	}
	return c.failing(grouped(in, n.Group, n.Group, func(shard int) (op.Operator, error) {
		return op.NewAggregate(op.AggregateConfig{
			Kinds: kinds(cols), Group: n.Group, Aggs: n.Aggs, Global: n.Global && shard == 0,
			AppendOnly: c.appendOnly(n.In), Print: c.printer(keys),
		})
	}))
}

// pick takes only some columns of an input, which are spread before.
func (in *In) pick(cols []int) {
	in.Pick = cols
	for i, k := range in.Via.Cols {
		if i == 0 {
			in.Via.Cols = slices.Clone(in.Via.Cols)
		}
		in.Via.Cols[i] = index(cols, k)
	}
}

func (c *compiler) topN(n *plan.TopN, in *Node) *Node {
	cols := n.In.Columns()
	return grouped(in, n.Group, upTo(len(cols)), func(int) (op.Operator, error) {
		return op.NewTopN(op.TopNConfig{
			Kinds: kinds(cols), Group: n.Group, Order: n.Order, Rank: n.Rank, Limit: n.Limit, Offset: n.Offset,
			EmitRank: n.EmitRank, AppendOnly: c.appendOnly(n.In), Print: c.printer(cols),
		}), nil
	})
}

func (c *compiler) maxOne(n *plan.MaxOne, in *Node) *Node {
	cols := n.In.Columns()
	keys := make([]plan.Column, len(n.Group))
	for i, g := range n.Group {
		keys[i] = cols[g]
	}
	return c.failing(grouped(in, n.Group, upTo(len(cols)), func(int) (op.Operator, error) {
		return op.NewMaxOne(op.MaxOneConfig{Kinds: kinds(cols), Group: n.Group, Print: c.printer(keys)}), nil
	}))
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// join brings rows together by their keys. NOT IN has to know of every NULL, so it is on one shard.
func (c *compiler) join(n *plan.Join, l, r *Node) *Node {
	lk, rk := n.LKeys, n.RKeys
	if n.Kind == plan.NullAnti {
		lk, rk = nil, nil
	}
	d := &Node{In: joined(l, r, lk, rk)}
	left := d.In[0].arrives()
	switch n.Kind {
	case plan.Right:
		d.Part = d.In[1].arrives()
		d.Part.Cols = slices.Clone(d.Part.Cols)
		for i := range d.Part.Cols {
			d.Part.Cols[i] += len(n.L.Columns())
		}
	case plan.Full:
		if left.Kind == OnOne {
			d.Part = left
		}
	default:
		d.Part = left
	}
	d.Single = left.Kind == OnOne
	d.Make = func(int, int) (op.Operator, error) {
		cfg := op.JoinConfig{
			Kind:     n.Kind,
			L:        op.JoinSide{Kinds: kinds(n.L.Columns()), Keys: n.LKeys, AppendOnly: c.appendOnly(n.L)},
			R:        op.JoinSide{Kinds: kinds(n.R.Columns()), Keys: n.RKeys, AppendOnly: c.appendOnly(n.R)},
			NullSafe: n.NullSafe, Env: c.Env,
			Print: c.printer(append(slices.Clone(n.L.Columns()), n.R.Columns()...)),
		}
		switch {
		case n.Residual != nil:
			cfg.Residual, cfg.ResidualCols = expr.CompileFilter(n.Residual), columnsOf(n.Residual)
		case n.Kind == plan.NullAnti && len(n.LKeys) > 1:
			rowNotIn(&cfg)
		}
		return op.NewJoin(cfg)
	}
	return c.failing(d)
}

// joined says how both sides of a join come together: where rows of equal keys are
// already, or by the hash of all keys. What is together by some of the keys only is
// of no use to the other side unless that is too, by the same.
func joined(l, r *Node, lk, rk []int) []In {
	if len(lk) == 0 {
		return []In{meet(l, nil), meet(r, nil)}
	}
	if l.Part.Kind == OnOne && r.Part.Kind == OnOne {
		return []In{{From: l}, {From: r}}
	}
	if l.Part.together(lk) && l.Part.Kind == Hashed {
		if same := translate(l.Part.Cols, lk, rk); r.Part.equal(Partition{Hashed, same}) {
			return []In{{From: l}, {From: r}}
		}
	}
	return []In{toHash(l, lk), toHash(r, rk)}
}

// toHash brings rows to the shard of the hash of exactly these columns.
func toHash(from *Node, cols []int) In {
	if from.Part.equal(Partition{Hashed, cols}) {
		return In{From: from}
	}
	return In{From: from, Via: Exchange{Kind: ByHash, Cols: cols}}
}

// translate gives for columns among from their counterparts in to.
func translate(cols, from, to []int) []int {
	out := make([]int, len(cols))
	for i, c := range cols {
		out[i] = to[index(from, c)]
	}
	return out
}

// columnsOf lists the columns of an expression, ascending.
func columnsOf(e expr.Expr) []int {
	var cols []int
	expr.Walk(e, func(e expr.Expr) {
		if c, is := e.(*expr.Column); is && !contains(cols, c.Index) {
			cols = append(cols, c.Index)
		}
	})
	slices.Sort(cols)
	return cols
}
