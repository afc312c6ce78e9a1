package algebra

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/zset"
)

// Boolean is a constant.
func Boolean(b bool) expr.Expr {
	if b {
		return constant(datum.OIDBool, 1)
	}
	return constant(datum.OIDBool, 0)
}

// Integer is a constant of type int8.
func Integer(n int64) expr.Expr { return constant(datum.OIDInt8, n) }

func constant(oid uint32, v int64) expr.Expr {
	return &expr.Const{T: datum.Ref(oid), V: &zset.Vec{Kind: zset.Int, N: 1, Ints: []int64{v}}, Pos: -1}
}

// Null is NULL of a type.
func Null(t datum.TypeRef) expr.Expr {
	v := zset.NewVec(zset.KindOf(t.OID), 1)
	v.AppendNull()
	return &expr.Const{T: t, V: v, Pos: -1}
}
