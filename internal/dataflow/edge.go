package dataflow

import (
	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/zset"
)

// edge leads from a unit to one port of a node, on any shard.
type edge struct {
	port int
	pick []int
	via  Exchange
	from *Shard
	to   []*unit // by shard; of a node on one shard, only the first is set
}

// queued is how many rows may wait before a unit, or for another shard, until
// those that feed it wait.
const queued = 64 << 10

func (e *edge) full() bool {
	switch e.via.Kind {
	case Stay:
		u := e.to[e.from.index]
		return u != nil && u.rows > queued
	default:
		return e.from.away > queued
	}
}

// send brings a chunk to where it belongs.
func (e *edge) send(c *zset.Chunk) {
	if e.pick != nil {
		c = c.Project(e.pick)
	}
	switch {
	case e.via.Kind == Stay:
		if u := e.to[e.from.index]; u != nil {
			u.push(e.port, c)
		}
	case e.via.Kind == ToOne || len(e.to) == 1:
		e.pass(0, c)
	default:
		e.spread(c)
	}
}

// pass gives a whole chunk to a shard.
func (e *edge) pass(shard int, c *zset.Chunk) {
	u := e.to[shard]
	if u == nil || c.N == 0 {
		return
	}
	if shard == e.from.index {
		u.push(e.port, c)
		return
	}
	e.from.out[shard] = append(e.from.out[shard], parcel{u, e.port, c})
	e.from.away += c.N
}

// spread cuts a chunk by the hash of its key.
func (e *edge) spread(c *zset.Chunk) {
	s := e.from
	s.spreader.Split(c, e.via.Cols, len(e.to), func(shard int, part *zset.Chunk) { e.pass(shard, part) })
}

// parcel is a chunk for another shard.
type parcel struct {
	to    *unit
	port  int
	chunk *zset.Chunk
}

// Spreader cuts chunks by the shard of their rows. It keeps its memory between calls.
type Spreader struct {
	keys   zset.Rows
	hashes []uint64
	cols   []*zset.Vec
	sel    [][]int32
}

// Split calls fn with the rows of each of n shards that has any.
func (s *Spreader) Split(c *zset.Chunk, cols []int, n int, fn func(shard int, part *zset.Chunk)) {
	if n == 1 {
		fn(0, c)
		return
	}
	s.cols = s.cols[:0]
	for _, i := range cols {
		s.cols = append(s.cols, c.Cols[i])
	}
	s.keys.EncodeKeys(s.cols, c.N, nil)
	s.hashes = s.keys.Hash(s.hashes[:0])
	for len(s.sel) < n {
		s.sel = append(s.sel, nil)
	}
	for i := range n {
		s.sel[i] = s.sel[i][:0]
	}
	for i, h := range s.hashes {
		at := ShardOf(h, n)
		s.sel[at] = append(s.sel[at], int32(i))
	}
	for i := range n {
		switch len(s.sel[i]) {
		case 0:
		case c.N:
			fn(i, c)
		default:
			fn(i, c.Gather(s.sel[i]))
		}
	}
}

// ShardOf is the shard of n that has the keys with a hash: by bucket, as arrangements are.
func ShardOf(hash uint64, n int) int { return int(arrange.BucketOf(hash)) % n }
