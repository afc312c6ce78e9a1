package op

import (
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// SetExpander appends the rows of a set-returning function for row i of its
// arguments: an *expr.Expander. With an error it has appended none.
type SetExpander interface {
	Expand(env *expr.Env, args []*zset.Vec, i int, out *zset.Vec) (n int, err *sql.Error)
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
	c      ProjectSetConfig
	report reporter
	one    []*zset.Vec // the rows of one input row, by function
	sel    []int32
	w      []int64
	cols   []*zset.Vec // functions' columns, then the count
	kinds  []zset.Kind
	errs   []expr.RowError
}

// NewProjectSet makes the operator that gives for every row the rows of set-returning
// functions side by side, shorter ones padded with NULL.
func NewProjectSet(c ProjectSetConfig) Operator {
	s := &projectSet{c: c, report: reporter{print: c.Print}}
	for _, f := range c.Funcs {
		s.one = append(s.one, zset.NewVec(f.Kind, 0))
		s.kinds = append(s.kinds, f.Kind)
	}
	if c.Ordinality {
		s.kinds = append(s.kinds, zset.Int)
	}
	return &stateless{turn: s.turn}
}

func (s *projectSet) turn(in *zset.Chunk, out *Output) {
	args, errs := s.c.Args.Eval(in, s.c.Env)
	s.errs = append(s.errs[:0], errs...)
	failed := failures(errs)
	s.cols = newVecs(s.kinds, in.N)
	for i := range in.N {
		if failed[i] != nil || in.Weight(i) == 0 {
			continue
		}
		if err := s.expand(in, args, i); err != nil {
			s.errs = append(s.errs, expr.RowError{Row: i, Err: err})
		}
		if len(s.sel) >= chunkRows {
			s.flush(in, out)
		}
	}
	s.report.report(in, s.errs, out)
	s.flush(in, out)
}

// expand appends the rows of one input row.
func (s *projectSet) expand(in *zset.Chunk, args []*zset.Vec, i int) *sql.Error {
	longest := 0
	for k, f := range s.c.Funcs {
		s.one[k].Reset()
		n, err := f.Expander.Expand(s.c.Env, args[:f.Args], i, s.one[k])
		if err != nil {
			return err
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
		s.sel = append(s.sel, int32(i))
		s.w = append(s.w, in.Weight(i))
		if s.c.Ordinality {
			s.cols[len(s.cols)-1].AppendInt(int64(n + 1))
		}
	}
	return nil
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
