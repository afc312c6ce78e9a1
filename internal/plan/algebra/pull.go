package algebra

import "github.com/weirstream/weir/internal/expr"

// pullup is a relation without its conditions that mention outer columns.
type pullup struct {
	rel   Rel
	conds []expr.Expr // over outer's and rel's columns
	// later are columns that are computed from outer ones: to be computed above the join.
	later map[Col]expr.Expr
	// groups are the columns of rel that conds compare, once groupable has said yes.
	groups []Col
}

// pullUp takes the conditions on outer out of r, if nothing else in r mentions outer. asSet: it does not matter
// how often r has a row, only whether.
func (q *Query) pullUp(r Rel, outer Set, asSet bool) (*pullup, bool) {
	if !Free(r).Meets(outer) {
		return &pullup{rel: r}, true
	}
	switch r := r.(type) {
	case *Filter:
		return q.pullFilter(r, outer, asSet)
	case *Project:
		return q.pullProject(r, outer, asSet)
	case *Join:
		return q.pullJoin(r, outer, asSet)
	case *Agg:
		if !r.Global && !Refs(exprsOf(r)...).Meets(outer) {
			return q.pullGroups(r, outer, func(in Rel, groups []Col) Rel {
				return &Agg{In: in, Group: joinNew(r.Group, groups), Aggs: r.Aggs}
			})
		}
	case *TopN:
		return q.pullGroups(r, outer, func(in Rel, groups []Col) Rel {
			c := *r
			c.In, c.Group = in, joinNew(r.Group, groups)
			return &c
		})
	case *MaxOne:
		p, ok := q.pullUp(r.In, outer, false)
		if ok && UniqueOn(p.rel, closure(outer.Union(SetOf(r.Group...)), p.conds)) {
			return p, true
		}
	case *Hop, *ProjectSet:
		return q.pullThrough(r, outer)
	}
	return nil, false
}

func (q *Query) pullFilter(r *Filter, outer Set, asSet bool) (*pullup, bool) {
	p, ok := q.pullUp(r.In, outer, asSet)
	if !ok {
		return nil, false
	}
	var keep []expr.Expr
	for _, c := range r.Conds {
		c = Substitute(c, p.later)
		if Refs(c).Meets(outer) {
			p.conds = append(p.conds, c)
		} else {
			keep = append(keep, c)
		}
	}
	p.rel = filter(p.rel, keep)
	return p, true
}

func (q *Query) pullProject(r *Project, outer Set, asSet bool) (*pullup, bool) {
	p, ok := q.pullUp(r.In, outer, asSet)
	if !ok {
		return nil, false
	}
	var items []Item
	later := map[Col]expr.Expr{}
	for _, it := range r.Items {
		x := Substitute(it.X, p.later)
		if Refs(x).Meets(outer) {
			later[it.Col] = x
		} else {
			items = append(items, Item{it.Col, x})
		}
	}
	// What the conditions and the postponed columns need passes on.
	want := Refs(p.conds...)
	for _, it := range r.Items {
		if x := later[it.Col]; x != nil {
			want = want.Union(Refs(x))
		}
	}
	have := SetOf(itemCols(items)...)
	for _, c := range p.rel.Out() {
		if want.Has(c) && !have.Has(c) {
			items = append(items, Item{c, q.Column(c)})
		}
	}
	p.rel, p.later = &Project{In: p.rel, Items: items}, later
	return p, true
}

// pullJoin goes into both sides of an inner join and into the left one of others.
func (q *Query) pullJoin(r *Join, outer Set, asSet bool) (*pullup, bool) {
	if Free(r.R).Meets(SetOf(r.L.Out()...)) { // LATERAL, or a subquery, further in
		inner, ok := q.pulled(r, SetOf(r.L.Out()...))
		if !ok {
			return nil, false
		}
		return q.pullUp(inner, outer, asSet)
	}
	if r.Kind == Semi && asSet && (Free(r.R).Meets(outer) || Refs(r.On...).Meets(outer)) {
		r = &Join{Kind: Inner, L: r.L, R: r.R, On: r.On} // it may give a row more often
	}
	l, ok := q.pullUp(r.L, outer, asSet)
	if !ok {
		return nil, false
	}
	rt := &pullup{rel: r.R}
	if r.Kind == Inner {
		if rt, ok = q.pullUp(r.R, outer, asSet); !ok {
			return nil, false
		}
	} else if Free(r.R).Meets(outer) {
		return nil, false
	}
	if r.Kind == Full && len(l.conds)+len(l.later) > 0 {
		return nil, false
	}
	p := &pullup{conds: append(l.conds, rt.conds...), later: l.later}
	for c, x := range rt.later {
		if p.later == nil {
			p.later = map[Col]expr.Expr{}
		}
		p.later[c] = x
	}
	var on []expr.Expr
	for _, c := range r.On {
		c = Substitute(c, p.later)
		switch {
		case !Refs(c).Meets(outer):
			on = append(on, c)
		case r.Kind == Inner:
			p.conds = append(p.conds, c)
		default:
			return nil, false
		}
	}
	p.rel = &Join{Kind: r.Kind, L: l.rel, R: rt.rel, On: on}
	return p, true
}

// pullGroups pulls equalities through an operator with groups: each compared column
// becomes a group, and for one row of outside only one value of it counts.
func (q *Query) pullGroups(r Rel, outer Set, rebuild func(in Rel, groups []Col) Rel) (*pullup, bool) {
	p, ok := q.pullUp(r.Inputs()[0], outer, false)
	if !ok || len(p.later) > 0 || !p.groupable(q, outer) {
		return nil, false
	}
	p.rel = rebuild(p.rel, p.groups)
	return p, true
}

// pullThrough goes through an operator that keeps its input's columns.
func (q *Query) pullThrough(r Rel, outer Set) (*pullup, bool) {
	if Refs(exprsOf(r)...).Meets(outer) {
		return nil, false
	}
	p, ok := q.pullUp(r.Inputs()[0], outer, false)
	if !ok || len(p.later) > 0 {
		return nil, false
	}
	p.rel = r.with([]Rel{p.rel})
	return p, true
}

// groupable tells whether all conditions are equalities of something outside with
// something inside, and makes the latter columns: groups.
func (p *pullup) groupable(q *Query, outer Set) bool {
	inside := SetOf(p.rel.Out()...)
	items := q.pass(p.rel.Out())
	for i, c := range p.conds {
		eq, ok := c.(*Eq)
		if !ok || eq.NullSafe {
			return false
		}
		in, out := eq.L, eq.R
		if Refs(in).Meets(outer) {
			in, out = out, in
		}
		if Refs(in).Meets(outer) || Refs(out).Meets(inside) || Refs(in).Empty() {
			return false
		}
		col, is := AsColumn(in)
		if !is {
			col = q.New("key", in.Type())
			items = append(items, Item{col, in})
		}
		p.conds[i] = &Eq{L: out, R: q.Column(col)}
		p.groups = append(p.groups, col)
	}
	if len(items) > len(p.rel.Out()) {
		p.rel = &Project{In: p.rel, Items: items}
	}
	return true
}

// joinNew appends the columns that are not there yet.
func joinNew(a, b []Col) []Col {
	out := a[:len(a):len(a)]
	for _, c := range b {
		if !SetOf(out...).Has(c) {
			out = append(out, c)
		}
	}
	return out
}
