package expr

import (
	"slices"
	"strconv"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
)

// Scope is what the query around an expression answers while it is bound.
type Scope interface {
	// Column is a column by its name.
	Column(*sql.ColumnRef) (Expr, error)
	// Param is $n; all uses of one n are one *Param, so that its type, once decided, is everywhere.
	Param(*sql.Param) (Expr, error)
	// Subquery takes the whole node: what is left of IN and ANY too.
	Subquery(*sql.Subquery) (Expr, error)
	// Call takes what is no scalar function: aggregates, window and set functions.
	Call(*sql.Call) (Expr, error)
}

// Bind turns an expression of the grammar into a typed one. Errors are *sql.Error with positions.
func (r *Registry) Bind(e sql.Expr, s Scope) (Expr, error) {
	b := binder{r, s}
	return b.expr(e)
}

type binder struct {
	r *Registry
	s Scope
}

func (b *binder) expr(e sql.Expr) (Expr, error) {
	switch e := e.(type) {
	case *sql.Literal:
		return b.r.Literal(e)
	case *sql.ColumnRef:
		return b.s.Column(e)
	case *sql.Param:
		return b.s.Param(e)
	case *sql.Subquery:
		return b.s.Subquery(e)
	case *sql.Cast:
		return b.cast(e)
	case *sql.Call:
		return b.call(e)
	case *sql.Binary:
		return b.binary(e)
	case *sql.Unary:
		return b.with([]sql.Expr{e.X}, func(x []Expr) (Expr, error) { return b.r.ResolveOperator(e.Op, x, e.Pos()) })
	case *sql.And:
		return b.conditions(e.Args, "AND", func(x []Expr) (Expr, error) { return b.r.And(x, e.Pos()) })
	case *sql.Or:
		return b.conditions(e.Args, "OR", func(x []Expr) (Expr, error) { return b.r.Or(x, e.Pos()) })
	case *sql.Not:
		return b.conditions([]sql.Expr{e.X}, "NOT", func(x []Expr) (Expr, error) { return b.r.Not(x[0], e.Pos()) })
	case *sql.Case:
		return b.caseOf(e)
	}
	return b.predicate(e)
}

// predicate binds tests, and the forms with a syntax of their own.
func (b *binder) predicate(e sql.Expr) (Expr, error) {
	switch e := e.(type) {
	case *sql.IsNull:
		return b.isNull(e)
	case *sql.IsBool:
		return b.with([]sql.Expr{e.X}, func(x []Expr) (Expr, error) { return b.r.IsBool(x[0], e.Test, e.Not, leftmost(e.X)) })
	case *sql.IsDistinct:
		return b.isDistinct(e)
	case *sql.Between:
		return b.with([]sql.Expr{e.X, e.Lo, e.Hi}, func(x []Expr) (Expr, error) {
			return b.r.Between(x[0], x[1], x[2], e.Not, e.Symmetric, e.Pos())
		})
	case *sql.In:
		return b.in(e)
	case *sql.Like:
		return b.with([]sql.Expr{e.X, e.Pattern, e.Escape}, func(x []Expr) (Expr, error) {
			return b.r.Like(x[0], x[1], x[2], e.Kind, e.Not, e.Pos())
		})
	case *sql.AnyAll:
		return b.with([]sql.Expr{e.X, e.Array}, func(x []Expr) (Expr, error) { return b.r.AnyAll(x[0], e.Op, x[1], e.All, e.Pos()) })
	case *sql.Coalesce:
		return b.with(e.Args, func(x []Expr) (Expr, error) { return b.r.Coalesce(x, e.Pos()) })
	case *sql.MinMax:
		return b.with(e.Args, func(x []Expr) (Expr, error) { return b.r.MinMax(x, e.Least, e.Pos()) })
	case *sql.NullIf:
		return b.with([]sql.Expr{e.Left, e.Right}, func(x []Expr) (Expr, error) { return b.r.NullIf(x[0], x[1], e.Pos()) })
	case *sql.ArrayLit:
		return b.with(e.Elems, func(x []Expr) (Expr, error) { return b.r.Array(x, e.Pos()) })
	case *sql.Subscript:
		return b.subscript(e)
	case *sql.AtTimeZone:
		return b.with([]sql.Expr{e.Zone, e.X}, func(x []Expr) (Expr, error) { return b.r.ResolveCall("timezone", x, e.Pos()) })
	case *sql.Collate:
		return b.collate(e)
	case *sql.SQLValue:
		return b.r.SQLValue(e.Name, e.Mod, e.Pos())
	}
	return nil, withHint(fail(sql.FeatureNotSupported, e.Pos(), "composite values are not supported"), "Name the columns one by one.")
}

// subscript binds a[i], a slice, or a[i][j]: one element of an array of several dimensions.
func (b *binder) subscript(e *sql.Subscript) (Expr, error) {
	if inner, ok := e.X.(*sql.Subscript); ok && !e.Slice && !inner.Slice {
		operands := []sql.Expr{nil, e.Lo}
		for ; ok && !inner.Slice; inner, ok = inner.X.(*sql.Subscript) {
			operands[0] = inner.X
			operands = slices.Insert(operands, 1, inner.Lo)
		}
		x, err := b.with(operands, func(x []Expr) (Expr, error) {
			if elementOf(x[0].Type().OID) == 0 {
				return nil, nil // of jsonb each is taken by itself
			}
			return b.r.Element(x[0], x[1:], e.Pos())
		})
		if x != nil || err != nil {
			return x, err
		}
	}
	return b.with([]sql.Expr{e.X, e.Lo, e.Hi}, func(x []Expr) (Expr, error) { return b.r.Subscript(x[0], x[1], x[2], e.Slice, e.Pos()) })
}

// with binds operands, leaving nil where none was written, and combines them.
func (b *binder) with(operands []sql.Expr, combine func([]Expr) (Expr, error)) (Expr, error) {
	bound := make([]Expr, len(operands))
	for i, o := range operands {
		if o == nil {
			continue
		}
		var err error
		if bound[i], err = b.expr(o); err != nil {
			return nil, err
		}
	}
	return combine(bound)
}

// conditions is with, for operands that have to be boolean.
func (b *binder) conditions(operands []sql.Expr, what string, combine func([]Expr) (Expr, error)) (Expr, error) {
	return b.with(operands, func(bound []Expr) (Expr, error) {
		for i, x := range bound {
			var err error
			if bound[i], err = b.r.Boolean(x, what, leftmost(operands[i])); err != nil {
				return nil, err
			}
		}
		return combine(bound)
	})
}

// leftmost is where an expression begins: an operator's node knows only where the operator is.
func leftmost(e sql.Expr) int {
	pos := e.Pos()
	var left sql.Expr
	switch e := e.(type) {
	case *sql.Binary:
		left = e.Left
	case *sql.Cast:
		left = e.X
	case *sql.IsNull:
		left = e.X
	case *sql.IsBool:
		left = e.X
	case *sql.IsDistinct:
		left = e.Left
	case *sql.Between:
		left = e.X
	case *sql.In:
		left = e.X
	case *sql.Like:
		left = e.X
	case *sql.AnyAll:
		left = e.X
	case *sql.Subscript:
		left = e.X
	case *sql.And:
		left = e.Args[0]
	case *sql.Or:
		left = e.Args[0]
	case *sql.AtTimeZone:
		left = e.X
	case *sql.Collate:
		left = e.X
	}
	if left == nil {
		return pos
	}
	if l := leftmost(left); l >= 0 && (pos < 0 || l < pos) {
		return l
	}
	return pos
}

// Literal is a constant as the grammar has it.
func (r *Registry) Literal(l *sql.Literal) (Expr, error) {
	oid := uint32(OIDUnknown)
	switch l.Kind {
	case sql.Null:
		return &Const{T: datum.Ref(oid), V: nullVec(oid), Pos: l.Pos()}, nil
	case sql.Boolean:
		oid = datum.OIDBool
	case sql.Integer, sql.Decimal:
		oid = datum.OIDNumeric
		if v, err := strconv.ParseInt(l.Text, 10, 64); err == nil {
			oid = datum.OIDInt8
			if v == int64(int32(v)) {
				oid = datum.OIDInt4
			}
		}
	case sql.BitString:
		oid = datum.OIDBit
	}
	lit := textLiteral(l.Text, l.Pos())
	if oid == OIDUnknown {
		return lit, nil
	}
	return r.convert(lit, datum.Ref(oid), Explicit, l.Pos())
}

func (b *binder) cast(e *sql.Cast) (Expr, error) {
	t, err := TypeByName(e.Type)
	if err != nil {
		return nil, err
	}
	if arr, ok := e.X.(*sql.ArrayLit); ok && elementOf(t.OID) != 0 {
		return b.castArray(arr, t)
	}
	x, err := b.expr(e.X)
	if err != nil {
		return nil, err
	}
	return b.r.Cast(x, t, Explicit, e.Pos())
}

// castArray lets the cast of ARRAY[…] reach its elements, as PostgreSQL does, so that ARRAY[]::int[] has a type.
func (b *binder) castArray(arr *sql.ArrayLit, t datum.TypeRef) (Expr, error) {
	if len(arr.Elems) == 0 {
		return b.r.EmptyArray(t, arr.Pos())
	}
	elem := datum.TypeRef{OID: elementOf(t.OID), Mod: t.Mod}
	elems := make([]Expr, len(arr.Elems))
	for i, e := range arr.Elems {
		var err error
		if nested, ok := e.(*sql.ArrayLit); ok {
			elems[i], err = b.castArray(nested, t)
		} else if elems[i], err = b.expr(e); err == nil && elementOf(elems[i].Type().OID) == 0 {
			elems[i], err = b.r.Cast(elems[i], elem, Explicit, e.Pos())
		}
		if err != nil {
			return nil, err
		}
	}
	x, err := b.r.Array(elems, arr.Pos())
	if err != nil {
		return nil, err
	}
	return b.r.Cast(x, t, Explicit, arr.Pos())
}

func (b *binder) call(e *sql.Call) (Expr, error) {
	name := e.Name[len(e.Name)-1]
	if len(e.Name) > 1 && !slices.Contains([]string{"pg_catalog", "public"}, e.Name[len(e.Name)-2]) {
		return nil, fail(sql.UndefinedSchema, e.Pos(), "schema %q does not exist", e.Name[len(e.Name)-2])
	}
	if e.Over != nil || e.Star || b.r.IsAggregate(name) || b.r.IsSet(name) {
		return b.s.Call(e)
	}
	if what := aggregateClause(e); what != "" {
		return nil, fail(sql.WrongObjectType, e.Pos(), "%s specified, but %s is not an aggregate function", what, name)
	}
	args, err := b.arguments(name, e.Args)
	if err != nil {
		return nil, err
	}
	if e.Variadic {
		return b.r.ResolveVariadic(name, args, e.Pos())
	}
	return b.r.ResolveCall(name, args, e.Pos())
}

// aggregateClause is what only aggregates can have.
func aggregateClause(e *sql.Call) string {
	switch {
	case e.Distinct:
		return "DISTINCT"
	case len(e.OrderBy) > 0:
		return "ORDER BY"
	case e.Filter != nil:
		return "FILTER"
	}
	return ""
}

func (b *binder) caseOf(e *sql.Case) (Expr, error) {
	var whens []When
	var subject Expr
	var err error
	if e.X != nil {
		if subject, err = b.expr(e.X); err != nil {
			return nil, err
		}
		if subject, err = b.r.decided(subject, e.X.Pos()); err != nil {
			return nil, err
		}
	}
	for _, w := range e.Whens {
		var when When
		if when.Cond, err = b.expr(w.Cond); err != nil {
			return nil, err
		}
		if subject != nil {
			if when.Cond, err = b.r.ResolveOperator("=", []Expr{subject, when.Cond}, w.Cond.Pos()); err != nil {
				return nil, err
			}
		}
		if when.Then, err = b.expr(w.Then); err != nil {
			return nil, err
		}
		if when.Cond, err = b.r.Boolean(when.Cond, "CASE/WHEN", leftmost(w.Cond)); err != nil {
			return nil, err
		}
		whens = append(whens, when)
	}
	var els Expr
	if e.Else != nil {
		if els, err = b.expr(e.Else); err != nil {
			return nil, err
		}
	}
	return b.r.Case(whens, els, e.Pos())
}

// collate accepts the collations that order by bytes, which is the order there is.
func (b *binder) collate(e *sql.Collate) (Expr, error) {
	name := e.Name[len(e.Name)-1]
	if !slices.Contains([]string{"C", "POSIX", "default", "ucs_basic", "C.UTF-8", "C.utf8"}, name) {
		return nil, withHint(fail(sql.FeatureNotSupported, e.Pos(), "collation %q is not supported", name), `Text is ordered by bytes, as in collation "C".`)
	}
	x, err := b.expr(e.X)
	if err != nil {
		return nil, err
	}
	switch t := x.Type().OID; {
	case t == OIDUnknown:
		return b.r.decided(x, e.Pos())
	case categoryOf(t) != 'S':
		return nil, fail(sql.DatatypeMismatch, e.Pos(), "collations are not supported by type %s", nameOf(t))
	}
	return x, nil
}
