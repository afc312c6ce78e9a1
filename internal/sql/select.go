package sql

// Select is a query: one SELECT, a VALUES list, or a set operation of two.
type Select struct {
	At
	With      []CTE
	Recursive bool

	// Either a set operation …
	SetOp       string // "", union, intersect, except
	SetAll      bool
	Left, Right *Select

	// … or VALUES …
	Values [][]Expr

	// … or a plain SELECT.
	Distinct   bool
	DistinctOn []Expr
	Targets    []Target
	From       []TableExpr
	Where      Expr
	GroupBy    []Expr // a bare Integer literal is an ordinal
	Grouping   bool   // GROUPING SETS, ROLLUP or CUBE was written
	Having     Expr

	// For all three.
	OrderBy           []OrderItem
	Limit             Expr
	Offset            Expr
	WithTies          bool
	Locking           bool // FOR UPDATE …
	EmitOnWindowClose bool
}

// CTE is WITH name (columns) AS (query).
type CTE struct {
	At
	Name         string
	Columns      []string
	Query        *Select
	Materialized string // "", always, never
}

// Target is one item of a SELECT or RETURNING list. Name is the alias, "" when none is written.
type Target struct {
	At
	X    Expr
	Name string
}

// OrderItem is one item of ORDER BY.
type OrderItem struct {
	At
	X          Expr
	Desc       bool
	NullsFirst *bool // nil: PostgreSQL's default, last when ascending
}

// TableExpr is an item of FROM.
type TableExpr interface{ Pos() int }

// TableRef names a relation.
type TableRef struct {
	At
	Schema, Name string
	Alias        string
	Columns      []string // aliases
}

// SubqueryRef is (query) AS alias.
type SubqueryRef struct {
	At
	Query   *Select
	Lateral bool
	Alias   string
	Columns []string
}

// FuncRef is a function in FROM: generate_series(…), unnest(…), or a window
// table function whose first argument is a relation: TUMBLE(t, ts, size), HOP(t, ts, slide, size).
type FuncRef struct {
	At
	Call       *Call
	Table      TableExpr // of TUMBLE and HOP: the relation or subquery; the rest is in Call.Args
	Lateral    bool
	Ordinality bool
	Alias      string
	Columns    []string
}

// Join is left kind JOIN right ON … | USING … | NATURAL.
type Join struct {
	At
	Kind        string // inner, left, right, full, cross
	Left, Right TableExpr
	On          Expr
	Using       []string
	Natural     bool
	Alias       string // of JOIN … USING (…) AS alias, or of a parenthesised join
}
