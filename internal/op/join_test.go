package op_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

var (
	leftKinds  = []zset.Kind{zset.Int, zset.Bytes, zset.Int}
	rightKinds = []zset.Kind{zset.Bytes, zset.Int, zset.Int}
)

// joinCase is a join of leftKinds and rightKinds, by the columns that have equal kinds.
type joinCase struct {
	kind     plan.JoinKind
	lk, rk   []int
	safe     []bool
	residual func(l, r row) bool
}

// batch is the join, computed from whole inputs.
func (c *joinCase) batch(in [][]weighted) zs {
	out := zs{}
	matched := make([]bool, len(in[1]))
	for _, l := range in[0] {
		found := false
		for i, r := range in[1] {
			if !c.match(l.row, r.row) {
				continue
			}
			found, matched[i] = true, true
			if c.kind != plan.Semi && c.kind != plan.Anti {
				out.add(append(append(row{}, l.row...), r.row...), l.w*r.w)
			}
		}
		switch {
		case (c.kind == plan.Left || c.kind == plan.Full) && !found:
			out.add(append(append(row{}, l.row...), make(row, len(rightKinds))...), l.w)
		case c.kind == plan.Semi && found, c.kind == plan.Anti && !found:
			out.add(l.row, l.w)
		}
	}
	for i, r := range in[1] {
		if (c.kind == plan.Right || c.kind == plan.Full) && !matched[i] {
			out.add(append(make(row, len(leftKinds)), r.row...), r.w)
		}
	}
	return out
}

func (c *joinCase) match(l, r row) bool {
	for i, k := range c.lk {
		a, b := l[k], r[c.rk[i]]
		if a != b || a == nil && (c.safe == nil || !c.safe[i]) {
			return false
		}
	}
	return c.residual == nil || c.residual(l, r)
}

func drawJoin(t *rapid.T, kinds ...plan.JoinKind) *joinCase {
	c := &joinCase{kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
	switch rapid.IntRange(0, 3).Draw(t, "keys") {
	case 1:
		c.lk, c.rk = []int{1}, []int{0}
	case 2:
		c.lk, c.rk = []int{0, 1}, []int{1, 0}
	case 3:
		c.lk, c.rk, c.safe = []int{0, 1}, []int{2, 0}, []bool{rapid.Bool().Draw(t, "safe"), true}
	}
	return c
}

func TestJoinIsTheBatchJoin(t *testing.T) {
	checkRig(t, func(t *rapid.T) {
		c := drawJoin(t, plan.Inner, plan.Left, plan.Right, plan.Full, plan.Semi, plan.Anti)
		appends := []bool{rapid.Bool().Draw(t, "left only grows"), rapid.Bool().Draw(t, "right only grows")}
		r := newRig(t, func() op.Operator {
			return newJoin(t, op.JoinConfig{
				Kind: c.kind, NullSafe: c.safe,
				L: op.JoinSide{Kinds: leftKinds, Keys: c.lk, AppendOnly: appends[0]},
				R: op.JoinSide{Kinds: rightKinds, Keys: c.rk, AppendOnly: appends[1]},
			})
		}, leftKinds, rightKinds)
		r.appends = appends
		r.check([]*rapid.Generator[row]{small(leftKinds), small(rightKinds)}, c.batch)
	})
}

// Columns that nobody needs are not stored, and rows that differ in them alone are one row.
func TestJoinGivesOutTheColumnsThatAreAskedFor(t *testing.T) {
	checkRig(t, func(t *rapid.T) {
		c := &joinCase{kind: rapid.SampledFrom([]plan.JoinKind{plan.Inner, plan.Full}).Draw(t, "kind"), lk: []int{0}, rk: []int{1}}
		cols := []int{5, 0, 0, 2}
		r := newRig(t, func() op.Operator {
			return newJoin(t, op.JoinConfig{Kind: c.kind, Out: cols,
				L: op.JoinSide{Kinds: leftKinds, Keys: c.lk}, R: op.JoinSide{Kinds: rightKinds, Keys: c.rk}})
		}, leftKinds, rightKinds)
		r.check([]*rapid.Generator[row]{small(leftKinds), small(rightKinds)}, func(in [][]weighted) zs {
			whole := &joinCase{kind: c.kind, lk: c.lk, rk: c.rk}
			return whole.project(in, cols)
		})
	})
}

// project is the batch join with these columns only.
func (c *joinCase) project(in [][]weighted, cols []int) zs {
	cut := zs{}
	each := func(l, r row, w int64) {
		all := append(append(row{}, l...), r...)
		short := make(row, len(cols))
		for i, k := range cols {
			short[i] = all[k]
		}
		cut.add(short, w)
	}
	lone := func(a []weighted, b []weighted, match func(x, y row) bool, f func(x weighted)) {
		for _, x := range a {
			found := false
			for _, y := range b {
				found = found || match(x.row, y.row)
			}
			if !found {
				f(x)
			}
		}
	}
	for _, l := range in[0] {
		for _, r := range in[1] {
			if c.match(l.row, r.row) {
				each(l.row, r.row, l.w*r.w)
			}
		}
	}
	if c.kind == plan.Full {
		lone(in[0], in[1], c.match, func(x weighted) { each(x.row, make(row, len(rightKinds)), x.w) })
		lone(in[1], in[0], func(x, y row) bool { return c.match(y, x) }, func(x weighted) { each(make(row, len(leftKinds)), x.row, x.w) })
	}
	return cut
}

func TestAnAppendOnlySideRefusesToShrink(t *testing.T) {
	j := newJoin(t, op.JoinConfig{
		L: op.JoinSide{Kinds: leftKinds, Keys: []int{0}, AppendOnly: true},
		R: op.JoinSide{Kinds: rightKinds, Keys: []int{1}},
	})
	j.Push(0, build(leftKinds, []weighted{{row{int64(1), "a", nil}, -1}}))
	var out op.Output
	if j.Run(&out, 100); out.Fault == nil {
		t.Error("no fault")
	}
}

func newJoin(t interface{ Fatal(...any) }, c op.JoinConfig) op.Operator {
	j, err := op.NewJoin(c)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// residual is a condition over the columns of both sides.
type residual func(l, r row) (matches bool, failed bool)

// EvalFilter implements op.Predicate.
func (f residual) EvalFilter(in *zset.Chunk, _ *expr.Env) (sel []int32, errs []expr.RowError) {
	for i, x := range rowsOf(in) {
		switch matches, failed := f(x.row[:len(leftKinds)], x.row[len(leftKinds):]); {
		case failed:
			errs = append(errs, expr.RowError{Row: i, Err: &sql.Error{Code: sql.DivisionByZero, Message: "division by zero"}})
		case matches:
			sel = append(sel, int32(i))
		}
	}
	return sel, errs
}

// less compares the last columns; a NULL on the left is an error.
func less(l, r row) (bool, bool) {
	a, ok := l[2].(int64)
	b, both := r[2].(int64)
	return ok && both && a < b, !ok
}

func TestJoinWithAResidualIsTheBatchJoin(t *testing.T) {
	checkRig(t, func(t *rapid.T) {
		c := drawJoin(t, plan.Inner, plan.Left, plan.Right, plan.Full, plan.Semi, plan.Anti)
		c.residual = func(l, r row) bool { matches, _ := less(l, r); return matches }
		r := newRig(t, func() op.Operator {
			return newJoin(t, op.JoinConfig{
				Kind: c.kind, NullSafe: c.safe, Residual: residual(less),
				L: op.JoinSide{Kinds: leftKinds, Keys: c.lk},
				R: op.JoinSide{Kinds: rightKinds, Keys: c.rk},
			})
		}, leftKinds, rightKinds)
		r.check([]*rapid.Generator[row]{small(leftKinds), small(rightKinds)}, func(in [][]weighted) zs {
			want, got := int64(0), int64(0)
			for _, l := range in[0] {
				for _, x := range in[1] {
					plain := joinCase{lk: c.lk, rk: c.rk, safe: c.safe}
					if _, failed := less(l.row, x.row); failed && plain.match(l.row, x.row) {
						want += l.w * x.w
					}
				}
			}
			for _, w := range r.errs {
				got += w
			}
			if got != want {
				t.Fatalf("%d errors, want %d", got, want)
			}
			return c.batch(in)
		})
	})
}

func TestNotInIsTheBatchNotIn(t *testing.T) {
	kinds := []zset.Kind{zset.Int, zset.Int}
	checkRig(t, func(t *rapid.T) {
		r := newRig(t, func() op.Operator {
			return newJoin(t, op.JoinConfig{Kind: plan.NullAnti,
				L: op.JoinSide{Kinds: kinds, Keys: []int{1}}, R: op.JoinSide{Kinds: kinds, Keys: []int{0}}})
		}, kinds, kinds)
		draw := small(kinds)
		r.check([]*rapid.Generator[row]{draw, draw}, func(in [][]weighted) zs {
			out := zs{}
			for _, l := range in[0] {
				passes := true
				for _, x := range in[1] {
					if l.row[1] == nil || x.row[0] == nil || l.row[1] == x.row[0] {
						passes = false
					}
				}
				if passes {
					out.add(l.row, l.w)
				}
			}
			return out
		})
	})
}
