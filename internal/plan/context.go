package plan

import (
	"slices"
	"strings"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// context binds the expressions of one clause. It is the expr.Scope of them.
type context struct {
	b *binder
	s *scope
	// place names the clause in errors about what it may not have: "WHERE", "JOIN conditions".
	place                     string
	aggregates, windows, sets bool // what it may have
	// pending are the subqueries that its expressions are to find joined to what they read.
	pending     []subjoin
	inAggregate bool // it is the arguments of an aggregate
	grouping    bool // it is GROUP BY
}

// subjoin is a subquery to be joined to the relation that an expression reads.
type subjoin struct {
	kind algebra.JoinKind
	rel  algebra.Rel
	on   []expr.Expr
}

func (j subjoin) over(l algebra.Rel) algebra.Rel {
	return &algebra.Join{Kind: j.kind, L: l, R: j.rel, On: j.on}
}

// free are the columns of outside that the subquery mentions.
func (j subjoin) free() algebra.Set {
	return algebra.Free(j.rel).Union(algebra.Refs(j.on...).Minus(algebra.SetOf(j.rel.Out()...)))
}

// joined is rel with the pending subqueries.
func (c *context) joined(rel algebra.Rel) algebra.Rel {
	for _, j := range c.pending {
		rel = j.over(rel)
	}
	c.pending = nil
	return rel
}

// bind makes a typed expression, what is constant in it computed.
func (c *context) bind(e sql.Expr) (expr.Expr, error) {
	x, err := c.b.reg.Bind(e, c)
	if err != nil {
		return nil, err
	}
	return folded(x), nil
}

// folded computes what depends on nothing. What fails is left to fail when, and if, it is reached.
func folded(x expr.Expr) expr.Expr {
	return algebra.Rewrite(x, func(e expr.Expr) expr.Expr {
		if len(algebra.Args(e)) == 0 || !fixedParts(e) {
			return nil
		}
		if c, ok := expr.Constant(e); ok {
			return c
		}
		return nil
	})
}

// fixedParts tells whether e is made of constants alone.
func fixedParts(e expr.Expr) bool {
	return !algebra.Any(e, func(e expr.Expr) bool {
		switch e.(type) {
		case *expr.Column, *expr.Param:
			return true
		}
		return false
	})
}

// Column implements expr.Scope.
func (c *context) Column(ref *sql.ColumnRef) (expr.Expr, error) {
	if ref.Star {
		return nil, fail(sql.SyntaxError, ref.Pos(), "a star is not allowed here")
	}
	col := c.b.stars[ref]
	if col == nil {
		if len(ref.Parts) > maxParts {
			return nil, fail(sql.SyntaxError, ref.Pos(), "improper qualified name (too many dotted names): %s", strings.Join(ref.Parts, "."))
		}
		var err error
		if col, err = c.s.lookup(ref); err != nil {
			return nil, err
		}
		if col == nil {
			return nil, c.s.undefined(ref)
		}
	}
	x := &expr.Column{Index: int(col.col), T: c.b.q.Type(col.col)}
	c.b.written[x] = ref.Pos()
	return x, nil
}

// maxParts is database.schema.table.column.
const maxParts = 4

// Param implements expr.Scope.
func (c *context) Param(p *sql.Param) (expr.Expr, error) { return c.b.param(p) }

// Call implements expr.Scope: aggregates, window functions, set functions.
func (c *context) Call(call *sql.Call) (expr.Expr, error) {
	name := call.Name[len(call.Name)-1]
	switch {
	case call.Over != nil:
		return c.window(call, name)
	case c.b.reg.IsSet(name):
		return c.set(call, name)
	case c.b.reg.IsAggregate(name):
		return c.aggregate(call, name)
	}
	return c.b.reg.ResolveCall(name, nil, call.Pos()) // f(*) of an ordinary function
}

const setFunctions = "set-returning functions"

// forbidden is the error for a kind of function that the clause may not have.
func (c *context) forbidden(code, what string, pos int) error {
	if c.inAggregate && what == setFunctions {
		return withHint(fail(code, pos, "aggregate function calls cannot contain set-returning function calls"),
			"You might be able to move the set-returning function into a LATERAL FROM item.")
	}
	return fail(code, pos, "%s are not allowed in %s", what, c.place)
}

// scalar binds an expression that stands by itself, a function's argument for instance.
func (c *context) all(es []sql.Expr) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(es))
	for i, e := range es {
		var err error
		if out[i], err = c.bind(e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// conditions binds a condition and takes it apart at its ANDs. Subqueries that decide about
// a row become semi joins where semi is set: where a row that does not satisfy them is dropped.
func (c *context) conditions(e sql.Expr, what string, semi bool) ([]expr.Expr, error) {
	if and, ok := e.(*sql.And); ok {
		var all []expr.Expr
		for _, a := range and.Args {
			conds, err := c.conditions(a, "AND", semi)
			if err != nil {
				return nil, err
			}
			all = append(all, conds...)
		}
		return all, nil
	}
	if semi {
		if done, err := c.semi(e); done || err != nil {
			return nil, err
		}
	}
	x, err := c.bind(e)
	if err != nil {
		return nil, err
	}
	if x, err = c.b.reg.Boolean(x, what, e.Pos()); err != nil {
		return nil, err
	}
	return c.b.conditionsOf(x), nil
}

// conditionsOf takes a bound condition apart and finds the equalities.
func (b *binder) conditionsOf(x expr.Expr) []expr.Expr {
	var conds []expr.Expr
	for _, c := range algebra.Conjuncts(x) {
		conds = append(conds, algebra.Conjuncts(algebra.Factored(c))...)
	}
	for i, c := range conds {
		conds[i] = b.condition(c)
	}
	return conds
}

// condition is x, as an algebra.Eq if it is an equality that a key can decide.
func (b *binder) condition(x expr.Expr) expr.Expr {
	call, ok := x.(*expr.Call)
	if !ok || len(call.Args) != 2 {
		return x
	}
	eq, nullSafe := b.reg.Equality(call.Fn)
	if !eq {
		return x
	}
	l, r, ok := b.comparable(call.Args[0], call.Args[1])
	if !ok {
		return x
	}
	return &algebra.Eq{L: folded(l), R: folded(r), NullSafe: nullSafe, Plain: x}
}

// filtered is rel with conditions.
func filtered(rel algebra.Rel, conds []expr.Expr) algebra.Rel {
	if len(conds) == 0 {
		return rel
	}
	return &algebra.Filter{In: rel, Conds: slices.Clone(conds)}
}
