package expr

import (
	"fmt"
	"slices"

	"github.com/weirstream/weir/internal/datum"
)

// External is a scalar function that another package brings: the session's catalog functions.
type External struct {
	// Signature is name(types) result, types by pg_type's names or SQL's: "format_type(oid,int4) text". "variadic "
	// before the last type lets it repeat.
	Signature  string
	Lax        bool // it is called with NULLs too; otherwise the result of a NULL is NULL
	Volatility Volatility
	// Eval computes one row. It must not keep r.
	Eval func(r *Row) error
	// Cast makes the function, of one argument, also a cast: to regclass, say. nil: it is none. A cast from text
	// also reads literals.
	Cast *How
}

// With is r with more functions. One with the name and the argument types of another takes its place.
// It fails for a signature that it cannot read.
func (r *Registry) With(fns ...External) (*Registry, error) {
	out := r.clone()
	for _, x := range fns {
		f, err := parseSignature(x.Signature)
		if err != nil {
			return nil, err
		}
		f.Strict, f.Volatility, f.build = !x.Lax, x.Volatility, perRow(x.Eval)
		out.funcs[f.Name] = slices.DeleteFunc(slices.Clone(out.funcs[f.Name]), func(g *Func) bool { return slices.Equal(f.Args, g.Args) })
		add(out.funcs, f.Name, f)
		if x.Cast != nil {
			if len(f.Args) != 1 {
				return nil, fmt.Errorf("expr: %q is no cast: it has not one argument", x.Signature)
			}
			out.cast(*x.Cast, f)
			f.reads = f.Args[0] == datum.OIDText
		}
	}
	return out, nil
}
