package op

import (
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// Program computes columns from a chunk's columns: an *expr.Program. Rows with an
// error have one RowError; their values are of no interest.
type Program interface {
	Eval(in *zset.Chunk, env *expr.Env) ([]*zset.Vec, []expr.RowError)
}

// Predicate lists the rows of a chunk that satisfy a condition, ascending: an
// *expr.Program that was compiled as a filter. Rows with an error are not among them.
type Predicate interface {
	EvalFilter(in *zset.Chunk, env *expr.Env) (sel []int32, errs []expr.RowError)
}

var (
	_ Program     = (*expr.Program)(nil)
	_ Predicate   = (*expr.Program)(nil)
	_ SetExpander = (*expr.Expander)(nil)
)

// RowPrinter appends row i of a chunk as text, for people to read in an error report. It
// must be the same text for equal rows, so that a retraction finds the report.
type RowPrinter func(dst []byte, in *zset.Chunk, i int) []byte

// reporter turns rows that failed into rows of Output.Errors.
type reporter struct {
	print RowPrinter
	text  []byte
}

// report appends the failed rows of a chunk with their weights.
func (r *reporter) report(in *zset.Chunk, errs []expr.RowError, out *Output) {
	if len(errs) == 0 {
		return
	}
	c := zset.NewChunk([]zset.Kind{zset.Bytes, zset.Bytes, zset.Bytes}, len(errs))
	for _, e := range errs {
		if in.Weight(e.Row) == 0 {
			continue
		}
		r.text = r.text[:0]
		if r.print != nil {
			r.text = r.print(r.text, in, e.Row)
		}
		c.Cols[0].AppendString(string(e.Err.Code))
		c.Cols[1].AppendString(e.Err.Message)
		c.Cols[2].AppendBytes(r.text)
		c.AppendWeight(in.Weight(e.Row))
	}
	if c.N > 0 {
		out.Errors = append(out.Errors, c)
	}
}

// without is the rows 0..n-1 that have no error, in sel.
func without(sel []int32, n int, errs []expr.RowError) []int32 {
	failed := make(map[int]bool, len(errs))
	for _, e := range errs {
		failed[e.Row] = true
	}
	for i := range n {
		if !failed[i] {
			sel = append(sel, int32(i))
		}
	}
	return sel
}

// everyRow is the same error for each of n rows.
func everyRow(n int, err *sql.Error) []expr.RowError {
	errs := make([]expr.RowError, n)
	for i := range errs {
		errs[i] = expr.RowError{Row: i, Err: err}
	}
	return errs
}
