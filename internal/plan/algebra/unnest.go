package algebra

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
)

// Unnest makes the right side of every join independent of its left one, outer joins
// first. In this order of preference:
//
//	conditions are pulled up     from the right side into the join: L ⋈ (σ[u.k = l.k] U)
//	                             is L ⋈[u.k = l.k] U; through an aggregate k becomes a group
//	an aggregate without groups  is grouped by k and joined left; a missing count is 0
//	rows are made                of L's: LATERAL unnest(l.a), LATERAL (VALUES (l.a), (l.b))
//	a domain is pushed down      the distinct values of what comes from L are joined to the
//	                             right side where it mentions them, flow up, and are joined
//	                             back to L, NULL equal to NULL
func (q *Query) Unnest(r Rel) Rel {
	switch r := r.(type) {
	case *Join:
		return q.unnestJoin(&Join{Kind: r.Kind, L: q.Unnest(r.L), R: r.R, On: r.On})
	case *MaxOne:
		in := q.Unnest(r.In)
		if UniqueOn(in, SetOf(r.Group...)) {
			return in
		}
		return r.with([]Rel{in})
	}
	ins := r.Inputs()
	if len(ins) == 0 {
		return r
	}
	return r.with(each(ins, q.Unnest))
}

func (q *Query) unnestJoin(j *Join) Rel {
	outer := SetOf(j.L.Out()...)
	if !Free(j.R).Meets(outer) {
		j.R = q.Unnest(j.R)
		return j
	}
	if r, ok := q.pulled(j, outer); ok {
		return q.Unnest(r)
	}
	if r, ok := q.unnestAggregate(j, outer); ok {
		return q.Unnest(r)
	}
	if r, ok := q.unnestRows(j); ok {
		return r
	}
	d := q.newDomain(j.L)
	right, m := d.into(j.R, Free(j.R).Intersect(outer))
	on := j.On
	for _, f := range Free(j.R).Intersect(outer).Cols() {
		on = append(on[:len(on):len(on)], q.same(f, m[f]))
	}
	return &Join{Kind: j.Kind, L: d.left, R: q.Unnest(right), On: on}
}

// same compares two columns, NULL equal to NULL.
func (q *Query) same(a, b Col) expr.Expr {
	return &Eq{L: q.Column(a), R: q.Column(b), NullSafe: true}
}

// pulled is j with the conditions of its right side that mention outer in the join,
// if that makes the right side independent.
func (q *Query) pulled(j *Join, outer Set) (Rel, bool) {
	p, ok := q.pullUp(j.R, outer, j.Kind == Semi || j.Kind == Anti)
	if !ok {
		return nil, false
	}
	sub := func(e expr.Expr) expr.Expr { return Substitute(e, p.later) }
	on := append(each(j.On, sub), p.conds...)
	out := &Join{Kind: j.Kind, L: j.L, R: p.rel, On: on}
	if j.Kind.LeftOnly() || len(p.later) == 0 {
		return out, true
	}
	var matched Col
	if j.Kind == Left {
		matched = q.New("matched", datum.Ref(datum.OIDBool))
		out.R = &Project{In: p.rel, Items: append(q.pass(p.rel.Out()), Item{matched, Boolean(true)})}
	}
	items := q.pass(j.L.Out())
	for _, c := range j.R.Out() {
		x := p.later[c]
		switch {
		case x == nil:
			x = q.Column(c)
		case matched != 0: // NULL where the join found nothing
			x = &expr.Case{Whens: []expr.When{{Cond: q.Column(matched), Then: x}}, Else: Null(x.Type()), T: x.Type()}
		}
		items = append(items, Item{c, x})
	}
	return &Project{In: out, Items: items}, true
}

// pass are items that pass columns on.
func (q *Query) pass(cols []Col) []Item {
	items := make([]Item, len(cols))
	for i, c := range cols {
		items[i] = Item{c, q.Column(c)}
	}
	return items
}

// unnestAggregate handles a right side that is an aggregate without groups, below
// projections: it has one row for every row of L.
func (q *Query) unnestAggregate(j *Join, outer Set) (Rel, bool) {
	if j.Kind != Inner && (j.Kind != Left || len(j.On) > 0) {
		return nil, false
	}
	var over []Rel // from the top
	r := j.R
	for {
		switch x := r.(type) {
		case *Project:
			over, r = append(over, x), x.In
			continue
		case *MaxOne:
			r = x.In
			continue
		case *Filter:
			if j.Kind == Inner {
				over, r = append(over, x), x.In
				continue
			}
		}
		break
	}
	agg, ok := r.(*Agg)
	if !ok || !agg.Global || Refs(exprsOf(agg)...).Meets(outer) {
		return nil, false
	}
	p, ok := q.pullUp(agg.In, outer, false)
	if !ok || len(p.later) > 0 || !p.groupable(q, outer) {
		return nil, false
	}
	grouped := &Agg{In: p.rel, Group: p.groups, Aggs: agg.Aggs}
	out := q.countZero(&Join{Kind: Left, L: j.L, R: grouped, On: p.conds}, grouped, j.L.Out())
	for i := len(over) - 1; i >= 0; i-- {
		switch x := over[i].(type) {
		case *Filter:
			out = &Filter{In: out, Conds: x.Conds}
		case *Project:
			out = &Project{In: out, Items: append(q.pass(j.L.Out()), x.Items...)}
		}
	}
	if j.Kind == Inner {
		out = filter(out, j.On)
	}
	return out, true
}

// countZero gives, over a left join with grouped, the aggregates as they are over no
// rows: counts are 0. keep are the other columns to pass on.
func (q *Query) countZero(j Rel, grouped *Agg, keep []Col) Rel {
	items := q.pass(keep)
	aggs := make([]AggItem, len(grouped.Aggs))
	for i, a := range grouped.Aggs {
		var x expr.Expr
		made := q.NewLike(a.Col)
		x = q.Column(made)
		if a.Fn.Kind == expr.AggCount {
			x = &expr.Coalesce{Args: []expr.Expr{x, Integer(0)}, T: x.Type()}
		}
		items = append(items, Item{a.Col, x})
		a.Col = made
		aggs[i] = a
	}
	grouped.Aggs = aggs
	return &Project{In: j, Items: items}
}
