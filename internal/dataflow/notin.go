package dataflow

import (
	"slices"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/zset"
)

// rowNotIn makes of NOT IN over several columns what it means: no row of the right side may
// compare as a row otherwise than false, that is, unequal in some column that neither has NULL in.
func rowNotIn(c *op.JoinConfig) {
	p := &mayEqual{left: c.L.Keys}
	for _, k := range c.R.Keys {
		p.right = append(p.right, len(c.L.Kinds)+k)
	}
	c.Kind, c.Residual, c.ResidualCols = plan.Anti, p, append(slices.Clone(p.left), p.right...)
	c.L.Keys, c.R.Keys, c.NullSafe = nil, nil, nil
}

// mayEqual is the condition that columns, compared as rows, are equal or may be.
type mayEqual struct{ left, right []int }

// EvalFilter implements op.Predicate.
func (m *mayEqual) EvalFilter(in *zset.Chunk, _ *expr.Env) (sel []int32, errs []expr.RowError) {
	for i := range in.N {
		if m.holds(in, i) {
			sel = append(sel, int32(i))
		}
	}
	return sel, nil
}

func (m *mayEqual) holds(in *zset.Chunk, i int) bool {
	for k, c := range m.left {
		l, r := in.Cols[c], in.Cols[m.right[k]]
		if !l.Null(i) && !r.Null(i) && zset.Compare(l, i, r, i) != 0 {
			return false
		}
	}
	return true
}
