package algebra

import "github.com/weirstream/weir/internal/expr"

// domain gives the distinct values that the left side of a join has in some columns.
type domain struct {
	q    *Query
	left Rel // the left side, as the join is to read it
	def  *Shared
	from Rel // when the left side is cheap: it is read again instead
}

// newDomain prepares to read left twice. What has state is computed once and shared.
func (q *Query) newDomain(left Rel) *domain {
	if cheap(left) {
		return &domain{q: q, left: left, from: left}
	}
	in, m := q.Fresh(left)
	def := &Shared{In: in, Cols: each(left.Out(), func(c Col) Col { return m[c] }), Keep: true, Refs: 1}
	return &domain{q: q, left: &Ref{Def: def, Cols: left.Out()}, def: def}
}

// cheap tells whether r keeps no state.
func cheap(r Rel) bool {
	switch r := r.(type) {
	case *Filter:
		return cheap(r.In)
	case *Project:
		return cheap(r.In)
	case *Scan, *Values, *Ref:
		return true
	}
	return false
}

// read reads the left side once more: under which columns, by those of the left side.
func (d *domain) read() (Rel, map[Col]Col) {
	if d.def == nil {
		return d.q.Fresh(d.from)
	}
	ref := &Ref{Def: d.def, Cols: each(d.def.Cols, d.q.NewLike)}
	d.def.Refs++
	was := map[Col]Col{}
	for i, c := range d.left.Out() {
		was[c] = ref.Cols[i]
	}
	return ref, was
}

// of is the domain of columns fs, and its own column for each of them.
func (d *domain) of(fs []Col) (Rel, map[Col]Col) {
	in, was := d.read()
	m := make(map[Col]Col, len(fs))
	items := make([]Item, len(fs))
	for i, f := range fs {
		m[f] = d.q.NewLike(f)
		items[i] = Item{m[f], d.q.Column(was[f])}
	}
	p := &Project{In: in, Items: items}
	return &Agg{In: p, Group: p.Out()}, m
}

// into is r with the domain of fs joined in: a row of r for each value for which the
// correlated r had one, and for each of fs the column that has its value. r mentions
// no others of L's columns than fs.
func (d *domain) into(r Rel, fs Set) (Rel, map[Col]Col) {
	if !Free(r).Meets(fs) {
		dom, m := d.of(fs.Cols())
		return &Join{Kind: Inner, L: dom, R: r}, m
	}
	switch r := r.(type) {
	case *Join:
		return d.intoJoin(r, fs)
	case *Union:
		return d.intoUnion(r, fs)
	case *Agg:
		return d.intoAgg(r, fs)
	}
	in, m := d.into(r.Inputs()[0], fs)
	out := d.replaced(r, m).with([]Rel{in})
	cols := columnsOf(m, fs)
	switch x := out.(type) {
	case *Project:
		return &Project{In: x.In, Items: append(d.q.pass(cols), x.Items...)}, m
	case *TopN:
		x.Group = joinNew(x.Group, cols)
	case *MaxOne:
		x.Group = joinNew(x.Group, cols)
	}
	return out, m
}

// replaced puts m's columns into r's own expressions.
func (d *domain) replaced(r Rel, m map[Col]Col) Rel {
	return r.mapped(func(e expr.Expr) expr.Expr { return Rename(e, m) })
}

func columnsOf(m map[Col]Col, fs Set) []Col {
	return each(fs.Cols(), func(f Col) Col { return m[f] })
}

func (d *domain) intoAgg(r *Agg, fs Set) (Rel, map[Col]Col) {
	in, m := d.into(r.In, fs)
	c := *d.replaced(r, m).(*Agg)
	c.In, c.Group, c.Global = in, joinNew(r.Group, columnsOf(m, fs)), false
	if !r.Global {
		return &c, m
	}
	dom, dm := d.of(fs.Cols())
	var on []expr.Expr
	for _, f := range fs.Cols() {
		on = append(on, d.q.same(dm[f], m[f]))
	}
	return d.q.countZero(&Join{Kind: Left, L: dom, R: &c, On: on}, &c, columnsOf(dm, fs)), dm
}

func (d *domain) intoUnion(r *Union, fs Set) (Rel, map[Col]Col) {
	c := *r
	c.Ins, c.From = make([]Rel, len(r.Ins)), make([][]Col, len(r.Ins))
	for i, in := range r.Ins {
		var m map[Col]Col
		c.Ins[i], m = d.into(in, fs)
		c.From[i] = join(r.From[i], columnsOf(m, fs)...)
	}
	m := make(map[Col]Col)
	for _, f := range fs.Cols() {
		m[f] = d.q.NewLike(f)
	}
	c.Cols = join(r.Cols, columnsOf(m, fs)...)
	return &c, m
}

func (d *domain) intoJoin(r *Join, fs Set) (Rel, map[Col]Col) {
	if r.Kind == Full {
		return d.intoFull(r, fs)
	}
	lateral := Free(r.R).Meets(SetOf(r.L.Out()...))
	inR := Free(r.R).Intersect(fs)
	if r.Kind == Inner && !lateral && !Free(r.L).Meets(fs) && !inR.Empty() {
		right, m := d.into(r.R, fs)
		c := d.replaced(r, m).(*Join)
		c.R = right
		return c, m
	}
	left, m := d.into(r.L, fs)
	c := d.replaced(r, m).(*Join)
	c.L = left
	switch {
	case inR.Empty():
	case lateral: // it stays correlated, to the left side alone
		c.R = MapAll(r.R, func(e expr.Expr) expr.Expr { return Rename(e, m) })
	default:
		right, rm := d.into(r.R, inR)
		c.R = right
		for _, f := range inR.Cols() {
			c.On = append(c.On[:len(c.On):len(c.On)], d.q.same(m[f], rm[f]))
		}
	}
	return c, m
}

// intoFull joins the domain into both sides; a row has its values on the side that it has.
func (d *domain) intoFull(r *Join, fs Set) (Rel, map[Col]Col) {
	left, lm := d.into(r.L, fs)
	right, rm := d.into(r.R, fs)
	c := d.replaced(r, lm).(*Join)
	c.L, c.R = left, right
	m := make(map[Col]Col)
	items := d.q.pass(r.Out())
	for _, f := range fs.Cols() {
		c.On = append(c.On[:len(c.On):len(c.On)], d.q.same(lm[f], rm[f]))
		m[f] = d.q.NewLike(f)
		x := &expr.Coalesce{Args: []expr.Expr{d.q.Column(lm[f]), d.q.Column(rm[f])}, T: d.q.Type(f)}
		items = append(items, Item{m[f], x})
	}
	return &Project{In: c, Items: items}, m
}
