package expr

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// Expr is a typed expression over the columns of one chunk.
type Expr interface{ Type() datum.TypeRef }

// Column is a column of the input.
type Column struct {
	Index int
	T     datum.TypeRef
}

// Const is a constant; V has one value. A NULL or a string literal whose type is not
// decided has the type unknown (OID 705) and Kind Bytes.
type Const struct {
	T   datum.TypeRef
	V   *zset.Vec
	Pos int // in the statement, -1: none
}

// Param is $N of a prepared statement, counted from 1. Its type may be unknown
// until ResolveParam has seen a context that decides it.
type Param struct {
	N int
	T datum.TypeRef
}

// Call applies a scalar function; operators and casts are functions too.
type Call struct {
	Fn   *Func
	Args []Expr
	T    datum.TypeRef
	Pos  int // for errors, -1: none
}

// And, Or are PostgreSQL's three-valued connectives; a left operand that decides
// keeps the right one's errors away.
type (
	And struct{ Args []Expr }
	Or  struct{ Args []Expr }
)

// Case is CASE WHEN Cond THEN Then … ELSE Else END. Coalesce, NullIf and their like are
// rewritten to it where they are lazy.
type Case struct {
	Whens []When
	Else  Expr
	T     datum.TypeRef
}

// When is one branch of a Case.
type When struct{ Cond, Then Expr }

// Coalesce is the first argument that is not NULL; later ones are not evaluated then.
type Coalesce struct {
	Args []Expr
	T    datum.TypeRef
}

// OIDUnknown is the type of a literal before its context decides.
const OIDUnknown uint32 = 705

// Type implements Expr.
func (e *Column) Type() datum.TypeRef   { return e.T }
func (e *Const) Type() datum.TypeRef    { return e.T }
func (e *Param) Type() datum.TypeRef    { return e.T }
func (e *Call) Type() datum.TypeRef     { return e.T }
func (e *And) Type() datum.TypeRef      { return datum.Ref(datum.OIDBool) }
func (e *Or) Type() datum.TypeRef       { return datum.Ref(datum.OIDBool) }
func (e *Case) Type() datum.TypeRef     { return e.T }
func (e *Coalesce) Type() datum.TypeRef { return e.T }
