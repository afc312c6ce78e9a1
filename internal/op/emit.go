package op

import "github.com/weirstream/weir/internal/zset"

// emitter gathers output rows into chunks.
type emitter struct {
	kinds []zset.Kind
	chunk *zset.Chunk
	last  sizes
}

// sizes are how large the last chunk was, a guess at the next one.
type sizes struct {
	rows int
	data []int // bytes, by column
}

func (s *sizes) note(cols []*zset.Vec, n int) {
	s.rows, s.data = n, s.data[:0]
	for _, v := range cols {
		s.data = append(s.data, len(v.Data))
	}
}

// vecs are empty columns with room for as much as the last ones had.
func (s *sizes) vecs(kinds []zset.Kind) []*zset.Vec {
	cols := make([]*zset.Vec, len(kinds))
	for k, kind := range kinds {
		cols[k] = zset.NewVec(kind, s.rows)
		if k < len(s.data) && s.data[k] > 0 {
			cols[k].Data = make([]byte, 0, s.data[k]+s.data[k]/8)
		}
	}
	return cols
}

// cols are the columns to append the next row to, before add counts it.
func (e *emitter) cols() []*zset.Vec {
	if e.chunk == nil {
		e.chunk = &zset.Chunk{Cols: e.last.vecs(e.kinds)}
	}
	return e.chunk.Cols
}

// add counts the row that was appended to cols.
func (e *emitter) add(w int64, out *Output) {
	e.chunk.AppendWeight(w)
	if e.chunk.N >= chunkRows {
		e.flush(out)
	}
}

// flush hands on what was gathered.
func (e *emitter) flush(out *Output) {
	if e.chunk == nil {
		return
	}
	if c := e.take(); c.N > 0 {
		out.Chunks = append(out.Chunks, c)
	}
}

// take is what was gathered; nil: nothing was.
func (e *emitter) take() *zset.Chunk {
	c := e.chunk
	if e.chunk = nil; c != nil {
		e.last.note(c.Cols, c.N)
	}
	return c
}
