package algebra

import "github.com/weirstream/weir/internal/expr"

// Columns makes columns of what operators look up by position: the sides of equalities
// in joins, the arguments and filters of aggregates. It orients equalities: left
// side first.
func (q *Query) Columns(r Rel) Rel {
	if ins := r.Inputs(); len(ins) > 0 {
		r = r.with(each(ins, q.Columns))
	}
	switch r := r.(type) {
	case *Join:
		return q.keyColumns(r)
	case *Agg:
		in := computer{q: q}
		c := r.mapped(in.column).(*Agg)
		c.In = in.over(r.In)
		return c
	}
	return r
}

// computer collects the expressions that have to become columns.
type computer struct {
	q     *Query
	items []Item
}

// column is the column that e is or becomes.
func (c *computer) column(e expr.Expr) expr.Expr {
	if _, is := AsColumn(e); is {
		return e
	}
	for _, it := range c.items {
		if Same(it.X, e) {
			return c.q.Column(it.Col)
		}
	}
	col := c.q.New("", e.Type())
	c.items = append(c.items, Item{col, e})
	return c.q.Column(col)
}

// over is r with the collected columns.
func (c *computer) over(r Rel) Rel {
	if len(c.items) == 0 {
		return r
	}
	return &Project{In: r, Items: append(c.q.pass(r.Out()), c.items...)}
}

func (q *Query) keyColumns(r *Join) Rel {
	l, rt := computer{q: q}, computer{q: q}
	lo, ro := SetOf(r.L.Out()...), SetOf(r.R.Out()...)
	on := make([]expr.Expr, len(r.On))
	for i, c := range r.On {
		on[i] = c
		eq, ok := c.(*Eq)
		if !ok {
			continue
		}
		a, b := eq.L, eq.R
		if Refs(a).Within(ro) && Refs(b).Within(lo) {
			a, b = b, a
		}
		ra, rb := Refs(a), Refs(b)
		// A constant is no key, but NullAnti has nothing else than keys.
		constant := r.Kind != NullAnti && (ra.Empty() || rb.Empty() || volatile(a) || volatile(b))
		if ra.Within(lo) && rb.Within(ro) && !constant {
			on[i] = &Eq{L: l.column(a), R: rt.column(b), NullSafe: eq.NullSafe}
		}
	}
	return &Join{Kind: r.Kind, L: l.over(r.L), R: rt.over(r.R), On: on}
}

// Key tells the columns of l and r that a condition of a join compares, after Columns.
func (e *Eq) Key(l, r Set) (a, b Col, ok bool) {
	a, isA := AsColumn(e.L)
	b, isB := AsColumn(e.R)
	return a, b, isA && isB && l.Has(a) && r.Has(b)
}
