package expr

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
)

// What SQL has a syntax of its own for. what and pos serve the errors.

// Not is NOT x.
func (r *Registry) Not(x Expr, pos int) (Expr, error) {
	x, err := r.Boolean(x, "NOT", pos)
	if err != nil {
		return nil, err
	}
	return &Call{Fn: notFunc, Args: []Expr{x}, T: boolType, Pos: pos}, nil
}

// And is the conjunction, Or the disjunction of conditions.
func (r *Registry) And(args []Expr, pos int) (Expr, error) {
	args, err := r.booleans(args, "AND", pos)
	if err != nil || len(args) == 1 {
		return first(args), err
	}
	return &And{args}, nil
}

// Or is the disjunction.
func (r *Registry) Or(args []Expr, pos int) (Expr, error) {
	args, err := r.booleans(args, "OR", pos)
	if err != nil || len(args) == 1 {
		return first(args), err
	}
	return &Or{args}, nil
}

func first(args []Expr) Expr {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

func (r *Registry) booleans(args []Expr, what string, pos int) ([]Expr, error) {
	converted := make([]Expr, len(args))
	for i, a := range args {
		var err error
		if converted[i], err = r.Boolean(a, what, pos); err != nil {
			return nil, err
		}
	}
	return converted, nil
}

// IsNull is x IS [NOT] NULL.
func (r *Registry) IsNull(x Expr, not bool, pos int) (Expr, error) {
	x, err := r.decided(x, pos)
	if err != nil {
		return nil, err
	}
	fn := isNullFunc
	if not {
		fn = isNotNullFunc
	}
	return &Call{Fn: fn, Args: []Expr{x}, T: boolType, Pos: pos}, nil
}

// decided turns a literal of unknown type into text.
func (r *Registry) decided(x Expr, pos int) (Expr, error) {
	if x.Type().OID != OIDUnknown {
		return x, nil
	}
	return r.convert(x, datum.Ref(datum.OIDText), Implicit, pos)
}

// Decided is x, or as text when nothing has decided its type: what a SELECT list makes of literals.
func (r *Registry) Decided(x Expr, pos int) (Expr, error) { return r.decided(x, pos) }

// IsBool is x IS [NOT] TRUE, FALSE or UNKNOWN; test is lower case.
func (r *Registry) IsBool(x Expr, test string, not bool, pos int) (Expr, error) {
	what := map[string]string{"true": "TRUE", "false": "FALSE", "unknown": "UNKNOWN"}[test]
	if not {
		what = "NOT " + what
	}
	x, err := r.Boolean(x, "IS "+what, pos)
	if err != nil {
		return nil, err
	}
	if test == "unknown" {
		return r.IsNull(x, not, pos)
	}
	return &Call{Fn: boolTest(test == "true", not), Args: []Expr{x}, T: boolType, Pos: pos}, nil
}

// IsDistinct is left IS [NOT] DISTINCT FROM right.
func (r *Registry) IsDistinct(left, right Expr, not bool, pos int) (Expr, error) {
	eq, err := r.equality(left, right, "IS DISTINCT FROM", pos)
	if err != nil {
		return nil, err
	}
	return &Call{Fn: distinctFunc(eq.Fn, not), Args: eq.Args, T: boolType, Pos: pos}, nil
}

// equality resolves left = right and demands a boolean.
func (r *Registry) equality(left, right Expr, what string, pos int) (*Call, error) {
	e, err := r.ResolveOperator("=", []Expr{left, right}, pos)
	if err != nil {
		return nil, err
	}
	eq, ok := e.(*Call)
	if !ok || eq.T.OID != datum.OIDBool {
		return nil, fail(sql.DatatypeMismatch, pos, "%s requires = operator to yield boolean", what)
	}
	return eq, nil
}

// NullIf is NULLIF(left, right): left, or NULL where both are equal.
func (r *Registry) NullIf(left, right Expr, pos int) (Expr, error) {
	eq, err := r.equality(left, right, "NULLIF", pos)
	if err != nil {
		return nil, err
	}
	t := eq.Args[0].Type()
	return &Case{Whens: []When{{eq, nullOf(t)}}, Else: eq.Args[0], T: t}, nil
}

// Coalesce is COALESCE(args…).
func (r *Registry) Coalesce(args []Expr, pos int) (Expr, error) {
	converted, t, err := r.meet("COALESCE", args, pos)
	if err != nil {
		return nil, err
	}
	return &Coalesce{Args: converted, T: t}, nil
}

// MinMax is GREATEST(args…) or LEAST(args…).
func (r *Registry) MinMax(args []Expr, least bool, pos int) (Expr, error) {
	what, op := "GREATEST", ">"
	if least {
		what, op = "LEAST", "<"
	}
	converted, t, err := r.meet(what, args, pos)
	if err != nil {
		return nil, err
	}
	typed := &Column{T: datum.Ref(t.OID)}
	e, err := r.ResolveOperator(op, []Expr{typed, typed}, pos)
	if err != nil {
		return nil, fail(sql.UndefinedFunction, pos, "could not identify a comparison function for type %s", nameOf(t.OID))
	}
	return &Call{Fn: minMaxFunc(what, e.(*Call).Fn, t.OID), Args: converted, T: t, Pos: pos}, nil
}

// meet converts expressions to their common type.
func (r *Registry) meet(what string, args []Expr, pos int) ([]Expr, datum.TypeRef, error) {
	t, err := r.CommonType(what, args, pos)
	if err != nil {
		return nil, t, err
	}
	converted := make([]Expr, len(args))
	for i, a := range args {
		if converted[i], err = r.meetOne(what, a, t, pos); err != nil {
			return nil, t, err
		}
	}
	return converted, t, nil
}

func (r *Registry) meetOne(what string, a Expr, t datum.TypeRef, pos int) (Expr, error) {
	if p := posOf(a); p >= 0 {
		pos = p
	}
	if !r.coercible(a.Type().OID, t.OID, Implicit) {
		return nil, fail(sql.CannotCoerce, pos, "%s could not convert type %s to %s", what, nameOf(a.Type().OID), nameOf(t.OID))
	}
	return r.Cast(a, t, Implicit, pos)
}

// Case is CASE WHEN … THEN … ELSE … END; els may be nil. Conditions must be boolean.
func (r *Registry) Case(whens []When, els Expr, pos int) (Expr, error) {
	if els == nil {
		els = &Const{T: datum.Ref(OIDUnknown), V: nullVec(OIDUnknown), Pos: -1}
	}
	results := []Expr{els}
	for _, w := range whens {
		results = append(results, w.Then)
	}
	converted, t, err := r.meet("CASE", results, pos)
	if err != nil {
		return nil, err
	}
	c := &Case{Else: converted[0], T: t}
	for i, w := range whens {
		cond, err := r.Boolean(w.Cond, "CASE/WHEN", pos)
		if err != nil {
			return nil, err
		}
		c.Whens = append(c.Whens, When{cond, converted[i+1]})
	}
	return c, nil
}

// Between is x [NOT] BETWEEN [SYMMETRIC] lo AND hi.
func (r *Registry) Between(x, lo, hi Expr, not, symmetric bool, pos int) (Expr, error) {
	plain, err := r.between(x, lo, hi, not, pos)
	if err != nil || !symmetric {
		return plain, err
	}
	swapped, err := r.between(x, hi, lo, not, pos)
	if err != nil {
		return nil, err
	}
	if not {
		return &And{[]Expr{plain, swapped}}, nil
	}
	return &Or{[]Expr{plain, swapped}}, nil
}

func (r *Registry) between(x, lo, hi Expr, not bool, pos int) (Expr, error) {
	ops := [2]string{">=", "<="}
	if not {
		ops = [2]string{"<", ">"}
	}
	low, err := r.ResolveOperator(ops[0], []Expr{x, lo}, pos)
	if err != nil {
		return nil, err
	}
	high, err := r.ResolveOperator(ops[1], []Expr{x, hi}, pos)
	if err != nil {
		return nil, err
	}
	if not {
		return &Or{[]Expr{low, high}}, nil
	}
	return &And{[]Expr{low, high}}, nil
}

// Like is x [NOT] LIKE, ILIKE or SIMILAR TO pattern [ESCAPE escape]; escape may be nil.
func (r *Registry) Like(x, pattern, escape Expr, kind string, not bool, pos int) (Expr, error) {
	op := map[string]string{"like": "~~", "ilike": "~~*", "similar": "~"}[kind]
	if not {
		op = "!" + op
	}
	args, name := []Expr{pattern}, ""
	switch {
	case kind == "similar":
		name = "similar_to_escape"
	case escape != nil:
		name = "like_escape"
	}
	if escape != nil {
		args = append(args, escape)
	}
	if name != "" {
		var err error
		if pattern, err = r.ResolveCall(name, args, pos); err != nil {
			return nil, err
		}
	}
	return r.ResolveOperator(op, []Expr{x, pattern}, pos)
}
