package op

import (
	"slices"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/zset"
)

// joinShape is where a join's output columns come from.
type joinShape struct {
	sides *[2]joinSide
	out   []int // over L's columns, then R's
	split int   // L's number of columns
}

// place is the side that an output column comes from, and its position there.
func (p *joinShape) place(col int) (side, at int) {
	if col < p.split {
		return 0, col
	}
	return 1, col - p.split
}

// padded is a chunk of a side's kept columns as output, with NULLs for the other side's.
func (p *joinShape) padded(side int, from *zset.Chunk) *zset.Chunk {
	c := &zset.Chunk{N: from.N, W: from.W, Cols: make([]*zset.Vec, len(p.out))}
	for k, col := range p.out {
		source, at := p.place(col)
		if source == side {
			c.Cols[k] = from.Cols[slices.Index(p.sides[side].keep, at)]
		} else {
			c.Cols[k] = nulls(p.sides[source].kinds[at], from.N)
		}
	}
	return c
}

// paired is a chunk of all columns that are kept: of the delta's rows at sel, and the other side's.
func (p *joinShape) paired(in *zset.Chunk, port int, sel []int32, built []*zset.Vec) *zset.Chunk {
	c := &zset.Chunk{N: len(sel), Cols: make([]*zset.Vec, p.split+len(p.sides[1].kinds))}
	from, to := 0, p.split
	if port == 1 {
		from, to = to, from
	}
	for _, col := range p.sides[port].keep {
		c.Cols[from+col] = in.Cols[col].Gather(sel)
	}
	for k, col := range p.sides[1-port].keep {
		c.Cols[to+col] = built[k]
	}
	return c
}

// pairs gathers a join's output: rows of the delta at hand by their numbers, the
// other side's decoded into columns.
type pairs struct {
	joinShape
	residual Predicate
	env      *expr.Env
	reporter reporter

	sel   []int32 // row of the delta, by pair
	w     []int64
	built []*zset.Vec // the other side's kept columns
	last  [2]sizes    // of built, by the delta's side

	alone  []int32 // rows of the delta that come out with NULLs
	aloneW []int64
}

func newPairs(sides *[2]joinSide, out []int, c JoinConfig) pairs {
	return pairs{joinShape: joinShape{sides, out, len(c.L.Kinds)}, residual: c.Residual, env: c.Env, reporter: reporter{print: c.Print}}
}

// add pairs row i of the delta with a stored row.
func (p *pairs) add(d *pushed, i int32, row []byte, w int64, other *joinSide, out *Output) error {
	if p.built == nil {
		p.built = p.last[d.port].vecs(other.kept)
	}
	if _, err := zset.DecodeExactRow(p.built, row); err != nil {
		return corrupt("join", err)
	}
	p.sel, p.w = append(p.sel, i), append(p.w, w)
	if len(p.sel) >= chunkRows {
		p.flushPairs(d.in, d.port, out)
	}
	return nil
}

// addAlone gives row i of the delta out without a partner.
func (p *pairs) addAlone(d *pushed, i int32, w int64, out *Output) {
	p.alone, p.aloneW = append(p.alone, i), append(p.aloneW, w)
	if len(p.alone) >= chunkRows {
		p.flushAlone(d.in, d.port, out)
	}
}

// flush hands on what was gathered from a delta.
func (p *pairs) flush(in *zset.Chunk, port int, out *Output) {
	p.flushPairs(in, port, out)
	p.flushAlone(in, port, out)
}

func (p *pairs) flushPairs(in *zset.Chunk, port int, out *Output) {
	if len(p.sel) == 0 {
		return
	}
	c := p.paired(in, port, p.sel, p.built)
	c.W = weights(p.w)
	p.last[port].note(p.built, len(p.sel))
	p.built = nil
	p.sel, p.w = p.sel[:0], p.w[:0]
	if p.residual != nil {
		c = p.matching(c, out)
	} else {
		c = c.Project(p.out)
	}
	if c.N > 0 {
		out.Chunks = append(out.Chunks, c)
	}
}

// matching is the output of the pairs for which the residual is true.
func (p *pairs) matching(c *zset.Chunk, out *Output) *zset.Chunk {
	sel, errs := p.residual.EvalFilter(c, p.env)
	p.reporter.report(c, errs, out)
	if len(sel) == c.N {
		return c.Project(p.out)
	}
	return c.Project(p.out).Gather(sel)
}

func (p *pairs) flushAlone(in *zset.Chunk, port int, out *Output) {
	if len(p.alone) == 0 {
		return
	}
	c := &zset.Chunk{N: len(p.alone), Cols: make([]*zset.Vec, len(p.out)), W: weights(p.aloneW)}
	for k, col := range p.out {
		if side, at := p.place(col); side == port {
			c.Cols[k] = in.Cols[at].Gather(p.alone)
		} else {
			c.Cols[k] = nulls(p.sides[side].kinds[at], c.N)
		}
	}
	out.Chunks = append(out.Chunks, c)
	p.alone, p.aloneW = p.alone[:0], p.aloneW[:0]
}

// weights is a copy of w, nil when all are 1.
func weights(w []int64) []int64 {
	for _, x := range w {
		if x != 1 {
			return append([]int64(nil), w...)
		}
	}
	return nil
}

// nulls is a column of n NULLs.
func nulls(kind zset.Kind, n int) *zset.Vec {
	v := zset.NewVec(kind, n)
	for range n {
		v.AppendNull()
	}
	return v
}
