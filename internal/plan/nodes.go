package plan

import "slices"

// Columns implements Node.
func (n *Scan) Columns() []Column       { return n.Out }
func (n *Values) Columns() []Column     { return n.Out }
func (n *Project) Columns() []Column    { return n.Out }
func (n *Filter) Columns() []Column     { return n.In.Columns() }
func (n *Join) Columns() []Column       { return n.Out }
func (n *Aggregate) Columns() []Column  { return n.Out }
func (n *Union) Columns() []Column      { return n.Out }
func (n *TopN) Columns() []Column       { return n.Out }
func (n *Hop) Columns() []Column        { return n.Out }
func (n *ProjectSet) Columns() []Column { return n.Out }
func (n *MaxOne) Columns() []Column     { return n.In.Columns() }

// Inputs implements Node.
func (n *Scan) Inputs() []Node       { return nil }
func (n *Values) Inputs() []Node     { return nil }
func (n *Project) Inputs() []Node    { return []Node{n.In} }
func (n *Filter) Inputs() []Node     { return []Node{n.In} }
func (n *Join) Inputs() []Node       { return []Node{n.L, n.R} }
func (n *Aggregate) Inputs() []Node  { return []Node{n.In} }
func (n *Union) Inputs() []Node      { return n.Ins }
func (n *TopN) Inputs() []Node       { return []Node{n.In} }
func (n *Hop) Inputs() []Node        { return []Node{n.In} }
func (n *ProjectSet) Inputs() []Node { return []Node{n.In} }
func (n *MaxOne) Inputs() []Node     { return []Node{n.In} }

// Properties implements Node.
func (n *Scan) Properties() Properties      { return n.Props }
func (n *Project) Properties() Properties   { return n.Props }
func (n *Join) Properties() Properties      { return n.Props }
func (n *Aggregate) Properties() Properties { return n.Props }
func (n *TopN) Properties() Properties      { return n.Props }

// Properties implements Node. A list never changes.
func (n *Values) Properties() Properties {
	p := Properties{AppendOnly: true}
	if len(n.Rows) <= 1 {
		p.Unique = [][]int{{}}
	}
	return p
}

// Properties implements Node. A column that is fixed does not tell rows apart.
func (n *Filter) Properties() Properties {
	p := n.In.Properties()
	if len(n.Fixed) == 0 {
		return p
	}
	var u uniques
	for _, set := range p.Unique {
		u.add(slices.DeleteFunc(slices.Clone(set), func(c int) bool { return slices.Contains(n.Fixed, c) }))
	}
	p.Unique = u
	return p
}

// Properties implements Node.
func (n *Union) Properties() Properties {
	p := Properties{AppendOnly: true}
	for _, in := range n.Ins {
		p.AppendOnly = p.AppendOnly && in.Properties().AppendOnly
	}
	if len(n.Ins) == 1 {
		p.Unique = n.Ins[0].Properties().Unique
	}
	return p
}

// Properties implements Node. With overlapping windows a row is told apart by its window too.
func (n *Hop) Properties() Properties {
	p := n.In.Properties()
	if n.Slide < n.Size {
		var u uniques
		for _, set := range p.Unique {
			u.add(append(slices.Clone(set), len(n.Out)-2))
		}
		p.Unique = u
	}
	return p
}

// Properties implements Node.
func (n *ProjectSet) Properties() Properties {
	in := n.In.Properties()
	p := Properties{AppendOnly: in.AppendOnly}
	if n.Ordinality {
		for _, set := range in.Unique {
			p.Unique = append(p.Unique, append(slices.Clone(set), len(n.Out)-1))
		}
	}
	return p
}

// Properties implements Node.
func (n *MaxOne) Properties() Properties {
	u := uniques(slices.Clone(n.In.Properties().Unique))
	u.add(n.Group)
	return Properties{Unique: u}
}
