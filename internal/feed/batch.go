package feed

import (
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
)

// batchBytes is about how much a batch holds before it goes to the sink.
const batchBytes = 1 << 20

// batchItems bounds the items of a batch, as do the limits of a target transaction.
const batchItems = 8192

// batch is decoded work on its way from the reader to the writer. Items borrow
// from its arena; batches are reused, so that a change costs no allocation.
type batch struct {
	items  []Item
	chunks []chunkHead
	arena  arena
	txns   txnSlab
	bytes  int
	count  int // upstream transactions that end in it

	// pos is reached when all items are committed. A commit may follow the batch
	// only at a boundary: in the middle of a large transaction there is none.
	pos      Position
	boundary bool
	snapshot bool // it holds rows of a snapshot

	// mark is what a restart from pos needs; nil when pos is no place to restart from.
	mark *mark
}

// chunkHead says that a chunk begins before item at.
type chunkHead struct {
	at     int
	schema *row.Schema
	chunk  *ChunkRange
}

// mark is the reader's state at a position, shared by all positions at which it
// is the same.
type mark struct {
	incarnation uint64
	state       []byte
	since       ts.Ts // the state is the same from here on
	side        ts.Ts // rows of the side channel up to here are delivered
	idle        bool  // no snapshot is under way
	consistent  ts.Ts // from here on; only when idle
}

func (b *batch) reset() {
	clear(b.items)
	clear(b.chunks)
	b.items, b.chunks = b.items[:0], b.chunks[:0]
	b.arena.reset()
	b.txns.reset()
	b.bytes, b.count, b.pos = 0, 0, Position{}
	b.boundary, b.snapshot, b.mark = false, false, nil
}

// arena hands out bytes that live until reset.
type arena struct {
	blocks [][]byte // each of arenaBlock; blocks[:used] hold something
	used   int
	rest   []byte
}

const arenaBlock = 1 << 20

func (a *arena) copy(b []byte) []byte {
	out := a.make(len(b))
	copy(out, b)
	return out
}

func (a *arena) make(n int) []byte {
	if n > arenaBlock {
		return make([]byte, n) // rarer than a frame is large: left to the collector
	}
	if n > len(a.rest) {
		if a.used == len(a.blocks) {
			a.blocks = append(a.blocks, make([]byte, arenaBlock))
		}
		a.rest = a.blocks[a.used]
		a.used++
	}
	out := a.rest[:n:n]
	a.rest = a.rest[n:]
	return out
}

func (a *arena) reset() { a.used, a.rest = 0, nil }

// txnSlab hands out Txns that do not move until reset.
type txnSlab struct {
	blocks [][]Txn
	n      int
}

const txnBlock = 256

func (s *txnSlab) next() *Txn {
	i, j := s.n/txnBlock, s.n%txnBlock
	if i == len(s.blocks) {
		s.blocks = append(s.blocks, make([]Txn, txnBlock))
	}
	s.n++
	t := &s.blocks[i][j]
	*t = Txn{}
	return t
}

func (s *txnSlab) reset() { s.n = 0 }

// batches are the batches of one attempt: a fixed number goes round.
type batches struct {
	free chan *batch
	full chan *batch
}

func newBatches(n int) batches {
	b := batches{free: make(chan *batch, n), full: make(chan *batch, n)}
	for range n {
		b.free <- &batch{}
	}
	return b
}
