package algebra

import "github.com/weirstream/weir/internal/expr"

// UniqueOn tells whether no two rows of r have equal values in all columns of s, as far
// as the operators show. On no columns: whether r has at most one row.
func UniqueOn(r Rel, s Set) bool {
	switch r := r.(type) {
	case *Scan:
		return r.uniqueOn(s)
	case *Values:
		return len(r.Rows) <= 1
	case *Filter:
		return UniqueOn(r.In, closure(s, r.Conds))
	case *Project:
		return UniqueOn(r.In, below(r.Items, s))
	case *Join:
		return r.uniqueOn(s)
	case *Agg:
		return r.Global || len(r.Group) > 0 && SetOf(r.Group...).Within(s)
	case *TopN:
		in := SetOf(r.Group...).Within(s)
		one := in && r.Rank == RowNumber && (r.Limit >= 0 && r.Limit <= 1 || r.RankCol != 0 && s.Has(r.RankCol))
		return one || UniqueOn(r.In, s)
	case *MaxOne:
		return SetOf(r.Group...).Within(s) || UniqueOn(r.In, s)
	case *Hop:
		return s.Has(r.Start) && UniqueOn(r.In, s) || r.Slide == r.Size && UniqueOn(r.In, s)
	case *ProjectSet:
		return r.Ordinal != 0 && s.Has(r.Ordinal) && UniqueOn(r.In, s)
	case *Ref:
		return UniqueOn(r.Def.In, r.inner(s))
	}
	return false
}

func (r *Scan) uniqueOn(s Set) bool {
	if r.Relation.Key == nil {
		return false
	}
	for _, k := range r.Relation.Key {
		found := false
		for i, a := range r.Attrs {
			found = found || a == k && s.Has(r.Cols[i])
		}
		if !found {
			return false
		}
	}
	return true
}

func (r *Join) uniqueOn(s Set) bool {
	l, rt := SetOf(r.L.Out()...), SetOf(r.R.Out()...)
	switch r.Kind {
	case Semi:
		return UniqueOn(r.L, closure(s, r.On).Intersect(l))
	case Anti, NullAnti:
		return UniqueOn(r.L, s.Intersect(l))
	case Full:
		return UniqueOn(r.L, s.Intersect(l)) && UniqueOn(r.R, s.Intersect(rt))
	}
	// Of a left join only what L determines is equal by On.
	all := s
	if r.Kind == Inner {
		all = closure(s, r.On)
		// R's rows for one row of L, or L's for one of R.
		if UniqueOn(r.R, all.Intersect(rt)) && UniqueOn(r.L, closure(all.Union(rt), r.On).Intersect(l)) {
			return true
		}
	}
	return UniqueOn(r.L, all.Intersect(l)) && UniqueOn(r.R, closure(all.Union(l), r.On).Intersect(rt))
}

// inner translates columns of a Ref to those of what it reads.
func (r *Ref) inner(s Set) (in Set) {
	for i, c := range r.Cols {
		if s.Has(c) {
			in.add(r.Def.Cols[i])
		}
	}
	return in
}

// below translates columns to those that items pass on.
func below(items []Item, s Set) (in Set) {
	for _, it := range items {
		if c, ok := AsColumn(it.X); ok && s.Has(it.Col) {
			in.add(c)
		}
	}
	return in
}

// closure adds to s the columns that conditions make equal to constants, to columns
// of s, or to what is computed from those.
func closure(s Set, conds []expr.Expr) Set {
	for {
		before := s
		for _, c := range conds {
			eq, ok := c.(*Eq)
			if !ok {
				continue
			}
			if l, is := AsColumn(eq.L); is && Refs(eq.R).Within(s) && !volatile(eq.R) {
				s = s.Union(SetOf(l))
			}
			if r, is := AsColumn(eq.R); is && Refs(eq.L).Within(s) && !volatile(eq.L) {
				s = s.Union(SetOf(r))
			}
		}
		if s.Within(before) {
			return s
		}
	}
}
