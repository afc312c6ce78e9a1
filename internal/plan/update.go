package plan

import (
	"slices"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// BindUpdate binds UPDATE … SET … FROM … WHERE … RETURNING.
func BindUpdate(cat *catalog.Catalog, reg *expr.Registry, st *sql.Update, o Options) (*Change, error) {
	t, err := newTarget(cat, reg, st.Table, st.Alias, o)
	if err != nil {
		return nil, err
	}
	if err := t.withQueries(st.With, st.Recursive); err != nil {
		return nil, err
	}
	if err := t.from(st.From, st.Where); err != nil {
		return nil, err
	}
	ctx := t.clause("UPDATE")
	values, err := t.assigned(ctx, st.Set)
	if err != nil {
		return nil, err
	}
	rel := ctx.joined(t.rel)
	items := t.pass(rel.Out())
	rows, current := slices.Clone(t.old), map[algebra.Col]algebra.Col{}
	for i, col := range t.old {
		now := col
		if values[i] != nil {
			now = t.q.New(t.relation.Columns[i].Name, t.relation.Columns[i].Type)
			items = append(items, algebra.Item{Col: now, X: values[i]})
			current[col] = now
		}
		rows = append(rows, now)
	}
	t.rel = &algebra.Project{In: rel, Items: items}
	return t.finish(Update, rows, current, st.Returning)
}

// assigned gives, for each column of the table that SET names, its new value.
func (t *target) assigned(ctx *context, set []sql.Assignment) ([]expr.Expr, error) {
	values := make([]expr.Expr, len(t.relation.Columns))
	for _, a := range set {
		xs, err := t.sources(ctx, a)
		if err != nil {
			return nil, err
		}
		for k, name := range a.Columns {
			i, err := t.columnAt(name, a.Pos())
			if err != nil {
				return nil, err
			}
			if values[i] != nil {
				return nil, fail(sql.SyntaxError, a.Pos(), "multiple assignments to same column %q", name)
			}
			c := t.relation.Columns[i]
			if xs[k] == nil {
				values[i], err = t.defaultOf(c)
			} else {
				values[i], err = t.reg.Assign(xs[k], c.Name, c.Type, a.Value.Pos())
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return values, nil
}

// sources binds the right side of an assignment: a value for each column, nil for DEFAULT.
func (t *target) sources(ctx *context, a sql.Assignment) ([]expr.Expr, error) {
	parts := []sql.Expr{a.Value}
	if len(a.Columns) > 1 {
		switch v := a.Value.(type) {
		case *sql.Row:
			parts = v.Args
		case *sql.Subquery:
			if v.Kind == sql.Scalar {
				return t.rowOf(ctx, v, len(a.Columns))
			}
		default:
			return nil, fail(sql.FeatureNotSupported, a.Value.Pos(), "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression")
		}
	}
	if len(parts) != len(a.Columns) {
		return nil, fail(sql.SyntaxError, a.Value.Pos(), "number of columns does not match number of values")
	}
	xs := make([]expr.Expr, len(parts))
	for i, p := range parts {
		if _, isDefault := p.(*sql.Default); isDefault {
			continue
		}
		var err error
		if xs[i], err = ctx.bind(p); err != nil {
			return nil, err
		}
	}
	return xs, nil
}

// rowOf is a subquery of one row that gives several columns.
func (t *target) rowOf(ctx *context, s *sql.Subquery, n int) ([]expr.Expr, error) {
	r, err := ctx.subquery(s.Query)
	if err != nil {
		return nil, err
	}
	if len(r.outs) != n {
		return nil, fail(sql.SyntaxError, s.Pos(), "number of columns does not match number of values")
	}
	ctx.pending = append(ctx.pending, subjoin{kind: algebra.Left, rel: &algebra.MaxOne{In: r.rel}})
	var xs []expr.Expr
	for _, o := range r.outs {
		xs = append(xs, t.q.Column(o.col))
	}
	return xs, nil
}

// columnAt finds a column that a statement writes.
func (t *target) columnAt(name string, pos int) (int, error) {
	for i, c := range t.relation.Columns {
		if c.Name == name && !c.Hidden {
			return i, nil
		}
	}
	return 0, fail(sql.UndefinedColumn, pos, "column %q of relation %q does not exist", name, t.relation.Name)
}
