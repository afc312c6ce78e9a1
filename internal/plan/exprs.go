package plan

import (
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// BindExprs binds scalar expressions over the columns of one relation, by their positions in it; a nil relation
// has none. Subqueries and aggregates are refused. place names the clause in errors.
func BindExprs(cat *catalog.Catalog, reg *expr.Registry, rel *catalog.Relation, place string, o Options, es ...sql.Expr) ([]expr.Expr, error) {
	b := newBinder(cat, reg, o)
	s := &scope{agg: &grouping{}}
	var at []algebra.Col
	if rel != nil {
		f, err := b.scan(&sql.TableRef{At: -1, Schema: rel.Schema, Name: rel.Name}, rel)
		if err != nil {
			return nil, err
		}
		at = f.rel.Out()
		if err := s.add(f, -1); err != nil {
			return nil, err
		}
	}
	ctx := &context{b: b, s: s, place: place}
	s.agg.clause = ctx
	var xs []expr.Expr
	for _, e := range es {
		x, err := ctx.bind(e)
		if err != nil {
			return nil, err
		}
		if x, err = reg.Decided(x, e.Pos()); err != nil {
			return nil, err
		}
		if len(ctx.pending) > 0 {
			return nil, fail(sql.FeatureNotSupported, e.Pos(), "cannot use subquery in %s", place)
		}
		xs = append(xs, x)
	}
	return b.lowered(xs, at)
}

// Defaults are the values that a relation's columns have when a row does not give them, cast to the columns'
// types: NULL where there is none.
func Defaults(cat *catalog.Catalog, reg *expr.Registry, rel *catalog.Relation, o Options) ([]expr.Expr, error) {
	b := newBinder(cat, reg, o)
	out := make([]expr.Expr, len(rel.Columns))
	for i, c := range rel.Columns {
		var err error
		if out[i], err = b.defaultOf(c); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// defaultOf is the default of one column.
func (b *binder) defaultOf(c catalog.Column) (expr.Expr, error) {
	if c.Default == "" {
		return algebra.Null(c.Type), nil
	}
	e, err := b.o.ParseExpr(c.Default)
	if err != nil {
		return nil, err
	}
	ctx := &context{b: b, s: &scope{}, place: "DEFAULT expressions"}
	x, err := ctx.bind(e)
	if err != nil {
		return nil, err
	}
	return b.reg.Assign(x, c.Name, c.Type, -1)
}
