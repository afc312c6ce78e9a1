package algebra

import "github.com/weirstream/weir/internal/expr"

// unnestRows handles a right side that reads no relation: it makes rows of each row of L. Set functions
// expand L; of VALUES, each row is a projection of L, and all of them are put together.
func (q *Query) unnestRows(j *Join) (Rel, bool) {
	if j.Kind != Inner || !makesRows(j.R) {
		return nil, false
	}
	d := q.newDomain(j.L)
	return q.Unnest(filter(d.rows(j.R, d.left, nil), j.On)), true
}

// makesRows tells whether r is made of projections, filters, set functions and unions over a
// single row without columns.
func makesRows(r Rel) bool {
	switch x := r.(type) {
	case *Values:
		return len(x.Rows) == 1 && len(x.Cols) == 0
	case *Project, *Filter, *ProjectSet, *Union:
		return allOf(r.Inputs(), makesRows)
	}
	return false
}

// rows is r over left instead of the single row: left's columns, then r's. was says under which columns
// left has those of the left side; nil: under their own.
func (d *domain) rows(r, left Rel, was map[Col]Col) Rel {
	rename := func(e expr.Expr) expr.Expr { return Rename(e, was) }
	switch x := r.(type) {
	case *Values:
		return left
	case *Union:
		return d.unionOfRows(x, was)
	case *Project:
		in := d.rows(x.In, left, was)
		items := each(x.Items, func(it Item) Item { return Item{it.Col, rename(it.X)} })
		keep := each(d.left.Out(), lookup(was))
		return &Project{In: in, Items: append(d.q.pass(keep), items...)}
	}
	return r.mapped(rename).with([]Rel{d.rows(r.Inputs()[0], left, was)})
}

// unionOfRows reads the left side once for each branch.
func (d *domain) unionOfRows(u *Union, outer map[Col]Col) Rel {
	keep := each(d.left.Out(), lookup(outer))
	out := &Union{Cols: append(keep[:len(keep):len(keep)], u.Cols...)}
	for i, in := range u.Ins {
		left, was := d.read()
		out.Ins = append(out.Ins, d.rows(in, left, was))
		from := each(d.left.Out(), lookup(was))
		out.From = append(out.From, append(from, u.From[i]...))
	}
	return out
}
