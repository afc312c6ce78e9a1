package op

import (
	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/zset"
)

// DistinctConfig describes a Distinct.
type DistinctConfig struct {
	Kinds []zset.Kind // of the columns
	// AppendOnly: weights are never negative; a row then comes out when it is first seen.
	AppendOnly bool
	Print      RowPrinter
}

// Distinct gives every row once that is there at all. Of equal rows that are written
// in different ways (1.0, 1.00) the first stands for all.
//
//	key   all columns
//	head  how many rows (8 bytes) │ all columns, exact, if a column's key does not say all
type Distinct struct {
	queue
	c     DistinctConfig
	keys  keyer
	table *arrange.Table
	exact bool
	fresh []int32
	at    int // marked group
	rows  emitter
	buf   []byte
}

// NewDistinct makes a Distinct.
func NewDistinct(c DistinctConfig) *Distinct {
	d := &Distinct{c: c, table: arrange.New(), rows: emitter{kinds: c.Kinds}}
	d.keys.cols = upTo(len(c.Kinds))
	d.table.Reserve(8)
	for _, k := range c.Kinds {
		d.exact = d.exact || lossy(k)
	}
	return d
}

// Tables implements Operator.
func (d *Distinct) Tables() []Table { return []Table{d.table} }

// Run implements Operator.
func (d *Distinct) Run(out *Output, budget int) Status {
	for p := d.first(); p != nil; p = d.first() {
		if budget <= 0 {
			return More
		}
		if d.c.AppendOnly {
			if out.Fault = shrinks("distinct", p.in); out.Fault != nil {
				return Done
			}
		}
		d.keys.encode(p.in)
		if d.table.FindOrInsert(&d.keys.batch, d.keys.slots) {
			return Miss
		}
		d.apply(p.in, out)
		budget -= p.in.N
		d.pop()
		d.table.Tick()
	}
	if !d.flushing {
		return Done
	}
	return d.runFlush(out, budget)
}

// apply counts a chunk's rows.
func (d *Distinct) apply(in *zset.Chunk, out *Output) {
	d.fresh = d.fresh[:0]
	for k, i := range d.keys.rows {
		slot, w := d.keys.slots[k], in.Weight(int(i))
		head := d.table.Head(slot)
		switch {
		case !d.c.AppendOnly:
			d.table.Mark(slot, head != nil && getInt(head) > 0)
		case head == nil:
			d.fresh = append(d.fresh, i)
		default: // nothing can come of it, so it need not be counted
			continue
		}
		if head == nil {
			head = d.newHead(slot, in, int(i))
		} else {
			d.table.Change(slot)
		}
		putInt(head, getInt(head)+w)
	}
	if len(d.fresh) > 0 {
		c := &zset.Chunk{N: len(d.fresh)}
		for _, v := range in.Cols {
			c.Cols = append(c.Cols, v.Gather(d.fresh))
		}
		out.Chunks = append(out.Chunks, c)
	}
}

func (d *Distinct) newHead(slot uint32, in *zset.Chunk, i int) []byte {
	d.buf = append(d.buf[:0], 0, 0, 0, 0, 0, 0, 0, 0)
	if d.exact {
		d.buf = zset.AppendExactRow(d.buf, in.Cols, i)
	}
	head := d.table.SetHead(slot, len(d.buf))
	copy(head, d.buf)
	return head
}

// runFlush gives out the rows that came and those that went.
func (d *Distinct) runFlush(out *Output, budget int) Status {
	marked := d.table.Marked()
	for ; d.at < len(marked); d.at++ {
		if budget <= 0 {
			d.rows.flush(out)
			return More
		}
		slot := marked[d.at]
		head := d.table.Head(slot)
		was, _ := d.table.Note(slot)
		n := getInt(head)
		if n < 0 {
			out.Fault = d.negative(slot, n)
			return Done
		}
		if was != (n > 0) {
			if err := d.decode(slot); err != nil {
				out.Fault = corrupt("distinct", err)
				return Done
			}
			w := int64(1)
			if was {
				w = -1
			}
			d.rows.add(w, out)
			budget--
		}
		if n == 0 {
			d.table.DropHead(slot)
		}
	}
	d.rows.flush(out)
	d.table.Unmark()
	d.table.Tick()
	d.at, d.flushing = 0, false
	return Done
}

// decode appends a group's row to the output.
func (d *Distinct) decode(slot uint32) (err error) {
	cols := d.rows.cols()
	if d.exact {
		_, err = zset.DecodeExactRow(cols, d.table.Head(slot)[8:])
		return err
	}
	key := d.table.Key(slot)
	for _, v := range cols {
		if key, err = zset.DecodeKey(v, key, zset.Order{}); err != nil {
			return err
		}
	}
	return nil
}

func (d *Distinct) negative(slot uint32, n int64) error {
	c := zset.NewChunk(d.c.Kinds, 1)
	d.rows.chunk = c
	var row []byte
	if d.decode(slot) == nil {
		row = zset.AppendExactRow(nil, c.Cols, 0)
	}
	d.rows.chunk = nil
	return negativeWeight("distinct", d.c.Kinds, row, n, d.c.Print)
}
