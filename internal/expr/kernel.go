package expr

import "github.com/weirstream/weir/internal/zset"

// kernel computes one column from argument columns, all of n values. Rows whose
// bit is set in skip are not to be computed (NULL in a strict function, branch not
// taken, failed before); their values are of no interest. Errors go to env.
type kernel func(env *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec

// evaluation is one call of Program.Eval.
type evaluation struct{ env *Env }
