package plan

import (
	"slices"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// BindInsert binds INSERT … ON CONFLICT … RETURNING.
func BindInsert(cat *catalog.Catalog, reg *expr.Registry, st *sql.Insert, o Options) (*Change, error) {
	t, err := newTarget(cat, reg, st.Into, st.Alias, o)
	if err != nil {
		return nil, err
	}
	into, err := t.insertColumns(st)
	if err != nil {
		return nil, err
	}
	rel, cols, err := t.inserted(st, into)
	if err != nil {
		return nil, err
	}
	ch := &Change{Relation: t.relation}
	xs, err := t.returning(ch, st.Returning, nil)
	if err != nil {
		return nil, err
	}
	if ch.Returning, err = t.lowered(xs, t.old); err != nil {
		return nil, err
	}
	if st.OnConflict != nil {
		if ch.Conflict, err = t.conflict(st); err != nil {
			return nil, err
		}
	}
	if !reads(rel, t.relation) {
		delete(t.deps, t.relation.ID)
	}
	ch.Rows, err = t.rowsQuery(rel, cols)
	return ch, err
}

// reads tells whether a tree scans a relation.
func reads(r algebra.Rel, relation *catalog.Relation) bool {
	switch x := r.(type) {
	case *algebra.Scan:
		return x.Relation == relation
	case *algebra.Ref:
		return reads(x.Def.In, relation)
	}
	return slices.ContainsFunc(r.Inputs(), func(in algebra.Rel) bool { return reads(in, relation) })
}

// insertColumns are the positions of the columns that the statement gives, in its order. Without a
// list they are the first ones, as many as there are values.
func (t *target) insertColumns(st *sql.Insert) ([]int, error) {
	var into []int
	for _, name := range st.Columns {
		i, err := t.columnAt(name, st.Into.Pos())
		if err != nil {
			return nil, err
		}
		if slices.Contains(into, i) {
			return nil, fail(sql.DuplicateColumn, st.Into.Pos(), "column %q specified more than once", name)
		}
		into = append(into, i)
	}
	if st.Columns != nil {
		return into, nil
	}
	for i, c := range t.relation.Columns {
		if !c.Hidden {
			into = append(into, i)
		}
	}
	return into, nil
}

// inserted is the relation of new rows, with a column for each of the table's.
func (t *target) inserted(st *sql.Insert, into []int) (algebra.Rel, []algebra.Col, error) {
	q := st.Source
	switch {
	case q == nil:
		rows, err := t.complete([]expr.Expr{}, nil, nil)
		return t.one(rows, err)
	case plainValues(q):
		return t.insertedValues(q, st, into)
	}
	r, err := t.query(q, nil, true)
	if err != nil {
		return nil, nil, err
	}
	if r, err = t.cut(r, q); err != nil {
		return nil, nil, err
	}
	var given []expr.Expr
	pos := make([]int, len(r.outs))
	for i, o := range r.outs {
		given, pos[i] = append(given, o.value(t.binder)), o.pos
	}
	if into, err = matched(into, len(given), st, q.Pos()); err != nil {
		return nil, nil, err
	}
	xs, err := t.complete(given, into, pos)
	if err != nil {
		return nil, nil, err
	}
	rel, cols := t.columns(r.rel, xs)
	return rel, cols, nil
}

// plainValues tells a VALUES list whose expressions take the types of the columns they go to.
func plainValues(q *sql.Select) bool {
	return q.Values != nil && len(q.OrderBy) == 0 && q.Limit == nil && q.Offset == nil && len(q.With) == 0
}

// matched checks the number of values.
func matched(into []int, n int, st *sql.Insert, pos int) ([]int, error) {
	switch {
	case n > len(into):
		return nil, fail(sql.SyntaxError, pos, "INSERT has more expressions than target columns")
	case n < len(into) && st.Columns != nil:
		return nil, fail(sql.SyntaxError, pos, "INSERT has more target columns than expressions")
	}
	return into[:n], nil
}

// insertedValues binds each value for its column.
func (t *target) insertedValues(q *sql.Select, st *sql.Insert, into []int) (algebra.Rel, []algebra.Col, error) {
	ctx := &context{b: t.binder, s: &scope{agg: &grouping{}}, place: "VALUES"}
	ctx.s.agg.clause = ctx
	rows := make([][]expr.Expr, len(q.Values))
	for i, row := range q.Values {
		if len(row) != len(q.Values[0]) {
			return nil, nil, fail(sql.SyntaxError, row[0].Pos(), "VALUES lists must all be the same length")
		}
		targets, err := matched(into, len(row), st, q.Pos())
		if err != nil {
			return nil, nil, err
		}
		given, pos := make([]expr.Expr, len(row)), make([]int, len(row))
		for k, e := range row {
			pos[k] = e.Pos()
			if _, isDefault := e.(*sql.Default); isDefault {
				continue
			}
			if given[k], err = ctx.bind(e); err != nil {
				return nil, nil, err
			}
		}
		if rows[i], err = t.complete(given, targets, pos); err != nil {
			return nil, nil, err
		}
	}
	if len(ctx.pending) > 0 {
		r := t.newRow()
		return t.rowsOf(rows, ctx, r), r.cols(), nil
	}
	cols := t.newRow().cols()
	return &algebra.Values{Rows: rows, Cols: cols}, cols, nil
}

// newRow makes a column for each of the table's.
func (t *target) newRow() *bound {
	r := &bound{}
	for _, c := range t.relation.Columns {
		r.outs = append(r.outs, output{name: c.Name, col: t.q.New(c.Name, c.Type)})
	}
	return r
}

func (t *target) one(row []expr.Expr, err error) (algebra.Rel, []algebra.Col, error) {
	cols := t.newRow().cols()
	return &algebra.Values{Rows: [][]expr.Expr{row}, Cols: cols}, cols, err
}

// complete is a whole row: given values, cast for the columns into, and defaults elsewhere. A given nil is DEFAULT.
func (t *target) complete(given []expr.Expr, into, pos []int) ([]expr.Expr, error) {
	row := make([]expr.Expr, len(t.relation.Columns))
	for i, c := range t.relation.Columns {
		var err error
		if k := slices.Index(into, i); k >= 0 && given[k] != nil {
			row[i], err = t.reg.Assign(given[k], c.Name, c.Type, pos[k])
		} else {
			row[i], err = t.defaultOf(c)
		}
		if err != nil {
			return nil, err
		}
	}
	return row, nil
}

// conflict binds ON CONFLICT (columns) DO …: the columns must be the primary key.
func (t *target) conflict(st *sql.Insert) (*Conflict, error) {
	oc, pos := st.OnConflict, st.Into.Pos()
	if oc.Update != nil && len(oc.Columns) == 0 {
		return nil, withHint(fail(sql.SyntaxError, pos, "ON CONFLICT DO UPDATE requires inference specification or constraint name"),
			"For example, ON CONFLICT (column_name).")
	}
	var key []int
	for _, name := range oc.Columns {
		i, err := t.columnAt(name, pos)
		if err != nil {
			return nil, err
		}
		key = append(key, i)
	}
	slices.Sort(key)
	if oc.Columns != nil && !slices.Equal(key, slices.Sorted(slices.Values(t.relation.Key))) {
		return nil, fail(sql.InvalidColumnReference, pos, "there is no unique or exclusion constraint matching the ON CONFLICT specification")
	}
	out := &Conflict{}
	if oc.Update == nil {
		return out, nil
	}
	excluded := &table{name: "excluded"}
	both := slices.Clone(t.old)
	for _, c := range t.table.cols {
		col := t.q.NewLike(c.col)
		both = append(both, col)
		excluded.cols = append(excluded.cols, column{name: c.name, col: col, table: excluded, hidden: c.hidden})
	}
	t.s.tables = append(t.s.tables, excluded)
	ctx := t.clause("ON CONFLICT")
	values, err := t.assigned(ctx, oc.Update)
	if err != nil {
		return nil, err
	}
	for i, col := range t.old {
		if values[i] == nil {
			values[i] = t.q.Column(col)
		}
	}
	if out.Update, err = t.lowered(values, both); err != nil {
		return nil, err
	}
	if oc.Where != nil {
		x, err := ctx.bind(oc.Where)
		if err != nil {
			return nil, err
		}
		if x, err = t.reg.Boolean(x, "WHERE", oc.Where.Pos()); err != nil {
			return nil, err
		}
		where, err := t.lowered([]expr.Expr{x}, both)
		if err != nil {
			return nil, err
		}
		out.Where = where[0]
	}
	if len(ctx.pending) > 0 {
		return nil, unsupported(pos, "a subquery in ON CONFLICT DO UPDATE is", "Read the value first.")
	}
	return out, nil
}
