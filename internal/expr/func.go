package expr

import (
	"slices"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/zset"
)

// Func is one scalar function of a fixed signature.
type Func struct {
	Name     string   // as PostgreSQL calls it; of an operator its function's: int4pl
	Args     []uint32 // type OIDs; with Variadic the last one is its element's, and repeats
	Result   uint32
	Variadic bool
	// Strict: NULL for any NULL argument, without a call.
	Strict bool
	// Volatile functions (random) are not allowed in views; Stable ones (now) depend on Env only.
	Volatility Volatility
	// cheap functions cannot fail and cost about what a mask of rows costs: they are
	// computed for all rows where others would be skipped.
	cheap bool
	// same is set for IS NOT DISTINCT FROM.
	same bool
	// among is the equality that IN and = ANY ask for several values.
	among *Func
	// changing is set for what reads the statement's time, user or database.
	changing bool
	// reads is set for what makes a value of its type of a literal, where the text alone does not do.
	reads bool
	// build makes the kernel for one call.
	build func(*site) kernel
	// array is build for a variadic function whose last arguments come as one array; nil: they cannot.
	array func(*site) kernel
}

// strictAt tells whether a NULL for argument i makes the result NULL. The repeated arguments of a variadic function
// are elements of an array, which is no NULL itself.
func (f *Func) strictAt(i int) bool {
	last := len(f.Args) - 1
	return f.Strict && !(f.Variadic && i >= last && f.Args[last] != oidAny)
}

// Volatility is PostgreSQL's.
type Volatility uint8

// Volatilities.
const (
	Immutable Volatility = iota
	Stable
	Volatile
)

// Changing tells a function whose value changes by itself, with the time, the session or at random: it has no place
// in a view. Other Stable functions depend on the zone, which a view keeps.
func (f *Func) Changing() bool { return f.changing || f.Volatility == Volatile }

// site is what a kernel may specialise on: one call's types, and its arguments that
// are constant (one value each, else nil).
type site struct {
	args   []datum.TypeRef
	consts []*zset.Vec
	result datum.TypeRef
}

// constant is argument i when it is a constant that is not NULL, else nil.
func (s *site) constant(i int) *zset.Vec {
	if i >= len(s.consts) || s.consts[i] == nil || s.consts[i].Null(0) {
		return nil
	}
	return s.consts[i]
}

// option sets a property in a declaration.
type option func(*Func)

func lax(f *Func)      { f.Strict = false }
func stable(f *Func)   { f.Volatility = Stable }
func volatile(f *Func) { f.Volatility = Volatile }
func cheap(f *Func)    { f.cheap = true }
func changing(f *Func) { f.Volatility, f.changing = Stable, true }

// always is a kernel that is the same at every site.
func always(k kernel) func(*site) kernel {
	return func(*site) kernel { return k }
}

// overArray is a variadic function that takes its last arguments as one array; nil when it cannot.
func (f *Func) overArray() *Func {
	last := len(f.Args) - 1
	if f.array == nil {
		return nil
	}
	g := *f
	g.Args = append(slices.Clone(f.Args[:last]), arrayOf(f.Args[last]))
	g.Variadic, g.build, g.array = false, f.array, nil
	return &g
}
