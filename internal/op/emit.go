package op

import "github.com/weirstream/weir/internal/zset"

// emitter gathers output rows into chunks.
type emitter struct {
	kinds []zset.Kind
	chunk *zset.Chunk
	last  int // rows of the chunk before, a guess at the next one's
}

// cols are the columns to append the next row to, before add counts it.
func (e *emitter) cols() []*zset.Vec {
	if e.chunk == nil {
		e.chunk = zset.NewChunk(e.kinds, e.last)
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
	if e.last = e.chunk.N; e.last > 0 {
		out.Chunks = append(out.Chunks, e.chunk)
	}
	e.chunk = nil
}
