package sql

import "github.com/weirstream/weir/internal/datum"

// Expr is a scalar expression, not yet resolved.
type Expr interface{ Pos() int }

// At is where a node begins in its statement's text: a byte offset from 0, -1 when unknown.
type At int

// Pos implements Expr.
func (a At) Pos() int { return int(a) }

// ColumnRef is a, t.a, s.t.a, or * and t.* with Star.
type ColumnRef struct {
	At
	Parts []string
	Star  bool
}

// Literal is a constant: NULL, or text of a kind. A plain string is of type unknown
// until its context says more.
type Literal struct {
	At
	Kind LiteralKind
	Text string
}

// LiteralKind tells constants apart.
type LiteralKind uint8

// Kinds of literal.
const (
	Null LiteralKind = iota
	Boolean
	Integer // fits int8: decimal digits, perhaps a minus
	Decimal // 1.5, 1e10, or an integer too large for int8
	String
	BitString
)

// Default is DEFAULT in VALUES of an INSERT, or in SET of an UPDATE.
type Default struct{ At }

// Param is $n; N counts from 1.
type Param struct {
	At
	N int
}

// TypeName is a type as written: {"pg_catalog","int4"}, modifiers, array bounds.
type TypeName struct {
	At
	Names []string
	Mods  []int32 // numeric(10,2): 10, 2; interval fields as PostgreSQL's bits
	Array int     // number of [] pairs
	// Ref is set when the parser knows the type already (never for user types).
	Ref datum.TypeRef
}

// Cast is x::type or CAST(x AS type).
type Cast struct {
	At
	X    Expr
	Type TypeName
}

// Call is a function call, aggregates and window functions included.
type Call struct {
	At
	Name     []string // lower case, perhaps with a schema
	Args     []Expr
	Star     bool // count(*)
	Distinct bool
	Variadic bool
	OrderBy  []OrderItem // of an aggregate
	Filter   Expr
	Over     *Window // nil: not a window function
}

// NamedArg is name => x among the arguments of a Call.
type NamedArg struct {
	At
	Name string
	X    Expr
}

// Window is OVER (…), or a named window resolved by the parser.
type Window struct {
	At
	PartitionBy []Expr
	OrderBy     []OrderItem
	// Frame is the text of a frame clause that is not the default; empty: the default.
	Frame string
}

// Binary is left op right; Op is the operator's name: +, =, <>, ~~ (LIKE), ->>, ….
type Binary struct {
	At
	Op          string
	Left, Right Expr
}

// Unary is op x: -, +, ~, @, |/, ….
type Unary struct {
	At
	Op string
	X  Expr
}

// And, Or and Not are the logical connectives.
type (
	And struct {
		At
		Args []Expr
	}
	Or struct {
		At
		Args []Expr
	}
	Not struct {
		At
		X Expr
	}
)

// IsNull is x IS [NOT] NULL.
type IsNull struct {
	At
	X   Expr
	Not bool
}

// IsBool is x IS [NOT] TRUE, FALSE or UNKNOWN.
type IsBool struct {
	At
	X    Expr
	Test string // true, false, unknown
	Not  bool
}

// IsDistinct is x IS [NOT] DISTINCT FROM y.
type IsDistinct struct {
	At
	Left, Right Expr
	Not         bool
}

// Between is x [NOT] BETWEEN [SYMMETRIC] lo AND hi.
type Between struct {
	At
	X, Lo, Hi      Expr
	Not, Symmetric bool
}

// In is x [NOT] IN (list).
type In struct {
	At
	X    Expr
	List []Expr
	Not  bool
}

// Like is x [NOT] LIKE|ILIKE|SIMILAR TO y [ESCAPE e].
type Like struct {
	At
	X, Pattern, Escape Expr   // Escape nil: none written
	Kind               string // like, ilike, similar
	Not                bool
}

// AnyAll is x op ANY|ALL (array).
type AnyAll struct {
	At
	X, Array Expr
	Op       string
	All      bool
}

// Case is CASE [x] WHEN … THEN … ELSE … END.
type Case struct {
	At
	X     Expr // nil: searched
	Whens []When
	Else  Expr // nil: NULL
}

// When is one branch of a Case.
type When struct{ Cond, Then Expr }

// Coalesce, and MinMax (GREATEST, LEAST), NullIf: the forms with a syntax of their own.
type (
	Coalesce struct {
		At
		Args []Expr
	}
	MinMax struct {
		At
		Args  []Expr
		Least bool
	}
	NullIf struct {
		At
		Left, Right Expr
	}
)

// ArrayLit is ARRAY[…]; Row is ROW(…) or (a, b).
type (
	ArrayLit struct {
		At
		Elems []Expr
	}
	Row struct {
		At
		Args []Expr
	}
)

// Subscript is a[i] or a[i:j].
type Subscript struct {
	At
	X      Expr
	Lo, Hi Expr // Lo alone: an element; either may be nil in a slice
	Slice  bool
}

// Field is (x).name of a composite value.
type Field struct {
	At
	X    Expr
	Name string
}

// AtTimeZone is x AT TIME ZONE zone.
type AtTimeZone struct {
	At
	X, Zone Expr
}

// Collate is x COLLATE name.
type Collate struct {
	At
	X    Expr
	Name []string
}

// SQLValue is CURRENT_DATE, CURRENT_TIMESTAMP(p), CURRENT_USER, …; Name is lower case.
type SQLValue struct {
	At
	Name string
	Mod  int32 // precision, -1: none
}

// Subquery is a query inside an expression.
type Subquery struct {
	At
	Kind  SubqueryKind
	X     Expr   // left side of In, Any, All
	Op    string // of Any and All: = for IN
	Query *Select
}

// SubqueryKind tells how a subquery is used.
type SubqueryKind uint8

// Kinds of subquery.
const (
	Scalar SubqueryKind = iota
	Exists
	Any // x op ANY (SELECT …); IN is = ANY
	All // x op ALL (SELECT …); NOT IN is Not of In
	Array
)
