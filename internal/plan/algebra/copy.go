package algebra

import "github.com/weirstream/weir/internal/expr"

// Inputs implements Rel.
func (r *Scan) Inputs() []Rel       { return nil }
func (r *Values) Inputs() []Rel     { return nil }
func (r *Ref) Inputs() []Rel        { return nil }
func (r *Project) Inputs() []Rel    { return []Rel{r.In} }
func (r *Filter) Inputs() []Rel     { return []Rel{r.In} }
func (r *Join) Inputs() []Rel       { return []Rel{r.L, r.R} }
func (r *Agg) Inputs() []Rel        { return []Rel{r.In} }
func (r *Union) Inputs() []Rel      { return r.Ins }
func (r *TopN) Inputs() []Rel       { return []Rel{r.In} }
func (r *Hop) Inputs() []Rel        { return []Rel{r.In} }
func (r *ProjectSet) Inputs() []Rel { return []Rel{r.In} }
func (r *MaxOne) Inputs() []Rel     { return []Rel{r.In} }

func (r *Scan) with([]Rel) Rel           { return r }
func (r *Values) with([]Rel) Rel         { return r }
func (r *Ref) with([]Rel) Rel            { return r }
func (r *Project) with(ins []Rel) Rel    { c := *r; c.In = ins[0]; return &c }
func (r *Filter) with(ins []Rel) Rel     { c := *r; c.In = ins[0]; return &c }
func (r *Join) with(ins []Rel) Rel       { c := *r; c.L, c.R = ins[0], ins[1]; return &c }
func (r *Agg) with(ins []Rel) Rel        { c := *r; c.In = ins[0]; return &c }
func (r *Union) with(ins []Rel) Rel      { c := *r; c.Ins = ins; return &c }
func (r *TopN) with(ins []Rel) Rel       { c := *r; c.In = ins[0]; return &c }
func (r *Hop) with(ins []Rel) Rel        { c := *r; c.In = ins[0]; return &c }
func (r *ProjectSet) with(ins []Rel) Rel { c := *r; c.In = ins[0]; return &c }
func (r *MaxOne) with(ins []Rel) Rel     { c := *r; c.In = ins[0]; return &c }

func (r *Scan) mapped(func(expr.Expr) expr.Expr) Rel   { return r }
func (r *Ref) mapped(func(expr.Expr) expr.Expr) Rel    { return r }
func (r *Union) mapped(func(expr.Expr) expr.Expr) Rel  { return r }
func (r *TopN) mapped(func(expr.Expr) expr.Expr) Rel   { return r }
func (r *Hop) mapped(func(expr.Expr) expr.Expr) Rel    { return r }
func (r *MaxOne) mapped(func(expr.Expr) expr.Expr) Rel { return r }

func (r *Values) mapped(f func(expr.Expr) expr.Expr) Rel {
	c := *r
	c.Rows = make([][]expr.Expr, len(r.Rows))
	for i, row := range r.Rows {
		c.Rows[i] = each(row, f)
	}
	return &c
}

func (r *Project) mapped(f func(expr.Expr) expr.Expr) Rel {
	c := *r
	c.Items = each(r.Items, func(it Item) Item { it.X = f(it.X); return it })
	return &c
}

func (r *Filter) mapped(f func(expr.Expr) expr.Expr) Rel {
	return &Filter{In: r.In, Conds: each(r.Conds, f)}
}

func (r *Join) mapped(f func(expr.Expr) expr.Expr) Rel {
	c := *r
	c.On = each(r.On, f)
	return &c
}

func (r *Agg) mapped(f func(expr.Expr) expr.Expr) Rel {
	c := *r
	c.Aggs = each(r.Aggs, func(a AggItem) AggItem {
		if a.Arg != nil {
			a.Arg = f(a.Arg)
		}
		if a.Filter != nil {
			a.Filter = f(a.Filter)
		}
		return a
	})
	return &c
}

func (r *ProjectSet) mapped(f func(expr.Expr) expr.Expr) Rel {
	c := *r
	c.Funcs = each(r.Funcs, func(s SetItem) SetItem {
		call := *s.Call
		call.Args = each(call.Args, f)
		return SetItem{s.Col, &call}
	})
	return &c
}

func (r *Scan) renamed(f func(Col) Col) Rel { c := *r; c.Cols = each(r.Cols, f); return &c }
func (r *Ref) renamed(f func(Col) Col) Rel  { c := *r; c.Cols = each(r.Cols, f); return &c }

func (r *Values) renamed(f func(Col) Col) Rel {
	c := *r.mapped(renaming(f)).(*Values)
	c.Cols = each(r.Cols, f)
	return &c
}

func (r *Project) renamed(f func(Col) Col) Rel {
	c := *r.mapped(renaming(f)).(*Project)
	c.Items = each(c.Items, func(it Item) Item { it.Col = f(it.Col); return it })
	return &c
}

func (r *Filter) renamed(f func(Col) Col) Rel { return r.mapped(renaming(f)) }
func (r *Join) renamed(f func(Col) Col) Rel   { return r.mapped(renaming(f)) }

func (r *Agg) renamed(f func(Col) Col) Rel {
	c := *r.mapped(renaming(f)).(*Agg)
	c.Group = each(r.Group, f)
	c.Aggs = each(c.Aggs, func(a AggItem) AggItem { a.Col = f(a.Col); return a })
	return &c
}

func (r *Union) renamed(f func(Col) Col) Rel {
	c := *r
	c.Cols = each(r.Cols, f)
	c.From = each(r.From, func(from []Col) []Col { return each(from, f) })
	return &c
}

func (r *TopN) renamed(f func(Col) Col) Rel {
	c := *r
	c.Group = each(r.Group, f)
	c.Order = each(r.Order, func(k Key) Key { k.Col = f(k.Col); return k })
	if r.RankCol != 0 {
		c.RankCol = f(r.RankCol)
	}
	return &c
}

func (r *Hop) renamed(f func(Col) Col) Rel {
	c := *r
	c.Time, c.Start, c.End = f(r.Time), f(r.Start), f(r.End)
	return &c
}

func (r *ProjectSet) renamed(f func(Col) Col) Rel {
	c := *r.mapped(renaming(f)).(*ProjectSet)
	c.Funcs = each(c.Funcs, func(s SetItem) SetItem { s.Col = f(s.Col); return s })
	if r.Ordinal != 0 {
		c.Ordinal = f(r.Ordinal)
	}
	return &c
}

func (r *MaxOne) renamed(f func(Col) Col) Rel { c := *r; c.Group = each(r.Group, f); return &c }

// renaming replaces columns in an expression.
func renaming(f func(Col) Col) func(expr.Expr) expr.Expr {
	return func(e expr.Expr) expr.Expr {
		return Replace(e, func(c *expr.Column) expr.Expr {
			if to := f(Col(c.Index)); to != Col(c.Index) {
				return &expr.Column{Index: int(to), T: c.T}
			}
			return nil
		})
	}
}

// Rename replaces the columns of an expression that m has.
func Rename(e expr.Expr, m map[Col]Col) expr.Expr { return renaming(lookup(m))(e) }

// lookup is m as a function; what it does not have stays.
func lookup(m map[Col]Col) func(Col) Col {
	return func(c Col) Col {
		if to, ok := m[c]; ok {
			return to
		}
		return c
	}
}

// each maps a slice; nil stays nil.
func each[T any](s []T, f func(T) T) []T {
	if s == nil {
		return nil
	}
	out := make([]T, len(s))
	for i, x := range s {
		out[i] = f(x)
	}
	return out
}

// Fresh is a copy of r whose columns are all new, and the new number of each. Columns
// from outside stay.
func (q *Query) Fresh(r Rel) (Rel, map[Col]Col) {
	m := map[Col]Col{}
	return q.fresh(r, m), m
}

func (q *Query) fresh(r Rel, m map[Col]Col) Rel {
	ins := r.Inputs()
	copies := make([]Rel, len(ins))
	for i, in := range ins {
		copies[i] = q.fresh(in, m)
	}
	for _, c := range makes(r) {
		m[c] = q.NewLike(c)
	}
	return r.renamed(lookup(m)).with(copies)
}

// makes lists the columns that r makes itself.
func makes(r Rel) []Col {
	var from Set
	for _, in := range r.Inputs() {
		from = from.Union(SetOf(in.Out()...))
	}
	var made []Col
	for _, c := range r.Out() {
		if !from.Has(c) {
			made = append(made, c)
		}
	}
	return made
}
