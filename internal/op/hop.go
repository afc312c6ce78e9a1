package op

import (
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// HopConfig describes a Hop.
type HopConfig struct {
	Time int // column: timestamp, timestamptz or, with Date, date
	Date bool
	// Microseconds. Windows of Size begin every Slide, one of them at 1970-01-01 + Offset.
	Slide, Size, Offset int64
	Print               RowPrinter
}

// hop gives every row once for each window that its time falls in.
type hop struct {
	c      HopConfig
	report reporter
	starts []int64
	sel    []int32
}

// NewHop makes the operator that appends window_start and window_end (timestamps) to
// every row, once for each of its windows. Rows without a time are left out;
// infinite times are row errors.
func NewHop(c HopConfig) (Operator, error) {
	if c.Slide <= 0 || c.Size <= 0 {
		return nil, weirerr.New(weirerr.InvalidArgument, "a window's size and slide must be positive").
			With("size", c.Size).With("slide", c.Slide)
	}
	h := &hop{c: c, report: reporter{print: c.Print}}
	return &stateless{turn: h.turn}, nil
}

// turn gives out a chunk for the latest window of every row, one for the window before, and so on: they share
// the input's columns.
func (h *hop) turn(in *zset.Chunk, out *Output) {
	in = h.timed(in, out)
	if in.N == 0 {
		return
	}
	v := in.Cols[h.c.Time]
	h.starts = grow(h.starts, in.N)
	for i := range in.N {
		t := h.micros(v, i)
		into := (t + datum.EpochMicros - h.c.Offset) % h.c.Slide
		if into < 0 {
			into += h.c.Slide
		}
		h.starts[i] = t - into
	}
	for back := int64(0); back < h.c.Size; back += h.c.Slide {
		h.window(in, v, back, out)
	}
}

// window gives out the rows that lie in the window that began so much before their latest.
func (h *hop) window(in *zset.Chunk, v *zset.Vec, back int64, out *Output) {
	start, end := zset.NewVec(zset.Int, in.N), zset.NewVec(zset.Int, in.N)
	h.sel = h.sel[:0]
	for i, latest := range h.starts {
		if from := latest - back; h.micros(v, i) < from+h.c.Size {
			start.AppendInt(from)
			end.AppendInt(from + h.c.Size)
			h.sel = append(h.sel, int32(i))
		}
	}
	c := in
	switch len(h.sel) {
	case 0:
		return
	case in.N:
	default:
		c = in.Gather(h.sel)
	}
	cols := append(append([]*zset.Vec(nil), c.Cols...), start, end)
	out.Chunks = append(out.Chunks, &zset.Chunk{N: c.N, Cols: cols, W: c.W})
}

func (h *hop) micros(v *zset.Vec, i int) int64 {
	if h.c.Date {
		return v.Ints[i] * datum.Day
	}
	return v.Ints[i]
}

// timed is the rows that have a time; infinite ones are reported.
func (h *hop) timed(in *zset.Chunk, out *Output) *zset.Chunk {
	v := in.Cols[h.c.Time]
	var errs []expr.RowError
	h.sel = h.sel[:0]
	for i := range in.N {
		switch {
		case v.Null(i):
		case h.unbounded(v.Ints[i]):
			errs = append(errs, expr.RowError{Row: i, Err: &sql.Error{Code: sql.DatetimeOverflow, Message: "timestamp out of range", Pos: -1}})
		default:
			h.sel = append(h.sel, int32(i))
		}
	}
	h.report.report(in, errs, out)
	if len(h.sel) == in.N {
		return in
	}
	return in.Gather(h.sel)
}

// unbounded tells whether a time is infinite, or so far away that its windows are out of range.
func (h *hop) unbounded(x int64) bool {
	const far = 1 << 61
	if h.c.Date {
		return x < -far/datum.Day || x > far/datum.Day
	}
	return x < -far || x > far
}
