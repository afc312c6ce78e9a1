package plan

import (
	"slices"

	"github.com/weirstream/weir/internal/expr"
)

// derive sets the Props of a Node that keeps them, from those of its inputs.
func derive(n Node) {
	switch n := n.(type) {
	case *Scan:
		n.Props = n.derived()
	case *Project:
		n.Props = n.derived()
	case *Join:
		n.Props = n.derived()
	case *Aggregate:
		n.Props = n.derived()
	case *TopN:
		n.Props = n.derived()
	}
}

// maxUnique bounds how many sets are kept; the first are the best.
const maxUnique = 6

// uniques collects sets of columns, leaving out those that contain another one.
type uniques [][]int

func (u *uniques) add(set []int) {
	set = slices.Compact(slices.Sorted(slices.Values(set)))
	for _, have := range *u {
		if within(have, set) {
			return
		}
	}
	*u = slices.DeleteFunc(*u, func(have []int) bool { return within(set, have) })
	if len(*u) < maxUnique {
		*u = append(*u, set)
	}
}

func within(a, b []int) bool {
	for _, x := range a {
		if !slices.Contains(b, x) {
			return false
		}
	}
	return true
}

func (n *Scan) derived() Properties {
	p := Properties{AppendOnly: n.Relation.AppendOnly}
	if n.Relation.Key == nil {
		return p
	}
	var key []int
	for _, k := range n.Relation.Key {
		i := slices.Index(n.Cols, k)
		if i < 0 {
			return p
		}
		key = append(key, i)
	}
	p.Unique = [][]int{key}
	return p
}

func (n *Project) derived() Properties {
	in := n.In.Properties()
	to := map[int]int{}
	for i, e := range n.Exprs {
		if c, ok := e.(*expr.Column); ok {
			if _, seen := to[c.Index]; !seen {
				to[c.Index] = i
			}
		}
	}
	var u uniques
	for _, set := range in.Unique {
		if mapped, ok := mapAll(set, to); ok {
			u.add(mapped)
		}
	}
	return Properties{AppendOnly: in.AppendOnly, Unique: u}
}

func mapAll(set []int, to map[int]int) (mapped []int, ok bool) {
	for _, c := range set {
		i, found := to[c]
		if !found {
			return nil, false
		}
		mapped = append(mapped, i)
	}
	return mapped, true
}

func (n *Join) derived() Properties {
	l, r := n.L.Properties(), n.R.Properties()
	var p Properties
	var u uniques
	switch n.Kind {
	case Semi, Anti, NullAnti:
		p.Unique = l.Unique
		p.AppendOnly = n.Kind == Semi && l.AppendOnly && r.AppendOnly
		return p
	case Inner:
		p.AppendOnly = l.AppendOnly && r.AppendOnly
	case Full: // a row of each side alone may look like one of both
		return p
	}
	shift := len(n.L.Columns())
	if n.Kind != Right && covers(r.Unique, n.RKeys) { // a row of L has one row of R at most
		for _, set := range l.Unique {
			u.add(set)
		}
	}
	if n.Kind != Left && covers(l.Unique, n.LKeys) {
		for _, set := range r.Unique {
			u.add(moved(set, shift))
		}
	}
	for _, a := range l.Unique {
		for _, b := range r.Unique {
			u.add(append(slices.Clone(a), moved(b, shift)...))
		}
	}
	p.Unique = u
	return p
}

func covers(unique [][]int, keys []int) bool {
	return slices.ContainsFunc(unique, func(set []int) bool { return within(set, keys) })
}

func moved(set []int, by int) []int {
	out := make([]int, len(set))
	for i, c := range set {
		out[i] = c + by
	}
	return out
}

func (n *Aggregate) derived() Properties {
	var groups []int
	for i := range n.Group {
		groups = append(groups, i)
	}
	u := uniques{}
	to := map[int]int{}
	for i, g := range n.Group {
		to[g] = i
	}
	for _, set := range n.In.Properties().Unique {
		if mapped, ok := mapAll(set, to); ok && !n.Global {
			u.add(mapped)
		}
	}
	u.add(groups)
	return Properties{AppendOnly: len(n.Aggs) == 0 && !n.Global && n.In.Properties().AppendOnly, Unique: u}
}

func (n *TopN) derived() Properties {
	in := n.In.Properties()
	u := uniques(slices.Clone(in.Unique))
	if n.Rank == RowNumber {
		if n.Limit == 1 {
			u.add(n.Group)
		} else if n.EmitRank {
			u.add(append(slices.Clone(n.Group), len(n.Out)-1))
		}
	}
	return Properties{Unique: u}
}
