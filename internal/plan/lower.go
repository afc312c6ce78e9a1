package plan

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
)

// lowering gives the columns of an optimized tree positions. Subtrees that are equal
// become one Node.
type lowering struct {
	q      *algebra.Query
	reg    *expr.Registry
	shared map[*algebra.Shared]*lowered
	nodes  map[string]Node
	ids    map[Node]int
	err    error // the first
}

// lowered is a Node and the column at each of its positions.
type lowered struct {
	node Node
	at   []algebra.Col
}

func newLowering(q *algebra.Query, reg *expr.Registry) *lowering {
	return &lowering{q: q, reg: reg, shared: map[*algebra.Shared]*lowered{}, nodes: map[string]Node{}, ids: map[Node]int{}}
}

// root lowers a tree whose columns come out as want says.
func (l *lowering) root(r algebra.Rel, want []algebra.Col) (Node, error) {
	out := l.lower(r)
	if !slices.Equal(out.at, want) {
		exprs := make([]expr.Expr, len(want))
		for i, c := range want {
			exprs[i] = l.q.Column(c)
		}
		out = l.project(out, exprs, want)
	}
	return out.node, l.err
}

// fewRows is how many rows a list has that may be written twice in a query.
const fewRows = 16

// once is n, or the Node like it that there is already. What columns are called does not matter.
func (l *lowering) once(n Node) Node {
	if v, ok := n.(*Values); ok && len(v.Rows) > fewRows { // an INSERT's: describing them would take longer than they do
		l.ids[n] = len(l.ids) + 1
		return n
	}
	b := []byte(fingerprint(n))
	for _, in := range n.Inputs() {
		b = strconv.AppendInt(append(b, '<'), int64(l.ids[in]), 10)
	}
	key := string(b)
	if same, ok := l.nodes[key]; ok {
		return same
	}
	l.nodes[key] = n
	l.ids[n] = len(l.ids) + 1
	return n
}

func (l *lowering) lower(r algebra.Rel) *lowered {
	switch r := r.(type) {
	case *algebra.Scan:
		return l.made(&Scan{Relation: r.Relation, Cols: r.Attrs, Out: l.columns(r.Cols)}, r.Cols)
	case *algebra.Values:
		return l.values(r)
	case *algebra.Ref:
		return l.ref(r)
	case *algebra.Project:
		in := l.lower(r.In)
		exprs, cols := make([]expr.Expr, len(r.Items)), make([]algebra.Col, len(r.Items))
		for i, it := range r.Items {
			exprs[i], cols[i] = it.X, it.Col
		}
		return l.project(in, exprs, cols)
	case *algebra.Filter:
		in := l.lower(r.In)
		return l.made(&Filter{In: in.node, Pred: l.all(r.Conds, in.at), Fixed: fixed(r.Conds, in.at)}, in.at)
	case *algebra.Join:
		return l.join(r)
	case *algebra.Agg:
		return l.aggregate(r)
	case *algebra.Union:
		return l.union(r)
	}
	return l.lowerRest(r)
}

func (l *lowering) lowerRest(r algebra.Rel) *lowered {
	in := l.lower(r.Inputs()[0])
	switch r := r.(type) {
	case *algebra.TopN:
		n := &TopN{In: in.node, Group: positions(r.Group, in.at), Rank: RankKind(r.Rank), Limit: r.Limit, Offset: r.Offset, EmitRank: r.RankCol != 0}
		for _, k := range r.Order {
			n.Order = append(n.Order, SortKey{Col: slices.Index(in.at, k.Col), Desc: k.Desc, NullsFirst: k.NullsFirst})
		}
		at := in.at
		if n.EmitRank {
			at = append(slices.Clone(at), r.RankCol)
		}
		n.Out = l.columns(at)
		return l.made(n, at)
	case *algebra.Hop:
		at := append(slices.Clone(in.at), r.Start, r.End)
		n := &Hop{In: in.node, Time: slices.Index(in.at, r.Time), Slide: r.Slide, Size: r.Size, Offset: r.Offset, Out: l.columns(at)}
		return l.made(n, at)
	case *algebra.ProjectSet:
		n := &ProjectSet{In: in.node, Ordinality: r.Ordinal != 0}
		at := slices.Clone(in.at)
		for _, f := range r.Funcs {
			n.Funcs = append(n.Funcs, SetCall{Fn: f.Call.Fn, Args: l.exprs(f.Call.Args, in.at), T: f.Call.T})
			at = append(at, f.Col)
		}
		if n.Ordinality {
			at = append(at, r.Ordinal)
		}
		n.Out = l.columns(at)
		return l.made(n, at)
	case *algebra.MaxOne:
		return l.made(&MaxOne{In: in.node, Group: positions(r.Group, in.at)}, in.at)
	}
	panic(fmt.Sprintf("plan: %T is no operator", r)) // a case is missing here: covered by the tests
}

// made interns a Node and sets what is known of its rows.
func (l *lowering) made(n Node, at []algebra.Col) *lowered {
	derive(n)
	return &lowered{l.once(n), at}
}

func (l *lowering) columns(cols []algebra.Col) []Column {
	out := make([]Column, len(cols))
	for i, c := range cols {
		out[i] = Column{Name: l.q.Name(c), Type: l.q.Type(c)}
	}
	return out
}

func positions(cols, at []algebra.Col) []int {
	out := make([]int, len(cols))
	for i, c := range cols {
		out[i] = slices.Index(at, c)
	}
	return out
}

func (l *lowering) values(r *algebra.Values) *lowered {
	n := &Values{Out: l.columns(r.Cols)}
	for _, row := range r.Rows {
		n.Rows = append(n.Rows, l.exprs(row, nil))
	}
	return l.made(n, r.Cols)
}

// ref lowers what is shared once. Its columns are those that some reader needs.
func (l *lowering) ref(r *algebra.Ref) *lowered {
	def := l.shared[r.Def]
	if def == nil {
		def = l.lower(r.Def.In)
		l.shared[r.Def] = def
	}
	at := make([]algebra.Col, len(def.at))
	for i, c := range def.at {
		at[i] = r.Cols[slices.Index(r.Def.Cols, c)]
	}
	return &lowered{def.node, at}
}

func (l *lowering) project(in *lowered, exprs []expr.Expr, cols []algebra.Col) *lowered {
	return l.made(&Project{In: in.node, Exprs: l.exprs(exprs, in.at), Out: l.columns(cols)}, cols)
}

func (l *lowering) join(r *algebra.Join) *lowered {
	left, right := l.lower(r.L), l.lower(r.R)
	n := &Join{Kind: joinKinds[r.Kind], L: left.node, R: right.node}
	ls, rs := algebra.SetOf(left.at...), algebra.SetOf(right.at...)
	var residual []expr.Expr
	for _, c := range r.On {
		if eq, ok := c.(*algebra.Eq); ok {
			if a, b, isKey := eq.Key(ls, rs); isKey {
				n.LKeys, n.RKeys = append(n.LKeys, slices.Index(left.at, a)), append(n.RKeys, slices.Index(right.at, b))
				n.NullSafe = append(n.NullSafe, eq.NullSafe)
				continue
			}
		}
		residual = append(residual, c)
	}
	both := append(slices.Clone(left.at), right.at...)
	if len(residual) > 0 {
		n.Residual = l.all(residual, both)
	}
	at := both
	if r.Kind.LeftOnly() {
		at = left.at
	}
	n.Out = l.columns(at)
	return l.made(n, at)
}

var joinKinds = map[algebra.JoinKind]JoinKind{
	algebra.Inner: Inner, algebra.Left: Left, algebra.Full: Full, algebra.Semi: Semi, algebra.Anti: Anti, algebra.NullAnti: NullAnti,
}

func (l *lowering) aggregate(r *algebra.Agg) *lowered {
	in := l.lower(r.In)
	groups := slices.Clone(r.Group) // in the input's order: GROUP BY a, b and b, a are one Node
	slices.SortFunc(groups, func(a, b algebra.Col) int { return slices.Index(in.at, a) - slices.Index(in.at, b) })
	n := &Aggregate{In: in.node, Group: positions(groups, in.at), Global: r.Global}
	position := func(e expr.Expr) int {
		if e == nil {
			return -1
		}
		c, _ := algebra.AsColumn(e)
		return slices.Index(in.at, c)
	}
	at := groups
	for _, a := range r.Aggs {
		n.Aggs = append(n.Aggs, Agg{Fn: a.Fn, Arg: position(a.Arg), Distinct: a.Distinct, Filter: position(a.Filter)})
		at = append(at, a.Col)
	}
	n.Out = l.columns(at)
	return l.made(n, at)
}

func (l *lowering) union(r *algebra.Union) *lowered {
	n := &Union{Out: l.columns(r.Cols)}
	for i, in := range r.Ins {
		low := l.lower(in)
		if !slices.Equal(low.at, r.From[i]) { // a shared one that has more
			exprs := make([]expr.Expr, len(r.From[i]))
			for k, c := range r.From[i] {
				exprs[k] = l.q.Column(c)
			}
			low = l.project(low, exprs, r.From[i])
		}
		n.Ins = append(n.Ins, low.node)
	}
	return l.made(n, r.Cols)
}

// fixed are the columns that conditions make equal to constants.
func fixed(conds []expr.Expr, at []algebra.Col) (cols []int) {
	for _, c := range conds {
		eq, ok := c.(*algebra.Eq)
		if !ok {
			continue
		}
		for _, side := range [2][2]expr.Expr{{eq.L, eq.R}, {eq.R, eq.L}} {
			col, plain := algebra.AsColumn(side[0])
			if _, constant := side[1].(*expr.Const); plain && constant {
				cols = append(cols, slices.Index(at, col))
			}
		}
	}
	return cols
}

// all is the conjunction of conditions.
func (l *lowering) all(conds []expr.Expr, at []algebra.Col) expr.Expr {
	xs := l.exprs(conds, at)
	if len(xs) == 1 {
		return xs[0]
	}
	return &expr.And{Args: xs}
}

func (l *lowering) exprs(xs []expr.Expr, at []algebra.Col) []expr.Expr {
	out := make([]expr.Expr, len(xs))
	for i, x := range xs {
		out[i] = l.expr(x, at)
	}
	return out
}

// expr puts positions for columns and calls for equalities.
func (l *lowering) expr(x expr.Expr, at []algebra.Col) expr.Expr {
	return algebra.Rewrite(x, func(e expr.Expr) expr.Expr {
		switch e := e.(type) {
		case *expr.Column:
			i := slices.Index(at, algebra.Col(e.Index))
			if i < 0 && l.err == nil {
				l.err = fmt.Errorf("plan: column %d (%s) is not in %v", e.Index, l.q.Name(algebra.Col(e.Index)), at)
			}
			return &expr.Column{Index: i, T: e.T}
		case *algebra.Eq:
			if e.Plain != nil {
				return l.expr(e.Plain, at)
			}
			return l.equality(l.expr(e.L, at), l.expr(e.R, at), e.NullSafe)
		}
		return nil
	})
}

func (l *lowering) equality(x, y expr.Expr, nullSafe bool) expr.Expr {
	var e expr.Expr
	var err error
	if nullSafe {
		e, err = l.reg.IsDistinct(x, y, true, -1)
	} else {
		e, err = l.reg.ResolveOperator("=", []expr.Expr{x, y}, -1)
	}
	if err != nil {
		if l.err == nil {
			l.err = err
		}
		return algebra.Boolean(false)
	}
	return e
}
