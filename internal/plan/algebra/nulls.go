package algebra

import (
	"slices"

	"github.com/weirstream/weir/internal/expr"
)

// nullWith tells whether e is surely NULL when all columns of s are NULL.
func nullWith(e expr.Expr, s Set) bool {
	switch e := e.(type) {
	case *expr.Column:
		return s.Has(Col(e.Index))
	case *expr.Const:
		return e.V.Null(0)
	case *expr.Call:
		return e.Fn.Strict && anyNull(e.Args, s)
	case *Eq:
		return !e.NullSafe && anyNull([]expr.Expr{e.L, e.R}, s)
	case *expr.Coalesce:
		return allOf(e.Args, func(a expr.Expr) bool { return nullWith(a, s) })
	}
	return false
}

func anyNull(es []expr.Expr, s Set) bool {
	return !allOf(es, func(a expr.Expr) bool { return !nullWith(a, s) })
}

// rejects tells whether a condition is surely not true when all columns of s are NULL.
func rejects(e expr.Expr, s Set) bool {
	switch e := e.(type) {
	case *expr.And:
		return !allOf(e.Args, func(a expr.Expr) bool { return !rejects(a, s) })
	case *expr.Or:
		return allOf(e.Args, func(a expr.Expr) bool { return rejects(a, s) })
	}
	return nullWith(e, s) || IsFalse(e)
}

// IsTrue tells whether a condition is the constant true.
func IsTrue(e expr.Expr) bool {
	c, ok := e.(*expr.Const)
	return ok && !c.V.Null(0) && len(c.V.Ints) == 1 && c.V.Bool(0)
}

// IsFalse tells whether a condition is the constant false, or NULL.
func IsFalse(e expr.Expr) bool {
	c, ok := e.(*expr.Const)
	return ok && (c.V.Null(0) || len(c.V.Ints) == 1 && !c.V.Bool(0))
}

func allOf[T any](s []T, f func(T) bool) bool {
	for _, x := range s {
		if !f(x) {
			return false
		}
	}
	return true
}

// NotNull tells whether column c of r is surely never NULL.
func NotNull(r Rel, c Col) bool {
	switch r := r.(type) {
	case *Scan:
		i := slices.Index(r.Cols, c)
		return i >= 0 && (r.Relation.Columns[r.Attrs[i]].NotNull || slices.Contains(r.Relation.Key, r.Attrs[i]))
	case *Filter:
		s := SetOf(c)
		return !allOf(r.Conds, func(e expr.Expr) bool { return !rejects(e, s) }) || NotNull(r.In, c)
	case *Project:
		from, plain := AsColumn(r.byCol()[c])
		return plain && NotNull(r.In, from)
	case *Join:
		inL := SetOf(r.L.Out()...).Has(c)
		switch {
		case r.Kind == Full || r.Kind == Left && !inL:
			return false
		case inL:
			return NotNull(r.L, c)
		}
		return NotNull(r.R, c)
	case *Agg:
		return slices.Contains(r.Group, c) && NotNull(r.In, c)
	case *Ref:
		i := slices.Index(r.Cols, c)
		return i >= 0 && NotNull(r.Def.In, r.Def.Cols[i])
	case *TopN:
		return c == r.RankCol || NotNull(r.In, c)
	case *MaxOne:
		return NotNull(r.In, c)
	}
	return false
}
