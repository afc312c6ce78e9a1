package plan

import (
	"fmt"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// values binds VALUES (…), (…).
func (b *binder) values(q *sql.Select, s *scope) (*bound, error) {
	ctx := &context{b: b, s: &scope{outer: s}, place: "VALUES"}
	ctx.s.agg = &grouping{clause: ctx}
	rows := make([][]expr.Expr, len(q.Values))
	constant := true
	for i, row := range q.Values {
		if len(row) != len(q.Values[0]) {
			return nil, fail(sql.SyntaxError, row[0].Pos(), "VALUES lists must all be the same length")
		}
		var err error
		if rows[i], err = ctx.all(row); err != nil {
			return nil, err
		}
		constant = constant && algebra.Refs(rows[i]...).Empty()
	}
	types, err := b.valueTypes(rows, q)
	if err != nil {
		return nil, err
	}
	r := &bound{}
	for k, t := range types {
		name := fmt.Sprintf("column%d", k+1)
		r.outs = append(r.outs, output{name: name, col: b.q.New(name, t), pos: q.Pos()})
	}
	if constant {
		r.rel = &algebra.Values{Rows: rows, Cols: r.cols()}
	} else {
		r.rel = b.rowsOf(rows, ctx, r)
	}
	return r, b.orderOutputs(q, r)
}

// valueTypes brings every column of a VALUES list to one type.
func (b *binder) valueTypes(rows [][]expr.Expr, q *sql.Select) ([]datum.TypeRef, error) {
	types := make([]datum.TypeRef, len(rows[0]))
	for k := range types {
		column := make([]expr.Expr, len(rows))
		for i := range rows {
			column[i] = rows[i][k]
		}
		var err error
		if types[k], err = b.reg.CommonType("VALUES", column, q.Values[0][k].Pos()); err != nil {
			return nil, err
		}
		for i := range rows {
			if rows[i][k], err = b.reg.Cast(column[i], types[k], expr.Implicit, q.Values[i][k].Pos()); err != nil {
				return nil, err
			}
		}
	}
	return types, nil
}

// rowsOf is a VALUES list that mentions columns from outside, or subqueries: one
// projection for each row.
func (b *binder) rowsOf(rows [][]expr.Expr, ctx *context, r *bound) algebra.Rel {
	in := ctx.joined(one())
	u := &algebra.Union{Cols: r.cols()}
	for i, row := range rows {
		from := in
		if i > 0 { // its columns may be made once only
			var m map[algebra.Col]algebra.Col
			from, m = b.q.Fresh(in)
			for k, x := range row {
				row[k] = algebra.Rename(x, m)
			}
		}
		var items []algebra.Item
		var cols []algebra.Col
		for _, x := range row {
			col := b.q.New("", x.Type())
			items, cols = append(items, algebra.Item{Col: col, X: x}), append(cols, col)
		}
		u.Ins, u.From = append(u.Ins, &algebra.Project{In: from, Items: items}), append(u.From, cols)
	}
	return u
}
