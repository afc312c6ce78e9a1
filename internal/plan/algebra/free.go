package algebra

import "github.com/weirstream/weir/internal/expr"

// exprsOf are the expressions of one operator, not of its inputs.
func exprsOf(r Rel) []expr.Expr {
	var out []expr.Expr
	r.mapped(func(e expr.Expr) expr.Expr {
		out = append(out, e)
		return e
	})
	return out
}

// Free are the columns that r mentions and that come from outside of it.
func Free(r Rel) Set {
	if ref, ok := r.(*Ref); ok {
		return Free(ref.Def.In)
	}
	used := Refs(exprsOf(r)...)
	var made Set
	for _, in := range r.Inputs() {
		used = used.Union(Free(in))
		made = made.Union(SetOf(in.Out()...))
	}
	return used.Minus(made)
}

// MapAll is a copy of r with every expression in it, at any depth, replaced by f.
func MapAll(r Rel, f func(expr.Expr) expr.Expr) Rel {
	ins := r.Inputs()
	if len(ins) > 0 {
		copies := make([]Rel, len(ins))
		for i, in := range ins {
			copies[i] = MapAll(in, f)
		}
		r = r.with(copies)
	}
	return r.mapped(f)
}

// visit calls f for r and all that it reads, inputs first.
func visit(r Rel, f func(Rel)) {
	for _, in := range r.Inputs() {
		visit(in, f)
	}
	f(r)
}
