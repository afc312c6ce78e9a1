package expr

import (
	"errors"
	"slices"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
)

// Hints of calls that do not resolve, PostgreSQL's.
const (
	hintNoFunction  = "No function matches the given name and argument types. You might need to add explicit type casts."
	hintNoOperator  = "No operator matches the given name and argument types. You might need to add explicit type casts."
	hintNoPrefix    = "No operator matches the given name and argument type. You might need to add an explicit type cast."
	hintAmbiguousFn = "Could not choose a best candidate function. You might need to add explicit type casts."
	hintAmbiguousOp = "Could not choose a best candidate operator. You might need to add explicit type casts."
)

// ResolveCall finds the function that a call means and converts the arguments to what it
// declares. Names are lower case and without a schema. Aggregates and set functions are not found
// here: see IsAggregate, IsSet. A type's name with one argument is a cast.
func (r *Registry) ResolveCall(name string, args []Expr, pos int) (Expr, error) {
	return r.resolveCall(name, args, false, pos)
}

// ResolveVariadic is ResolveCall for f(…, VARIADIC array).
func (r *Registry) ResolveVariadic(name string, args []Expr, pos int) (Expr, error) {
	return r.resolveCall(name, args, true, pos)
}

func (r *Registry) resolveCall(name string, args []Expr, variadic bool, pos int) (Expr, error) {
	types := typesOf(args)
	fns := r.funcs[name]
	if variadic {
		fns = variadicForms(fns)
	}
	candidates := spread(fns, len(args))
	if !anyExact(candidates, types) {
		if e, ok, err := r.callAsCast(name, args, pos); ok {
			return e, err
		}
	}
	best, none := r.choose(candidates, types)
	switch {
	case best != nil:
		return r.call(*best, args, pos)
	case none:
		return nil, withHint(fail(sql.UndefinedFunction, pos, "function %s(%s) does not exist", name, formatTypes(args)), hintNoFunction)
	default:
		return nil, withHint(fail(sql.AmbiguousFunction, pos, "function %s(%s) is not unique", name, formatTypes(args)), hintAmbiguousFn)
	}
}

// variadicForms are the functions whose last argument is given as an array.
func variadicForms(fns []*Func) (forms []*Func) {
	for _, f := range fns {
		if f.Variadic {
			if g := f.overArray(); g != nil {
				forms = append(forms, g)
			}
		}
	}
	return forms
}

// callAsCast takes int8('5') and text(1) for casts, as PostgreSQL does when the bytes stay the
// same, the argument is a plain literal, or the value goes through its text.
func (r *Registry) callAsCast(name string, args []Expr, pos int) (Expr, bool, error) {
	oid, ok := typesByName[name]
	if !ok || len(args) != 1 {
		return nil, false, nil
	}
	if from := args[0].Type().OID; from != OIDUnknown {
		if p, _ := r.pathway(from, oid, Explicit); p != relabel && p != byText {
			return nil, false, nil
		}
	}
	e, err := r.Cast(args[0], datum.Ref(oid), Explicit, pos)
	return e, true, err
}

// ResolveOperator finds the operator for one or two arguments. Name is its symbol: +, ~~, ->>.
func (r *Registry) ResolveOperator(op string, args []Expr, pos int) (Expr, error) {
	if op == "!=" {
		op = "<>"
	}
	best, none := r.chooseOperator(spread(r.ops[op], len(args)), typesOf(args))
	switch {
	case best != nil:
		return r.call(*best, args, pos)
	case none && len(args) == 1:
		return nil, withHint(fail(sql.UndefinedFunction, pos, "operator does not exist: %s", operatorText(op, args)), hintNoPrefix)
	case none:
		return nil, withHint(fail(sql.UndefinedFunction, pos, "operator does not exist: %s", operatorText(op, args)), hintNoOperator)
	default:
		return nil, withHint(fail(sql.AmbiguousFunction, pos, "operator is not unique: %s", operatorText(op, args)), hintAmbiguousOp)
	}
}

func operatorText(op string, args []Expr) string {
	if len(args) == 1 {
		return op + " " + nameOf(args[0].Type().OID)
	}
	return nameOf(args[0].Type().OID) + " " + op + " " + nameOf(args[1].Type().OID)
}

// call makes the call of a chosen function.
func (r *Registry) call(c candidate, args []Expr, pos int) (Expr, error) {
	bound, err := r.settleCall(c, args, pos)
	if err != nil {
		return nil, err
	}
	converted := make([]Expr, len(args))
	for i, a := range args {
		want := bound.resolve(c.args[i])
		if converted[i], err = r.implicit(a, want, pos); err != nil {
			return nil, err
		}
		if want == oidAny && a.Type().OID == OIDUnknown {
			if converted[i], err = r.convert(a, datum.Ref(datum.OIDText), Implicit, pos); err != nil {
				return nil, err
			}
		}
	}
	return &Call{Fn: c.fn, Args: converted, T: datum.Ref(bound.resolve(c.fn.Result)), Pos: pos}, nil
}

// settleCall binds a call's pseudo-types, and points its error at the call.
func (r *Registry) settleCall(c candidate, args []Expr, pos int) (b binding, err error) {
	generic := isPolymorphic(c.fn.Result)
	for _, d := range c.args {
		generic = generic || isPolymorphic(d)
	}
	if !generic {
		return b, nil
	}
	b, err = r.settle(c.args, typesOf(args))
	if e, ok := errors.AsType[*sql.Error](err); ok {
		e.Pos = pos
	}
	return b, err
}

// Equality tells whether a function is an equality: an = operator's, or, null-safe, that of IS NOT DISTINCT FROM.
func (r *Registry) Equality(f *Func) (eq, nullSafe bool) {
	return f.same || slices.Contains(r.ops["="], f), f.same
}
