package algebra

import "slices"

// Optimize is what a bound query goes through: a tree of the same rows that is not
// correlated, with the columns want in this order.
func (q *Query) Optimize(r Rel, want []Col) Rel {
	r = q.inline(r)
	for _, pass := range []func(Rel) Rel{q.Push, q.Unnest, q.Push, q.Order, q.Columns} {
		r = everywhere(r, pass)
	}
	return q.Prune(r, want)
}

// everywhere applies a pass to r and to each shared relation that it reads.
func everywhere(r Rel, pass func(Rel) Rel) Rel {
	for _, d := range sharedIn(r) {
		d.In = pass(d.In)
	}
	return pass(r)
}

// sharedIn lists the shared relations that r reads, directly or by others, those that are read by
// others first.
func sharedIn(r Rel) (defs []*Shared) {
	visit(r, func(r Rel) {
		ref, ok := r.(*Ref)
		if !ok || slices.Contains(defs, ref.Def) {
			return
		}
		for _, d := range sharedIn(ref.Def.In) {
			if !slices.Contains(defs, d) {
				defs = append(defs, d)
			}
		}
		defs = append(defs, ref.Def)
	})
	return defs
}

// inline copies shared relations into their readers where there is only one, or
// where they mention columns from outside.
func (q *Query) inline(r Rel) Rel {
	ref, ok := r.(*Ref)
	if !ok {
		if ins := r.Inputs(); len(ins) > 0 {
			return r.with(each(ins, q.inline))
		}
		return r
	}
	d := ref.Def
	if !d.inlined {
		d.In, d.inlined = q.inline(d.In), true
	}
	if (d.Refs > 1 || d.Keep) && !d.Copy && Free(d.In).Empty() {
		return r
	}
	in, m := q.Fresh(d.In)
	items := make([]Item, len(ref.Cols))
	for i, c := range ref.Cols {
		items[i] = Item{c, q.Column(m[d.Cols[i]])}
	}
	return &Project{In: in, Items: items}
}
