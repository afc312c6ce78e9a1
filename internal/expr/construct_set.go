package expr

import (
	"slices"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
)

// In is x [NOT] IN (list). Literals form a set that is looked up; the rest is compared one by one.
func (r *Registry) In(x Expr, list []Expr, not bool, pos int) (Expr, error) {
	var literals, others []Expr
	for _, e := range list {
		if isLiteral(e) {
			literals = append(literals, e)
		} else {
			others = append(others, e)
		}
	}
	var alternatives []Expr
	if len(literals) > 1 {
		set, err := r.inSet(x, literals, pos)
		if err != nil {
			return nil, err
		}
		if set != nil {
			alternatives, literals = append(alternatives, set), nil
		}
	}
	for _, e := range append(literals, others...) {
		eq, err := r.equality(x, e, "IN", pos)
		if err != nil {
			return nil, err
		}
		alternatives = append(alternatives, eq)
	}
	found, err := r.Or(alternatives, pos)
	if err != nil || !not {
		return found, err
	}
	return r.Not(found, pos)
}

// isLiteral tells what has no columns in it that the query brings.
func isLiteral(e Expr) bool {
	switch e := e.(type) {
	case *Const, *Param:
		return true
	case *Call:
		for _, a := range e.Args {
			if !isLiteral(a) {
				return false
			}
		}
		return len(e.Args) > 0
	}
	return false
}

// inSet is nil when x and the list have no type in common: then each is compared by itself.
func (r *Registry) inSet(x Expr, list []Expr, pos int) (Expr, error) {
	oid, ok := r.common(typesOf(append([]Expr{x}, list...)))
	if !ok || arrayOf(oid) == 0 && oid < firstUserOID {
		return nil, nil
	}
	eq, err := r.equality(x, &Column{T: datum.Ref(oid)}, "IN", pos)
	if err != nil {
		return nil, err
	}
	args := []Expr{eq.Args[0]}
	for _, e := range list {
		if e, err = r.convert(e, datum.Ref(oid), Implicit, posOf(e)); err != nil {
			return nil, err
		}
		if e, err = r.implicit(e, eq.Args[1].Type().OID, pos); err != nil {
			return nil, err
		}
		args = append(args, e)
	}
	return &Call{Fn: inFunc(eq.Fn, args), Args: args, T: boolType, Pos: pos}, nil
}

// AnyAll is x op ANY (array) or x op ALL (array).
func (r *Registry) AnyAll(x Expr, op string, array Expr, all bool, pos int) (Expr, error) {
	var elem uint32 = OIDUnknown
	if t := array.Type().OID; t != OIDUnknown {
		if elem = elementOf(t); elem == 0 {
			return nil, fail(sql.WrongObjectType, pos, "op ANY/ALL (array) requires array on right side")
		}
	}
	e, err := r.ResolveOperator(op, []Expr{x, placeholder(elem)}, pos)
	if err != nil {
		return nil, err
	}
	c := e.(*Call)
	if c.T.OID != datum.OIDBool {
		return nil, fail(sql.WrongObjectType, pos, "op ANY/ALL (array) requires operator to yield boolean")
	}
	right := c.Args[1].Type().OID
	arr := arrayOf(right)
	if arr == 0 {
		return nil, fail(sql.UndefinedObject, pos, "could not find array type for data type %s", nameOf(right))
	}
	if array, err = r.convert(array, datum.Ref(arr), Implicit, pos); err != nil {
		return nil, err
	}
	return &Call{Fn: anyAllFunc(c.Fn, all), Args: []Expr{c.Args[0], array}, T: boolType, Pos: pos}, nil
}

// placeholder stands for a value of a type while an operator is sought.
func placeholder(oid uint32) Expr {
	if oid == OIDUnknown {
		return &Const{T: datum.Ref(oid), V: nullVec(oid), Pos: -1}
	}
	return &Column{T: datum.Ref(oid)}
}

// Array is ARRAY[elems…]. Arrays as elements give one more dimension.
func (r *Registry) Array(elems []Expr, pos int) (Expr, error) {
	if len(elems) == 0 {
		return nil, withHint(fail(sql.IndeterminateDatatype, pos, "cannot determine type of empty array"),
			"Explicitly cast to the desired type, for example ARRAY[]::integer[].")
	}
	converted, t, err := r.meet("ARRAY", elems, pos)
	if err != nil {
		return nil, err
	}
	oid := t.OID
	if elementOf(oid) == 0 {
		if oid = arrayOf(t.OID); oid == 0 {
			return nil, fail(sql.UndefinedObject, pos, "could not find array type for data type %s", nameOf(t.OID))
		}
	}
	return &Call{Fn: arrayFunc(t.OID, oid), Args: converted, T: datum.TypeRef{OID: oid, Mod: t.Mod}, Pos: pos}, nil
}

// EmptyArray is ARRAY[] where a cast says its type.
func (r *Registry) EmptyArray(t datum.TypeRef, pos int) (Expr, error) {
	return r.Cast(textLiteral("{}", pos), t, Explicit, pos)
}

// Subscript is a[lo] or, as a slice, a[lo:hi], of an array or of jsonb; of a slice lo and hi may be nil.
func (r *Registry) Subscript(a, lo, hi Expr, slice bool, pos int) (Expr, error) {
	t := a.Type()
	if t.OID == datum.OIDJSONB && !slice {
		return r.ResolveOperator("->", []Expr{a, lo}, pos)
	}
	elem := elementOf(t.OID)
	if elem == 0 {
		return nil, fail(sql.DatatypeMismatch, pos, "cannot subscript type %s because it does not support subscripting", nameOf(t.OID))
	}
	args := []Expr{a}
	for _, bound := range []Expr{lo, hi} {
		if bound == nil {
			if slice {
				args = append(args, nullOf(datum.Ref(datum.OIDInt4)))
			}
			continue
		}
		bound, err := r.subscriptOf(bound, pos)
		if err != nil {
			return nil, err
		}
		args = append(args, bound)
	}
	if slice {
		return &Call{Fn: sliceFunc(t.OID, lo != nil, hi != nil), Args: args, T: t, Pos: pos}, nil
	}
	if fn := groupFunc(a); fn != nil {
		return &Call{Fn: fn, Args: append(slices.Clone(a.(*Call).Args), args[1]), T: datum.Ref(elem), Pos: pos}, nil
	}
	return &Call{Fn: elementFunc(t.OID, elem, 1), Args: args, T: datum.TypeRef{OID: elem, Mod: t.Mod}, Pos: pos}, nil
}

// Element is a[i][j]…
func (r *Registry) Element(a Expr, at []Expr, pos int) (Expr, error) {
	t, args := a.Type(), []Expr{a}
	for _, i := range at {
		i, err := r.subscriptOf(i, pos)
		if err != nil {
			return nil, err
		}
		args = append(args, i)
	}
	elem := elementOf(t.OID)
	return &Call{Fn: elementFunc(t.OID, elem, len(at)), Args: args, T: datum.TypeRef{OID: elem, Mod: t.Mod}, Pos: pos}, nil
}

func (r *Registry) subscriptOf(x Expr, pos int) (Expr, error) {
	if !r.coercible(x.Type().OID, datum.OIDInt4, Assignment) {
		return nil, fail(sql.DatatypeMismatch, pos, "array subscript must have type integer")
	}
	return r.convert(x, datum.Ref(datum.OIDInt4), Assignment, pos)
}
