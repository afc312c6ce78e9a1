package plan

import (
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
)

// Node is a relational operator. Its columns are positions.
type Node interface {
	// Columns are the output columns.
	Columns() []Column
	// Inputs are the operators it reads, in order.
	Inputs() []Node
	// Properties are what is known of its rows.
	Properties() Properties
}

// Column is an output column.
type Column struct {
	Name string
	Type datum.TypeRef
}

// Properties of a Node's output, by which operators specialise.
type Properties struct {
	// AppendOnly: its changes are never negative.
	AppendOnly bool
	// Unique lists sets of columns of which no two rows have equal values (NULLs equal).
	Unique [][]int
}

// Scan reads columns of a relation, tables and materialized views and system relations.
type Scan struct {
	Relation *catalog.Relation
	Cols     []int // of the relation, in output order
	Out      []Column
	Props    Properties
}

// Values is a list of rows of constant expressions (no columns; Stable functions allowed).
type Values struct {
	Rows [][]expr.Expr
	Out  []Column
}

// Project computes columns.
type Project struct {
	In    Node
	Exprs []expr.Expr
	Out   []Column
	Props Properties
}

// Filter keeps the rows for which Pred is true.
type Filter struct {
	In   Node
	Pred expr.Expr
	// Fixed are the columns that Pred makes equal to constants.
	Fixed []int
}

// JoinKind is how unmatched rows count.
type JoinKind uint8

// Kinds of join. Semi and Anti have the columns of the left side alone.
const (
	Inner JoinKind = iota
	Left
	Right
	Full
	Semi
	Anti
	// NullAnti is NOT IN: no row when the right side has a NULL key, or, of rows
	// with a NULL key, when the right side has any row. It has one key, or several compared as a row.
	NullAnti
)

// Join matches rows whose keys are equal and for which Residual holds.
// Without keys it is a cross join, on one shard.
type Join struct {
	Kind     JoinKind
	L, R     Node
	LKeys    []int     // columns of L
	RKeys    []int     // columns of R, of the same types
	NullSafe []bool    // key i compares by IS NOT DISTINCT FROM
	Residual expr.Expr // over L's then R's columns; nil: none
	Out      []Column
	Props    Properties
}

// Aggregate groups by columns; without groups it has one row always.
// Output: the group columns, then the aggregates. Without Aggs it is DISTINCT.
type Aggregate struct {
	In    Node
	Group []int
	Aggs  []Agg
	// Global: no GROUP BY was written: one row, also over empty input.
	Global bool
	Out    []Column
	Props  Properties
}

// Agg is one aggregate over a column of the input.
type Agg struct {
	Fn       *expr.Aggregate
	Arg      int // column, -1: count(*)
	Distinct bool
	Filter   int // boolean column, -1: none
}

// Union is UNION ALL; all inputs have the same column types.
type Union struct {
	Ins []Node
	Out []Column
}

// SortKey orders by a column. PostgreSQL's default: NULLs last ascending, first descending.
type SortKey struct {
	Col        int
	Desc       bool
	NullsFirst bool
}

// RankKind is how TopN counts.
type RankKind uint8

// Ranks. Ties of RowNumber are broken by the whole row in key order, so that it is deterministic.
const (
	RowNumber RankKind = iota
	Rank
	DenseRank
)

// TopN keeps, of every group, the rows whose rank is in (Offset, Offset+Limit].
// With EmitRank the rank is the last output column (int8).
type TopN struct {
	In       Node
	Group    []int
	Order    []SortKey
	Rank     RankKind
	Limit    int64 // -1: none
	Offset   int64
	EmitRank bool
	Out      []Column
	Props    Properties
}

// Hop gives every row once for each window that its time falls in, with
// window_start and window_end as last columns. Slide = Size is TUMBLE.
// Rows with a NULL time have no window and are left out.
type Hop struct {
	In          Node
	Time        int   // column: timestamp, timestamptz or date
	Slide, Size int64 // microseconds
	Offset      int64
	Out         []Column
}

// ProjectSet gives for every row the rows of its set functions side by side (shorter
// ones padded with NULL); the input's columns come first, then one for each function,
// then with Ordinality a count from 1.
type ProjectSet struct {
	In         Node
	Funcs      []SetCall
	Ordinality bool
	Out        []Column
}

// SetCall is a set-returning function over expressions of the input; its Expander computes it.
type SetCall = expr.SetCall

// MaxOne passes rows on and reports CardinalityViolation for a group of more than
// one row: a scalar subquery's promise. While a group breaks it none of its rows come out.
type MaxOne struct {
	In    Node
	Group []int
}

// Query is a plan with what only a SELECT has.
type Query struct {
	Root    Node
	Columns []Column // what the client sees: the first ones of Root's
	NotNull []bool   // which of Columns are known never to be NULL
	// Of a SELECT: sort by columns of Root (some may lie beyond Columns), then cut. A view has neither.
	Order  []SortKey
	Limit  expr.Expr // constant or parameter, nil: none
	Offset expr.Expr
	// Params are the types of $1, $2, …, as resolved.
	Params []datum.TypeRef
	// DependsOn lists the relations that are read, by id, ascending.
	DependsOn []catalog.ID
	// Stable: it uses now() or its like; not allowed in a view.
	Stable bool
}
