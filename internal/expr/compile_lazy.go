package expr

import "github.com/weirstream/weir/internal/zset"

// What is evaluated for some rows only.

// isCheap tells an expression that cannot fail and costs no more than finding out which rows need it.
func isCheap(e Expr) bool {
	switch e := e.(type) {
	case *Column, *Const, *Param:
		return true
	case *Call:
		return (e.Fn.cheap || e.Fn.build == nil) && allCheap(e.Args)
	case *And:
		return allCheap(e.Args)
	case *Or:
		return allCheap(e.Args)
	}
	return false
}

func allCheap(args []Expr) bool {
	for _, a := range args {
		if !isCheap(a) {
			return false
		}
	}
	return true
}

// emitLogic computes AND or OR from left to right. An operand that is not cheap is computed
// for the rows that those before it have not decided.
func (c *compiler) emitLogic(do action, args []Expr, scope int) int {
	test := unlessFalse
	if do == doOr {
		test = unlessTrue
	}
	current := scope
	var branches []branch
	var entered, since []int // since: the operands since the scope was entered
	for i, a := range args {
		if i > 0 && !isCheap(a) {
			entered = append(entered, len(c.p.steps))
			current, since = c.enter(current, test, since...), nil
		}
		reg := c.emit(a, current)
		branches, since = append(branches, branch{current, reg}), append(since, reg)
	}
	for _, at := range entered {
		c.leave(at)
	}
	return c.finish(step{do: do, scope: scope, join: branches, kind: zset.Int})
}

// finish appends a step that brings branches together.
func (c *compiler) finish(s step) int {
	s.dst, _ = c.register(s.scope, "")
	c.p.steps = append(c.p.steps, s)
	return s.dst
}

func (c *compiler) emitCase(e *Case, scope int) int {
	rest := scope
	var branches []branch
	var entered []int
	for _, w := range e.Whens {
		cond := c.emit(w.Cond, rest)
		at := len(c.p.steps)
		taken := c.enter(rest, ifTrue, cond)
		branches = append(branches, branch{taken, c.emit(w.Then, taken)})
		c.leave(at)
		entered = append(entered, len(c.p.steps))
		rest = c.enter(rest, ifNotTrue, cond)
	}
	branches = append(branches, branch{rest, c.emit(e.Else, rest)})
	for _, at := range entered {
		c.leave(at)
	}
	return c.finish(step{do: doJoin, scope: scope, join: branches, kind: zset.KindOf(e.T.OID)})
}

func (c *compiler) emitCoalesce(e *Coalesce, scope int) int {
	rest := scope
	var branches []branch
	var entered []int
	for i, a := range e.Args {
		reg := c.emit(a, rest)
		if i == len(e.Args)-1 {
			branches = append(branches, branch{rest, reg})
			break
		}
		branches = append(branches, branch{c.enter(rest, ifNotNull, reg), reg})
		entered = append(entered, len(c.p.steps))
		rest = c.enter(rest, ifNull, reg)
	}
	for _, at := range entered {
		c.leave(at)
	}
	return c.finish(step{do: doJoin, scope: scope, join: branches, kind: zset.KindOf(e.T.OID)})
}
