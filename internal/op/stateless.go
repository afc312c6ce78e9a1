package op

import (
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/zset"
)

// stateless is an operator that turns each chunk into others at once.
type stateless struct {
	queue
	turn func(in *zset.Chunk, out *Output)
}

// Run implements Operator.
func (s *stateless) Run(out *Output, budget int) Status {
	for p := s.first(); p != nil; p = s.first() {
		if budget <= 0 {
			return More
		}
		budget -= p.in.N
		s.turn(p.in, out)
		s.pop()
	}
	s.flushing = false
	return Done
}

// Tables implements Operator.
func (s *stateless) Tables() []Table { return nil }

// NewFilter makes the operator that keeps the rows for which pred is true.
func NewFilter(pred Predicate, env *expr.Env, text RowPrinter) Operator {
	report := reporter{print: text}
	return &stateless{turn: func(in *zset.Chunk, out *Output) {
		sel, errs := pred.EvalFilter(in, env)
		report.report(in, errs, out)
		switch len(sel) {
		case 0:
		case in.N:
			out.Chunks = append(out.Chunks, in)
		default:
			out.Chunks = append(out.Chunks, in.Gather(sel))
		}
	}}
}

// NewProject makes the operator that computes columns.
func NewProject(exprs Program, env *expr.Env, text RowPrinter) Operator {
	report := reporter{print: text}
	return &stateless{turn: func(in *zset.Chunk, out *Output) {
		cols, errs := exprs.Eval(in, env)
		c := &zset.Chunk{N: in.N, Cols: cols, W: in.W}
		if len(errs) > 0 {
			report.report(in, errs, out)
			c = c.Gather(without(nil, in.N, errs))
		}
		if c.N > 0 {
			out.Chunks = append(out.Chunks, c)
		}
	}}
}

// NewUnion makes the operator that gives out the rows of all its inputs.
func NewUnion() Operator {
	return &stateless{turn: func(in *zset.Chunk, out *Output) { out.Chunks = append(out.Chunks, in) }}
}
