package expr

import (
	"slices"

	"github.com/weirstream/weir/internal/zset"
)

// A Program is a list of steps over registers. Columns, parameters and constants are in registers
// before the first. A scope is a set of rows: all (scope 0), or those
// that take a branch. The steps of a scope follow its enter step, which jumps over them when
// no row is left. A register that was jumped over is nil; only what joins branches meets one.
//
//	CASE WHEN c THEN a+b ELSE 0 END      r1 := c
//	                                     enter scope 1: rows where r1 is true
//	                                       r2 := a+b
//	                                     enter scope 2: the others
//	                                     r3 := join (1, r2) (2, 0)
type step struct {
	do    action
	dst   int
	scope int
	args  []int // registers
	// of a call
	fn     *Func
	kernel kernel
	// of enter: which rows of the parent scope, by its args, and where to go on when there are none
	test  rowTest
	from  int
	after int
	// of join, and, or
	join []branch
	kind zset.Kind
}

// action is what a step does.
type action uint8

const (
	doCall action = iota
	doEnter
	doJoin
	doAnd
	doOr
)

// rowTest is which rows go into a scope, by a register.
type rowTest uint8

const (
	ifTrue    rowTest = iota // true
	ifNotTrue                // false or NULL
	ifNull
	ifNotNull
	unlessFalse
	unlessTrue
)

// branch is a register that holds the result for the rows of a scope.
type branch struct{ scope, reg int }

// run carries out the steps. A kernel's panic would be a fault of this package; none is caught here.
func (p *Program) run(ev *evaluation) {
	for pc := 0; pc < len(p.steps); pc++ {
		s := &p.steps[pc]
		ev.step, ev.scope, ev.spread = pc, s.scope, false
		switch s.do {
		case doCall:
			ev.call(s)
		case doEnter:
			if !ev.enter(s) {
				pc = s.after - 1
			}
		case doJoin:
			ev.regs[s.dst] = ev.join(s)
		case doAnd, doOr:
			ev.regs[s.dst] = ev.connect(s)
		}
	}
}

// call computes one function. Arguments that are one value each give one value.
func (ev *evaluation) call(s *step) {
	args := make([]*zset.Vec, len(s.args))
	ev.spread = ev.n != 1 && s.fn.Volatility != Volatile
	for k, r := range s.args {
		args[k] = ev.regs[r]
		ev.spread = ev.spread && args[k].N == 1
	}
	n, skip := ev.n, ev.scopes[s.scope]
	if ev.spread {
		n, skip = 1, nil
	}
	for k, a := range args {
		if s.fn.strictAt(k) {
			skip = union(skip, nullsOf(a, n))
		}
	}
	before := len(ev.errs)
	v := s.kernel(ev, n, args, skip)
	if s.fn.Strict && skip != nil {
		v = ev.withNulls(v, args, skip)
	}
	ev.regs[s.dst] = v
	if len(ev.errs) > before {
		ev.hideFailed()
	}
}

// nullsOf is the NULLs of an argument, spread over n rows when it is one value.
func nullsOf(a *zset.Vec, n int) []uint64 {
	if a.N == n || a.Nulls == nil {
		return a.Nulls
	}
	if !a.Null(0) {
		return nil
	}
	all := make([]uint64, words(n))
	for i := range all {
		all[i] = ^uint64(0)
	}
	return all
}

// withNulls makes the skipped rows NULL. What is an argument itself is copied first.
func (ev *evaluation) withNulls(v *zset.Vec, args []*zset.Vec, skip []uint64) *zset.Vec {
	if slices.Contains(args, v) {
		if first64(skip) == first64(v.Nulls) {
			return v
		}
		v = ev.copyOf(v)
	}
	v.Nulls = union(v.Nulls, skip)
	return v
}

// copyOf is a column of its own with the values of v.
func (ev *evaluation) copyOf(v *zset.Vec) *zset.Vec {
	c := ev.column(v.Kind, v.N)
	copy(c.Ints, v.Ints)
	copy(c.Floats, v.Floats)
	copy(c.Nums, v.Nums)
	copy(c.Intervals, v.Intervals)
	copy(c.Refs, v.Refs)
	c.Nulls, c.Data = v.Nulls, v.Data[:len(v.Data):len(v.Data)]
	return c
}

func first64(set []uint64) *uint64 {
	if len(set) == 0 {
		return nil
	}
	return &set[0]
}

// enter makes the set of rows of a scope and tells whether it has any.
func (ev *evaluation) enter(s *step) bool {
	skip := ev.scopes[s.from]
	for _, reg := range s.args {
		skip = union(skip, ev.outside(ev.regs[reg], s.test))
	}
	ev.scopes[s.scope] = skip
	return !isFull(ev.scopes[s.scope], ev.n)
}

// outside is the set of rows that do not pass a test.
func (ev *evaluation) outside(v *zset.Vec, test rowTest) []uint64 {
	n := ev.n
	if test == ifNull || test == ifNotNull {
		nulls := nullsOf(v, n)
		if test == ifNotNull {
			return nulls
		}
		return complement(nulls, n)
	}
	value, nulls := ev.truth(v)
	out := make([]uint64, words(n))
	for i := range out {
		t, null := value[i], uint64(0)
		if nulls != nil {
			null = nulls[i]
			t &^= null
		}
		switch test {
		case ifTrue:
			out[i] = ^t
		case ifNotTrue, unlessTrue:
			out[i] = t
		case unlessFalse:
			out[i] = ^t &^ null
		}
	}
	return out
}

func complement(set []uint64, n int) []uint64 {
	out := make([]uint64, words(n))
	for i := range out {
		out[i] = ^uint64(0)
		if set != nil {
			out[i] = ^set[i]
		}
	}
	return out
}

// truth is a boolean column as two bitmaps.
func (ev *evaluation) truth(v *zset.Vec) (value, nulls []uint64) {
	if v.N == ev.n {
		return packTrue(v.Ints), v.Nulls
	}
	value = make([]uint64, words(ev.n))
	if v.Bool(0) {
		for i := range value {
			value[i] = ^uint64(0)
		}
	}
	return value, nullsOf(v, ev.n)
}
