package algebra

import "github.com/weirstream/weir/internal/expr"

// graph is a set of relations to be joined: which columns are to be equal, and a guess
// of sizes. There are no statistics. What is known is direction: a relation that refers
// to another's unique key is taken for ten times larger than that one.
type graph struct {
	leaves  []Rel
	all     Set
	classes [][]Col     // columns that are equal to each other
	equals  []*Eq       // other equalities of expressions
	others  []expr.Expr // all conditions but those that classes say; equals are among them
	base    []float64   // rows of a leaf without its filters
	rows    []float64   // with them
	values  []float64   // distinct values of each class
}

func newGraph(leaves []Rel, conds []expr.Expr) *graph {
	g := &graph{leaves: leaves}
	for _, l := range leaves {
		g.all = g.all.Union(SetOf(l.Out()...))
	}
	for _, c := range conds {
		eq, ok := c.(*Eq)
		if ok {
			l, isL := AsColumn(eq.L)
			r, isR := AsColumn(eq.R)
			if isL && isR && !eq.NullSafe && g.all.Has(l) && g.all.Has(r) {
				g.unite(l, r)
				continue
			}
			g.equals = append(g.equals, eq)
		}
		g.others = append(g.others, c)
	}
	g.guess()
	return g
}

// unite puts two columns into one class.
func (g *graph) unite(a, b Col) {
	ia, ib := g.classOf(a), g.classOf(b)
	switch {
	case ia < 0 && ib < 0:
		g.classes = append(g.classes, []Col{a, b})
	case ia < 0:
		g.classes[ib] = append(g.classes[ib], a)
	case ib < 0:
		g.classes[ia] = append(g.classes[ia], b)
	case ia != ib:
		g.classes[ia] = append(g.classes[ia], g.classes[ib]...)
		g.classes = append(g.classes[:ib], g.classes[ib+1:]...)
	}
}

func (g *graph) classOf(c Col) int {
	for i, class := range g.classes {
		if SetOf(class...).Has(c) {
			return i
		}
	}
	return -1
}

// keys are the equalities that join leaf i to the columns that are there already.
func (g *graph) keys(q *Query, done Set, i int) (on []expr.Expr) {
	leaf := SetOf(g.leaves[i].Out()...)
	for _, class := range g.classes {
		there, here := members(class, done), members(class, leaf)
		if len(there) == 0 {
			continue
		}
		for _, c := range here {
			on = append(on, &Eq{L: q.Column(there[0]), R: q.Column(c)})
		}
	}
	return on
}

// selfFiltered is leaf i with its own columns of one class equal to each other.
func (g *graph) selfFiltered(q *Query, i int) Rel {
	leaf := SetOf(g.leaves[i].Out()...)
	var conds []expr.Expr
	for _, class := range g.classes {
		here := members(class, leaf)
		for k := 1; k < len(here); k++ {
			conds = append(conds, &Eq{L: q.Column(here[0]), R: q.Column(here[k])})
		}
	}
	return filter(g.leaves[i], conds)
}

func members(class []Col, s Set) (in []Col) {
	for _, c := range class {
		if s.Has(c) {
			in = append(in, c)
		}
	}
	return in
}

const (
	leastRows  = 100.0
	factor     = 10.0 // how much larger what refers is
	filterPass = 0.3  // the part of rows that a condition keeps
	equalPass  = 0.05
	maxDepth   = 6
)

func (g *graph) guess() {
	g.base, g.rows = make([]float64, len(g.leaves)), make([]float64, len(g.leaves))
	for i, l := range g.leaves {
		g.base[i] = leastRows
		for range g.depth(i, 0) {
			g.base[i] *= factor
		}
		g.rows[i] = g.base[i] * passing(l)
	}
	g.values = make([]float64, len(g.classes))
	for k, class := range g.classes {
		for i, l := range g.leaves {
			here := members(class, SetOf(l.Out()...))
			if len(here) == 0 {
				continue
			}
			n := g.base[i] / factor
			if UniqueOn(l, SetOf(here...)) {
				n = g.base[i]
			}
			g.values[k] = max(g.values[k], n)
		}
	}
}

// depth is the longest chain of references from leaf i to unique keys of others.
func (g *graph) depth(i, at int) (longest int) {
	if at == maxDepth {
		return 0
	}
	own := SetOf(g.leaves[i].Out()...)
	for j, other := range g.leaves {
		if j == i {
			continue
		}
		theirs := SetOf(other.Out()...)
		var equated, mine Set
		for _, class := range g.classes {
			if here := members(class, own); len(here) > 0 {
				there := members(class, theirs)
				equated = equated.Union(SetOf(there...))
				if len(there) > 0 {
					mine = mine.Union(SetOf(here...))
				}
			}
		}
		if !equated.Empty() && UniqueOn(other, equated) && !UniqueOn(g.leaves[i], mine) {
			longest = max(longest, 1+g.depth(j, at+1))
		}
	}
	return longest
}

// passing guesses which part of its rows r's filters keep.
func passing(r Rel) float64 {
	part := 1.0
	switch r := r.(type) {
	case *Filter:
		for _, c := range r.Conds {
			if _, eq := c.(*Eq); eq {
				part *= equalPass
			} else {
				part *= filterPass
			}
		}
		return part * passing(r.In)
	case *Project:
		return passing(r.In)
	case *Join:
		if r.Kind.LeftOnly() {
			return filterPass * passing(r.L)
		}
		return passing(r.L)
	}
	return part
}

// joined guesses how many rows there are when leaf i is joined to rows with the columns
// done, and tells whether an equality connects them.
func (g *graph) joined(rows float64, done Set, i int) (n float64, connected bool) {
	leaf := SetOf(g.leaves[i].Out()...)
	n = rows * g.rows[i]
	for k, class := range g.classes {
		if len(members(class, done)) > 0 && len(members(class, leaf)) > 0 {
			n /= max(g.values[k], 1)
			connected = true
		}
	}
	for _, eq := range g.equals {
		l, r := Refs(eq.L).Intersect(g.all), Refs(eq.R).Intersect(g.all)
		if !l.Empty() && !r.Empty() && (l.Within(done) && r.Within(leaf) || r.Within(done) && l.Within(leaf)) {
			n /= g.base[i] / factor
			connected = true
		}
	}
	return n, connected
}
