package expr

import (
	"errors"
	"slices"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// kernel computes one column of n values. An argument has n values, or one that
// stands for all rows. Rows whose bit is set in skip are not to be computed (NULL in a
// strict function, branch not taken, failed before); what stands there is of no interest, but no
// error may come of it. Errors go to ev.fail. A kernel may return an argument itself; it does not write to one.
type kernel func(ev *evaluation, n int, args []*zset.Vec, skip []uint64) *zset.Vec

// evaluation is one run of a Program. It is reused by later runs.
type evaluation struct {
	env    *Env
	n      int
	chunk  *zset.Chunk
	regs   []*zset.Vec
	scopes [][]uint64 // rows that are skipped, by scope
	failed []uint64   // rows with an error
	errs   []RowError
	state  []any // what a kernel keeps between runs, by step
	step   int   // the one that runs
	scope  int   // its scope
	spread bool  // it computes one value for all rows
	owned  []*zset.Vec
	free   [5][]*zset.Vec // by kind: columns to use again
}

// fail notes the error of row i. The first of a row counts; later steps skip the row.
func (ev *evaluation) fail(i int, err error) {
	e := asError(err)
	if ev.spread {
		eachRow(ev.n, ev.scopes[ev.scope], func(row int) { ev.failRow(row, e) })
		return
	}
	ev.failRow(i, e)
}

func (ev *evaluation) failRow(i int, e *sql.Error) {
	if ev.failed == nil {
		ev.failed = make([]uint64, words(ev.n))
	}
	if !has(ev.failed, i) {
		ev.failed[i>>6] |= 1 << (i & 63)
		ev.errs = append(ev.errs, RowError{i, e})
	}
}

// asError gives every error the form that clients get.
func asError(err error) *sql.Error {
	if e, ok := errors.AsType[*sql.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*datum.Error](err); ok {
		return &sql.Error{Code: e.Code, Message: e.Message, Detail: e.Detail, Hint: e.Hint, Pos: -1}
	}
	return rowFail(sql.InvalidText, "%s", err)
}

// hideFailed takes the rows that failed out of all scopes.
func (ev *evaluation) hideFailed() {
	for i, skip := range ev.scopes {
		ev.scopes[i] = union(skip, ev.failed)
	}
}

// column is a column of n values of a kind, zeroed where that is cheap to promise:
// Ints, Floats and Nums are not, Refs and Intervals are.
func (ev *evaluation) column(kind zset.Kind, n int) *zset.Vec {
	var v *zset.Vec
	if list := ev.free[kind]; len(list) > 0 {
		v = list[len(list)-1]
		ev.free[kind] = list[:len(list)-1]
	} else {
		v = &zset.Vec{Kind: kind}
	}
	v.N, v.Nulls, v.Data = n, nil, nil
	switch kind {
	case zset.Int:
		v.Ints = resize(v.Ints, n)
	case zset.Float:
		v.Floats = resize(v.Floats, n)
	case zset.Numeric:
		v.Nums = resize(v.Nums, n)
	case zset.Interval:
		v.Intervals = resize(v.Intervals, n)
		clear(v.Intervals)
	case zset.Bytes:
		v.Refs = resize(v.Refs, n)
		clear(v.Refs)
	}
	ev.owned = append(ev.owned, v)
	return v
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// release keeps the columns that did not become results for the next run.
func (ev *evaluation) release(results []*zset.Vec) {
	for _, v := range ev.owned {
		if !slices.Contains(results, v) && len(ev.free[v.Kind]) < 64 {
			v.Data = nil // others may share it
			ev.free[v.Kind] = append(ev.free[v.Kind], v)
		}
	}
	clear(ev.owned)
	clear(ev.regs)
	clear(ev.scopes)
	ev.owned, ev.errs, ev.failed, ev.chunk, ev.env = ev.owned[:0], nil, nil, nil, nil
}

// kept is what the running step keeps between runs, made at its first.
func kept[T any](ev *evaluation, fresh func() *T) *T {
	if s, ok := ev.state[ev.step].(*T); ok {
		return s
	}
	s := fresh()
	ev.state[ev.step] = s
	return s
}

// zeroNulls puts zero under every NULL, as columns that leave must have it.
func zeroNulls(v *zset.Vec) {
	if v.Nulls == nil {
		return
	}
	inverse := func(f func(i int)) {
		for w, set := range v.Nulls {
			if set == 0 {
				continue
			}
			for i := w << 6; i < min(v.N, w<<6+64); i++ {
				if set>>(i&63)&1 != 0 {
					f(i)
				}
			}
		}
	}
	switch v.Kind {
	case zset.Int:
		inverse(func(i int) { v.Ints[i] = 0 })
	case zset.Float:
		inverse(func(i int) { v.Floats[i] = 0 })
	case zset.Numeric:
		inverse(func(i int) { v.Nums[i] = numeric.Num{} })
	case zset.Interval:
		inverse(func(i int) { v.Intervals[i] = datum.Interval{} })
	case zset.Bytes:
		inverse(func(i int) { v.Refs[i] = zset.Ref{} })
	}
}
