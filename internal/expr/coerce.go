package expr

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
)

// How tells what a cast is for. A later one allows all that an earlier one does.
type How uint8

// Hows.
const (
	Implicit   How = iota // by itself, in an expression
	Assignment            // INSERT, UPDATE
	Explicit              // CAST, ::
)

type castKey struct{ from, to uint32 }

// castRule is a row of pg_cast.
type castRule struct {
	how How
	fn  *Func // nil: the bytes are the same
}

// cast declares a cast by a function; binaryCast one that changes nothing.
func (r *Registry) cast(how How, f *Func) {
	r.casts[castKey{f.Args[0], f.Result}] = castRule{how, f}
}

func (r *Registry) binaryCast(how How, from, to uint32) {
	r.casts[castKey{from, to}] = castRule{how, nil}
}

// path is how values of one type become values of another.
type path uint8

const (
	noPath path = iota
	relabel
	byFunc
	byElement // arrays, element by element
	byText    // printed, then parsed
)

// pathway finds the conversion that how allows; the Func is byFunc's.
func (r *Registry) pathway(from, to uint32, how How) (path, *Func) {
	if from == to {
		return relabel, nil
	}
	if rule, ok := r.casts[castKey{from, to}]; ok {
		if rule.how > how {
			return noPath, nil
		}
		if rule.fn == nil {
			return relabel, nil
		}
		return byFunc, rule.fn
	}
	if fe, te := elementOf(from), elementOf(to); fe != 0 && te != 0 {
		if p, _ := r.pathway(fe, te, how); p != noPath {
			return byElement, nil
		}
	}
	if how >= Assignment && categoryOf(to) == 'S' || how == Explicit && categoryOf(from) == 'S' {
		return byText, nil
	}
	return noPath, nil
}

// coercible tells whether a value of type from can stand where to is declared.
func (r *Registry) coercible(from, to uint32, how How) bool {
	if from == to || to == oidAny || from == OIDUnknown || isPolymorphic(to) {
		return true
	}
	p, _ := r.pathway(from, to, how)
	return p != noPath
}

// CanCast tells whether Cast would find a way.
func (r *Registry) CanCast(from, to uint32, how How) bool { return r.coercible(from, to, how) }

// Cast converts e to a type. A literal of unknown type is parsed at once; pos is where
// errors point. It fails with CannotCoerce, DatatypeMismatch for an assignment, or with what parsing found.
func (r *Registry) Cast(e Expr, to datum.TypeRef, how How, pos int) (Expr, error) {
	e, err := r.convert(e, to, how, pos)
	if err != nil {
		return nil, err
	}
	return r.applyMod(e, to, how), nil
}

// convert changes the type and leaves the modifier to applyMod.
func (r *Registry) convert(e Expr, to datum.TypeRef, how How, pos int) (Expr, error) {
	from := e.Type()
	if from.OID == OIDUnknown {
		return r.convertUnknown(e, to, pos)
	}
	if from.OID == to.OID {
		return e, nil
	}
	target := datum.Ref(to.OID)
	switch p, fn := r.pathway(from.OID, to.OID, how); p {
	case relabel:
		return &Call{Fn: relabelFunc(from.OID, to.OID), Args: []Expr{e}, T: target, Pos: pos}, nil
	case byFunc:
		return &Call{Fn: fn, Args: []Expr{e}, T: target, Pos: pos}, nil
	case byElement:
		return r.castElements(e, to.OID, how, pos)
	case byText:
		return &Call{Fn: throughText(from.OID, to.OID), Args: []Expr{e}, T: target, Pos: pos}, nil
	default:
		return nil, fail(sql.CannotCoerce, pos, "cannot cast type %s to %s", nameOf(from.OID), nameOf(to.OID))
	}
}

// applyMod cuts or checks a value by a modifier: varchar(3), numeric(10,2).
func (r *Registry) applyMod(e Expr, to datum.TypeRef, how How) Expr {
	if to.Mod < 0 || e.Type() == to {
		return e
	}
	if c, ok := e.(*Const); ok && c.V.Null(0) {
		return &Const{T: to, V: c.V, Pos: c.Pos}
	}
	fn := modFunc(to, how)
	if fn == nil {
		return e
	}
	return &Call{Fn: fn, Args: []Expr{e}, T: to, Pos: -1}
}

// Assign converts a value to a column's type, with the message that INSERT and UPDATE give.
func (r *Registry) Assign(e Expr, column string, to datum.TypeRef, pos int) (Expr, error) {
	if !r.coercible(e.Type().OID, to.OID, Assignment) {
		err := fail(sql.DatatypeMismatch, pos, "column %q is of type %s but expression is of type %s",
			column, nameOf(to.OID), nameOf(e.Type().OID))
		return nil, withHint(err, "You will need to rewrite or cast the expression.")
	}
	return r.Cast(e, to, Assignment, pos)
}

// implicit converts an argument to what a function declares.
func (r *Registry) implicit(e Expr, to uint32, pos int) (Expr, error) {
	if to == oidAny || e.Type().OID == to {
		return e, nil
	}
	if p := posOf(e); p >= 0 {
		pos = p
	}
	return r.convert(e, datum.Ref(to), Implicit, pos)
}

// Boolean converts the argument of WHERE, HAVING, AND, … ; what names it in the error.
func (r *Registry) Boolean(e Expr, what string, pos int) (Expr, error) {
	if !r.coercible(e.Type().OID, datum.OIDBool, Assignment) || categoryOf(e.Type().OID) == 'S' {
		return nil, fail(sql.DatatypeMismatch, pos, "argument of %s must be type boolean, not type %s", what, nameOf(e.Type().OID))
	}
	return r.convert(e, datum.Ref(datum.OIDBool), Assignment, pos)
}

// posOf is where an expression began, -1 when it does not know.
func posOf(e Expr) int {
	switch e := e.(type) {
	case *Const:
		return e.Pos
	case *Call:
		return e.Pos
	}
	return -1
}
