package expr

import (
	"slices"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// SetFunc is a set-returning function: generate_series, unnest, regexp_split_to_table,
// json_array_elements and their like.
type SetFunc struct {
	Name       string
	Args       []uint32
	Result     uint32
	Strict     bool // no rows for a NULL argument
	Volatility Volatility
	// build makes what appends the rows of one call.
	build func(*site) func(r *Row) error
}

// SetCall is a resolved call of a set function.
type SetCall struct {
	Fn   *SetFunc
	Args []Expr
	T    datum.TypeRef // of its rows
}

// set declares a strict set function by its signature.
func (r *Registry) set(signature string, build func(*site) func(r *Row) error, opts ...option) {
	f, err := parseSignature(signature)
	if err != nil {
		panic(err) // a declaration of this package, covered by its tests
	}
	f.Strict = true
	for _, o := range opts {
		o(f)
	}
	add(r.sets, f.Name, &SetFunc{f.Name, f.Args, f.Result, f.Strict, f.Volatility, build})
}

// IsSet tells whether a name is a set function's.
func (r *Registry) IsSet(name string) bool { return r.sets[name] != nil }

// ResolveSet finds a set function and converts its arguments.
func (r *Registry) ResolveSet(name string, args []Expr, pos int) (*SetCall, error) {
	sets := r.sets[name]
	fns := make([]*Func, len(sets))
	for i, f := range sets {
		fns[i] = &Func{Name: f.Name, Args: f.Args, Result: f.Result}
	}
	best, none := r.choose(spread(fns, len(args)), typesOf(args))
	switch {
	case none:
		return nil, withHint(fail(sql.UndefinedFunction, pos, "function %s(%s) does not exist", name, formatTypes(args)), hintNoFunction)
	case best == nil:
		return nil, withHint(fail(sql.AmbiguousFunction, pos, "function %s(%s) is not unique", name, formatTypes(args)), hintAmbiguousFn)
	}
	e, err := r.call(*best, args, pos)
	if err != nil {
		return nil, err
	}
	c := e.(*Call)
	return &SetCall{sets[slices.Index(fns, best.fn)], c.Args, c.T}, nil
}

// Expander computes the rows of a set function's call. It keeps what it has compiled: one goroutine uses it.
type Expander struct {
	fn     *SetFunc
	ev     *evaluation
	append func(r *Row) error
}

// NewExpander prepares a call for arguments of these types.
func (f *SetFunc) NewExpander(args []datum.TypeRef) *Expander {
	s := &site{args: args, result: datum.Ref(f.Result), consts: make([]*zset.Vec, len(args))}
	return &Expander{f, &evaluation{scopes: [][]uint64{nil}, state: []any{nil}}, f.build(s)}
}

// Expand appends to out the rows of the function for row i of its arguments' columns, beginning behind the
// first ones it gave for it, and tells how many. After about most of them it may end with more: the caller asks
// again for the rest. An error comes at the beginning, and nothing is appended then.
func (x *Expander) Expand(env *Env, args []*zset.Vec, i, first, most int, out *zset.Vec) (n int, more bool, err *sql.Error) {
	x.ev.env = env
	r := Row{ev: x.ev, i: i, out: out, args: make([]argument, len(args)), first: first, most: most}
	for k, v := range args {
		r.args[k] = argument{v, -1}
		if v.N == 1 {
			r.args[k].mask = 0
		}
		if x.fn.Strict && r.Null(k) {
			return 0, false, nil
		}
	}
	before := out.N
	if e := x.append(&r); e != nil {
		truncate(out, before)
		return 0, false, asError(e)
	}
	return out.N - before, r.more, nil
}

// truncate forgets values from n on.
func truncate(v *zset.Vec, n int) {
	v.N = n
	switch v.Kind {
	case zset.Int:
		v.Ints = v.Ints[:n]
	case zset.Float:
		v.Floats = v.Floats[:n]
	case zset.Numeric:
		v.Nums = v.Nums[:n]
	case zset.Interval:
		v.Intervals = v.Intervals[:n]
	case zset.Bytes:
		v.Refs = v.Refs[:n]
	}
	if v.Nulls != nil {
		v.Nulls = v.Nulls[:words(n)]
		if n&63 != 0 {
			v.Nulls[n>>6] &= 1<<(n&63) - 1
		}
	}
}

// maxRows bounds what one call gives, so that a mistake does not fill the disk; maxHeld what is made
// at once, so that it does not fill the memory.
const (
	maxRows = 100_000_000
	maxHeld = 10_000_000
)

var (
	errTooManyRows = rowFail(sql.ProgramLimitExceeded, "a set-returning function gives more than %d rows", maxRows)
	errTooMuchHeld = rowFail(sql.ProgramLimitExceeded, "a set-returning function gives more than %d rows", maxHeld)
)
