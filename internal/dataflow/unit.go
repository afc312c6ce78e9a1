package dataflow

import (
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/zset"
)

// unit is one node on one shard.
type unit struct {
	node   *Node
	shard  *Shard
	op     op.Operator // nil: rows pass through
	tables []Table
	at     int // position in shard.units

	queue   []delta // in the order of arrival
	head    int
	rows    int  // in queue
	running bool // Run has not returned Done since the last Push or Flush
	missed  bool
	touched bool // it had input in this epoch, or is new

	outs   []*edge // of its rows
	errs   []*edge // of its errors
	tap    *tap
	output op.Output
}

// delta is a chunk on its way into a port.
type delta struct {
	port  int
	chunk *zset.Chunk
}

// tap collects the rows a unit gives in an epoch.
type tap struct{ chunks []*zset.Chunk }

// Table is one table of an operator, with the id that names it in the store.
type Table struct {
	ID uint32
	op.Table
}

// push queues a chunk.
func (u *unit) push(port int, c *zset.Chunk) {
	if c.N == 0 || u.dead() {
		return
	}
	if u.head == len(u.queue) {
		u.queue, u.head = u.queue[:0], 0
	}
	u.queue = append(u.queue, delta{port, c})
	u.rows += c.N
	u.touched = true
	if !u.missed {
		u.shard.ready.set(u.at)
	}
}

func (u *unit) pop() (delta, bool) {
	if u.head == len(u.queue) {
		return delta{}, false
	}
	d := u.queue[u.head]
	u.queue[u.head] = delta{}
	u.head++
	u.rows -= d.chunk.N
	return d, true
}

// behind tells whether a reader of the unit has so much before it that the unit had better wait.
func (u *unit) behind() bool {
	for _, e := range u.outs {
		if e.full() {
			return true
		}
	}
	return false
}

// work runs the unit once, and says how many rows it took and gave.
func (u *unit) work(budget int) (cost int) {
	if !u.running {
		d, any := u.pop()
		if !any {
			u.shard.ready.clear(u.at)
			return 0
		}
		cost = d.chunk.N
		if u.op == nil {
			u.give(d.chunk)
			return cost
		}
		u.op.Push(d.port, d.chunk)
		u.running = true
	}
	status := u.op.Run(&u.output, budget)
	u.running = status != op.Done
	cost += u.collect()
	switch {
	case status == op.Miss:
		u.missed = true
		u.shard.ready.clear(u.at)
		u.shard.missed = append(u.shard.missed, u)
	case !u.running && u.head == len(u.queue):
		u.shard.ready.clear(u.at)
	}
	return cost
}

// collect passes on what Run has given.
func (u *unit) collect() (rows int) {
	o := &u.output
	for i, c := range o.Chunks {
		rows += c.N
		u.give(c)
		o.Chunks[i] = nil
	}
	for i, c := range o.Errors {
		for _, e := range u.errs {
			e.send(c)
		}
		o.Errors[i] = nil
	}
	o.Chunks, o.Errors = o.Chunks[:0], o.Errors[:0]
	if o.Fault != nil {
		u.shard.fail(u, o.Fault)
		o.Fault = nil
	}
	return rows
}

func (u *unit) give(c *zset.Chunk) {
	if c.N == 0 {
		return
	}
	if u.tap != nil {
		u.tap.chunks = append(u.tap.chunks, c)
	}
	for _, e := range u.outs {
		e.send(c)
	}
}

// stop forgets all the unit was about to do.
func (u *unit) stop() {
	u.queue, u.head, u.rows, u.running, u.missed = nil, 0, 0, false, false
	u.shard.ready.clear(u.at)
	if u.tap != nil {
		u.tap.chunks = nil
	}
}

// bitset is a set of small numbers, of which the highest is asked for.
type bitset []uint64

func (b bitset) set(i int)   { b[i>>6] |= 1 << (i & 63) }
func (b bitset) clear(i int) { b[i>>6] &^= 1 << (i & 63) }
