package plan

import (
	"github.com/weirstream/weir/internal/expr"
)

// exprsOf are the expressions of one Node.
func exprsOf(n Node) []expr.Expr {
	switch n := n.(type) {
	case *Values:
		var all []expr.Expr
		for _, row := range n.Rows {
			all = append(all, row...)
		}
		return all
	case *Project:
		return n.Exprs
	case *Filter:
		return []expr.Expr{n.Pred}
	case *Join:
		if n.Residual != nil {
			return []expr.Expr{n.Residual}
		}
	case *ProjectSet:
		var all []expr.Expr
		for _, f := range n.Funcs {
			all = append(all, f.Args...)
		}
		return all
	}
	return nil
}

// volatilityOfNode is the worst of what a Node computes.
func volatilityOfNode(n Node) expr.Volatility {
	worst := expr.Immutable
	for _, e := range exprsOf(n) {
		worst = max(worst, volatility(e))
	}
	if set, ok := n.(*ProjectSet); ok {
		for _, f := range set.Funcs {
			worst = max(worst, f.Fn.Volatility)
		}
	}
	return worst
}

// walk calls f once for each Node, inputs first.
func walk(n Node, seen map[Node]bool, f func(Node)) {
	if seen[n] {
		return
	}
	seen[n] = true
	for _, in := range n.Inputs() {
		walk(in, seen, f)
	}
	f(n)
}

// changing finds what in a plan depends on more than its input and the session's settings: the
// time, the user, chance. nil: nothing does.
func changing(root Node) (found *expr.Call) {
	walk(root, map[Node]bool{}, func(n Node) {
		for _, e := range exprsOf(n) {
			expr.Walk(e, func(e expr.Expr) {
				if c, ok := e.(*expr.Call); ok && found == nil && c.Fn.Changing() {
					found = c
				}
			})
		}
	})
	return found
}

// viewable refuses what cannot be maintained: values that change by themselves.
func viewable(root Node) error {
	c := changing(root)
	if c == nil {
		return nil
	}
	return unsupported(c.Pos, "function "+c.Fn.Name+", whose value changes by itself, in a view is",
		"Compute it when the view is read, or keep the value in a column.")
}
