package expr

import "github.com/weirstream/weir/internal/datum"

// Func is one scalar function of a fixed signature.
type Func struct {
	Name     string   // as PostgreSQL calls it; of an operator its function's: int4pl
	Args     []uint32 // type OIDs; the last one repeats when Variadic
	Result   uint32
	Variadic bool
	// Strict: NULL for any NULL argument, without a call.
	Strict bool
	// Volatile functions (random) are not allowed in views; Stable ones (now) depend on Env only.
	Volatility Volatility
	// resultMod gives the result's modifier from the arguments'; nil: none.
	resultMod func(args []datum.TypeRef) int32
	// kernel computes a column.
	kernel kernel
}

// Volatility is PostgreSQL's.
type Volatility uint8

// Volatilities.
const (
	Immutable Volatility = iota
	Stable
	Volatile
)
