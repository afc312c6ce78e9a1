package expr

import "github.com/weirstream/weir/internal/datum"

// AggKind is how an aggregate is kept.
type AggKind uint8

// Kinds of aggregate.
const (
	AggCount AggKind = iota // count(x); count(*) has no argument
	AggSum
	AggAvg
	AggMin
	AggMax
	AggBoolAnd // every
	AggBoolOr
)

// Aggregate is a resolved aggregate function: its argument's type (after the
// casts that resolution inserted) and its result's, both PostgreSQL's.
type Aggregate struct {
	Name   string
	Kind   AggKind
	Arg    datum.TypeRef // of count(*): zero
	Result datum.TypeRef
}
