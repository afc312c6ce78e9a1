package expr

import "github.com/weirstream/weir/internal/sql"

// Rows, (a, b), are compared column by column; they are no values.

func (b *binder) binary(e *sql.Binary) (Expr, error) {
	left, isRow := e.Left.(*sql.Row)
	right, isRow2 := e.Right.(*sql.Row)
	if !isRow || !isRow2 {
		return b.with([]sql.Expr{e.Left, e.Right}, func(x []Expr) (Expr, error) { return b.r.ResolveOperator(e.Op, x, e.Pos()) })
	}
	l, err := b.row(left)
	if err != nil {
		return nil, err
	}
	r, err := b.row(right)
	if err != nil {
		return nil, err
	}
	return b.r.CompareRows(e.Op, l, r, e.Pos())
}

func (b *binder) row(e *sql.Row) ([]Expr, error) {
	bound := make([]Expr, len(e.Args))
	for i, a := range e.Args {
		var err error
		if bound[i], err = b.expr(a); err != nil {
			return nil, err
		}
	}
	return bound, nil
}

// CompareRows is (l…) op (r…): = and <> by all columns, < and its like by the first that differs.
func (r *Registry) CompareRows(op string, left, right []Expr, pos int) (Expr, error) {
	if len(left) != len(right) {
		return nil, fail(sql.SyntaxError, pos, "unequal number of entries in row expressions")
	}
	if len(left) == 0 {
		return nil, fail(sql.FeatureNotSupported, pos, "cannot compare rows of zero length")
	}
	switch op {
	case "=", "<>", "!=":
		parts := make([]Expr, len(left))
		for i := range left {
			var err error
			if parts[i], err = r.ResolveOperator(op, []Expr{left[i], right[i]}, pos); err != nil {
				return nil, err
			}
		}
		if op == "=" {
			return r.And(parts, pos)
		}
		return r.Or(parts, pos)
	case "<", "<=", ">", ">=":
		return r.rowOrder(op, left, right, pos)
	}
	return nil, withHint(fail(sql.FeatureNotSupported, pos, "could not determine interpretation of row comparison operator %s", op),
		"Row comparison operators must be associated with btree operator families.")
}

// rowOrder is l0 < r0 OR (l0 = r0 AND …): NULL where PostgreSQL says so, since = and < are NULL together.
func (r *Registry) rowOrder(op string, left, right []Expr, pos int) (Expr, error) {
	last := len(left) == 1
	strict := op
	if !last {
		strict = op[:1]
	}
	before, err := r.ResolveOperator(strict, []Expr{left[0], right[0]}, pos)
	if err != nil || last {
		return before, err
	}
	same, err := r.ResolveOperator("=", []Expr{left[0], right[0]}, pos)
	if err != nil {
		return nil, err
	}
	rest, err := r.rowOrder(op, left[1:], right[1:], pos)
	if err != nil {
		return nil, err
	}
	return &Or{[]Expr{before, &And{[]Expr{same, rest}}}}, nil
}

// in binds x IN (list), by columns where x is a row.
func (b *binder) in(e *sql.In) (Expr, error) {
	x, isRow := e.X.(*sql.Row)
	if !isRow {
		return b.with(append([]sql.Expr{e.X}, e.List...), func(x []Expr) (Expr, error) { return b.r.In(x[0], x[1:], e.Not, e.Pos()) })
	}
	left, err := b.row(x)
	if err != nil {
		return nil, err
	}
	var alternatives []Expr
	for _, item := range e.List {
		row, ok := item.(*sql.Row)
		if !ok {
			return nil, fail(sql.SyntaxError, item.Pos(), "unequal number of entries in row expressions")
		}
		right, err := b.row(row)
		if err != nil {
			return nil, err
		}
		eq, err := b.r.CompareRows("=", left, right, e.Pos())
		if err != nil {
			return nil, err
		}
		alternatives = append(alternatives, eq)
	}
	found, err := b.r.Or(alternatives, e.Pos())
	if err != nil || !e.Not {
		return found, err
	}
	return b.r.Not(found, e.Pos())
}

// isNull binds x IS [NOT] NULL; of a row it asks every column.
func (b *binder) isNull(e *sql.IsNull) (Expr, error) {
	row, isRow := e.X.(*sql.Row)
	if !isRow {
		return b.with([]sql.Expr{e.X}, func(x []Expr) (Expr, error) { return b.r.IsNull(x[0], e.Not, e.Pos()) })
	}
	columns, err := b.row(row)
	if err != nil {
		return nil, err
	}
	for i, c := range columns {
		if columns[i], err = b.r.IsNull(c, e.Not, e.Pos()); err != nil {
			return nil, err
		}
	}
	return b.r.And(columns, e.Pos())
}

// isDistinct binds x IS [NOT] DISTINCT FROM y; rows are distinct if a column is.
func (b *binder) isDistinct(e *sql.IsDistinct) (Expr, error) {
	left, isRow := e.Left.(*sql.Row)
	right, isRow2 := e.Right.(*sql.Row)
	if !isRow || !isRow2 {
		return b.with([]sql.Expr{e.Left, e.Right}, func(x []Expr) (Expr, error) { return b.r.IsDistinct(x[0], x[1], e.Not, e.Pos()) })
	}
	l, err := b.row(left)
	if err != nil {
		return nil, err
	}
	r, err := b.row(right)
	if err != nil {
		return nil, err
	}
	if len(l) != len(r) {
		return nil, fail(sql.SyntaxError, e.Pos(), "unequal number of entries in row expressions")
	}
	for i := range l {
		if l[i], err = b.r.IsDistinct(l[i], r[i], e.Not, e.Pos()); err != nil {
			return nil, err
		}
	}
	if e.Not {
		return b.r.And(l, e.Pos())
	}
	return b.r.Or(l, e.Pos())
}
