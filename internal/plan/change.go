package plan

import (
	"slices"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// Change is a bound INSERT, UPDATE or DELETE of an own table. A row means all columns
// of Relation, hidden ones included, in order, n of them.
type Change struct {
	Kind     ChangeKind
	Relation *catalog.Relation
	// Rows computes what is to change. INSERT: the new row, NULL in hidden columns. UPDATE: the old row,
	// the new row, then what RETURNING takes from other tables; an old row comes once. DELETE: the old row, then the same.
	Rows *Query
	// Conflict is ON CONFLICT of an INSERT; nil: a duplicate key is an error.
	Conflict *Conflict
	// Returning computes what the client gets of a changed row; nil: no RETURNING. Of INSERT over the row as
	// it was written, of UPDATE and DELETE over Rows' columns.
	Returning []expr.Expr
	Columns   []Column // of Returning
}

// ChangeKind tells the statements apart.
type ChangeKind uint8

// Kinds of change.
const (
	Insert ChangeKind = iota
	Update
	Delete
)

// Conflict is what to do with a row whose key is there already.
type Conflict struct {
	// Update computes the new row over the row that is there, then the one that was to be
	// inserted: 2n columns. nil: DO NOTHING.
	Update []expr.Expr
	Where  expr.Expr // over the same; nil: always
}

// BindDelete binds DELETE … USING … WHERE … RETURNING.
func BindDelete(cat *catalog.Catalog, reg *expr.Registry, st *sql.Delete, o Options) (*Change, error) {
	t, err := newTarget(cat, reg, st.Table, st.Alias, o)
	if err != nil {
		return nil, err
	}
	if err := t.withQueries(st.With, st.Recursive); err != nil {
		return nil, err
	}
	if err := t.from(st.Using, st.Where); err != nil {
		return nil, err
	}
	return t.finish(Delete, t.old, nil, st.Returning)
}

// target is the table of a DML statement while it is bound.
type target struct {
	*binder
	relation *catalog.Relation
	table    *table
	s        *scope
	rel      algebra.Rel
	old      []algebra.Col // the table's columns
}

// newTarget finds the table and makes it visible.
func newTarget(cat *catalog.Catalog, reg *expr.Registry, name sql.Name, alias string, o Options) (*target, error) {
	o.View = false
	t := &target{binder: newBinder(cat, reg, o)}
	var err error
	if t.relation, err = writable(cat, name); err != nil {
		return nil, err
	}
	f, err := t.scan(&sql.TableRef{At: name.At, Schema: name.Schema, Name: name.Name, Alias: alias}, t.relation)
	if err != nil {
		return nil, err
	}
	t.table, t.rel, t.s = f.tables[0], f.rel, &scope{}
	t.s.agg, t.s.over = &grouping{}, &over{}
	for _, c := range t.table.cols {
		t.old = append(t.old, c.col)
	}
	return t, t.s.add(f, name.Pos())
}

// writable is the own table of that name.
func writable(cat *catalog.Catalog, name sql.Name) (*catalog.Relation, error) {
	rel := cat.Lookup(name.Schema, name.Name)
	switch {
	case rel == nil:
		full := name.Name
		if name.Schema != "" {
			full = name.Schema + "." + full
		}
		return nil, fail(sql.UndefinedTable, name.Pos(), "relation %q does not exist", full)
	case rel.Kind == catalog.KindTable:
		return rel, nil
	case rel.Kind == catalog.KindMatView:
		return nil, fail(sql.WrongObjectType, name.Pos(), "cannot change materialized view %q", rel.Name)
	case rel.Kind == catalog.KindCapture:
		return nil, withHint(fail(sql.WrongObjectType, name.Pos(), "cannot change table %q: it follows a table of a source", rel.Name),
			"Change the table at the source.")
	case rel.Kind == catalog.KindSystem:
		return nil, fail(sql.WrongObjectType, name.Pos(), "cannot change system relation %q", rel.Name)
	}
	return nil, fail(sql.WrongObjectType, name.Pos(), "cannot change %s %q", rel.Kind, rel.Name)
}

// withQueries makes WITH queries visible.
func (t *target) withQueries(with []sql.CTE, recursive bool) error {
	s, err := t.with(&sql.Select{With: with, Recursive: recursive}, nil)
	if err == nil {
		t.s.ctes = s.ctes
	}
	return err
}

// from joins the other tables, and filters.
func (t *target) from(items []sql.TableExpr, where sql.Expr) error {
	if len(items) > 0 {
		others, err := t.fromClause(items, t.s)
		if err != nil {
			return err
		}
		t.rel = &algebra.Join{Kind: algebra.Inner, L: t.rel, R: others}
	}
	if where != nil {
		ctx := t.clause("WHERE")
		conds, err := ctx.conditions(where, "WHERE", true)
		if err != nil {
			return err
		}
		t.rel = filtered(ctx.joined(t.rel), conds)
	}
	if len(items) > 0 { // a row that several others match changes once
		key := t.old
		if t.relation.Key != nil {
			key = nil
			for _, k := range t.relation.Key {
				key = append(key, t.old[k])
			}
		}
		t.rel = &algebra.TopN{In: t.rel, Group: key, Limit: 1}
	}
	return nil
}

func (t *target) clause(place string) *context {
	ctx := &context{b: t.binder, s: t.s, place: place}
	t.s.agg.clause = ctx
	return ctx
}

// finish makes the query: rows, then what RETURNING needs beside them. current has the columns that the table's
// names mean in RETURNING where these are not the old ones.
func (t *target) finish(kind ChangeKind, rows []algebra.Col, current map[algebra.Col]algebra.Col, returning []sql.Target) (*Change, error) {
	ch := &Change{Kind: kind, Relation: t.relation}
	xs, err := t.returning(ch, returning, current)
	if err != nil {
		return nil, err
	}
	for _, c := range algebra.Refs(xs...).Cols() {
		if !slices.Contains(rows, c) {
			rows = append(rows, c)
		}
	}
	if ch.Rows, err = t.rowsQuery(t.rel, rows); err != nil {
		return nil, err
	}
	ch.Returning, err = t.lowered(xs, rows)
	return ch, err
}

// returning binds RETURNING.
func (t *target) returning(ch *Change, list []sql.Target, current map[algebra.Col]algebra.Col) ([]expr.Expr, error) {
	targets, err := t.expandStars(list, t.s)
	if err != nil {
		return nil, err
	}
	ctx := t.clause("RETURNING")
	var xs []expr.Expr
	for _, item := range targets {
		x, err := ctx.bind(item.X)
		if err != nil {
			return nil, err
		}
		if x, err = t.reg.Decided(x, item.X.Pos()); err != nil {
			return nil, err
		}
		xs = append(xs, algebra.Rename(x, current))
		ch.Columns = append(ch.Columns, Column{Name: nameOf(item), Type: x.Type()})
	}
	if len(ctx.pending) > 0 {
		return nil, unsupported(list[0].Pos(), "a subquery in RETURNING is", "Read it with a SELECT of its own.")
	}
	return xs, nil
}

// rowsQuery makes the plan that gives cols.
func (t *target) rowsQuery(rel algebra.Rel, cols []algebra.Col) (*Query, error) {
	r := &bound{rel: rel}
	for _, c := range cols {
		r.outs = append(r.outs, output{name: t.q.Name(c), col: c})
	}
	return t.binder.finish(r)
}

// lowered gives expressions positions.
func (b *binder) lowered(xs []expr.Expr, at []algebra.Col) ([]expr.Expr, error) {
	l := newLowering(b.q, b.reg)
	out := l.exprs(xs, at)
	if len(out) == 0 {
		out = nil
	}
	return out, l.err
}
