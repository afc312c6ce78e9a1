package algebra

import (
	"slices"

	"github.com/weirstream/weir/internal/expr"
)

// Push moves conditions down to where their columns are made. On the way outer joins
// whose NULL rows a condition rejects become inner ones, conditions on a rank become
// limits, and what a constant decides goes.
func (q *Query) Push(r Rel) Rel { return q.push(r, nil) }

// push is r with conds, as deep as they go.
func (q *Query) push(r Rel, conds []expr.Expr) Rel {
	conds = q.decided(conds)
	if len(conds) == 1 && IsFalse(conds[0]) {
		return empty(r)
	}
	switch r := r.(type) {
	case *Filter:
		return q.push(r.In, append(conds[:len(conds):len(conds)], r.Conds...))
	case *Project:
		return q.pushProject(r, conds)
	case *Join:
		return q.pushJoin(r, conds)
	case *Agg:
		return q.pushOver(r, conds, SetOf(r.Group...))
	case *TopN:
		return q.pushTopN(r, conds)
	case *Hop:
		return q.pushOver(r, conds, SetOf(r.In.Out()...))
	case *ProjectSet:
		return q.pushOver(r, conds, SetOf(r.In.Out()...))
	case *Union:
		return q.pushUnion(r, conds)
	}
	return filter(q.pushInputs(r), conds)
}

// decided drops what is true; one false condition stands for all.
func (q *Query) decided(conds []expr.Expr) []expr.Expr {
	var out []expr.Expr
	for _, c := range conds {
		for _, c := range Conjuncts(c) {
			switch {
			case IsFalse(c):
				return []expr.Expr{c}
			case !IsTrue(c):
				out = append(out, c)
			}
		}
	}
	return out
}

func (q *Query) pushInputs(r Rel) Rel {
	ins := r.Inputs()
	if len(ins) == 0 {
		return r
	}
	return r.with(each(ins, func(in Rel) Rel { return q.push(in, nil) }))
}

// filter is r with conds directly above it.
func filter(r Rel, conds []expr.Expr) Rel {
	if len(conds) == 0 {
		return r
	}
	f := &Filter{In: r}
	if under, ok := r.(*Filter); ok {
		f.In, f.Conds = under.In, slices.Clone(under.Conds)
	}
	for _, c := range conds {
		if !slices.ContainsFunc(f.Conds, func(x expr.Expr) bool { return Same(x, c) }) {
			f.Conds = append(f.Conds, c)
		}
	}
	return f
}

func empty(r Rel) Rel { return &Values{Cols: r.Out()} }

// split divides conditions by whether they can move to where only the columns of
// within, and those from outside, exist. made are all columns that exist here.
func split(conds []expr.Expr, made, within Set) (down, stay []expr.Expr) {
	for _, c := range conds {
		if refs := Refs(c); refs.Intersect(made).Within(within) && !volatile(c) && !refs.Empty() {
			down = append(down, c)
		} else {
			stay = append(stay, c)
		}
	}
	return down, stay
}

// pushOver moves below r, of one input, the conditions over the columns of through.
func (q *Query) pushOver(r Rel, conds []expr.Expr, through Set) Rel {
	down, stay := split(conds, SetOf(r.Out()...), through)
	return filter(r.with([]Rel{q.push(r.Inputs()[0], down)}), stay)
}

func (q *Query) pushProject(r *Project, conds []expr.Expr) Rel {
	// A condition over a computed column goes below only if it can go further:
	// above a scan it would make the column be computed twice.
	var passed Set
	all := true
	for _, it := range r.Items {
		if _, is := AsColumn(it.X); is || !volatile(it.X) && !overLeaf(r.In) {
			passed.add(it.Col)
		} else {
			all = false
		}
	}
	made := SetOf(r.Out()...)
	down, stay := split(conds, made, passed)
	if all {
		down, stay = conds, nil
	}
	m := r.byCol()
	for i, c := range down {
		down[i] = Substitute(c, m)
	}
	return filter(&Project{In: q.push(r.In, down), Items: r.Items}, stay)
}

// byCol gives for each column what computes it.
func (r *Project) byCol() map[Col]expr.Expr {
	m := make(map[Col]expr.Expr, len(r.Items))
	for _, it := range r.Items {
		m[it.Col] = it.X
	}
	return m
}

// overLeaf tells whether a filter put on r would end up just there.
func overLeaf(r Rel) bool {
	for {
		switch x := r.(type) {
		case *Filter:
			r = x.In
		case *Hop:
			r = x.In
		case *Scan, *Values, *Ref:
			return true
		default:
			return false
		}
	}
}

func (q *Query) pushUnion(r *Union, conds []expr.Expr) Rel {
	down, stay := split(conds, SetOf(r.Cols...), SetOf(r.Cols...))
	c := *r
	c.Ins = make([]Rel, len(r.Ins))
	for i, in := range r.Ins {
		m := make(map[Col]expr.Expr, len(r.Cols))
		for k, col := range r.Cols {
			m[col] = q.Column(r.From[i][k])
		}
		c.Ins[i] = q.push(in, each(down, func(e expr.Expr) expr.Expr { return Substitute(e, m) }))
	}
	return filter(&c, stay)
}

func (q *Query) pushJoin(r *Join, conds []expr.Expr) Rel {
	r = r.strengthened(conds)
	l, rt := SetOf(r.L.Out()...), SetOf(r.R.Out()...)
	both := l.Union(rt)
	on := q.decided(r.On)
	var lc, rc []expr.Expr
	switch r.Kind {
	case Inner:
		on = q.decided(append(on, conds...))
		lc, on = split(on, both, l)
		rc, on = split(on, both, rt)
		for _, c := range on {
			if x := implied(c, l, both); x != nil {
				lc = append(lc, x)
			}
			if x := implied(c, rt, both); x != nil {
				rc = append(rc, x)
			}
		}
		conds = nil
	case Left:
		lc, conds = split(conds, both, l)
		rc, on = split(on, both, rt)
	case Semi:
		lc, conds = split(conds, both, l)
		var more []expr.Expr
		more, on = split(on, both, l)
		lc = append(lc, more...)
		rc, on = split(on, both, rt)
	case Anti:
		lc, conds = split(conds, both, l)
		rc, on = split(on, both, rt)
	case NullAnti:
		lc, conds = split(conds, both, l)
		if r.comparesNoNull() {
			r.Kind = Anti
		}
	}
	if r.Kind == Left && len(on) == 1 && IsFalse(on[0]) {
		r.R, on = empty(r.R), nil
	}
	if r.Kind == Inner && len(on) == 1 && IsFalse(on[0]) {
		return empty(r)
	}
	out := &Join{Kind: r.Kind, L: q.push(r.L, lc), R: q.push(r.R, rc), On: on}
	return filter(sunk(out), conds)
}

// comparesNoNull tells whether no column that On compares can be NULL: NOT IN is NOT EXISTS then.
func (r *Join) comparesNoNull() bool {
	return allOf(r.On, func(e expr.Expr) bool {
		eq, ok := e.(*Eq)
		if !ok {
			return false
		}
		a, isA := AsColumn(eq.L)
		b, isB := AsColumn(eq.R)
		return isA && isB && NotNull(r.L, a) && NotNull(r.R, b)
	})
}

// sunk moves a semi join whose right side is filtered, so that it drops many rows, below the
// inner joins of its left side, to the relation that it asks about.
func sunk(r *Join) Rel {
	j, ok := r.L.(*Join)
	if !ok || r.Kind != Semi || j.Kind != Inner || passing(r.R) == 1 {
		return r
	}
	l, rt := SetOf(j.L.Out()...), SetOf(j.R.Out()...)
	if Free(j.R).Meets(l) || Free(r.R).Meets(l.Union(rt)) {
		return r
	}
	switch asks := Refs(r.On...).Intersect(l.Union(rt)); {
	case asks.Within(l):
		return &Join{Kind: Inner, L: sunk(&Join{Kind: Semi, L: j.L, R: r.R, On: r.On}), R: j.R, On: j.On}
	case asks.Within(rt):
		return &Join{Kind: Inner, L: j.L, R: sunk(&Join{Kind: Semi, L: j.R, R: r.R, On: r.On}), On: j.On}
	}
	return r
}

// strengthened turns an outer join into one that makes no NULL rows where a
// condition above would drop them.
func (r *Join) strengthened(conds []expr.Expr) *Join {
	c := *r
	if r.Kind != Left && r.Kind != Full {
		return &c
	}
	drops := func(side Rel) bool {
		s := SetOf(side.Out()...)
		return !allOf(conds, func(c expr.Expr) bool { return !rejects(c, s) })
	}
	noL, noR := drops(r.L), drops(r.R)
	switch {
	case r.Kind == Left && noR, r.Kind == Full && noL && noR:
		c.Kind = Inner
	case r.Kind == Full && noL: // rows of R alone are dropped
		c.Kind = Left
	case r.Kind == Full && noR:
		c.Kind, c.L, c.R = Left, r.R, r.L
	}
	return &c
}
