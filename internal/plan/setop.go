package plan

import (
	"strings"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// setOperation binds left UNION|INTERSECT|EXCEPT [ALL] right.
func (b *binder) setOperation(q *sql.Select, s *scope) (*bound, error) {
	l, err := b.query(q.Left, s, false)
	if err != nil {
		return nil, err
	}
	r, err := b.query(q.Right, s, false)
	if err != nil {
		return nil, err
	}
	what := strings.ToUpper(q.SetOp)
	if len(l.outs) != len(r.outs) {
		return nil, fail(sql.SyntaxError, q.Right.Pos(), "each %s query must have the same number of columns", what)
	}
	if err := b.unify(what, []*bound{l, r}); err != nil {
		return nil, err
	}
	out := &bound{}
	for _, o := range l.outs {
		out.outs = append(out.outs, output{name: o.name, col: b.q.NewLike(o.col), pos: o.pos})
	}
	switch {
	case q.SetOp == "union":
		out.rel = b.union(l, r, out)
		if !q.SetAll {
			out.rel = &algebra.Agg{In: out.rel, Group: out.cols()}
		}
	default:
		out.rel, err = b.counted(q, l, r, out)
	}
	if err != nil {
		return nil, err
	}
	return out, b.orderOutputs(q, out)
}

func (r *bound) cols() []algebra.Col {
	cols := make([]algebra.Col, len(r.outs))
	for i, o := range r.outs {
		cols[i] = o.col
	}
	return cols
}

func (b *binder) union(l, r, out *bound) algebra.Rel {
	return &algebra.Union{Ins: []algebra.Rel{l.rel, r.rel}, From: [][]algebra.Col{l.cols(), r.cols()}, Cols: out.cols()}
}

// counted is INTERSECT and EXCEPT: rows are counted by side, and come out as often as the counts say.
func (b *binder) counted(q *sql.Select, l, r, out *bound) (algebra.Rel, error) {
	sides := []*bound{l, r}
	boolean := datum.Ref(datum.OIDBool)
	for i, side := range sides {
		tag := b.q.New("left", boolean)
		items := append(b.pass(unique(side.cols())), algebra.Item{Col: tag, X: algebra.Boolean(i == 0)})
		side.rel = &algebra.Project{In: side.rel, Items: items}
		side.outs = append(side.outs, output{col: tag})
	}
	left := b.q.New("left", boolean)
	cols := out.cols()
	out.outs = append(out.outs, output{col: left})
	union := b.union(l, r, out)
	out.outs = out.outs[:len(cols)]
	right, err := b.reg.Not(b.q.Column(left), -1)
	if err != nil {
		return nil, err
	}
	count := &expr.Aggregate{Name: "count", Kind: expr.AggCount, Result: datum.Ref(datum.OIDInt8)}
	inL, inR := b.q.New("count", count.Result), b.q.New("count", count.Result)
	agg := &algebra.Agg{In: union, Group: cols, Aggs: []algebra.AggItem{
		{Col: inL, Fn: count, Filter: b.q.Column(left)}, {Col: inR, Fn: count, Filter: right},
	}}
	if q.SetAll {
		return b.repeated(q.SetOp, agg, inL, inR)
	}
	zero, op := algebra.Integer(0), ">"
	if q.SetOp == "except" {
		op = "="
	}
	some, err := b.reg.ResolveOperator(">", []expr.Expr{b.q.Column(inL), zero}, -1)
	if err != nil {
		return nil, err
	}
	other, err := b.reg.ResolveOperator(op, []expr.Expr{b.q.Column(inR), zero}, -1)
	if err != nil {
		return nil, err
	}
	return &algebra.Filter{In: agg, Conds: []expr.Expr{some, other}}, nil
}

// repeated gives each row as often as INTERSECT ALL (the lesser count) or EXCEPT ALL (the difference) says.
func (b *binder) repeated(op string, agg *algebra.Agg, inL, inR algebra.Col) (algebra.Rel, error) {
	l, r := b.q.Column(inL), b.q.Column(inR)
	n, err := b.reg.ResolveOperator("-", []expr.Expr{l, r}, -1)
	if op == "intersect" {
		n, err = b.reg.MinMax([]expr.Expr{l, r}, true, -1)
	}
	if err != nil {
		return nil, err
	}
	series, err := b.reg.ResolveSet("generate_series", []expr.Expr{algebra.Integer(1), n}, -1)
	if err != nil {
		return nil, err
	}
	return &algebra.ProjectSet{In: agg, Funcs: []algebra.SetItem{{Col: b.q.New("n", series.T), Call: series}}}, nil
}

// unify brings the columns of several queries to their common types.
func (b *binder) unify(what string, rs []*bound) error {
	items := make([][]algebra.Item, len(rs))
	changed := make([]bool, len(rs))
	for i := range rs[0].outs {
		var xs []expr.Expr
		for _, r := range rs {
			xs = append(xs, r.outs[i].value(b))
		}
		t, err := b.reg.CommonType(what, xs, rs[len(rs)-1].outs[i].pos)
		if err != nil {
			return err
		}
		for k, r := range rs {
			o := &r.outs[i]
			x, err := b.reg.Cast(xs[k], t, expr.Implicit, o.pos)
			if err != nil {
				return err
			}
			col, plain := algebra.AsColumn(x)
			if !plain {
				col = b.q.New(o.name, x.Type())
				changed[k] = true
			}
			items[k] = append(items[k], algebra.Item{Col: col, X: x})
			o.col, o.literal = col, nil
		}
	}
	for k, r := range rs {
		if changed[k] {
			r.rel = b.projected(r.rel, items[k])
		}
	}
	return nil
}

// projected adds the items that compute something.
func (b *binder) projected(rel algebra.Rel, items []algebra.Item) algebra.Rel {
	all := b.pass(rel.Out())
	for _, it := range items {
		if c, plain := algebra.AsColumn(it.X); !plain || c != it.Col {
			all = append(all, it)
		}
	}
	return &algebra.Project{In: rel, Items: all}
}

// value is an output as an expression; a literal stays one.
func (o *output) value(b *binder) expr.Expr {
	if o.literal != nil {
		return o.literal
	}
	return b.q.Column(o.col)
}

// settled makes text of the columns whose type nothing has decided.
func (b *binder) settled(r *bound) (*bound, error) {
	var items []algebra.Item
	for i := range r.outs {
		o := &r.outs[i]
		if o.literal == nil {
			continue
		}
		x, err := b.reg.Decided(o.literal, o.pos)
		if err != nil {
			return nil, err
		}
		col := b.q.New(o.name, x.Type())
		for k := range r.order {
			if r.order[k].Col == o.col {
				r.order[k].Col = col
			}
		}
		o.col, o.literal = col, nil
		items = append(items, algebra.Item{Col: col, X: x})
	}
	if len(items) > 0 {
		r.rel = b.projected(r.rel, items)
	}
	return r, nil
}

// orderOutputs binds ORDER BY of a set operation or VALUES, which knows only the output columns.
func (b *binder) orderOutputs(q *sql.Select, r *bound) error {
	if len(q.OrderBy) == 0 {
		return nil
	}
	t := &table{}
	for _, o := range r.outs {
		t.cols = append(t.cols, column{name: o.name, col: o.col, table: t})
	}
	var items []sortItem
	for _, item := range q.OrderBy {
		if n, ok := ordinal(item.X); ok {
			if n < 1 || n > len(r.outs) {
				return fail(sql.InvalidColumnReference, item.X.Pos(), "ORDER BY position %d is not in select list", n)
			}
			s, err := b.sortOf(item, b.q.Column(r.outs[n-1].col))
			if err != nil {
				return err
			}
			items = append(items, s)
			continue
		}
		ref, ok := item.X.(*sql.ColumnRef)
		if !ok || len(ref.Parts) != 1 {
			e := fail(sql.FeatureNotSupported, leftmost(item.X), "invalid UNION/INTERSECT/EXCEPT ORDER BY clause")
			e.Detail = "Only result column names can be used, not expressions or functions."
			return withHint(e, "Add the expression/function to every SELECT, or move the UNION into a FROM clause.")
		}
		c, err := (&scope{cols: t.cols}).own(ref)
		if err != nil {
			return err
		}
		if c == nil {
			return fail(sql.UndefinedColumn, ref.Pos(), "column %q does not exist", ref.Parts[0])
		}
		s, err := b.sortOf(item, b.value(c))
		if err != nil {
			return err
		}
		items = append(items, s)
	}
	r.rel, r.order = b.sortKeys(r.rel, items)
	return nil
}
