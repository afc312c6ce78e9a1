package op_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

var divided = &sql.Error{Code: sql.DivisionByZero, Message: "division by zero", Pos: -1}

// rowProgram computes by row: it is a Program of one column of Int, and a Predicate.
type rowProgram func(r row) (x int64, failed bool)

func (f rowProgram) Eval(in *zset.Chunk, _ *expr.Env) ([]*zset.Vec, []expr.RowError) {
	v, errs := zset.NewVec(zset.Int, in.N), []expr.RowError(nil)
	for i, r := range rowsOf(in) {
		x, failed := f(r.row)
		if failed {
			errs = append(errs, expr.RowError{Row: i, Err: divided})
		}
		v.AppendInt(x)
	}
	return []*zset.Vec{v}, errs
}

func (f rowProgram) EvalFilter(in *zset.Chunk, env *expr.Env) (sel []int32, errs []expr.RowError) {
	cols, errs := f.Eval(in, env)
	for i, x := range cols[0].Ints {
		if x != 0 && !slices.ContainsFunc(errs, func(e expr.RowError) bool { return e.Row == i }) {
			sel = append(sel, int32(i))
		}
	}
	return sel, errs
}

// ratio is 140 / the first column, which is NULL or a multiple of 70; NULL counts as 1.
func ratio(r row) (int64, bool) {
	x, ok := r[0].(int64)
	switch {
	case !ok:
		return 140, false
	case x == 0:
		return 0, true
	}
	return 140/x - 1, false
}

var pairTypes = []datum.TypeRef{datum.Ref(datum.OIDInt8), datum.Ref(datum.OIDText)}

// checkErrors compares the reports with the rows of an input that ratio fails for.
func checkErrors(t *rapid.T, r *rig, in []weighted) {
	want := zs{}
	for _, x := range in {
		if _, failed := ratio(x.row); failed {
			text := "NULL"
			if s, ok := x.row[1].(string); ok {
				text = s
			}
			want.add(row{sql.DivisionByZero, "division by zero", "(0, " + text + ")"}, x.w)
		}
	}
	if r.errs.String() != want.String() {
		t.Fatalf("errors\n%vwant\n%v", r.errs, want)
	}
}

func TestFilterAndProjectLeaveOutWhatFails(t *testing.T) {
	kinds := []zset.Kind{zset.Int, zset.Bytes}
	print := op.PrintRows(pairTypes, nil)
	checkRig(t, func(t *rapid.T) {
		filters := rapid.Bool().Draw(t, "filter")
		r := newRig(t, func() op.Operator {
			if filters {
				return op.NewFilter(rowProgram(ratio), nil, print)
			}
			return op.NewProject(rowProgram(ratio), nil, print)
		}, kinds)
		r.check([]*rapid.Generator[row]{small(kinds)}, func(in [][]weighted) zs {
			checkErrors(t, r, in[0])
			out := zs{}
			for _, x := range in[0] {
				switch v, failed := ratio(x.row); {
				case failed:
				case !filters:
					out.add(row{v}, x.w)
				case v != 0:
					out.add(x.row, x.w)
				}
			}
			return out
		})
	})
}

func TestUnionAddsUp(t *testing.T) {
	kinds := []zset.Kind{zset.Int}
	checkRig(t, func(t *rapid.T) {
		r := newRig(t, op.NewUnion, kinds, kinds)
		r.check([]*rapid.Generator[row]{small(kinds), small(kinds)}, func(in [][]weighted) zs {
			return collect(append(in[0], in[1]...))
		})
	})
}

func TestHopFindsTheWindows(t *testing.T) {
	checkRig(t, func(t *rapid.T) {
		c := op.HopConfig{
			Time: 1, Date: rapid.Bool().Draw(t, "date"),
			Slide: rapid.Int64Range(1, 40).Draw(t, "slide"), Size: rapid.Int64Range(1, 90).Draw(t, "size"), Offset: rapid.Int64Range(-20, 20).Draw(t, "offset"),
		}
		day, unit := int64(1), int64(1)
		if c.Date {
			day, unit = datum.Day, datum.Day/4
			c.Slide, c.Size, c.Offset = c.Slide*unit, c.Size*unit, c.Offset*unit
		}
		kinds := []zset.Kind{zset.Bytes, zset.Int}
		r := newRig(t, func() op.Operator { return must(op.NewHop(c)) }, kinds)
		r.check([]*rapid.Generator[row]{small(kinds)}, func(in [][]weighted) zs {
			out := zs{}
			for _, x := range in[0] {
				at, ok := x.row[1].(int64)
				if !ok {
					continue
				}
				for start := at*day - c.Size + unit; start <= at*day; start += unit {
					if (start+datum.EpochMicros-c.Offset)%c.Slide == 0 {
						out.add(append(slices.Clone(x.row), start, start+c.Size), x.w)
					}
				}
			}
			return out
		})
	})
}

func TestHopReportsTimesWithoutEnd(t *testing.T) {
	kinds := []zset.Kind{zset.Int}
	h := must(op.NewHop(op.HopConfig{Slide: 10, Size: 10, Print: op.PrintRows([]datum.TypeRef{datum.Ref(datum.OIDTimestamp)}, nil)}))
	h.Push(0, build(kinds, []weighted{{row{int64(datum.TimestampInfinity)}, 2}, {row{int64(5)}, 1}}))
	var out op.Output
	h.Run(&out, 10)
	if len(out.Errors) != 1 || len(out.Chunks) != 1 {
		t.Fatalf("%d chunks, %d chunks of errors", len(out.Chunks), len(out.Errors))
	}
	if x := rowsOf(out.Errors[0])[0]; x.w != 2 || x.row[2] != "(infinity)" {
		t.Errorf("report %v with weight %d", x.row, x.w)
	}
	if _, err := op.NewHop(op.HopConfig{Slide: 0, Size: 1}); err == nil {
		t.Error("a window that does not move on is accepted")
	}
}

// repeat is a set function: its argument, so many times; of a negative one an error.
type repeat struct{}

func (repeat) Expand(_ *expr.Env, args []*zset.Vec, i, first, most int, out *zset.Vec) (int, bool, *sql.Error) {
	v := args[0]
	if v.Null(i) {
		return 0, false, nil
	}
	n := int(v.Ints[i] / 70)
	if n < 0 {
		return 0, false, divided
	}
	last := min(n, first+min(most, 2)) // two at a time, where that is allowed
	if most > 1<<20 {
		last = n
	}
	for k := first; k < last; k++ {
		out.AppendInt(int64(k))
	}
	return last - first, last < n, nil
}

// columns is a Program that gives some of its input's columns.
type columns []int

func (p columns) Eval(in *zset.Chunk, _ *expr.Env) (cols []*zset.Vec, _ []expr.RowError) {
	return in.Project(p).Cols, nil
}

// However many rows a function gives for a row, they are all there, numbered through.
func TestProjectSetGivesRowsPieceByPiece(t *testing.T) {
	kinds := []zset.Kind{zset.Int}
	checkRig(t, func(t *rapid.T) {
		r := newRig(t, func() op.Operator {
			one := op.SetFunction{Expander: repeat{}, Args: 1, Kind: zset.Int}
			return op.NewProjectSet(op.ProjectSetConfig{Kinds: kinds, Args: columns{0}, Funcs: []op.SetFunction{one}, Ordinality: true})
		}, kinds)
		r.check([]*rapid.Generator[row]{small(kinds)}, func(in [][]weighted) zs {
			out, failed := zs{}, int64(0)
			for _, x := range in[0] {
				n, _ := x.row[0].(int64)
				if n < 0 {
					failed += x.w
				}
				for k := range max(n/70, 0) {
					out.add(append(slices.Clone(x.row), k, k+1), x.w)
				}
			}
			if reported := r.reported(); reported != failed {
				t.Fatalf("%d errors, want %d", reported, failed)
			}
			return out
		})
	})
}

func TestProjectSetPadsTheShorter(t *testing.T) {
	kinds := []zset.Kind{zset.Int, zset.Int}
	checkRig(t, func(t *rapid.T) {
		ordinality := rapid.Bool().Draw(t, "ordinality")
		r := newRig(t, func() op.Operator {
			one := op.SetFunction{Expander: repeat{}, Args: 1, Kind: zset.Int}
			return op.NewProjectSet(op.ProjectSetConfig{Kinds: kinds, Args: columns{1, 0}, Funcs: []op.SetFunction{one, one}, Ordinality: ordinality})
		}, kinds)
		r.check([]*rapid.Generator[row]{small(kinds)}, func(in [][]weighted) zs {
			out, failed := zs{}, int64(0)
			for _, x := range in[0] {
				a, _ := x.row[1].(int64)
				b, _ := x.row[0].(int64)
				if a < 0 || b < 0 {
					failed += x.w
					continue
				}
				for k := range max(a, b) / 70 {
					y := append(slices.Clone(x.row), nil, nil)
					if k < a/70 {
						y[2] = k
					}
					if k < b/70 {
						y[3] = k
					}
					if ordinality {
						y = append(y, k+1)
					}
					out.add(y, x.w)
				}
			}
			if reported := r.reported(); reported != failed {
				t.Fatalf("%d errors, want %d", reported, failed)
			}
			return out
		})
	})
}

// reported is how many rows are in error.
func (r *rig) reported() (n int64) {
	for _, w := range r.errs {
		n += w
	}
	return n
}
