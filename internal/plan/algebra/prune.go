package algebra

import (
	"slices"

	"github.com/weirstream/weir/internal/expr"
)

// pruner drops the columns that nobody reads.
type pruner struct {
	q    *Query
	defs []*Shared       // still to be pruned
	need map[*Shared]Set // of its columns, those that some Ref reads
}

// Prune drops the columns of r that are not in want, and all that only they need. Want
// names columns of r in the order in which they are to come out.
func (q *Query) Prune(r Rel, want []Col) Rel {
	p := &pruner{q: q, need: map[*Shared]Set{}}
	r = p.exactly(r, want)
	for d := p.next(); d != nil; d = p.next() {
		d.Kept = members(d.Cols, p.need[d])
		d.In = p.exactly(d.In, d.Kept)
	}
	return r
}

// next is a definition that no other one still to be pruned reads: its needs are known.
func (p *pruner) next() *Shared {
	for i, d := range p.defs {
		read := false
		for k, other := range p.defs {
			read = read || k != i && slices.Contains(sharedIn(other.In), d)
		}
		if !read {
			p.defs = slices.Delete(p.defs, i, i+1)
			return d
		}
	}
	return nil
}

// exactly is r with the columns want, in this order.
func (p *pruner) exactly(r Rel, want []Col) Rel {
	r = p.prune(r, SetOf(want...))
	out := r.Out()
	if len(out) == len(want) {
		equal := true
		for i := range out {
			equal = equal && out[i] == want[i]
		}
		if equal {
			return r
		}
	}
	return p.q.project(r, p.q.pass(want))
}

// only is r with no other columns than want, in r's order.
func (p *pruner) only(r Rel, want Set) Rel {
	r = p.prune(r, want)
	if SetOf(r.Out()...).Within(want) {
		return r
	}
	return p.q.project(r, p.q.pass(members(r.Out(), want)))
}

// prune is r with the columns want, and perhaps more.
func (p *pruner) prune(r Rel, want Set) Rel {
	switch r := r.(type) {
	case *Scan:
		c := &Scan{Relation: r.Relation}
		for i, col := range r.Cols {
			if want.Has(col) {
				c.Attrs, c.Cols = append(c.Attrs, r.Attrs[i]), append(c.Cols, col)
			}
		}
		return c
	case *Values:
		return pruneValues(r, want)
	case *Ref:
		return p.ref(r, want)
	case *Project:
		return p.project(r, want)
	case *Filter:
		return &Filter{In: p.prune(r.In, want.Union(Refs(r.Conds...))), Conds: r.Conds}
	case *Join:
		return p.join(r, want)
	case *Agg:
		return p.agg(r, want)
	case *Union:
		return p.union(r, want)
	case *TopN:
		return p.topN(r, want)
	}
	return p.through(r, want)
}

func pruneValues(r *Values, want Set) Rel {
	c := &Values{Rows: make([][]expr.Expr, len(r.Rows))}
	for i, col := range r.Cols {
		if !want.Has(col) {
			continue
		}
		c.Cols = append(c.Cols, col)
		for k, row := range r.Rows {
			c.Rows[k] = append(c.Rows[k], row[i])
		}
	}
	return c
}

// ref notes what is read. It keeps all its columns until its definition is pruned.
func (p *pruner) ref(r *Ref, want Set) Rel {
	if _, known := p.need[r.Def]; !known {
		p.defs = append(p.defs, r.Def)
	}
	p.need[r.Def] = p.need[r.Def].Union(r.inner(want))
	return r
}

// project drops items, and a projection that does nothing.
func (p *pruner) project(r *Project, want Set) Rel {
	var items []Item
	var used Set
	for _, it := range r.Items {
		if want.Has(it.Col) {
			items = append(items, it)
			used = used.Union(Refs(it.X))
		}
	}
	return p.q.project(p.prune(r.In, used), items)
}

// project computes items over r, merging projections.
func (q *Query) project(r Rel, items []Item) Rel {
	if in, ok := r.(*Project); ok && mergeable(in, items) {
		m := in.byCol()
		return q.project(in.In, each(items, func(it Item) Item { return Item{it.Col, Substitute(it.X, m)} }))
	}
	out := r.Out()
	identity := len(out) == len(items)
	for i, it := range items {
		identity = identity && is(it.X, it.Col) && out[i] == it.Col
	}
	if identity {
		return r
	}
	return &Project{In: r, Items: items}
}

// mergeable tells whether nothing that in computes would be computed twice.
func mergeable(in *Project, items []Item) bool {
	uses := map[Col]int{}
	for _, it := range items {
		Any(it.X, func(e expr.Expr) bool {
			if c, ok := AsColumn(e); ok {
				uses[c]++
			}
			return false
		})
	}
	for _, it := range in.Items {
		_, passed := AsColumn(it.X)
		_, fixed := it.X.(*expr.Const)
		if !passed && !fixed && (uses[it.Col] > 1 || volatile(it.X)) {
			return false
		}
	}
	return true
}

func (p *pruner) join(r *Join, want Set) Rel {
	l, rt := SetOf(r.L.Out()...), SetOf(r.R.Out()...)
	if r.Kind == Left && !want.Meets(rt) && UniqueOn(r.R, closure(l, r.On).Intersect(rt)) {
		return p.prune(r.L, want) // every row of L comes out once, whatever R has
	}
	want = want.Union(Refs(r.On...))
	return &Join{Kind: r.Kind, L: p.only(r.L, want.Intersect(l)), R: p.only(r.R, want.Intersect(rt)), On: r.On}
}

func (p *pruner) agg(r *Agg, want Set) Rel {
	c := *r
	c.Aggs = nil
	for _, a := range r.Aggs {
		if want.Has(a.Col) {
			c.Aggs = append(c.Aggs, a)
		}
	}
	used := SetOf(r.Group...).Union(Refs(exprsOf(&c)...))
	if len(c.Aggs) == 0 && !r.Global && len(r.Group) > 0 && UniqueOn(r.In, SetOf(r.Group...)) {
		return p.prune(r.In, used) // its rows are distinct already
	}
	if len(c.Aggs) == 0 && r.Global {
		return &Values{Rows: [][]expr.Expr{nil}}
	}
	c.In = p.prune(r.In, used)
	return &c
}

func (p *pruner) union(r *Union, want Set) Rel {
	c := &Union{Ins: make([]Rel, len(r.Ins)), From: make([][]Col, len(r.Ins)), Cols: members(r.Cols, want)}
	for i, in := range r.Ins {
		for k, col := range r.Cols {
			if want.Has(col) {
				c.From[i] = append(c.From[i], r.From[i][k])
			}
		}
		c.Ins[i], c.From[i] = p.positional(in, c.From[i])
	}
	return c
}

// positional is r with the columns want, which may name one twice.
func (p *pruner) positional(r Rel, want []Col) (Rel, []Col) {
	if SetOf(want...).Within(SetOf()) || len(SetOf(want...).Cols()) == len(want) {
		return p.exactly(r, want), want
	}
	r = p.prune(r, SetOf(want...))
	items := make([]Item, len(want))
	for i, c := range want {
		items[i] = Item{p.q.NewLike(c), p.q.Column(c)}
	}
	return p.q.project(r, items), itemCols(items)
}

func (p *pruner) topN(r *TopN, want Set) Rel {
	c := *r
	if !want.Has(r.RankCol) {
		c.RankCol = 0
		if r.Limit < 0 && r.Offset == 0 {
			return p.prune(r.In, want)
		}
	}
	used := want.Union(SetOf(r.Group...))
	c.Order = slices.DeleteFunc(slices.Clone(r.Order), func(k Key) bool { return slices.Contains(r.Group, k.Col) })
	for _, k := range c.Order {
		used = used.Union(SetOf(k.Col))
	}
	c.In = p.only(r.In, used.Intersect(SetOf(r.In.Out()...)))
	return &c
}

// through prunes below the operators that keep their input's columns.
func (p *pruner) through(r Rel, want Set) Rel {
	in := r.Inputs()[0]
	used := want.Union(Refs(exprsOf(r)...))
	switch r := r.(type) {
	case *Hop:
		used = used.Union(SetOf(r.Time))
	case *MaxOne:
		used = used.Union(SetOf(r.Group...))
	}
	return r.with([]Rel{p.only(in, used.Intersect(SetOf(in.Out()...)))})
}
