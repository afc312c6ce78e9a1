package algebra

import "github.com/weirstream/weir/internal/expr"

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
