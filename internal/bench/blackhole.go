package bench

import (
	"sync/atomic"

	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/zset"
)

// digest is a Z-set's hash: the sum of its rows' hashes by weight, so that a row that
// is taken back leaves nothing, and order means nothing.
type digest struct {
	sum  atomic.Uint64
	rows atomic.Int64 // by weight
	read atomic.Int64 // rows added, whatever their weight
}

// hasher adds chunks to a digest. One goroutine uses it at a time.
type hasher struct {
	to     *digest
	rows   zset.Rows
	hashes []uint64
}

func (h *hasher) add(c *zset.Chunk) {
	h.rows.EncodeExact(c.Cols, c.N)
	h.hashes = h.rows.Hash(h.hashes[:0])
	sum, rows := uint64(0), int64(0)
	for i, x := range h.hashes {
		w := c.Weight(i)
		sum += x * uint64(w)
		rows += w
	}
	h.to.sum.Add(sum)
	h.to.rows.Add(rows)
	h.to.read.Add(int64(c.N))
}

// blackhole is a sink: an operator at the end of a query.
type blackhole struct {
	hasher
	waiting []*zset.Chunk
}

// Push implements op.Operator.
func (b *blackhole) Push(_ int, in *zset.Chunk) { b.waiting = append(b.waiting, in) }

// Flush implements op.Operator.
func (b *blackhole) Flush() {}

// Tables implements op.Operator.
func (b *blackhole) Tables() []op.Table { return nil }

// Run implements op.Operator.
func (b *blackhole) Run(*op.Output, int) op.Status {
	for i, c := range b.waiting {
		b.add(c)
		b.waiting[i] = nil
	}
	b.waiting = b.waiting[:0]
	return op.Done
}
