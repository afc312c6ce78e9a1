package op

import (
	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/zset"
)

// lacked tells whether the side had no row of a key (its slot here) when the epoch
// began. That is what the rows of the other side that came out alone rest on until Flush.
func (s *joinSide) lacked(slot uint32) bool {
	if slot == arrange.None {
		return true
	}
	if note, marked := s.table.Note(slot); marked {
		return note
	}
	return s.table.Empty(slot)
}

// addNulls gives out the rows of a delta whose key is NULL: they never have a partner.
func (p *pairs) addNulls(d *pushed, out *Output) {
	own := &p.sides[d.port]
	if !own.pads || !own.padWhen {
		return
	}
	for _, i := range own.nulls {
		p.addAlone(d, i, d.in.Weight(int(i)), out)
	}
}

// padding is how far Flush has come.
type padding struct {
	side  int // whose rows change; 2: done
	ready bool
	keys  keyer
	signs []int64 // +1: the rows of the key now come out alone; -1: no more
	at    int
	rows  rowCursor
	in    bool
	emit  emitter
}

// flushPads brings the rows that come out alone up to date with the other side.
func (j *Join) flushPads(out *Output, budget int) Status {
	if !j.flushing {
		return Done
	}
	d := &j.pad
	for ; d.side < 2; d.side++ {
		s, o := &j.sides[d.side], &j.sides[1-d.side]
		if !s.pads {
			continue
		}
		if !d.ready {
			d.collect(s, o)
			if s.table.Find(&d.keys.batch, d.keys.slots) {
				return Miss
			}
			d.ready, d.at = true, 0
			d.emit.kinds = s.kept
		}
		for ; d.at < len(d.signs); d.at++ {
			if slot := d.keys.slots[d.at]; slot != arrange.None && !j.padKey(s, slot, out, &budget) {
				j.flushPad(out)
				return More
			}
		}
		j.flushPad(out)
		d.ready = false
		s.table.Tick()
	}
	j.sides[0].table.Unmark()
	j.sides[1].table.Unmark()
	d.side, j.flushing = 0, false
	return Done
}

// collect lists the keys of which o has its first row, or has lost its last.
func (d *padding) collect(s, o *joinSide) {
	d.keys.batch.Reset()
	d.signs = d.signs[:0]
	for _, slot := range o.table.Marked() {
		before, _ := o.table.Note(slot)
		now := o.table.Empty(slot)
		if before == now {
			continue
		}
		sign := int64(-1)
		if now == s.padWhen {
			sign = 1
		}
		d.keys.batch.Data = append(d.keys.batch.Data, o.table.Key(slot)...)
		d.keys.batch.End()
		d.signs = append(d.signs, sign)
	}
	d.keys.slots = grow(d.keys.slots, len(d.signs))
}

// padKey gives out a key's rows alone, or takes them back; false when the budget is used up.
func (j *Join) padKey(s *joinSide, slot uint32, out *Output, budget *int) bool {
	d := &j.pad
	if !d.in {
		d.rows, d.in = s.walk(slot), true
	}
	for {
		if *budget <= 0 {
			return false
		}
		row, w, ok := d.rows.next()
		if !ok {
			break
		}
		if _, err := zset.DecodeExactRow(d.emit.cols(), row); err != nil {
			out.Fault = corrupt("join", err)
			return true
		}
		d.emit.chunk.AppendWeight(w * d.signs[d.at])
		if d.emit.chunk.N >= chunkRows {
			j.flushPad(out)
		}
		*budget--
	}
	d.in = false
	return true
}

// flushPad hands on the rows gathered, with NULLs for the other side's columns.
func (j *Join) flushPad(out *Output) {
	d := &j.pad
	if from := d.emit.take(); from != nil && from.N > 0 {
		out.Chunks = append(out.Chunks, j.pairs.padded(d.side, from))
	}
}
