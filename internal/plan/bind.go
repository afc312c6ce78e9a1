package plan

import (
	"cmp"
	"slices"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// Options are what a query means beside its text and the catalog.
type Options struct {
	// View: the query is a view's. LIMIT becomes a TopN, a bare ORDER BY means nothing, and
	// functions whose value changes by itself are refused.
	View bool
	// ParamTypes are the types of $1, $2, … that the client has declared; OID 0: the context decides.
	ParamTypes []datum.TypeRef
	// Parse reads the body of a plain view. Needed only where the catalog has some.
	Parse func(text string) (*sql.Select, error)
	// ParseExpr reads a column's default. Needed only by INSERT, UPDATE and Defaults.
	ParseExpr func(text string) (sql.Expr, error)
}

// Bind makes the plan of a query. Errors are *sql.Error.
func Bind(cat *catalog.Catalog, reg *expr.Registry, q *sql.Select, o Options) (*Query, error) {
	b := newBinder(cat, reg, o)
	r, err := b.query(q, nil, !o.View)
	if err != nil {
		return nil, err
	}
	if r, err = b.settled(r); err != nil {
		return nil, err
	}
	return b.finish(r)
}

// binder binds one statement.
type binder struct {
	cat    *catalog.Catalog
	reg    *expr.Registry
	o      Options
	q      *algebra.Query
	params []*expr.Param
	deps   map[catalog.ID]bool
	views  []*catalog.Relation // plain views being expanded, outermost first
	stars  map[*sql.ColumnRef]*column
	// written is where a column was written, for errors that are found later.
	written map[*expr.Column]int
}

func newBinder(cat *catalog.Catalog, reg *expr.Registry, o Options) *binder {
	b := &binder{cat: cat, reg: reg, o: o, q: &algebra.Query{}, deps: map[catalog.ID]bool{}, stars: map[*sql.ColumnRef]*column{},
		written: map[*expr.Column]int{}}
	for _, t := range o.ParamTypes {
		b.addParam(t)
	}
	return b
}

// bound is a query whose names and types are resolved.
type bound struct {
	rel  algebra.Rel
	outs []output
	// order sorts by columns of rel, of which some may be beyond outs. Of a subquery it has become part of rel.
	order         []algebra.Key
	limit, offset expr.Expr
}

// output is a column that a query gives.
type output struct {
	name string
	col  algebra.Col
	// literal is what the column is made of when that is NULL, a string or a parameter
	// of a type that the query's context may still decide.
	literal expr.Expr
	pos     int // of the expression
}

// finish optimizes a bound query at the top and gives its columns positions.
func (b *binder) finish(r *bound) (*Query, error) {
	want := make([]algebra.Col, 0, len(r.outs))
	for _, o := range r.outs {
		want = append(want, o.col)
	}
	r.rel, want = b.distinctColumns(r.rel, want)
	for _, k := range r.order {
		if !slices.Contains(want, k.Col) {
			want = append(want, k.Col)
		}
	}
	rel := b.q.Optimize(r.rel, want)
	l := newLowering(b.q, b.reg)
	root, err := l.root(rel, want)
	if err != nil {
		return nil, err
	}
	out := &Query{Root: root, Limit: r.limit, Offset: r.offset, DependsOn: b.dependsOn()}
	for i, o := range r.outs {
		out.Columns = append(out.Columns, Column{Name: o.name, Type: b.q.Type(want[i])})
		out.NotNull = append(out.NotNull, algebra.NotNull(rel, want[i]))
	}
	for _, k := range r.order {
		out.Order = append(out.Order, SortKey{Col: slices.Index(want, k.Col), Desc: k.Desc, NullsFirst: k.NullsFirst})
	}
	if out.Params, err = b.paramTypes(); err != nil {
		return nil, err
	}
	out.Stable = changing(root) != nil
	if b.o.View {
		err = viewable(root)
	}
	return out, err
}

// distinctColumns makes new columns of those that want names a second time: SELECT a, a.
func (b *binder) distinctColumns(r algebra.Rel, want []algebra.Col) (algebra.Rel, []algebra.Col) {
	items := make([]algebra.Item, 0, len(want))
	for _, c := range r.Out() {
		items = append(items, algebra.Item{Col: c, X: b.q.Column(c)})
	}
	seen := map[algebra.Col]bool{}
	for i, c := range want {
		if seen[c] {
			want[i] = b.q.NewLike(c)
			items = append(items, algebra.Item{Col: want[i], X: b.q.Column(c)})
		}
		seen[c] = true
	}
	if len(items) == len(r.Out()) {
		return r, want
	}
	return &algebra.Project{In: r, Items: items}, want
}

func (b *binder) dependsOn() []catalog.ID {
	var ids []catalog.ID
	for id := range b.deps {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, cmp.Compare[catalog.ID])
	return ids
}
