package plan

import (
	"slices"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// grouping collects what makes a SELECT an aggregated one.
type grouping struct {
	keys    []algebra.Item // GROUP BY, as columns
	aggs    []algebra.AggItem
	pending []subjoin // subqueries in GROUP BY and in arguments
	written bool      // GROUP BY or HAVING was written
	clause  *context  // the clause that is being bound
	// subqueries are the values of those in GROUP BY.
	subqueries map[*sql.Subquery]expr.Expr
}

func (g *grouping) used() bool { return g.written || len(g.aggs) > 0 }

// aggregate binds a call of an aggregate function. It belongs to the innermost query
// whose columns its arguments mention.
func (c *context) aggregate(call *sql.Call, name string) (expr.Expr, error) {
	if c.inAggregate {
		if c.place == "FILTER" {
			return nil, c.forbidden(sql.GroupingError, "aggregate functions", call.Pos())
		}
		return nil, fail(sql.GroupingError, call.Pos(), "aggregate function calls cannot be nested")
	}
	args := &context{b: c.b, s: c.s, place: "aggregate arguments", inAggregate: true}
	item, err := args.aggregateItem(call, name)
	if err != nil {
		return nil, err
	}
	restored := c.b.inOrder(&item)
	result := func(col algebra.Col) expr.Expr { return restored(c.b.q.Column(col)) }
	owner := c.s.ownerOf(item, args.pending)
	clause := c
	if owner != c.s {
		clause = nil
		if owner.agg != nil {
			clause = owner.agg.clause
		}
	}
	switch {
	case clause == nil || owner.agg == nil && clause.aggregates:
		return nil, fail(sql.GroupingError, call.Pos(), "aggregate functions are not allowed in FROM clause of their own query level")
	case !clause.aggregates:
		return nil, clause.forbidden(sql.GroupingError, "aggregate functions", call.Pos())
	}
	g := owner.agg
	g.pending = append(g.pending, args.pending...)
	for _, a := range g.aggs {
		if sameAggregate(a, item) {
			return result(a.Col), nil
		}
	}
	item.Col = c.b.q.New(name, item.Fn.Result)
	g.aggs = append(g.aggs, item)
	return result(item.Col), nil
}

// inOrder lets an aggregate that compares its arguments see order keys, where the values' own keys
// are not in their order. restored is its result in terms of what the aggregate gives then.
func (b *binder) inOrder(item *algebra.AggItem) (restored func(expr.Expr) expr.Expr) {
	restored = func(x expr.Expr) expr.Expr { return x }
	if item.Arg == nil || !expr.NeedsOrderKey(item.Arg.Type().OID) {
		return restored
	}
	switch {
	case item.Fn.Kind == expr.AggMin || item.Fn.Kind == expr.AggMax:
		t := item.Fn.Result
		item.Arg = b.reg.OrderPair(item.Arg)
		item.Fn = &expr.Aggregate{Name: item.Fn.Name, Kind: item.Fn.Kind, Arg: item.Arg.Type(), Result: item.Arg.Type()}
		return func(x expr.Expr) expr.Expr { return b.reg.OrderValue(x, t) }
	case item.Fn.Kind == expr.AggCount && item.Distinct:
		item.Arg = b.reg.OrderKey(item.Arg)
	}
	return restored
}

func (c *context) aggregateItem(call *sql.Call, name string) (item algebra.AggItem, err error) {
	exprs, err := c.aggregateArgs(call, name)
	if err != nil {
		return item, err
	}
	fn, exprs, err := c.b.reg.ResolveAggregate(name, exprs, call.Star, call.Pos())
	if err != nil {
		return item, err
	}
	item.Fn, item.Distinct = fn, call.Distinct
	switch {
	case fn.IsList():
		if item.Arg, err = c.listItem(call, fn, exprs); err != nil {
			return item, err
		}
	case len(exprs) > 0:
		item.Arg = exprs[0]
	}
	if call.Distinct && item.Arg == nil {
		return item, fail(sql.SyntaxError, call.Pos(), "DISTINCT specified, but %s has no argument", name)
	}
	if call.Filter != nil {
		f := &context{b: c.b, s: c.s, place: "FILTER", inAggregate: true}
		if item.Filter, err = f.bind(call.Filter); err == nil {
			item.Filter, err = c.b.reg.Boolean(item.Filter, "FILTER", call.Filter.Pos())
		}
		c.pending = append(c.pending, f.pending...)
	}
	return item, err
}

// aggregateArgs binds arguments. count takes a row: it is never NULL, and distinct by all its values.
func (c *context) aggregateArgs(call *sql.Call, name string) ([]expr.Expr, error) {
	if name != "count" || len(call.Args) != 1 {
		return c.all(call.Args)
	}
	row, ok := call.Args[0].(*sql.Row)
	if !ok {
		return c.all(call.Args)
	}
	values, err := c.all(row.Args)
	if err != nil {
		return nil, err
	}
	for i, v := range values {
		if values[i], err = c.b.reg.Decided(v, row.Args[i].Pos()); err != nil {
			return nil, err
		}
	}
	return []expr.Expr{c.b.reg.RowKey(values)}, nil
}

// listItem binds ORDER BY of array_agg and string_agg.
func (c *context) listItem(call *sql.Call, fn *expr.Aggregate, args []expr.Expr) (expr.Expr, error) {
	var order []expr.ListOrder
	for _, o := range call.OrderBy {
		x, err := c.bind(o.X)
		if err != nil {
			return nil, err
		}
		if call.Distinct && !anySame(args, x) {
			return nil, fail(sql.InvalidColumnReference, o.X.Pos(), "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list")
		}
		k, err := c.b.sortOf(o, x)
		if err != nil {
			return nil, err
		}
		order = append(order, expr.ListOrder{X: c.b.reg.OrderKey(x), Desc: k.desc, NullsFirst: k.nullsFirst})
	}
	return c.b.reg.ListItem(fn, args, order)
}

// ownerOf is the scope that an aggregate belongs to.
func (s *scope) ownerOf(item algebra.AggItem, pending []subjoin) *scope {
	var refs algebra.Set
	if item.Arg != nil {
		refs = algebra.Refs(item.Arg)
	}
	if item.Filter != nil {
		refs = refs.Union(algebra.Refs(item.Filter))
	}
	for _, j := range pending {
		refs = refs.Minus(algebra.SetOf(j.rel.Out()...)).Union(j.free())
	}
	for at := s; at != nil; at = at.outer {
		if refs.Meets(at.made()) {
			return at
		}
	}
	return s
}

func sameAggregate(a, b algebra.AggItem) bool {
	same := func(x, y expr.Expr) bool {
		return x == nil && y == nil || x != nil && y != nil && algebra.Same(x, y)
	}
	return a.Fn.Name == b.Fn.Name && a.Fn.Arg == b.Fn.Arg && a.Distinct == b.Distinct && same(a.Arg, b.Arg) && same(a.Filter, b.Filter)
}

// groupBy binds GROUP BY. An integer is the number of a target, a name that FROM does not
// have may be a target's.
func (b *binder) groupBy(q *sql.Select, s *scope, targets []sql.Target) error {
	if q.Grouping {
		return unsupported(q.GroupBy[0].Pos(), "grouping sets, ROLLUP and CUBE are", "Write one query for each set and combine them with UNION ALL.")
	}
	ctx := &context{b: b, s: s, place: "GROUP BY", grouping: true}
	s.agg.clause = ctx
	for _, e := range spread(q.GroupBy) {
		target, err := groupTarget(e, s, targets)
		if err != nil {
			return err
		}
		x, err := ctx.bind(target)
		if err != nil {
			return err
		}
		if x, err = b.reg.Decided(x, target.Pos()); err != nil {
			return err
		}
		s.agg.addKey(b, s, x)
	}
	s.agg.pending = append(s.agg.pending, ctx.pending...)
	return nil
}

// spread replaces rows by their columns: GROUP BY (a, b) is GROUP BY a, b.
func spread(items []sql.Expr) (out []sql.Expr) {
	for _, e := range items {
		if row, ok := e.(*sql.Row); ok {
			out = append(out, spread(row.Args)...)
		} else {
			out = append(out, e)
		}
	}
	return out
}

// groupTarget is the expression that an item of GROUP BY stands for.
func groupTarget(e sql.Expr, s *scope, targets []sql.Target) (sql.Expr, error) {
	if n, ok := ordinal(e); ok {
		if n < 1 || n > len(targets) {
			return nil, fail(sql.InvalidColumnReference, e.Pos(), "GROUP BY position %d is not in select list", n)
		}
		return targets[n-1].X, nil
	}
	ref, ok := e.(*sql.ColumnRef)
	if !ok || len(ref.Parts) != 1 || ref.Star {
		return e, nil
	}
	if c, err := s.own(ref); c != nil || err != nil {
		return e, err
	}
	return namedTarget(ref, targets, "GROUP BY")
}

// namedTarget is the target of a name, or the name itself when no target has it.
func namedTarget(ref *sql.ColumnRef, targets []sql.Target, clause string) (sql.Expr, error) {
	var found sql.Expr = ref
	for _, t := range targets {
		if t.Name != ref.Parts[0] {
			continue
		}
		if found != sql.Expr(ref) && found != t.X {
			return nil, fail(sql.AmbiguousColumn, ref.Pos(), "%s %q is ambiguous", clause, ref.Parts[0])
		}
		found = t.X
	}
	return found, nil
}

// ordinal is the number of a target.
func ordinal(e sql.Expr) (int, bool) {
	l, ok := e.(*sql.Literal)
	if !ok || l.Kind != sql.Integer || len(l.Text) > 9 {
		return 0, false
	}
	n := 0
	for _, d := range l.Text {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = n*10 + int(d-'0')
	}
	return n, true
}

// addKey makes a column of an expression of GROUP BY.
func (g *grouping) addKey(b *binder, s *scope, x expr.Expr) {
	for _, k := range g.keys {
		if algebra.Same(k.X, x) {
			return
		}
	}
	col, plain := algebra.AsColumn(x)
	if !plain || !s.made().Has(col) {
		col = b.q.New("", x.Type())
	}
	g.keys = append(g.keys, algebra.Item{Col: col, X: x})
}

// aggregated puts the aggregate over rel. The expressions of SELECT, HAVING and ORDER BY are
// passed through grouped before.
func (b *binder) aggregated(rel algebra.Rel, g *grouping) algebra.Rel {
	for _, j := range g.pending {
		rel = j.over(rel)
	}
	out := rel.Out()
	var items []algebra.Item
	agg := &algebra.Agg{Aggs: g.aggs, Global: len(g.keys) == 0}
	for _, k := range g.keys {
		agg.Group = append(agg.Group, k.Col)
		if !slices.Contains(out, k.Col) {
			items = append(items, k)
		}
	}
	agg.In = rel
	if len(items) > 0 {
		agg.In = &algebra.Project{In: rel, Items: append(b.pass(out), items...)}
	}
	return agg
}

// determined tells whether the groups include the primary key of the table that a
// column is of: then it has one value in each.
func (g *grouping) determined(col algebra.Col, s *scope) bool {
	var groups algebra.Set
	for _, k := range g.keys {
		if c, plain := algebra.AsColumn(k.X); plain {
			groups = groups.Union(algebra.SetOf(c))
		}
	}
	for _, t := range s.tables {
		if t.rel == nil || len(t.rel.Key) == 0 || !slices.ContainsFunc(t.cols, func(c column) bool { return c.col == col }) {
			continue
		}
		all := true
		for _, k := range t.rel.Key {
			all = all && groups.Has(t.cols[k].col)
		}
		if all {
			return true
		}
	}
	return false
}

// grouped replaces in x what GROUP BY computes, and refuses other columns of FROM. Those that
// a primary key determines become groups too.
func (b *binder) grouped(x expr.Expr, s *scope, pos int) (expr.Expr, error) {
	own := s.made()
	var bad *expr.Column
	x = algebra.Rewrite(x, func(e expr.Expr) expr.Expr {
		for _, k := range s.agg.keys {
			if algebra.Same(k.X, e) {
				return b.q.Column(k.Col)
			}
		}
		c, ok := e.(*expr.Column)
		if !ok || !own.Has(algebra.Col(c.Index)) {
			return nil
		}
		switch {
		case s.agg.determined(algebra.Col(c.Index), s):
			s.agg.addKey(b, s, c)
		case bad == nil:
			bad = c
		}
		return nil
	})
	if bad != nil {
		if at, known := b.written[bad]; known {
			pos = at
		}
		return nil, fail(sql.GroupingError, pos, "column %q must appear in the GROUP BY clause or be used in an aggregate function", s.nameOf(algebra.Col(bad.Index)))
	}
	return x, nil
}

// groupedSub does the same inside a subquery.
func (b *binder) groupedSub(j subjoin, s *scope, pos int) (subjoin, error) {
	var failed error
	replace := func(e expr.Expr) expr.Expr {
		x, err := b.grouped(e, s, pos)
		if err != nil {
			if failed == nil {
				failed = err
			}
			return e
		}
		return x
	}
	j.rel = algebra.MapAll(j.rel, replace)
	on := make([]expr.Expr, len(j.on))
	for i, e := range j.on {
		on[i] = replace(e)
	}
	j.on = on
	if e, ok := failed.(*sql.Error); ok { //nolint:errorlint // made by grouped
		e.Message = "subquery uses ungrouped column " + e.Message[len("column "):]
		e.Message = e.Message[:len(e.Message)-len(" must appear in the GROUP BY clause or be used in an aggregate function")] + " from outer query"
	}
	return j, failed
}

// nameOf is a column of FROM as messages call it.
func (s *scope) nameOf(c algebra.Col) string {
	for _, t := range s.tables {
		for _, col := range t.cols {
			if col.col == c {
				return t.name + "." + col.name
			}
		}
	}
	for _, col := range s.cols {
		if col.col == c {
			return col.name
		}
	}
	return "?"
}
