package plan

import (
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/zset"
)

// constant is the value of an expression that depends on nothing; nil when it depends on something.
func (b *binder) constant(x expr.Expr) (*zset.Vec, error) {
	if c, ok := expr.Constant(x); ok {
		return c.V, nil
	}
	return nil, nil
}
