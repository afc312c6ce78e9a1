package expr

import (
	"slices"

	"github.com/weirstream/weir/internal/zset"
)

// OneOf is a condition that holds only where X equals one of List, or one of the elements
// of Array: x = y, x IN (y, …), x = ANY (array).
type OneOf struct {
	X     Expr
	List  []Expr
	Array Expr // nil: List
}

// OneOf reads a condition as such; false for any other. Of x = y either side is X: it gives y = x too.
func (r *Registry) OneOf(e Expr) ([]OneOf, bool) {
	c, ok := e.(*Call)
	if !ok || len(c.Args) < 2 {
		return nil, false
	}
	switch {
	case slices.Contains(r.ops["="], c.Fn):
		return []OneOf{{X: c.Args[0], List: c.Args[1:]}, {X: c.Args[1], List: c.Args[:1]}}, true
	case c.Fn.among == nil || !slices.Contains(r.ops["="], c.Fn.among):
		return nil, false
	case c.Fn.Variadic:
		return []OneOf{{X: c.Args[0], List: c.Args[1:]}}, true
	}
	return []OneOf{{X: c.Args[0], Array: c.Args[1]}}, true
}

// Elements gives the elements of row i of a column of arrays, whatever its dimensions.
func Elements(v *zset.Vec, i int, oid uint32) (*zset.Vec, error) {
	a, err := decodeArray(v.Bytes(i), elementOf(oid))
	if err != nil {
		return nil, err
	}
	return a.elems, nil
}
