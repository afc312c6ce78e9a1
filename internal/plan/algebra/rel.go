package algebra

import (
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/expr"
)

// Rel is a relational operator.
type Rel interface {
	// Out are its columns, in order.
	Out() []Col
	// Inputs are the operators that it reads, in order.
	Inputs() []Rel
	// with is a copy over other inputs.
	with(ins []Rel) Rel
	// mapped is a copy with every expression of its own replaced by f.
	mapped(f func(expr.Expr) expr.Expr) Rel
	// renamed is a copy with every column that it makes or mentions replaced by f, expressions included.
	renamed(f func(Col) Col) Rel
}

// The operators. See the nodes of package plan, which they become.
type (
	// Scan reads attributes of a relation.
	Scan struct {
		Relation *catalog.Relation
		Attrs    []int
		Cols     []Col
	}
	// Values is a list of rows of constants.
	Values struct {
		Rows [][]expr.Expr
		Cols []Col
	}
	// Project computes its items, and has no other columns.
	Project struct {
		In    Rel
		Items []Item
	}
	// Filter keeps the rows for which all of Conds are true.
	Filter struct {
		In    Rel
		Conds []expr.Expr
	}
	// Join matches L and R by all of On. R may mention columns of L (LATERAL, subqueries) until Unnest.
	Join struct {
		Kind JoinKind
		L, R Rel
		On   []expr.Expr
	}
	// Agg groups by columns; its columns are Group, then those of Aggs.
	Agg struct {
		In     Rel
		Group  []Col
		Aggs   []AggItem
		Global bool // no groups, and one row always
	}
	// Union is UNION ALL; column i is made of column i of each input.
	Union struct {
		Ins  []Rel
		From [][]Col // for each input, its columns in order
		Cols []Col
	}
	// TopN keeps, by group, the rows ranked in (Offset, Offset+Limit].
	TopN struct {
		In            Rel
		Group         []Col
		Order         []Key
		Rank          RankKind
		Limit, Offset int64 // Limit -1: none
		RankCol       Col   // the rank as a column; 0: none
	}
	// Hop gives a row for each window of Time.
	Hop struct {
		In                  Rel
		Time                Col
		Slide, Size, Offset int64 // microseconds
		Start, End          Col
	}
	// ProjectSet expands set functions side by side.
	ProjectSet struct {
		In      Rel
		Funcs   []SetItem
		Ordinal Col // 0: none
	}
	// MaxOne promises at most one row for each group.
	MaxOne struct {
		In    Rel
		Group []Col
	}
	// Ref reads a shared relation, under columns of its own.
	Ref struct {
		Def  *Shared
		Cols []Col
	}
)

// Shared is a relation that several Refs read: a common table expression.
type Shared struct {
	In   Rel
	Cols []Col // of In, those that Refs see, in order
	Kept []Col // after Prune: those that some Ref reads, which are In's
	Refs int
	Keep bool // MATERIALIZED: not copied into its only reader
	Copy bool // NOT MATERIALIZED: copied into every reader

	inlined bool // its own Refs have been looked at
}

// Item is a computed column; one that passes a column on has its own number as expression.
type Item struct {
	Col Col
	X   expr.Expr
}

// AggItem is an aggregate. Arg is nil for count(*), Filter nil without FILTER.
type AggItem struct {
	Col      Col
	Fn       *expr.Aggregate
	Arg      expr.Expr
	Distinct bool
	Filter   expr.Expr
}

// SetItem is a set-returning function.
type SetItem struct {
	Col  Col
	Call *expr.SetCall
}

// Key orders by a column.
type Key struct {
	Col              Col
	Desc, NullsFirst bool
}

// JoinKind is how rows without a match count; Semi and its like have L's columns alone.
type JoinKind uint8

// Kinds of join.
const (
	Inner JoinKind = iota
	Left
	Full
	Semi
	Anti
	NullAnti // NOT IN: see package plan
)

// LeftOnly tells whether only L's columns come out.
func (k JoinKind) LeftOnly() bool { return k >= Semi }

// RankKind is how TopN counts.
type RankKind uint8

// Ranks.
const (
	RowNumber RankKind = iota
	Rank
	DenseRank
)

// Out implements Rel.
func (r *Scan) Out() []Col    { return r.Cols }
func (r *Values) Out() []Col  { return r.Cols }
func (r *Project) Out() []Col { return itemCols(r.Items) }
func (r *Filter) Out() []Col  { return r.In.Out() }
func (r *Union) Out() []Col   { return r.Cols }
func (r *MaxOne) Out() []Col  { return r.In.Out() }
func (r *Ref) Out() []Col     { return r.Cols }
func (r *Hop) Out() []Col     { return join(r.In.Out(), r.Start, r.End) }

func (r *Join) Out() []Col {
	if r.Kind.LeftOnly() {
		return r.L.Out()
	}
	return join(r.L.Out(), r.R.Out()...)
}

func (r *Agg) Out() []Col {
	out := join(nil, r.Group...)
	for _, a := range r.Aggs {
		out = append(out, a.Col)
	}
	return out
}

func (r *TopN) Out() []Col {
	if r.RankCol == 0 {
		return r.In.Out()
	}
	return join(r.In.Out(), r.RankCol)
}

func (r *ProjectSet) Out() []Col {
	out := join(nil, r.In.Out()...)
	for _, f := range r.Funcs {
		out = append(out, f.Col)
	}
	if r.Ordinal != 0 {
		out = append(out, r.Ordinal)
	}
	return out
}

func join(a []Col, b ...Col) []Col { return append(a[:len(a):len(a)], b...) }

func itemCols(items []Item) []Col {
	out := make([]Col, len(items))
	for i, it := range items {
		out[i] = it.Col
	}
	return out
}
