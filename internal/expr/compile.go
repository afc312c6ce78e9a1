package expr

import (
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/zset"
)

// Program computes expressions over chunks. It does not change: several goroutines may run it.
type Program struct {
	steps   []step
	regs    int
	scopes  int
	columns []inlet
	params  []inlet
	consts  []constant
	results []int // registers
	kinds   []zset.Kind
	final   int // of a filter: the scope whose rows pass
	idle    sync.Pool
}

// inlet is a column or a parameter and its register.
type inlet struct{ index, reg int }

type constant struct {
	v   *zset.Vec
	reg int
}

// Compile makes a program of expressions: what they have in common is computed once, and what is
// constant now.
func Compile(exprs []Expr) *Program {
	c := newCompiler()
	for _, e := range exprs {
		c.p.results = append(c.p.results, c.emit(e, 0))
		c.p.kinds = append(c.p.kinds, zset.KindOf(e.Type().OID))
	}
	return c.p
}

// CompileFilter makes a program that tells which rows satisfy a condition. The parts of an AND are
// tried in their order, each on the rows that are left.
func CompileFilter(pred Expr) *Program {
	c := newCompiler()
	var entered []int
	for _, part := range conjuncts(pred) {
		reg := c.emit(part, c.p.final)
		entered = append(entered, len(c.p.steps))
		c.p.final = c.enter(c.p.final, ifTrue, reg)
	}
	for _, at := range entered {
		c.leave(at)
	}
	return c.p
}

func conjuncts(e Expr) []Expr {
	and, ok := e.(*And)
	if !ok {
		return []Expr{e}
	}
	var parts []Expr
	for _, a := range and.Args {
		parts = append(parts, conjuncts(a)...)
	}
	return parts
}

// compiler emits steps. seen has, by scope, what is computed already; a scope sees its parents'.
type compiler struct {
	p      *Program
	parent []int
	seen   []map[string]int
	consts map[int]*zset.Vec // by register
}

func newCompiler() *compiler {
	return &compiler{
		p:      &Program{scopes: 1},
		parent: []int{-1},
		seen:   []map[string]int{{}},
		consts: map[int]*zset.Vec{},
	}
}

// register gives the register of what has this key, and whether it is new.
func (c *compiler) register(scope int, key string) (reg int, fresh bool) {
	for s := scope; s >= 0; s = c.parent[s] {
		if reg, ok := c.seen[s][key]; ok {
			return reg, false
		}
	}
	reg = c.p.regs
	c.p.regs++
	if key != "" {
		c.seen[scope][key] = reg
	}
	return reg, true
}

// enter begins a scope: rows of a parent that pass a test on each of some registers.
func (c *compiler) enter(parent int, test rowTest, regs ...int) int {
	scope := c.p.scopes
	c.p.scopes++
	c.parent = append(c.parent, parent)
	c.seen = append(c.seen, map[string]int{})
	c.p.steps = append(c.p.steps, step{do: doEnter, scope: scope, from: parent, args: regs, test: test})
	c.leave(len(c.p.steps) - 1)
	return scope
}

// leave ends the scope that began at a step.
func (c *compiler) leave(at int) { c.p.steps[at].after = len(c.p.steps) }

// emit appends what computes e for the rows of a scope, and gives its register.
func (c *compiler) emit(e Expr, scope int) int {
	switch e := e.(type) {
	case *Column:
		reg, fresh := c.register(0, "column "+strconv.Itoa(e.Index))
		if fresh {
			c.p.columns = append(c.p.columns, inlet{e.Index, reg})
		}
		return reg
	case *Param:
		reg, fresh := c.register(0, "param "+strconv.Itoa(e.N))
		if fresh {
			c.p.params = append(c.p.params, inlet{e.N - 1, reg})
		}
		return reg
	case *Const:
		return c.constant(e.V)
	case *Call:
		return c.emitCall(e, scope)
	case *And:
		return c.emitLogic(doAnd, e.Args, scope)
	case *Or:
		return c.emitLogic(doOr, e.Args, scope)
	case *Case:
		return c.emitCase(e, scope)
	case *Coalesce:
		return c.emitCoalesce(e, scope)
	}
	panic(fmt.Sprintf("expr: cannot compile %T", e)) // there is no other Expr
}

func (c *compiler) constant(v *zset.Vec) int {
	reg, fresh := c.register(0, "constant "+constKey(v))
	if fresh {
		c.p.consts = append(c.p.consts, constant{v, reg})
		c.consts[reg] = v
	}
	return reg
}

// constKey is equal for constants of equal bytes.
func constKey(v *zset.Vec) string {
	if v.Null(0) {
		return fmt.Sprint(v.Kind, " null")
	}
	switch v.Kind {
	case zset.Int:
		return fmt.Sprint("int ", v.Ints[0])
	case zset.Float:
		return fmt.Sprint("float ", math.Float64bits(v.Floats[0]))
	case zset.Numeric:
		return "numeric " + string(numeric.AppendExact(nil, v.Num(0)))
	case zset.Interval:
		return fmt.Sprint("interval ", v.Intervals[0])
	default:
		return "bytes " + string(v.Bytes(0))
	}
}

// emitCall computes a function, at once when its arguments are constant.
func (c *compiler) emitCall(e *Call, scope int) int {
	args := make([]int, len(e.Args))
	s := &site{result: e.T, args: make([]datum.TypeRef, len(e.Args)), consts: make([]*zset.Vec, len(e.Args))}
	for i, a := range e.Args {
		args[i] = c.emit(a, scope)
		s.args[i], s.consts[i] = a.Type(), c.consts[args[i]]
	}
	if e.Fn.build == nil {
		return args[0]
	}
	k := e.Fn.build(s)
	if v := fold(e.Fn, k, s.consts); v != nil {
		return c.constant(v)
	}
	reg, fresh := c.register(scope, c.callKey(e, args))
	if fresh {
		c.p.steps = append(c.p.steps, step{do: doCall, dst: reg, scope: scope, args: args, fn: e.Fn, kernel: k})
	}
	return reg
}

// callKey is equal for calls with equal results; empty for calls that have no equal.
func (c *compiler) callKey(e *Call, args []int) string {
	if e.Fn.Volatility == Volatile {
		return ""
	}
	return fmt.Sprint(e.Fn.Name, e.Fn.Args, e.T, args)
}

// fold computes a call of constants; nil when it is no such call, or fails: then it fails
// where a row comes to it.
func fold(fn *Func, k kernel, consts []*zset.Vec) *zset.Vec {
	if fn.Volatility != Immutable {
		return nil
	}
	var nulls []uint64
	for i, v := range consts {
		if v == nil {
			return nil
		}
		if fn.strictAt(i) {
			nulls = union(nulls, v.Nulls)
		}
	}
	ev := &evaluation{env: &Env{Zone: time.UTC}, n: 1, scopes: [][]uint64{nil}, state: []any{nil}}
	v := k(ev, 1, consts, nulls)
	if ev.errs != nil {
		return nil
	}
	if nulls != nil {
		v = ev.withNulls(v, consts, nulls)
		zeroNulls(v)
	}
	return v
}
