package plan

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// over is what a SELECT computes over its rows: window functions, then set functions.
type over struct {
	windows []ranking
	sets    [][]algebra.SetItem // by level: those of a level may use the ones before
}

// ranking is a window function.
type ranking struct {
	kind      algebra.RankKind
	partition []expr.Expr
	order     []sortItem
	col       algebra.Col
}

// sortItem is an item of ORDER BY, bound.
type sortItem struct {
	x                expr.Expr
	desc, nullsFirst bool
	pos              int
}

var ranks = map[string]algebra.RankKind{
	"row_number": algebra.RowNumber, "rank": algebra.Rank, "dense_rank": algebra.DenseRank,
}

// window binds f() OVER (…).
func (c *context) window(call *sql.Call, name string) (expr.Expr, error) {
	if !c.windows || c.s.over == nil {
		return nil, c.forbidden(sql.WindowingError, "window functions", call.Pos())
	}
	kind, ok := ranks[name]
	if !ok || len(call.Args) > 0 {
		return nil, unsupported(call.Pos(), "window function "+name+" is",
			"row_number(), rank() and dense_rank() are; others can often be written as a join with a grouped query.")
	}
	if call.Distinct || call.Filter != nil {
		return nil, fail(sql.WrongObjectType, call.Pos(), "%s is not an aggregate function", name)
	}
	in := &context{b: c.b, s: c.s, place: "window definitions", aggregates: c.aggregates}
	w := ranking{kind: kind}
	var err error
	if w.partition, err = in.all(call.Over.PartitionBy); err != nil {
		return nil, err
	}
	for i, p := range w.partition {
		if w.partition[i], err = c.b.reg.Decided(p, call.Over.PartitionBy[i].Pos()); err != nil {
			return nil, err
		}
	}
	for _, item := range call.Over.OrderBy {
		x, err := in.bind(item.X)
		if err != nil {
			return nil, err
		}
		if x, err = c.b.reg.Decided(x, item.Pos()); err != nil {
			return nil, err
		}
		s, err := c.b.sortOf(item, x)
		if err != nil {
			return nil, err
		}
		w.order = append(w.order, s)
	}
	c.pending = append(c.pending, in.pending...)
	w.col = c.b.q.New(name, datum.Ref(datum.OIDInt8))
	c.s.over.windows = append(c.s.over.windows, w)
	return c.b.q.Column(w.col), nil
}

// sortOf is an item with the default of NULLs: as if larger than any value.
func (b *binder) sortOf(item sql.OrderItem, x expr.Expr) (sortItem, error) {
	s := sortItem{x: x, desc: item.Desc, nullsFirst: item.Desc, pos: item.Pos()}
	if item.NullsFirst != nil {
		s.nullsFirst = *item.NullsFirst
	}
	if !b.reg.Orders(x.Type().OID) {
		return s, withHint(fail(sql.UndefinedFunction, leftmost(item.X), "could not identify an ordering operator for type %s", expr.FormatType(x.Type())),
			"Cast it to a type that has one.")
	}
	return s, nil
}

// set binds a set-returning function of a SELECT list.
func (c *context) set(call *sql.Call, name string) (expr.Expr, error) {
	if !c.sets || c.s.over == nil {
		return nil, c.forbidden(sql.FeatureNotSupported, setFunctions, call.Pos())
	}
	if columns, _ := expr.SetColumns(name); columns != nil {
		return nil, unsupported(call.Pos(), "composite values are", "Call "+name+" in FROM.")
	}
	args, err := c.all(call.Args)
	if err != nil {
		return nil, err
	}
	set, err := c.b.reg.ResolveSet(name, args, call.Pos())
	if err != nil {
		return nil, err
	}
	level, o := 0, c.s.over
	for i, items := range o.sets {
		for _, it := range items {
			if algebra.Refs(set.Args...).Has(it.Col) {
				level = i + 1
			}
		}
	}
	if level == len(o.sets) {
		o.sets = append(o.sets, nil)
	}
	item := algebra.SetItem{Col: c.b.q.New(name, set.T), Call: set}
	o.sets[level] = append(o.sets[level], item)
	return c.b.q.Column(item.Col), nil
}

// mapped replaces the expressions of o.
func (o *over) mapped(f func(expr.Expr, int) (expr.Expr, error)) (err error) {
	replace := func(es []expr.Expr) {
		for i := range es {
			if err == nil {
				es[i], err = f(es[i], -1)
			}
		}
	}
	for _, w := range o.windows {
		replace(w.partition)
		for i := range w.order {
			if err == nil {
				w.order[i].x, err = f(w.order[i].x, w.order[i].pos)
			}
		}
	}
	for _, items := range o.sets {
		for i := range items {
			set := *items[i].Call
			set.Args = append([]expr.Expr(nil), set.Args...)
			replace(set.Args)
			items[i].Call = &set
		}
	}
	return err
}

// ranked puts the window functions over rel, then the set functions.
func (o *over) put(b *binder, rel algebra.Rel) algebra.Rel {
	for _, w := range o.windows {
		top := &algebra.TopN{Rank: w.kind, Limit: -1, RankCol: w.col}
		rel, top.Group = b.columns(rel, w.partition)
		rel, top.Order = b.sortKeys(rel, w.order)
		top.In = rel
		rel = top
	}
	for _, items := range o.sets {
		rel = &algebra.ProjectSet{In: rel, Funcs: items}
	}
	return rel
}

// columns makes columns of expressions.
func (b *binder) columns(rel algebra.Rel, xs []expr.Expr) (algebra.Rel, []algebra.Col) {
	made := algebra.SetOf(rel.Out()...)
	var items []algebra.Item
	cols := make([]algebra.Col, len(xs))
	for i, x := range xs {
		if c, plain := algebra.AsColumn(x); plain && made.Has(c) {
			cols[i] = c
			continue
		}
		for _, it := range items {
			if algebra.Same(it.X, x) {
				cols[i] = it.Col
			}
		}
		if cols[i] == 0 {
			cols[i] = b.q.New("", x.Type())
			items = append(items, algebra.Item{Col: cols[i], X: x})
		}
	}
	if len(items) > 0 {
		rel = &algebra.Project{In: rel, Items: append(b.pass(rel.Out()), items...)}
	}
	return rel, cols
}

// sortKeys makes columns of what ORDER BY compares. Constants do not order.
func (b *binder) sortKeys(rel algebra.Rel, items []sortItem) (algebra.Rel, []algebra.Key) {
	var xs []expr.Expr
	var used []sortItem
	for _, it := range items {
		if _, fixed := it.x.(*expr.Const); !fixed {
			xs, used = append(xs, b.reg.OrderKey(it.x)), append(used, it)
		}
	}
	rel, cols := b.columns(rel, xs)
	var keys []algebra.Key
	for i, c := range cols {
		keys = append(keys, algebra.Key{Col: c, Desc: used[i].desc, NullsFirst: used[i].nullsFirst})
	}
	return rel, keys
}
