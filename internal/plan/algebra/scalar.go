package algebra

import (
	"slices"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
)

// Eq is L = R, or with NullSafe L IS NOT DISTINCT FROM R, of operands of one type: what
// a join can look up by key. Package plan makes it of conditions that are equalities
// and turns back into calls what does not become a key. Plain is the condition as it was
// written, over operands that may be of two types; nil: none was.
type Eq struct {
	L, R     expr.Expr
	NullSafe bool
	Plain    expr.Expr
}

// Type implements expr.Expr.
func (*Eq) Type() datum.TypeRef { return datum.Ref(datum.OIDBool) }

// Column is column c as an expression.
func (q *Query) Column(c Col) expr.Expr { return &expr.Column{Index: int(c), T: q.Type(c)} }

// AsColumn tells which column an expression is, when it is nothing else.
func AsColumn(e expr.Expr) (Col, bool) {
	c, ok := e.(*expr.Column)
	if !ok {
		return 0, false
	}
	return Col(c.Index), true
}

// Args are the direct parts of an expression, in order of evaluation.
func Args(e expr.Expr) []expr.Expr {
	switch e := e.(type) {
	case *expr.Call:
		return e.Args
	case *expr.And:
		return e.Args
	case *expr.Or:
		return e.Args
	case *expr.Coalesce:
		return e.Args
	case *Eq:
		if e.Plain != nil {
			return []expr.Expr{e.L, e.R, e.Plain}
		}
		return []expr.Expr{e.L, e.R}
	case *expr.Case:
		args := make([]expr.Expr, 0, 2*len(e.Whens)+1)
		for _, w := range e.Whens {
			args = append(args, w.Cond, w.Then)
		}
		if e.Else != nil {
			args = append(args, e.Else)
		}
		return args
	}
	return nil
}

// withArgs is a copy of e with other parts.
func withArgs(e expr.Expr, args []expr.Expr) expr.Expr {
	switch e := e.(type) {
	case *expr.Call:
		c := *e
		c.Args = args
		return &c
	case *expr.And:
		return &expr.And{Args: args}
	case *expr.Or:
		return &expr.Or{Args: args}
	case *expr.Coalesce:
		return &expr.Coalesce{Args: args, T: e.T}
	case *Eq:
		eq := &Eq{L: args[0], R: args[1], NullSafe: e.NullSafe}
		if len(args) > 2 {
			eq.Plain = args[2]
		}
		return eq
	case *expr.Case:
		c := *e
		c.Whens = make([]expr.When, len(e.Whens))
		for i := range e.Whens {
			c.Whens[i] = expr.When{Cond: args[2*i], Then: args[2*i+1]}
		}
		if e.Else != nil {
			c.Else = args[len(args)-1]
		}
		return &c
	}
	return e
}

// Rewrite replaces, from the top, the parts for which f gives something.
func Rewrite(e expr.Expr, f func(expr.Expr) expr.Expr) expr.Expr {
	if to := f(e); to != nil {
		return to
	}
	args := Args(e)
	changed := false
	out := make([]expr.Expr, len(args))
	for i, a := range args {
		out[i] = Rewrite(a, f)
		changed = changed || out[i] != a
	}
	if !changed {
		return e
	}
	return withArgs(e, out)
}

// Replace replaces the columns for which f gives something.
func Replace(e expr.Expr, f func(*expr.Column) expr.Expr) expr.Expr {
	return Rewrite(e, func(e expr.Expr) expr.Expr {
		if c, ok := e.(*expr.Column); ok {
			if to := f(c); to != nil {
				return to
			}
		}
		return nil
	})
}

// Substitute replaces columns by expressions.
func Substitute(e expr.Expr, m map[Col]expr.Expr) expr.Expr {
	if len(m) == 0 {
		return e
	}
	return Replace(e, func(c *expr.Column) expr.Expr { return m[Col(c.Index)] })
}

// Any tells whether f holds for e or for any part of it.
func Any(e expr.Expr, f func(expr.Expr) bool) bool {
	if f(e) {
		return true
	}
	for _, a := range Args(e) {
		if Any(a, f) {
			return true
		}
	}
	return false
}

// Refs are the columns that expressions mention.
func Refs(es ...expr.Expr) Set {
	var s Set
	for _, e := range es {
		Any(e, func(e expr.Expr) bool {
			if c, ok := AsColumn(e); ok {
				s.add(c)
			}
			return false
		})
	}
	return s
}

// Conjuncts takes a condition apart at its ANDs.
func Conjuncts(e expr.Expr) []expr.Expr {
	and, ok := e.(*expr.And)
	if !ok {
		return []expr.Expr{e}
	}
	var out []expr.Expr
	for _, a := range and.Args {
		out = append(out, Conjuncts(a)...)
	}
	return out
}

// Factored takes what all branches of an OR have in common out of it: (a AND b) OR (a AND c)
// is a AND (b OR c).
func Factored(e expr.Expr) expr.Expr {
	or, ok := e.(*expr.Or)
	if !ok {
		return e
	}
	branches := make([][]expr.Expr, len(or.Args))
	for i, b := range or.Args {
		branches[i] = Conjuncts(b)
	}
	var common []expr.Expr
	for _, c := range branches[0] {
		in := func(b []expr.Expr) bool { return slices.ContainsFunc(b, func(x expr.Expr) bool { return Same(x, c) }) }
		if allOf(branches, in) {
			common = append(common, c)
		}
	}
	if len(common) == 0 {
		return e
	}
	rest := &expr.Or{}
	for _, b := range branches {
		b = slices.DeleteFunc(b, func(x expr.Expr) bool {
			return slices.ContainsFunc(common, func(c expr.Expr) bool { return Same(x, c) })
		})
		if len(b) == 0 {
			return conjunction(common)
		}
		rest.Args = append(rest.Args, conjunction(b))
	}
	return conjunction(append(common, rest))
}

func conjunction(es []expr.Expr) expr.Expr {
	if len(es) == 1 {
		return es[0]
	}
	return &expr.And{Args: es}
}

// implied is what an OR says about the columns of one side alone: each branch's conditions on them.
// nil when some branch says nothing. all are the columns of both sides.
func implied(e expr.Expr, side, all Set) expr.Expr {
	or, ok := e.(*expr.Or)
	if !ok {
		return nil
	}
	out := &expr.Or{}
	for _, b := range or.Args {
		down, _ := split(Conjuncts(b), all, side)
		if len(down) == 0 {
			return nil
		}
		out.Args = append(out.Args, conjunction(down))
	}
	return out
}

// volatile tells whether two evaluations of e may differ within a statement.
func volatile(e expr.Expr) bool {
	return Any(e, func(e expr.Expr) bool {
		c, ok := e.(*expr.Call)
		return ok && c.Fn.Volatility == expr.Volatile
	})
}
