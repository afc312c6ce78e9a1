package op

import (
	"math"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// SetExpander appends the rows of a set-returning function for row i of its arguments: an
// *expr.Expander, which has the rules.
type SetExpander interface {
	Expand(env *expr.Env, args []*zset.Vec, i, first, most int, out *zset.Vec) (n int, more bool, err *sql.Error)
}

// SetFunction is one function of a ProjectSet.
type SetFunction struct {
	Expander SetExpander
	Args     int // how many of Args' columns, after those of the functions before, are its arguments
	Kind     zset.Kind
}

// ProjectSetConfig describes a ProjectSet. The output is the input's columns, one
// for each function, and with Ordinality a count from 1.
type ProjectSetConfig struct {
	Kinds      []zset.Kind // of the input's columns
	Args       Program     // all functions' arguments, in order
	Funcs      []SetFunction
	Ordinality bool
	Env        *expr.Env
	Print      RowPrinter
}

type projectSet struct {
	queue
	c      ProjectSetConfig
	report reporter
	one    []*zset.Vec // rows of one input row, by function
	sel    []int32
	w      []int64
	cols   []*zset.Vec // functions' columns, then the count
	kinds  []zset.Kind

	args   []*zset.Vec // of the chunk under way; nil: none is
	errs   []expr.RowError
	failed map[int]*sql.Error
	row    int // of the chunk
	given  int // rows that were given for it
}

// NewProjectSet makes the operator that gives for every row the rows of set-returning
// functions side by side, shorter ones padded with NULL. A single function's rows are
// made piece by piece, however many they are.
func NewProjectSet(c ProjectSetConfig) Operator {
	s := &projectSet{c: c, report: reporter{print: c.Print}}
	for _, f := range c.Funcs {
		s.one = append(s.one, zset.NewVec(f.Kind, 0))
		s.kinds = append(s.kinds, f.Kind)
	}
	if c.Ordinality {
		s.kinds = append(s.kinds, zset.Int)
	}
	return s
}

// Run implements Operator.
func (s *projectSet) Run(out *Output, budget int) Status {
	for p := s.first(); p != nil; p = s.first() {
		if s.args == nil {
			s.begin(p.in)
		}
		for s.row < p.in.N {
			if budget <= 0 {
				return More
			}
			budget -= s.advance(p.in)
			if len(s.sel) >= chunkRows {
				s.flush(p.in, out)
			}
		}
		s.report.report(p.in, s.errs, out)
		s.flush(p.in, out)
		s.args = nil
		s.pop()
	}
	s.flushing = false
	return Done
}

// Tables implements Operator.
func (s *projectSet) Tables() []Table { return nil }

// begin computes the arguments of a chunk.
func (s *projectSet) begin(in *zset.Chunk) {
	args, errs := s.c.Args.Eval(in, s.c.Env)
	s.args = append([]*zset.Vec{}, args...)
	s.errs = append(s.errs[:0], errs...)
	s.failed = failures(errs)
	s.cols = newVecs(s.kinds, in.N)
	s.row, s.given = 0, 0
}

// advance appends rows of the input row at hand, and tells how many.
func (s *projectSet) advance(in *zset.Chunk) (n int) {
	more := false
	if s.failed[s.row] == nil && in.Weight(s.row) != 0 {
		var err *sql.Error
		if n, more, err = s.expand(in); err != nil {
			s.errs = append(s.errs, expr.RowError{Row: s.row, Err: err})
		}
	}
	if s.given += n; !more {
		s.row, s.given = s.row+1, 0
	}
	return n + 1
}

func (s *projectSet) expand(in *zset.Chunk) (longest int, more bool, err *sql.Error) {
	most := chunkRows
	if len(s.c.Funcs) > 1 {
		most = math.MaxInt32 // what stands side by side is made as a whole
	}
	args := s.args
	for k, f := range s.c.Funcs {
		s.one[k].Reset()
		n := 0
		if n, more, err = f.Expander.Expand(s.c.Env, args[:f.Args], s.row, s.given, most, s.one[k]); err != nil {
			return 0, false, err
		}
		args = args[f.Args:]
		longest = max(longest, n)
	}
	for k, v := range s.one {
		s.cols[k].AppendAll(v)
		for range longest - v.N {
			s.cols[k].AppendNull()
		}
	}
	for n := range longest {
		s.sel = append(s.sel, int32(s.row))
		s.w = append(s.w, in.Weight(s.row))
		if s.c.Ordinality {
			s.cols[len(s.cols)-1].AppendInt(int64(s.given + n + 1))
		}
	}
	return longest, more, nil
}

// flush hands on the rows gathered, in chunks of the usual size.
func (s *projectSet) flush(in *zset.Chunk, out *Output) {
	if len(s.sel) == 0 {
		return
	}
	c := &zset.Chunk{N: len(s.sel), W: weights(s.w)}
	for _, v := range in.Cols {
		c.Cols = append(c.Cols, v.Gather(s.sel))
	}
	c.Cols = append(c.Cols, s.cols...)
	for at := 0; at < c.N; at += chunkRows {
		out.Chunks = append(out.Chunks, c.Slice(at, min(at+chunkRows, c.N)))
	}
	s.sel, s.w, s.cols = s.sel[:0], s.w[:0], newVecs(s.kinds, 0)
}
