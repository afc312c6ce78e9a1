package dataflow

import (
	"fmt"
	"slices"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/plan"
)

// join brings the rows of equal keys together.
func (c *compiler) join(p *plan.Join, l, r *Node) *Node {
	left, right := p.L.Columns(), p.R.Columns()
	cfg := op.JoinConfig{
		Kind:     p.Kind,
		L:        op.JoinSide{Kinds: kindsOf(left), Keys: p.LKeys, AppendOnly: p.L.Properties().AppendOnly},
		R:        op.JoinSide{Kinds: kindsOf(right), Keys: p.RKeys, AppendOnly: p.R.Properties().AppendOnly},
		NullSafe: p.NullSafe, Env: c.v.Env,
		Print: op.PrintRows(slices.Concat(typesOf(left), typesOf(right)), c.zone),
	}
	if p.Residual != nil {
		cfg.Residual = expr.CompileFilter(p.Residual)
		cfg.ResidualCols = columnsOf(p.Residual)
	}
	n := &Node{
		What: fmt.Sprintf("join %d %v %v %v %v", p.Kind, p.LKeys, p.RKeys, p.NullSafe, cfg.ResidualCols),
		Make: func() (op.Operator, error) { return op.NewJoin(cfg) },
	}
	if len(p.LKeys) == 0 || p.Kind == plan.NullAnti {
		n.In, n.Single, n.Part = []In{l.gather(nil), r.gather(nil)}, true, Partition{Kind: OnOne}
		return c.failing(n)
	}
	lk, rk := together(l, r, p)
	n.In = []In{edgeBy(l, lk), edgeBy(r, rk)}
	switch p.Kind {
	case plan.Right:
		n.Part = Partition{Kind: Hashed, Cols: shift(rk, len(left))}
	case plan.Full: // a key's column is NULL where a side has no row
		n.Part = Partition{}
	default:
		n.Part = Partition{Kind: Hashed, Cols: lk}
	}
	return c.failing(n)
}

// together picks the key columns of both sides by whose hash their rows meet: those
// of a side that lies so already, else all of them.
func together(l, r *Node, p *plan.Join) (lk, rk []int) {
	if perm, ok := positions(l.Part, p.LKeys); ok {
		return l.Part.Cols, pick(p.RKeys, perm)
	}
	if perm, ok := positions(r.Part, p.RKeys); ok {
		return pick(p.LKeys, perm), r.Part.Cols
	}
	return p.LKeys, p.RKeys
}

// positions finds the columns that decide where rows are among the keys.
func positions(part Partition, keys []int) (perm []int, ok bool) {
	if part.Kind != Hashed || len(part.Cols) == 0 {
		return nil, false
	}
	for _, col := range part.Cols {
		i := index(keys, col)
		if i < 0 {
			return nil, false
		}
		perm = append(perm, i)
	}
	return perm, true
}

// edgeBy leads rows to where the hash of exactly these columns puts them.
func edgeBy(n *Node, cols []int) In {
	if n.Part.equal(Partition{Kind: Hashed, Cols: cols}) {
		return In{From: n}
	}
	return In{From: n, Via: Exchange{Kind: ByHash, Cols: cols}}
}

func pick(list, at []int) []int {
	out := make([]int, len(at))
	for i, k := range at {
		out[i] = list[k]
	}
	return out
}

func shift(list []int, by int) []int {
	out := make([]int, len(list))
	for i, k := range list {
		out[i] = k + by
	}
	return out
}

// columnsOf lists the columns that an expression reads, ascending.
func columnsOf(e expr.Expr) []int {
	cols := []int{}
	expr.Walk(e, func(e expr.Expr) {
		if col, ok := e.(*expr.Column); ok && !slices.Contains(cols, col.Index) {
			cols = append(cols, col.Index)
		}
	})
	slices.Sort(cols)
	return cols
}

