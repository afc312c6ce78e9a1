package plan

import (
	"slices"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// query binds a query of any form in a scope of those around it. At the top its ORDER BY
// and LIMIT stay beside the relation; below they become part of it.
func (b *binder) query(q *sql.Select, around *scope, top bool) (*bound, error) {
	switch {
	case q.Locking:
		return nil, unsupported(q.Pos(), "FOR UPDATE and FOR SHARE are", "A SELECT reads one committed epoch; leave the clause out.")
	case q.EmitOnWindowClose:
		return nil, unsupported(q.Pos(), "EMIT ON WINDOW CLOSE is", "Leave it out: results are kept up to date.")
	}
	s, err := b.with(q, around)
	if err != nil {
		return nil, err
	}
	var r *bound
	switch {
	case q.SetOp != "":
		r, err = b.setOperation(q, s)
	case q.Values != nil:
		r, err = b.values(q, s)
	default:
		r, err = b.plainSelect(q, s)
	}
	if err != nil {
		return nil, err
	}
	if err := b.limits(q, s, r); err != nil {
		return nil, err
	}
	if top {
		return r, nil
	}
	return b.cut(r, q)
}

// plainSelect binds one SELECT.
func (b *binder) plainSelect(q *sql.Select, s *scope) (*bound, error) {
	s.over = &over{}
	s.agg = &grouping{written: len(q.GroupBy) > 0 || q.Having != nil, subqueries: map[*sql.Subquery]expr.Expr{}}
	rel, err := b.fromClause(q.From, s)
	if err != nil {
		return nil, err
	}
	if q.Where != nil {
		ctx := &context{b: b, s: s, place: "WHERE"}
		s.agg.clause = ctx
		conds, err := ctx.conditions(q.Where, "WHERE", true)
		if err != nil {
			return nil, err
		}
		rel = filtered(ctx.joined(rel), conds)
	}
	targets, err := b.expandStars(q.Targets, s)
	if err != nil {
		return nil, err
	}
	if err := b.groupBy(q, s, targets); err != nil {
		return nil, err
	}
	p := &projection{b: b, s: s, q: q, targets: targets}
	if err := p.bind(); err != nil {
		return nil, err
	}
	if s.agg.used() {
		if err := p.group(); err != nil {
			return nil, err
		}
		rel = b.aggregated(rel, s.agg)
	}
	return p.put(rel)
}

// projection is what comes after FROM, WHERE and GROUP BY.
type projection struct {
	b       *binder
	s       *scope
	q       *sql.Select
	targets []sql.Target

	list       *context // of SELECT and ORDER BY
	havingCtx  *context
	having     []expr.Expr
	outs       []expr.Expr
	distinctOn []sortItem
	order      []sortItem
}

func (p *projection) bind() (err error) {
	p.list = &context{b: p.b, s: p.s, place: "SELECT", aggregates: true, windows: true, sets: true}
	p.s.agg.clause = p.list
	for _, t := range p.targets {
		x, err := p.list.bind(t.X)
		if err != nil {
			return err
		}
		p.outs = append(p.outs, x)
	}
	p.havingCtx = &context{b: p.b, s: p.s, place: "HAVING", aggregates: true}
	if p.q.Having != nil {
		p.s.agg.clause = p.havingCtx
		if p.having, err = p.havingCtx.conditions(p.q.Having, "HAVING", true); err != nil {
			return err
		}
	}
	p.list.sets = false
	p.list.place = "ORDER BY"
	p.s.agg.clause = p.list
	for _, item := range p.q.OrderBy {
		if err := p.orderItem(item); err != nil {
			return err
		}
	}
	p.list.place = "DISTINCT ON"
	for _, e := range p.q.DistinctOn {
		x, err := p.sortExpr(e, "DISTINCT ON")
		if err != nil {
			return err
		}
		p.distinctOn = append(p.distinctOn, sortItem{x: x, pos: e.Pos()})
	}
	return nil
}

// orderItem binds an item of ORDER BY. A row is no value but an order by its columns, which are
// those of FROM; NULLs in it are last, first when descending, whatever is said of the row.
func (p *projection) orderItem(item sql.OrderItem) error {
	bind := func(e sql.Expr) (expr.Expr, error) { return p.sortExpr(e, "ORDER BY") }
	columns := []sql.Expr{item.X}
	if row, ok := item.X.(*sql.Row); ok {
		item.NullsFirst, columns = nil, spread(row.Args)
		bind = func(e sql.Expr) (expr.Expr, error) {
			x, err := p.list.bind(e)
			if err != nil {
				return nil, err
			}
			return p.b.reg.Decided(x, e.Pos())
		}
	}
	for _, item.X = range columns {
		x, err := bind(item.X)
		if err != nil {
			return err
		}
		s, err := p.b.sortOf(item, x)
		if err != nil {
			return err
		}
		p.order = append(p.order, s)
	}
	return nil
}

// sortExpr binds an item of ORDER BY: the number or the name of a target, or an expression.
func (p *projection) sortExpr(e sql.Expr, clause string) (expr.Expr, error) {
	if n, ok := ordinal(e); ok {
		if n < 1 || n > len(p.outs) {
			return nil, fail(sql.InvalidColumnReference, e.Pos(), "%s position %d is not in select list", clause, n)
		}
		return p.outs[n-1], nil
	}
	if l, ok := e.(*sql.Literal); ok && l.Kind != sql.Null {
		return nil, fail(sql.SyntaxError, e.Pos(), "non-integer constant in %s", clause)
	}
	if ref, ok := e.(*sql.ColumnRef); ok && len(ref.Parts) == 1 && !ref.Star {
		var found expr.Expr
		for i, t := range p.targets {
			if nameOf(t) != ref.Parts[0] {
				continue
			}
			if found != nil && !algebra.Same(found, p.outs[i]) {
				return nil, fail(sql.AmbiguousColumn, e.Pos(), "%s %q is ambiguous", clause, ref.Parts[0])
			}
			found = p.outs[i]
		}
		if found != nil {
			return found, nil
		}
	}
	x, err := p.list.bind(e)
	if err != nil {
		return nil, err
	}
	for i, o := range p.outs { // ORDER BY '…' and the like take the target's fate
		if algebra.Same(o, x) {
			return p.outs[i], nil
		}
	}
	return p.b.reg.Decided(x, e.Pos())
}

// group passes all expressions through GROUP BY.
func (p *projection) group() error {
	f := func(x expr.Expr, pos int) (expr.Expr, error) { return p.b.grouped(x, p.s, pos) }
	var err error
	for i, t := range p.targets {
		if p.outs[i], err = f(p.outs[i], t.X.Pos()); err != nil {
			return err
		}
	}
	for i, h := range p.having {
		if p.having[i], err = f(h, p.q.Having.Pos()); err != nil {
			return err
		}
	}
	for _, items := range [][]sortItem{p.order, p.distinctOn} {
		for i := range items {
			if items[i].x, err = f(items[i].x, items[i].pos); err != nil {
				return err
			}
		}
	}
	for _, ctx := range []*context{p.list, p.havingCtx} {
		for i, j := range ctx.pending {
			if ctx.pending[i], err = p.b.groupedSub(j, p.s, p.q.Pos()); err != nil {
				return err
			}
		}
	}
	return p.s.over.mapped(f)
}

// put puts the clauses over rel, in their order.
func (p *projection) put(rel algebra.Rel) (*bound, error) {
	rel = filtered(p.havingCtx.joined(rel), p.having)
	rel = p.s.over.put(p.b, p.list.joined(rel))
	r := &bound{}
	made := algebra.SetOf(rel.Out()...)
	var items []algebra.Item
	for i, x := range p.outs {
		o := output{name: nameOf(p.targets[i]), pos: p.targets[i].X.Pos()}
		col, plain := algebra.AsColumn(x)
		switch {
		case plain && made.Has(col):
			o.col = col
		default:
			o.col = p.b.q.New(o.name, x.Type())
			items = append(items, algebra.Item{Col: o.col, X: x})
		}
		if x.Type().OID == expr.OIDUnknown {
			o.literal = x
		}
		r.outs = append(r.outs, o)
	}
	r.rel = rel
	if len(items) > 0 {
		r.rel = &algebra.Project{In: rel, Items: append(p.b.pass(rel.Out()), items...)}
	}
	if !p.q.Distinct {
		r.rel, r.order = p.b.sortKeys(r.rel, p.toOutputs(p.order, r))
		return r, nil
	}
	return p.distinct(r)
}

// toOutputs replaces, in ORDER BY, the expressions that are targets by their columns.
func (p *projection) toOutputs(items []sortItem, r *bound) []sortItem {
	out := slices.Clone(items)
	for i := range out {
		for k, x := range p.outs {
			if _, fixed := x.(*expr.Const); !fixed && algebra.Same(x, out[i].x) {
				out[i].x = p.b.q.Column(r.outs[k].col)
				break
			}
		}
	}
	return out
}

// nameOf is what a target is called: its alias, or what PostgreSQL makes of its expression.
func nameOf(t sql.Target) string {
	if t.Name != "" {
		return t.Name
	}
	name, _ := figure(t.X)
	if name == "" {
		return "?column?"
	}
	return name
}
