package postgres

import (
	"bytes"
	"slices"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/row"
)

// A piece is applied in one go: as large as memory should hold, as small as the
// target should not wait for.
const (
	pieceBytes = 4 << 20
	pieceOps   = 32 << 10
)

// span is a range of a piece's buffer.
type span struct{ off, n uint32 }

// op is one change as a piece keeps it.
type op struct {
	kind     row.Op
	oldKind  row.OldImage
	table    int32 // index into piece.tables
	old, new span
}

// piece collects changes, in order and copied, until they are applied: either
// changes of a stream, over any number of tables, or rows of one snapshot chunk.
// Within a piece a table has one shape.
type piece struct {
	buf    []byte
	ops    []op
	tables []*pieceTable
	byID   map[row.TableID]int32
	chunk  *chunkRef // of the rows, when they come from a snapshot
}

// pieceTable is one table's share of a piece.
type pieceTable struct {
	shape   *shape
	inserts int // and rows of a snapshot
	others  int
}

func newPiece() *piece { return &piece{byID: map[row.TableID]int32{}} }

// reset empties the piece and keeps its memory.
func (p *piece) reset() {
	p.buf, p.ops, p.chunk = p.buf[:0], p.ops[:0], nil
	clear(p.tables)
	p.tables = p.tables[:0]
	clear(p.byID)
}

func (p *piece) empty() bool { return len(p.ops) == 0 }
func (p *piece) full() bool  { return len(p.buf) >= pieceBytes || len(p.ops) >= pieceOps }

// fits tells whether the piece may take changes in this shape.
func (p *piece) fits(s *shape) bool {
	i, ok := p.byID[s.id]
	return !ok || p.tables[i].shape == s
}

// take copies an item into the piece, which it fits.
func (p *piece) take(it *feed.Item, s *shape) {
	if it.Txn != nil && it.Txn.Snapshot && p.chunk == nil {
		p.chunk = newChunkRef(it.Txn.Chunk, s)
	}
	p.add(s, &it.Change)
}

// add copies a row change into the piece.
func (p *piece) add(s *shape, c *row.Change) {
	var i int32
	if n := len(p.ops); n > 0 && p.tables[p.ops[n-1].table].shape == s {
		i = p.ops[n-1].table
	} else {
		i = p.indexOf(s)
	}
	o := op{kind: c.Op, table: i, new: p.copyIn(c.New)}
	if c.OldKind != row.OldNone {
		o.oldKind, o.old = c.OldKind, p.copyIn(c.Old)
	}
	if c.Op == row.Insert || c.Op == row.Read {
		p.tables[i].inserts++
	} else {
		p.tables[i].others++
	}
	p.ops = append(p.ops, o)
}

func (p *piece) indexOf(s *shape) int32 {
	i, ok := p.byID[s.id]
	if !ok {
		i = int32(len(p.tables))
		p.byID[s.id] = i
		p.tables = append(p.tables, &pieceTable{shape: s})
	}
	return i
}

func (p *piece) copyIn(b []byte) span {
	at := span{uint32(len(p.buf)), uint32(len(b))}
	p.buf = append(p.buf, b...)
	return at
}

// images are the new images of all changes.
func (p *piece) images() []ref {
	rows := make([]ref, len(p.ops))
	for i := range p.ops {
		rows[i].image = p.ops[i].new
	}
	return rows
}

func (p *piece) bytes(s span) []byte { return p.buf[s.off : s.off+s.n : s.off+s.n] }

func (p *piece) tuple(s span) row.Tuple { return row.Tuple(p.bytes(s)) }

// chunkRef says which snapshot chunk rows belong to.
type chunkRef struct {
	shape  *shape
	lo, hi row.Tuple
}

func newChunkRef(r *feed.ChunkRange, s *shape) *chunkRef {
	c := &chunkRef{shape: s}
	if r != nil {
		c.lo, c.hi = slices.Clone(r.Lo), slices.Clone(r.Hi)
	}
	return c
}

// same tells whether the item may join rows of chunk c; a nil c is no chunk.
func (c *chunkRef) same(it *feed.Item) bool {
	snapshot := it.Txn != nil && it.Txn.Snapshot
	if c == nil {
		return !snapshot
	}
	if !snapshot || c.shape.id != it.Schema.Table {
		return false
	}
	r := it.Txn.Chunk
	return r == nil || bytes.Equal(c.lo, r.Lo) && bytes.Equal(c.hi, r.Hi)
}
