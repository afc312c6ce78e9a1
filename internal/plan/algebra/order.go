package algebra

import "github.com/weirstream/weir/internal/expr"

// Order puts the inner joins of every join tree in an order that keeps intermediate
// results small, and never crosses relations that a condition connects.
func (q *Query) Order(r Rel) Rel {
	leaves, conds := flatten(r, nil, nil)
	if len(leaves) < 2 {
		ins := r.Inputs()
		if len(ins) == 0 {
			return r
		}
		return r.with(each(ins, q.Order))
	}
	for i := range leaves {
		leaves[i] = q.Order(leaves[i])
	}
	return q.arrange(newGraph(leaves, conds))
}

// flatten collects the relations that inner joins below r combine, and all conditions.
func flatten(r Rel, leaves []Rel, conds []expr.Expr) ([]Rel, []expr.Expr) {
	switch x := r.(type) {
	case *Join:
		if x.Kind == Inner {
			leaves, conds = flatten(x.L, leaves, conds)
			leaves, conds = flatten(x.R, leaves, conds)
			return leaves, append(conds, x.On...)
		}
	case *Filter:
		if j, ok := x.In.(*Join); ok && j.Kind == Inner {
			leaves, conds = flatten(j, leaves, conds)
			return leaves, append(conds, x.Conds...)
		}
	}
	return append(leaves, r), conds
}

// arrange joins the leaves one after the other: from each leaf as the first, always
// the one that gives the fewest rows; then the cheapest of these orders.
func (q *Query) arrange(g *graph) Rel {
	best, bestCost := g.from(0)
	for start := 1; start < len(g.leaves); start++ {
		if order, cost := g.from(start); cost < bestCost {
			best, bestCost = order, cost
		}
	}
	out := g.selfFiltered(q, best[0])
	done := SetOf(g.leaves[best[0]].Out()...)
	placed := make([]bool, len(g.others))
	for _, i := range best[1:] {
		leaf := g.leaves[i]
		all := done.Union(SetOf(leaf.Out()...))
		on := g.keys(q, done, i)
		for k, c := range g.others {
			if !placed[k] && Refs(c).Intersect(g.all).Within(all) && !volatile(c) {
				placed[k] = true
				on = append(on, c)
			}
		}
		out = &Join{Kind: Inner, L: out, R: g.selfFiltered(q, i), On: on}
		done = all
	}
	var rest []expr.Expr
	for k, c := range g.others {
		if !placed[k] {
			rest = append(rest, c)
		}
	}
	return filter(out, rest)
}

// from is the order that begins with leaf start, and what it costs: the rows of all
// intermediate results.
func (g *graph) from(start int) (order []int, cost float64) {
	order = []int{start}
	rows := g.rows[start]
	done := SetOf(g.leaves[start].Out()...)
	used := make([]bool, len(g.leaves))
	used[start] = true
	for len(order) < len(g.leaves) {
		next, nextRows, connected := -1, 0.0, false
		for i := range g.leaves {
			if used[i] {
				continue
			}
			n, is := g.joined(rows, done, i)
			if next < 0 || is && !connected || is == connected && n < nextRows {
				next, nextRows, connected = i, n, is
			}
		}
		order, used[next], rows = append(order, next), true, nextRows
		done = done.Union(SetOf(g.leaves[next].Out()...))
		cost += rows
	}
	return order, cost
}
