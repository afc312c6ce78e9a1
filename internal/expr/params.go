package expr

import (
	"slices"

	"github.com/weirstream/weir/internal/sql"
)

// params are a function's parameters by name, for calls with name => value and for those that leave the
// last ones out.
type params struct {
	names    []string
	defaults []Expr // of the last parameters
}

// named are the functions whose parameters have names that are in use.
var named = map[string]params{
	"make_interval": {
		[]string{"years", "months", "weeks", "days", "hours", "mins", "secs"},
		[]Expr{Int4(0), Int4(0), Int4(0), Int4(0), Int4(0), Int4(0), Int4(0)},
	},
	"make_date":      {[]string{"year", "month", "day"}, nil},
	"make_time":      {[]string{"hour", "min", "sec"}, nil},
	"make_timestamp": {[]string{"year", "month", "mday", "hour", "min", "sec"}, nil},
	"jsonb_set":      {[]string{"jsonb_in", "path", "replacement", "create_if_missing"}, []Expr{Bool(true)}},
	"jsonb_insert":   {[]string{"jsonb_in", "path", "replacement", "insert_after"}, []Expr{Bool(false)}},
}

// arguments binds the arguments of a call in the order of its parameters, left out ones with their defaults.
func (b *binder) arguments(name string, args []sql.Expr) ([]Expr, error) {
	p := named[name]
	bound := make([]Expr, len(args), max(len(args), len(p.names)))
	for i, a := range args {
		at := i
		if n, ok := a.(*sql.NamedArg); ok {
			if at = slices.Index(p.names, n.Name); at < 0 {
				return nil, fail(sql.UndefinedFunction, n.Pos(), "function %s has no parameter named %q", name, n.Name)
			}
			a = n.X
		}
		for at >= len(bound) {
			bound = append(bound, nil)
		}
		if bound[at] != nil {
			return nil, fail(sql.SyntaxError, a.Pos(), "parameter name %q used more than once", p.names[at])
		}
		x, err := b.expr(a)
		if err != nil {
			return nil, err
		}
		bound[at] = x
	}
	return p.fill(bound), nil
}

// fill puts defaults where no argument is.
func (p params) fill(bound []Expr) []Expr {
	first := len(p.names) - len(p.defaults)
	if len(p.names) == 0 || len(bound) < first {
		return slices.DeleteFunc(bound, func(e Expr) bool { return e == nil })
	}
	for len(bound) < len(p.names) {
		bound = append(bound, nil)
	}
	for i := range bound {
		if bound[i] == nil && i >= first && i-first < len(p.defaults) {
			bound[i] = p.defaults[i-first]
		}
	}
	return slices.DeleteFunc(bound, func(e Expr) bool { return e == nil })
}
