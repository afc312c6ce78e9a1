package plan

import (
	"slices"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// funcRef binds a function in FROM. It sees the items before it, whether LATERAL is written or not.
func (b *binder) funcRef(ref *sql.FuncRef, s *scope) (*from, error) {
	name := ref.Call.Name[len(ref.Call.Name)-1]
	ctx := &context{b: b, s: &scope{outer: s}, place: "functions in FROM"}
	ctx.s.agg = &grouping{clause: ctx}
	rel, cols, err := b.callInFrom(ref, ctx, name)
	if err != nil {
		return nil, err
	}
	t := &table{name: name}
	if ref.Alias != "" {
		t.name = ref.Alias
	}
	for _, col := range cols {
		t.cols = append(t.cols, column{name: t.name, col: col, table: t})
	}
	if names, _ := expr.SetColumns(name); names != nil {
		for i := range t.cols {
			t.cols[i].name = names[i]
		}
	} else if len(cols) > 1 { // only a single column is called as its table
		for i := range t.cols {
			t.cols[i].name = name
		}
	}
	if ref.Ordinality {
		n := b.q.New("ordinality", datum.Ref(datum.OIDInt8))
		rel = withOrdinality(rel, n)
		t.cols = append(t.cols, column{name: "ordinality", col: n, table: t})
	}
	if err := t.rename(ref.Columns, ref.Pos()); err != nil {
		return nil, err
	}
	return &from{rel: rel, tables: []*table{t}, cols: t.cols}, nil
}

// callInFrom is the relation of a function's rows: one row of a scalar function.
func (b *binder) callInFrom(ref *sql.FuncRef, ctx *context, name string) (algebra.Rel, []algebra.Col, error) {
	if !b.reg.IsSet(name) || ref.Call.Over != nil {
		x, err := ctx.bind(ref.Call)
		if err != nil {
			return nil, nil, err
		}
		if x, err = b.reg.Decided(x, ref.Pos()); err != nil {
			return nil, nil, err
		}
		in, item := ctx.joined(one()), algebra.Item{Col: b.q.New(name, x.Type()), X: x}
		return &algebra.Project{In: in, Items: append(b.pass(in.Out()), item)}, []algebra.Col{item.Col}, nil
	}
	args, err := ctx.all(ref.Call.Args)
	if err != nil {
		return nil, nil, err
	}
	names, calls := []string{name}, [][]expr.Expr{args}
	if name == "unnest" && len(args) > 1 { // of several arrays, side by side
		names, calls = nil, nil
		for _, a := range args {
			names, calls = append(names, name), append(calls, []expr.Expr{a})
		}
	}
	if _, functions := expr.SetColumns(name); functions != nil {
		names, calls = functions, slices.Repeat([][]expr.Expr{args}, len(functions))
	}
	set := &algebra.ProjectSet{In: ctx.joined(one())}
	var cols []algebra.Col
	for i, args := range calls {
		call, err := b.reg.ResolveSet(names[i], args, ref.Pos())
		if err != nil {
			return nil, nil, err
		}
		cols = append(cols, b.q.New(name, call.T))
		set.Funcs = append(set.Funcs, algebra.SetItem{Col: cols[len(cols)-1], Call: call})
	}
	return set, cols, nil
}

func withOrdinality(rel algebra.Rel, n algebra.Col) algebra.Rel {
	switch r := rel.(type) {
	case *algebra.ProjectSet:
		r.Ordinal = n
	case *algebra.Project:
		r.Items = append(r.Items, algebra.Item{Col: n, X: algebra.Integer(1)})
	}
	return rel
}

const (
	microsecond = 1
	day         = 24 * 3600 * 1_000_000 * microsecond
)

// windowRef binds TUMBLE(relation, time, size [, offset]) and HOP(relation, time, slide, size [, offset]).
func (b *binder) windowRef(ref *sql.FuncRef, s *scope) (*from, error) {
	name, args := ref.Call.Name[0], ref.Call.Args
	in, err := b.fromItem(ref.Table, s)
	if err != nil {
		return nil, err
	}
	least := map[string]int{"tumble": 2, "hop": 3}[name]
	if len(args) < least || len(args) > least+1 {
		form := map[string]string{"tumble": "TUMBLE(relation, time, size [, offset])", "hop": "HOP(relation, time, slide, size [, offset])"}[name]
		return nil, withHint(fail(sql.UndefinedFunction, ref.Pos(), "wrong number of arguments of %s", name), "Write %s.", form)
	}
	hop := &algebra.Hop{In: in.rel}
	t, err := b.windowTime(hop, in, args[0], s)
	if err != nil {
		return nil, err
	}
	widths := make([]int64, len(args)-1)
	for i, a := range args[1:] {
		if widths[i], err = b.width(a, i < least-1); err != nil {
			return nil, err
		}
	}
	hop.Slide, hop.Size = widths[0], widths[least-2]
	if len(widths) == least {
		hop.Offset = widths[least-1]
	}
	if most := int64(1000); (hop.Size-1)/hop.Slide >= most {
		return nil, withHint(fail(sql.InvalidParameter, ref.Pos(), "a row would fall into %d windows", (hop.Size-1)/hop.Slide+1),
			"At most %d are supported: make the slide larger.", most)
	}
	hop.Start, hop.End = b.q.New("window_start", t), b.q.New("window_end", t)
	out := &table{}
	for _, tab := range in.tables {
		out.name, out.rel = tab.name, tab.rel
	}
	if ref.Alias != "" {
		out.name = ref.Alias
	}
	for _, c := range in.cols {
		out.cols = append(out.cols, column{name: c.name, col: c.col, table: out, hidden: c.hidden})
	}
	out.cols = append(out.cols, column{name: "window_start", col: hop.Start, table: out}, column{name: "window_end", col: hop.End, table: out})
	out.rel = nil // a key of the relation does not determine the window
	if err := out.rename(ref.Columns, ref.Pos()); err != nil {
		return nil, err
	}
	return &from{rel: hop, tables: []*table{out}, cols: out.cols}, nil
}

// windowTime binds the time of TUMBLE or HOP and returns the type of the window's bounds.
func (b *binder) windowTime(hop *algebra.Hop, in *from, e sql.Expr, s *scope) (t datum.TypeRef, err error) {
	own := &scope{outer: s.outerOnly()}
	if err := own.add(in, e.Pos()); err != nil {
		return t, err
	}
	ctx := &context{b: b, s: own, place: "window functions in FROM"}
	own.agg = &grouping{clause: ctx}
	x, err := ctx.bind(e)
	if err != nil {
		return t, err
	}
	var cols []algebra.Col
	hop.In, cols = b.columns(ctx.joined(hop.In), []expr.Expr{x})
	hop.Time = cols[0]
	switch t = x.Type(); t.OID {
	case datum.OIDTimestamp, datum.OIDTimestampTZ:
		return datum.Ref(t.OID), nil
	case datum.OIDDate:
		return datum.Ref(datum.OIDTimestamp), nil
	}
	return t, withHint(fail(sql.DatatypeMismatch, e.Pos(), "the time of a window must be a timestamp, timestamp with time zone or date, not %s", expr.FormatType(t)),
		"Cast the column.")
}

// width is an interval in microseconds. One that is a size must be positive; months have no length.
func (b *binder) width(e sql.Expr, positive bool) (int64, error) {
	ctx := &context{b: b, s: &scope{}, place: "window functions in FROM"}
	x, err := ctx.bind(e)
	if err != nil {
		return 0, err
	}
	if x, err = b.reg.Cast(x, datum.Ref(datum.OIDInterval), expr.Assignment, e.Pos()); err != nil {
		return 0, err
	}
	v, err := b.constant(x)
	if err != nil {
		return 0, err
	}
	if v == nil || v.Null(0) {
		return 0, withHint(fail(sql.InvalidParameter, e.Pos(), "the width of a window must be a constant"), "Write INTERVAL '10 seconds'.")
	}
	iv := v.Intervals[0]
	if iv.Months != 0 {
		return 0, withHint(fail(sql.InvalidParameter, e.Pos(), "the width of a window must not have months"), "Months differ in length; write days.")
	}
	width := int64(iv.Days)*day + iv.Micros
	if positive && width <= 0 {
		return 0, fail(sql.InvalidParameter, e.Pos(), "the width of a window must be positive")
	}
	return width, nil
}
