package zset

// Kinds lists the kinds of columns.
func Kinds(cols []*Vec) []Kind {
	kinds := make([]Kind, len(cols))
	for i, v := range cols {
		kinds[i] = v.Kind
	}
	return kinds
}

// NewChunk is an empty chunk of columns of these kinds, with room for n rows. Its
// columns are filled with the Append functions of Vec, then AppendWeight counts the row.
func NewChunk(kinds []Kind, n int) *Chunk {
	c := &Chunk{Cols: make([]*Vec, len(kinds))}
	for i, k := range kinds {
		c.Cols[i] = NewVec(k, n)
	}
	return c
}

// AppendRow appends row i of src with weight w.
func (c *Chunk) AppendRow(src *Chunk, i int, w int64) {
	for k, v := range c.Cols {
		v.AppendFrom(src.Cols[k], i)
	}
	c.AppendWeight(w)
}

// AppendWeight counts one more row, whose values the columns have been given already.
func (c *Chunk) AppendWeight(w int64) {
	if c.W == nil && w != 1 {
		c.W = make([]int64, c.N, max(2*c.N, 64))
		for i := range c.W {
			c.W[i] = 1
		}
	}
	if c.W != nil {
		c.W = append(c.W, w)
	}
	c.N++
}

// Gather is the rows of c at sel, in that order.
func (c *Chunk) Gather(sel []int32) *Chunk {
	out := &Chunk{N: len(sel), Cols: make([]*Vec, len(c.Cols))}
	for k, v := range c.Cols {
		out.Cols[k] = v.Gather(sel)
	}
	if c.W != nil {
		out.W = pick(c.W, sel)
	}
	return out
}

// Slice is rows lo to hi, exclusive.
func (c *Chunk) Slice(lo, hi int) *Chunk {
	out := &Chunk{N: hi - lo, Cols: make([]*Vec, len(c.Cols))}
	for k, v := range c.Cols {
		out.Cols[k] = v.Slice(lo, hi)
	}
	if c.W != nil {
		out.W = c.W[lo:hi:hi]
	}
	return out
}

// Project is c with these columns only. It shares them.
func (c *Chunk) Project(cols []int) *Chunk {
	out := &Chunk{N: c.N, W: c.W, Cols: make([]*Vec, len(cols))}
	for k, i := range cols {
		out.Cols[k] = c.Cols[i]
	}
	return out
}

// Negate is c with every weight's sign turned. It shares the columns.
func (c *Chunk) Negate() *Chunk {
	out := &Chunk{N: c.N, Cols: c.Cols, W: make([]int64, c.N)}
	for i := range out.W {
		out.W[i] = -c.Weight(i)
	}
	return out
}

// Concat is all rows of the chunks, which have columns of the same kinds; nil of none.
func Concat(chunks []*Chunk) *Chunk {
	if len(chunks) <= 1 {
		if len(chunks) == 0 {
			return nil
		}
		return chunks[0]
	}
	n, weighted := 0, false
	for _, c := range chunks {
		n += c.N
		weighted = weighted || c.W != nil
	}
	out := NewChunk(Kinds(chunks[0].Cols), n)
	out.N = n
	for k, v := range out.Cols {
		for _, c := range chunks {
			v.AppendAll(c.Cols[k])
		}
	}
	if weighted {
		out.W = make([]int64, 0, n)
		for _, c := range chunks {
			for i := range c.N {
				out.W = append(out.W, c.Weight(i))
			}
		}
	}
	return out
}
