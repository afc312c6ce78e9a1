package plan

import (
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// from is an item of FROM, or several joined.
type from struct {
	rel    algebra.Rel
	tables []*table
	cols   []column
}

// fromClause binds FROM into s: one item after the other, each seeing those before it
// where it is lateral.
func (b *binder) fromClause(items []sql.TableExpr, s *scope) (algebra.Rel, error) {
	var rel algebra.Rel
	for _, item := range items {
		f, err := b.fromItem(item, s)
		if err != nil {
			return nil, err
		}
		if err := s.add(f, item.Pos()); err != nil {
			return nil, err
		}
		if rel == nil {
			rel = f.rel
		} else {
			rel = &algebra.Join{Kind: algebra.Inner, L: rel, R: f.rel}
		}
	}
	if rel == nil {
		rel = one()
	}
	return rel, nil
}

// fromItem binds one item. s has the items before it and is not changed.
func (b *binder) fromItem(item sql.TableExpr, s *scope) (*from, error) {
	switch item := item.(type) {
	case *sql.TableRef:
		return b.tableRef(item, s)
	case *sql.SubqueryRef:
		return b.subqueryRef(item, s)
	case *sql.FuncRef:
		if item.Table != nil {
			return b.windowRef(item, s)
		}
		return b.funcRef(item, s)
	case *sql.Join:
		return b.joinRef(item, s)
	}
	return nil, unsupported(item.Pos(), "this item of FROM is", "Use a table, a subquery, a function or a join.")
}

func (b *binder) tableRef(ref *sql.TableRef, s *scope) (*from, error) {
	if ref.Schema == "" {
		if c := s.cte(ref.Name); c != nil {
			return b.cteRef(ref, c)
		}
	}
	rel := b.cat.Lookup(ref.Schema, ref.Name)
	if rel == nil {
		name := ref.Name
		if ref.Schema != "" {
			name = ref.Schema + "." + name
		}
		return nil, fail(sql.UndefinedTable, ref.Pos(), "relation %q does not exist", name)
	}
	if rel.Kind == catalog.KindView {
		return b.viewRef(ref, rel)
	}
	if rel.Kind == catalog.KindSource && len(rel.Columns) == 0 {
		return nil, withHint(fail(sql.WrongObjectType, ref.Pos(), "source %q has no columns of its own", rel.Name),
			"Create a table of it: CREATE TABLE … FROM %s TABLE '…'.", rel.Name)
	}
	return b.scan(ref, rel)
}

// scan reads a relation.
func (b *binder) scan(ref *sql.TableRef, rel *catalog.Relation) (*from, error) {
	b.deps[rel.ID] = true
	t := &table{name: rel.Name, rel: rel}
	if ref.Alias != "" {
		t.name = ref.Alias
	} else {
		t.schema = rel.Schema
	}
	scan := &algebra.Scan{Relation: rel}
	for i, c := range rel.Columns {
		col := b.q.New(c.Name, c.Type)
		scan.Attrs, scan.Cols = append(scan.Attrs, i), append(scan.Cols, col)
		t.cols = append(t.cols, column{name: c.Name, col: col, table: t, hidden: c.Hidden})
	}
	if err := t.rename(ref.Columns, ref.Pos()); err != nil {
		return nil, err
	}
	return &from{rel: scan, tables: []*table{t}, cols: t.cols}, nil
}

// rename applies the column aliases of an item.
func (t *table) rename(names []string, pos int) error {
	visible := 0
	for i := range t.cols {
		if t.cols[i].hidden {
			continue
		}
		if visible < len(names) {
			t.cols[i].name = names[visible]
		}
		visible++
	}
	if len(names) > visible {
		return fail(sql.InvalidColumnReference, pos, "table %q has %d columns available but %d columns specified", t.name, visible, len(names))
	}
	return nil
}

// viewRef binds a plain view's query where its name stands.
func (b *binder) viewRef(ref *sql.TableRef, view *catalog.Relation) (*from, error) {
	for _, v := range b.views {
		if v.ID == view.ID {
			return nil, fail(sql.InvalidRecursion, ref.Pos(), "infinite recursion detected in rules for relation %q", view.Name)
		}
	}
	b.deps[view.ID] = true
	body, err := b.o.Parse(view.Query)
	if err != nil {
		return nil, inView(view, err)
	}
	b.views = append(b.views, view)
	r, err := b.query(body, nil, false)
	b.views = b.views[:len(b.views)-1]
	if err == nil {
		r, err = b.settled(r)
	}
	if err != nil {
		return nil, inView(view, err)
	}
	for i := range r.outs {
		if i < len(view.Columns) {
			r.outs[i].name = view.Columns[i].Name
		}
	}
	name := ref.Alias
	if name == "" {
		name = view.Name
	}
	f, err := b.derived(r, name, ref.Columns, ref.Pos())
	if err == nil && ref.Alias == "" {
		f.tables[0].schema = view.Schema
	}
	return f, err
}

// inView says of an error that it is a view's: its position means nothing to the client.
func inView(view *catalog.Relation, err error) error {
	if e, ok := err.(*sql.Error); ok { //nolint:errorlint // errors of binding are not wrapped
		inner := *e
		inner.Pos = -1
		inner.Detail = "It is in the query of view \"" + view.Name + "\". " + inner.Detail
		return &inner
	}
	return err
}

func (b *binder) subqueryRef(ref *sql.SubqueryRef, s *scope) (*from, error) {
	around := s.outerOnly()
	if ref.Lateral {
		around = s
	}
	r, err := b.query(ref.Query, around, false)
	if err != nil {
		return nil, err
	}
	if r, err = b.settled(r); err != nil {
		return nil, err
	}
	return b.derived(r, ref.Alias, ref.Columns, ref.Pos())
}

// outerOnly is what an item of FROM sees that is not lateral: WITH and what is around the SELECT.
func (s *scope) outerOnly() *scope {
	return &scope{outer: s.outer, ctes: s.ctes, unseen: s.tables}
}

// derived is a query as an item of FROM. An empty name cannot be referred to.
func (b *binder) derived(r *bound, name string, columns []string, pos int) (*from, error) {
	t := &table{name: name}
	for _, o := range r.outs {
		t.cols = append(t.cols, column{name: o.name, col: o.col, table: t})
	}
	if err := t.rename(columns, pos); err != nil {
		return nil, err
	}
	return &from{rel: r.rel, tables: []*table{t}, cols: t.cols}, nil
}

// one is a relation of one row without columns: what SELECT without FROM reads.
func one() algebra.Rel { return &algebra.Values{Rows: [][]expr.Expr{nil}} }
