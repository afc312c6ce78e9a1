package plan

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// distinct is SELECT DISTINCT [ON (…)].
func (p *projection) distinct(r *bound) (*bound, error) {
	r, err := p.b.settled(r)
	if err != nil {
		return nil, err
	}
	items := p.toOutputs(p.order, r)
	if len(p.q.DistinctOn) > 0 {
		return p.onePerGroup(r, items)
	}
	var cols []algebra.Col
	for _, o := range r.outs {
		cols = append(cols, o.col)
	}
	r.rel = &algebra.Agg{In: r.rel, Group: unique(cols)}
	for _, it := range items {
		col, plain := algebra.AsColumn(it.x)
		if _, fixed := it.x.(*expr.Const); !fixed && (!plain || !algebra.SetOf(cols...).Has(col)) {
			return nil, fail(sql.InvalidColumnReference, it.pos, "for SELECT DISTINCT, ORDER BY expressions must appear in select list")
		}
	}
	r.rel, r.order = p.b.sortKeys(r.rel, items)
	return r, nil
}

func unique(cols []algebra.Col) (out []algebra.Col) {
	var seen algebra.Set
	for _, c := range cols {
		if !seen.Has(c) {
			out = append(out, c)
			seen = seen.Union(algebra.SetOf(c))
		}
	}
	return out
}

// onePerGroup is DISTINCT ON: the first row of each group in the order of ORDER BY.
func (p *projection) onePerGroup(r *bound, items []sortItem) (*bound, error) {
	on := p.toOutputs(p.distinctOn, r)
	var xs []expr.Expr
	for _, o := range on {
		xs = append(xs, o.x)
	}
	for i, it := range items {
		if i < len(on) && !anySame(xs, it.x) {
			return nil, fail(sql.InvalidColumnReference, on[i].pos, "SELECT DISTINCT ON expressions must match initial ORDER BY expressions")
		}
	}
	top := &algebra.TopN{Limit: 1}
	rel, group := p.b.columns(r.rel, xs)
	top.In, r.order = p.b.sortKeys(rel, items)
	top.Group, top.Order, r.rel = unique(group), r.order, top
	return r, nil
}

func anySame(xs []expr.Expr, x expr.Expr) bool {
	for _, y := range xs {
		if algebra.Same(x, y) {
			return true
		}
	}
	return false
}

// limits binds LIMIT and OFFSET.
func (b *binder) limits(q *sql.Select, s *scope, r *bound) (err error) {
	if r.limit, err = b.count(q.Limit, s, "LIMIT"); err != nil {
		return err
	}
	if r.offset, err = b.count(q.Offset, s, "OFFSET"); err != nil {
		return err
	}
	if q.WithTies && len(r.order) == 0 {
		return fail(sql.SyntaxError, q.Pos(), "WITH TIES cannot be specified without ORDER BY clause")
	}
	return nil
}

// count binds the argument of LIMIT or OFFSET, a bigint without columns.
func (b *binder) count(e sql.Expr, s *scope, clause string) (expr.Expr, error) {
	if e == nil {
		return nil, nil
	}
	ctx := &context{b: b, s: &scope{outer: s}, place: clause}
	x, err := ctx.bind(e)
	if err != nil {
		return nil, err
	}
	if !algebra.Refs(x).Empty() {
		if len(ctx.pending) > 0 {
			return nil, unsupported(e.Pos(), "a subquery in "+clause+" is", "Write the number.")
		}
		return nil, fail(sql.InvalidColumnReference, e.Pos(), "argument of %s must not contain variables", clause)
	}
	if x.Type().OID != expr.OIDUnknown && !b.reg.CanCast(x.Type().OID, datum.OIDInt8, expr.Assignment) {
		return nil, fail(sql.DatatypeMismatch, e.Pos(), "argument of %s must be type bigint, not type %s", clause, expr.FormatType(x.Type()))
	}
	if x, err = b.reg.Cast(x, datum.Ref(datum.OIDInt8), expr.Assignment, e.Pos()); err != nil {
		return nil, err
	}
	return folded(x), nil
}

// cut makes ORDER BY and LIMIT part of the relation: the first rows of all.
func (b *binder) cut(r *bound, q *sql.Select) (*bound, error) {
	limit, err := b.fixed(r.limit, -1, "LIMIT", q.Limit)
	if err != nil {
		return nil, err
	}
	offset, err := b.fixed(r.offset, 0, "OFFSET", q.Offset)
	if err != nil {
		return nil, err
	}
	if limit >= 0 || offset > 0 {
		top := &algebra.TopN{In: r.rel, Order: r.order, Limit: limit, Offset: offset}
		if q.WithTies {
			if top.Rank = algebra.Rank; offset > 0 {
				return nil, unsupported(q.Pos(), "OFFSET with FETCH … WITH TIES in a subquery or view is", "Filter by rank() OVER (…) instead.")
			}
		}
		r.rel = top
	}
	r.order, r.limit, r.offset = nil, nil, nil
	return r, nil
}

// fixed is the value of a LIMIT that has to be known when the query is planned.
func (b *binder) fixed(x expr.Expr, none int64, clause string, at sql.Expr) (int64, error) {
	if x == nil {
		return none, nil
	}
	v, err := b.constant(x)
	switch {
	case err != nil:
		return 0, err
	case v == nil:
		return 0, unsupported(at.Pos(), clause+" that is not a constant, in a subquery or view, is", "Write the number.")
	case v.Null(0):
		return none, nil
	case v.Ints[0] < 0:
		return 0, fail(invalidLimit[clause], -1, "%s must not be negative", clause)
	}
	return v.Ints[0], nil
}

var invalidLimit = map[string]string{"LIMIT": "2201W", "OFFSET": "2201X"}
