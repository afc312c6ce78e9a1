package algebra

import (
	"bytes"
	"slices"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/zset"
)

// Same tells whether two expressions are written alike: equal functions over equal
// arguments. Volatile ones are never the same.
func Same(a, b expr.Expr) bool {
	return same(a, b) && !volatile(a)
}

func same(a, b expr.Expr) bool {
	if a.Type() != b.Type() || !sameHead(a, b) {
		return false
	}
	x, y := Args(a), Args(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !same(x[i], y[i]) {
			return false
		}
	}
	return true
}

func sameHead(a, b expr.Expr) bool {
	switch a := a.(type) {
	case *expr.Column:
		b, ok := b.(*expr.Column)
		return ok && a.Index == b.Index
	case *expr.Const:
		b, ok := b.(*expr.Const)
		return ok && sameValue(a, b)
	case *expr.Param:
		b, ok := b.(*expr.Param)
		return ok && a.N == b.N
	case *expr.Call:
		b, ok := b.(*expr.Call)
		return ok && sameFunc(a.Fn, b.Fn)
	case *expr.And:
		_, ok := b.(*expr.And)
		return ok
	case *expr.Or:
		_, ok := b.(*expr.Or)
		return ok
	case *expr.Coalesce:
		_, ok := b.(*expr.Coalesce)
		return ok
	case *expr.Case:
		b, ok := b.(*expr.Case)
		return ok && len(a.Whens) == len(b.Whens)
	case *Eq:
		b, ok := b.(*Eq)
		return ok && a.NullSafe == b.NullSafe
	}
	return false
}

// sameFunc: a name says what a function does, those made for one call (IN, ANY) included.
func sameFunc(a, b *expr.Func) bool {
	return a == b || a.Name == b.Name && slices.Equal(a.Args, b.Args) && a.Result == b.Result
}

func sameValue(a, b *expr.Const) bool {
	v, w := a.V, b.V
	if v.Null(0) || w.Null(0) {
		return v.Null(0) && w.Null(0)
	}
	return v.Kind == w.Kind && bytes.Equal(zset.AppendExact(nil, v, 0), zset.AppendExact(nil, w, 0))
}
