package plan

import (
	"slices"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// joinRef binds left kind JOIN right.
func (b *binder) joinRef(j *sql.Join, s *scope) (*from, error) {
	l, err := b.fromItem(j.Left, s)
	if err != nil {
		return nil, err
	}
	// Lateral items on the right see the left side; where the join is not INNER or LEFT, in order to be refused.
	ls := &scope{outer: s, forbidden: j.Kind == "right" || j.Kind == "full"}
	if err := ls.add(l, j.Pos()); err != nil {
		return nil, err
	}
	r, err := b.fromItem(j.Right, ls.seenBy(s))
	if err != nil {
		return nil, err
	}
	both := &scope{outer: s.outerOnly()}
	if err := both.add(l, j.Pos()); err != nil {
		return nil, err
	}
	if err := both.add(r, j.Right.Pos()); err != nil {
		return nil, err
	}
	out := &from{tables: both.tables, cols: both.cols}
	using, err := sharedNames(j, l, r)
	if err != nil {
		return nil, err
	}
	if err := b.joinOn(j, l, r, both, using, out); err != nil {
		return nil, err
	}
	if j.Alias != "" {
		t := &table{name: j.Alias}
		for _, c := range out.cols {
			t.cols = append(t.cols, column{name: c.name, col: c.col, table: t, hidden: c.hidden})
		}
		out.tables, out.cols = []*table{t}, t.cols
	}
	return out, nil
}

// seenBy is the scope of a join's right side: its own left side over what s shows.
func (s *scope) seenBy(around *scope) *scope {
	return &scope{outer: &scope{outer: around.outer, ctes: around.ctes, tables: around.tables, cols: around.cols, forbidden: around.forbidden},
		tables: s.tables, cols: s.cols, forbidden: s.forbidden}
}

// sharedNames are the columns of USING or NATURAL.
func sharedNames(j *sql.Join, l, r *from) ([]string, error) {
	if !j.Natural {
		return j.Using, nil
	}
	var names []string
	for _, c := range l.cols {
		in := func(o column) bool { return o.name == c.name && !o.hidden }
		if !c.hidden && slices.ContainsFunc(r.cols, in) {
			names = append(names, c.name)
		}
	}
	return names, nil
}

// joinOn makes the join of l and r.
func (b *binder) joinOn(j *sql.Join, l, r *from, both *scope, using []string, out *from) error {
	join := &algebra.Join{Kind: kindOf(j.Kind), L: l.rel, R: r.rel}
	if j.Kind == "right" {
		join.L, join.R = r.rel, l.rel
	}
	switch {
	case len(using) > 0:
		return b.joinUsing(j, join, l, r, using, out)
	case j.On == nil:
		out.rel = join
		return nil
	}
	ctx := &context{b: b, s: both, place: "JOIN conditions"}
	both.agg = &grouping{clause: ctx}
	conds, err := ctx.conditions(j.On, "JOIN/ON", join.Kind == algebra.Inner)
	if err != nil {
		return err
	}
	if err := b.subqueriesOfOn(join, ctx, j.On.Pos()); err != nil {
		return err
	}
	if join.Kind == algebra.Inner {
		out.rel = filtered(ctx.joined(join), conds)
		return nil
	}
	join.On = conds
	out.rel = join
	return nil
}

func kindOf(kind string) algebra.JoinKind {
	switch kind {
	case "left", "right":
		return algebra.Left
	case "full":
		return algebra.Full
	}
	return algebra.Inner
}

// subqueriesOfOn puts the subqueries of an outer join's ON below the join. One that
// mentions both sides makes the side that may be missing depend on the other.
func (b *binder) subqueriesOfOn(j *algebra.Join, ctx *context, pos int) error {
	if j.Kind == algebra.Inner {
		return nil
	}
	l, r := algebra.SetOf(j.L.Out()...), algebra.SetOf(j.R.Out()...)
	for _, sub := range ctx.pending {
		free := sub.free()
		switch {
		case j.Kind == algebra.Left && !(free.Meets(l) && !free.Meets(r)):
			j.R = sub.over(j.R)
		case !free.Meets(r):
			j.L = sub.over(j.L)
		case !free.Meets(l):
			j.R = sub.over(j.R)
		default:
			return unsupported(pos, "a subquery over both sides in the condition of FULL JOIN is", "Join first, then filter.")
		}
	}
	ctx.pending = nil
	return nil
}

// joinUsing joins by columns of equal names. Each comes out once, first of all.
func (b *binder) joinUsing(j *sql.Join, join *algebra.Join, l, r *from, using []string, out *from) error {
	var merged []column
	var items []algebra.Item
	for _, name := range using {
		lc, err := usingColumn(l, name, "left", j.Pos())
		if err != nil {
			return err
		}
		rc, err := usingColumn(r, name, "right", j.Pos())
		if err != nil {
			return err
		}
		x, y, eq, err := b.usingPair(lc, rc, name, j.Pos())
		if err != nil {
			return err
		}
		join.On = append(join.On, eq)
		c := column{name: name, col: lc.col}
		value := x
		switch j.Kind {
		case "right":
			value = y
		case "full":
			if value, err = b.reg.Coalesce([]expr.Expr{x, y}, j.Pos()); err != nil {
				return err
			}
		}
		if col, plain := algebra.AsColumn(value); plain {
			c.col = col
		} else {
			c.col = b.q.New(name, value.Type())
			items = append(items, algebra.Item{Col: c.col, X: value})
		}
		merged = append(merged, c)
	}
	out.rel = join
	if len(items) > 0 {
		out.rel = &algebra.Project{In: join, Items: append(b.pass(join.Out()), items...)}
	}
	rest := func(c column) bool { return slices.Contains(using, c.name) && !c.hidden }
	out.cols = append(merged, slices.DeleteFunc(append(slices.Clone(l.cols), r.cols...), rest)...)
	return nil
}

func usingColumn(f *from, name, side string, pos int) (found *column, err error) {
	for i := range f.cols {
		if f.cols[i].name != name {
			continue
		}
		if found != nil {
			return nil, fail(sql.AmbiguousColumn, pos, "common column name %q appears more than once in %s table", name, side)
		}
		found = &f.cols[i]
	}
	if found == nil {
		return nil, fail(sql.UndefinedColumn, pos, "column %q specified in USING clause does not exist in %s table", name, side)
	}
	return found, nil
}

// usingPair brings two columns of a USING to one type and compares them.
func (b *binder) usingPair(l, r *column, name string, pos int) (x, y, eq expr.Expr, err error) {
	x, y = b.value(l), b.value(r)
	t, err := b.reg.CommonType("JOIN/USING", []expr.Expr{x, y}, pos)
	if err != nil {
		return nil, nil, nil, fail(sql.DatatypeMismatch, pos, "JOIN/USING types %s and %s cannot be matched",
			expr.FormatType(x.Type()), expr.FormatType(y.Type()))
	}
	if x, err = b.reg.Cast(x, t, expr.Implicit, pos); err != nil {
		return nil, nil, nil, err
	}
	if y, err = b.reg.Cast(y, t, expr.Implicit, pos); err != nil {
		return nil, nil, nil, err
	}
	if eq, err = b.reg.ResolveOperator("=", []expr.Expr{x, y}, pos); err != nil {
		return nil, nil, nil, err
	}
	return x, y, b.condition(eq), nil
}

// pass are items that pass columns on.
func (b *binder) pass(cols []algebra.Col) []algebra.Item {
	items := make([]algebra.Item, len(cols))
	for i, c := range cols {
		items[i] = algebra.Item{Col: c, X: b.q.Column(c)}
	}
	return items
}
