package plan

import (
	"slices"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// Subquery implements expr.Scope: a subquery as a value. One that GROUP BY takes from the list
// of targets is the same value in both.
func (c *context) Subquery(s *sql.Subquery) (expr.Expr, error) {
	g := c.s.agg
	if g == nil {
		return c.subqueryValue(s)
	}
	if x := g.subqueries[s]; x != nil {
		return x, nil
	}
	x, err := c.subqueryValue(s)
	if err == nil && c.grouping {
		g.subqueries[s] = x
	}
	return x, err
}

func (c *context) subqueryValue(s *sql.Subquery) (expr.Expr, error) {
	if s.Kind == sql.Array {
		return c.array(s)
	}
	r, err := c.subquery(s.Query)
	if err != nil {
		return nil, err
	}
	switch s.Kind {
	case sql.Exists:
		return c.exists(matter(r.rel)), nil
	case sql.Any, sql.All:
		return c.quantified(s, r)
	case sql.Scalar:
		if len(r.outs) != 1 {
			return nil, fail(sql.SyntaxError, s.Pos(), "subquery must return only one column")
		}
		c.pending = append(c.pending, subjoin{kind: algebra.Left, rel: &algebra.MaxOne{In: r.rel}})
		return c.b.q.Column(r.outs[0].col), nil
	}
	return nil, fail(sql.InternalError, s.Pos(), "a subquery of kind %d", s.Kind)
}

// array is ARRAY(query): an aggregate over its column, in its order.
func (c *context) array(s *sql.Subquery) (expr.Expr, error) {
	r, err := c.b.query(s.Query, c.s, true)
	if err != nil {
		return nil, err
	}
	if r, err = c.b.settled(r); err != nil {
		return nil, err
	}
	if len(r.outs) != 1 {
		return nil, fail(sql.SyntaxError, s.Pos(), "subquery must return only one column")
	}
	var order []expr.ListOrder
	for _, k := range r.order {
		order = append(order, expr.ListOrder{X: c.b.q.Column(k.Col), Desc: k.Desc, NullsFirst: k.NullsFirst})
	}
	if r, err = c.b.cut(r, s.Query); err != nil {
		return nil, err
	}
	fn, item, err := c.b.reg.ArrayAggregate(c.b.q.Column(r.outs[0].col), order, s.Pos())
	if err != nil {
		return nil, err
	}
	none, err := c.b.reg.EmptyArray(fn.Result, s.Pos())
	if err != nil {
		return nil, err
	}
	col := c.b.q.New("array", fn.Result)
	agg := &algebra.Agg{In: r.rel, Aggs: []algebra.AggItem{{Col: col, Fn: fn, Arg: item}}, Global: true}
	c.pending = append(c.pending, subjoin{kind: algebra.Inner, rel: agg})
	return &expr.Coalesce{Args: []expr.Expr{c.b.q.Column(col), none}, T: fn.Result}, nil
}

// subquery binds the query of a subquery, in which the clause's columns are visible.
func (c *context) subquery(q *sql.Select) (*bound, error) {
	r, err := c.b.query(q, c.s, false)
	if err != nil {
		return nil, err
	}
	return c.b.settled(r)
}

// matter is what of a relation decides whether it has a row.
func matter(r algebra.Rel) algebra.Rel {
	for {
		switch x := r.(type) {
		case *algebra.Project:
			r = x.In
		case *algebra.Agg:
			if x.Global {
				return r
			}
			r = x.In
		case *algebra.TopN:
			if x.Offset != 0 || x.Limit == 0 {
				return r
			}
			r = x.In
		default:
			return r
		}
	}
}

// exists is EXISTS as a value: it is computed as an aggregate, which also a correlated
// subquery has one of for each row.
func (c *context) exists(r algebra.Rel) expr.Expr {
	return c.anyTrue(r, algebra.Boolean(true))
}

// anyTrue tells whether x is true for some row of r.
func (c *context) anyTrue(r algebra.Rel, x expr.Expr) expr.Expr {
	t := datum.Ref(datum.OIDBool)
	fn := &expr.Aggregate{Name: "bool_or", Kind: expr.AggBoolOr, Arg: t, Result: t}
	col := c.b.q.New("exists", t)
	agg := &algebra.Agg{In: r, Aggs: []algebra.AggItem{{Col: col, Fn: fn, Arg: x}}, Global: true}
	c.pending = append(c.pending, subjoin{kind: algebra.Inner, rel: agg})
	return &expr.Coalesce{Args: []expr.Expr{c.b.q.Column(col), algebra.Boolean(false)}, T: t}
}

// operands binds the left side of x op ANY (query): one expression, or a row of them.
func (c *context) operands(s *sql.Subquery, r *bound) (xs, ys []expr.Expr, err error) {
	parts := []sql.Expr{s.X}
	if row, isRow := s.X.(*sql.Row); isRow {
		parts = row.Args
	}
	switch {
	case len(r.outs) > len(parts):
		return nil, nil, fail(sql.SyntaxError, s.Pos(), "subquery has too many columns")
	case len(r.outs) < len(parts):
		return nil, nil, fail(sql.SyntaxError, s.Pos(), "subquery has too few columns")
	}
	if xs, err = c.all(parts); err != nil {
		return nil, nil, err
	}
	for _, o := range r.outs {
		ys = append(ys, c.b.q.Column(o.col))
	}
	return xs, ys, nil
}

// compare is x op y, of one column or of rows.
func (c *context) compare(op string, xs, ys []expr.Expr, pos int) (expr.Expr, error) {
	var x expr.Expr
	var err error
	if len(xs) == 1 {
		x, err = c.b.reg.ResolveOperator(op, []expr.Expr{xs[0], ys[0]}, pos)
	} else {
		x, err = c.b.reg.CompareRows(op, xs, ys, pos)
	}
	if err != nil {
		return nil, err
	}
	if x.Type().OID != datum.OIDBool {
		return nil, fail(sql.DatatypeMismatch, pos, "op ANY/ALL requires operator to yield boolean")
	}
	return x, nil
}

// quantified is x op ANY|ALL (query) as a value of three: ANY is true if some comparison is true,
// else NULL if some is NULL, else false. ALL is the opposite of ANY of the opposite.
func (c *context) quantified(s *sql.Subquery, r *bound) (expr.Expr, error) {
	xs, ys, err := c.operands(s, r)
	if err != nil {
		return nil, err
	}
	cmp, err := c.compare(s.Op, xs, ys, s.Pos())
	if err != nil {
		return nil, err
	}
	read := c.readers(r)
	if s.Kind == sql.Any && s.Op == "=" && len(xs) == 1 {
		return c.isIn(xs[0], r.outs[0].col, cmp, algebra.NotNull(r.rel, r.outs[0].col), read)
	}
	hit := "true"
	if s.Kind == sql.All {
		hit = "false"
	}
	found, err := c.b.reg.IsBool(cmp, hit, false, s.Pos())
	if err != nil {
		return nil, err
	}
	null, err := c.b.reg.IsNull(cmp, false, s.Pos())
	if err != nil {
		return nil, err
	}
	return threeValued(read(c, found), read(c, null), s.Kind == sql.Any), nil
}

// threeValued is hit where found, else NULL where unknown, else the opposite.
func threeValued(found, unknown expr.Expr, hit bool) expr.Expr {
	t := datum.Ref(datum.OIDBool)
	return &expr.Case{T: t, Whens: []expr.When{
		{Cond: found, Then: algebra.Boolean(hit)},
		{Cond: unknown, Then: algebra.Null(t)},
	}, Else: algebra.Boolean(!hit)}
}

// readers lets a subquery be read several times: each reader tells whether a condition
// holds for some row of it.
func (c *context) readers(r *bound) func(*context, expr.Expr) expr.Expr {
	q := c.b.q
	def := &algebra.Shared{In: r.rel, Keep: true}
	for _, o := range r.outs {
		def.Cols = append(def.Cols, o.col)
	}
	return func(c *context, cond expr.Expr) expr.Expr {
		ref := &algebra.Ref{Def: def}
		def.Refs++
		m := map[algebra.Col]expr.Expr{}
		for _, col := range def.Cols {
			mine := q.NewLike(col)
			ref.Cols = append(ref.Cols, mine)
			m[col] = q.Column(mine)
		}
		conds := c.b.conditionsOf(algebra.Substitute(cond, m))
		return c.exists(&algebra.Filter{In: ref, Conds: conds})
	}
}

// isIn is x IN (query) as a value, by look-ups: is x there, is a NULL there, is there anything?
func (c *context) isIn(x expr.Expr, y algebra.Col, cmp expr.Expr, yNotNull bool, read func(*context, expr.Expr) expr.Expr) (expr.Expr, error) {
	found := read(c, cmp)
	yNull, err := c.b.reg.IsNull(c.b.q.Column(y), false, -1)
	if err != nil {
		return nil, err
	}
	xNull, err := c.b.reg.IsNull(x, false, -1)
	if err != nil {
		return nil, err
	}
	var unknown expr.Expr = &expr.And{Args: []expr.Expr{xNull, read(c, algebra.Boolean(true))}}
	if !yNotNull {
		unknown = &expr.Or{Args: []expr.Expr{read(c, yNull), unknown}}
	}
	return threeValued(found, unknown, true), nil
}

// semi makes of a condition on a subquery a join that keeps or drops the row, if it is one:
// done. Where a row goes for NULL as for false.
func (c *context) semi(e sql.Expr) (done bool, err error) {
	not := false
	for {
		n, ok := e.(*sql.Not)
		if !ok {
			break
		}
		not, e = !not, n.X
	}
	s, ok := e.(*sql.Subquery)
	if !ok || s.Kind != sql.Exists && s.Kind != sql.Any && s.Kind != sql.All {
		return false, nil
	}
	r, err := c.subquery(s.Query)
	if err != nil {
		return true, err
	}
	kind := algebra.Semi
	if not {
		kind = algebra.Anti
	}
	if s.Kind == sql.Exists {
		c.pending = append(c.pending, subjoin{kind: kind, rel: matter(r.rel)})
		return true, nil
	}
	xs, ys, err := c.operands(s, r)
	if err != nil {
		return true, err
	}
	cmp, err := c.compare(s.Op, xs, ys, s.Pos())
	if err != nil {
		return true, err
	}
	return true, c.semiOn(s.Kind == sql.All, not, r.rel, cmp, s.Pos())
}

// semiOn adds the join for [NOT] x op ANY|ALL (rel), cmp being the comparison:
//
//	ANY      some row with cmp true         ALL      no row with cmp false or NULL
//	NOT ANY  no row with cmp true or NULL   NOT ALL  some row with cmp false
func (c *context) semiOn(all, not bool, rel algebra.Rel, cmp expr.Expr, pos int) error {
	j := subjoin{kind: algebra.Semi, rel: rel}
	var err error
	switch {
	case !all && !not:
		j.on = c.b.conditionsOf(cmp)
	case all && not:
		cmp, err = c.b.reg.IsBool(cmp, "false", false, pos)
		j.on = []expr.Expr{cmp}
	case all:
		j.kind = algebra.Anti
		cmp, err = c.b.reg.IsBool(cmp, "true", true, pos)
		j.on = []expr.Expr{cmp}
	default:
		j.kind, j.on = algebra.NullAnti, c.b.conditionsOf(cmp)
		isKey := func(e expr.Expr) bool {
			eq, ok := e.(*algebra.Eq)
			return ok && !eq.NullSafe
		}
		if !algebra.Free(rel).Empty() || slices.ContainsFunc(j.on, func(e expr.Expr) bool { return !isKey(e) }) {
			j.kind = algebra.Anti
			cmp, err = c.b.reg.IsBool(cmp, "false", true, pos)
			j.on = []expr.Expr{cmp}
		}
	}
	c.pending = append(c.pending, j)
	return err
}
