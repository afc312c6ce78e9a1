package state

import (
	"bytes"
	"encoding/binary"

	"github.com/weirstream/weir/internal/weirerr"
)

// blockBytes is what a Delta grows by.
const blockBytes = 256 << 10

// Delta is a copy of one table's changes, ascending by key: for each entry
//
//	len key   len+1 value      0: deleted
//
// in blocks, so that it grows without being copied. No entry is in two.
type Delta struct {
	Table  uint32
	n      int
	bytes  int
	blocks [][]byte
	used   int    // blocks with entries
	marks  []mark // where each bucket begins, ascending
}

// mark is the place of the first entry of a bucket.
type mark struct {
	bucket byte
	block  int32
	at     int32
	bytes  int // before it
}

// NewDelta begins an empty one.
func NewDelta(table uint32) *Delta { return &Delta{Table: table} }

// Reset empties it for another table. It keeps its memory.
func (d *Delta) Reset(table uint32) {
	d.Table, d.n, d.bytes, d.used, d.marks = table, 0, 0, 0, d.marks[:0]
}

// Cap is the memory it keeps.
func (d *Delta) Cap() (n int) {
	for _, b := range d.blocks {
		n += cap(b)
	}
	return n
}

// Add appends an entry, copied; value nil deletes. Keys ascend; a key's first byte is its bucket.
func (d *Delta) Add(key, value []byte) {
	b := d.room(len(key) + len(value) + 2*binary.MaxVarintLen32)
	if n := len(d.marks); len(key) > 0 && (n == 0 || d.marks[n-1].bucket != key[0]) {
		d.marks = append(d.marks, mark{key[0], int32(d.used - 1), int32(len(*b)), d.bytes})
	}
	before := len(*b)
	buf := binary.AppendUvarint(*b, uint64(len(key)))
	buf = append(buf, key...)
	if value == nil {
		buf = append(buf, 0)
	} else {
		buf = binary.AppendUvarint(buf, uint64(len(value))+1)
		buf = append(buf, value...)
	}
	*b = buf
	d.n++
	d.bytes += len(buf) - before
}

// room is the last block, with room for so many bytes.
func (d *Delta) room(n int) *[]byte {
	if d.used > 0 {
		if b := &d.blocks[d.used-1]; cap(*b)-len(*b) >= n {
			return b
		}
	}
	for ; d.used < len(d.blocks); d.used++ {
		if b := &d.blocks[d.used]; cap(*b) >= n {
			*b = (*b)[:0]
			d.used++
			return b
		}
		d.blocks[d.used] = nil // kept, and too small for this one
	}
	d.blocks = append(d.blocks, make([]byte, 0, max(n, blockBytes)))
	d.used++
	return &d.blocks[d.used-1]
}

// Len is the number of entries.
func (d *Delta) Len() int { return d.n }

// Bytes is the size of the entries.
func (d *Delta) Bytes() int { return d.bytes }

// from is the place of the first entry whose bucket is at least b: the end, when there is none.
func (d *Delta) from(b int) mark {
	for _, m := range d.marks {
		if int(m.bucket) >= b {
			return m
		}
	}
	m := mark{block: int32(d.used), bytes: d.bytes}
	if d.used > 0 {
		m.block, m.at = int32(d.used-1), int32(len(d.blocks[d.used-1]))
	}
	return m
}

// deltaIter walks entries of a Delta; key and value are borrowed from it.
type deltaIter struct {
	table      uint32
	rest       []byte
	more       [][]byte // behind rest
	last       int      // bytes of the last of more
	key, value []byte
	bad        bool
}

// part walks the entries of the buckets in [low, high).
func (d *Delta) part(low, high int) deltaIter {
	it := deltaIter{table: d.Table}
	from, to := d.from(low), d.from(high)
	switch {
	case from.bytes == to.bytes:
	case from.block == to.block:
		it.rest = d.blocks[from.block][from.at:to.at]
	default:
		it.rest = d.blocks[from.block][from.at:]
		it.more, it.last = d.blocks[from.block+1:to.block+1], int(to.at)
	}
	return it
}

func (it *deltaIter) next() bool {
	for len(it.rest) == 0 && len(it.more) > 0 {
		if it.rest = it.more[0]; len(it.more) == 1 {
			it.rest = it.rest[:it.last]
		}
		it.more = it.more[1:]
	}
	if len(it.rest) == 0 || it.bad {
		return false
	}
	it.key = it.take(0)
	n, w := binary.Uvarint(it.rest)
	if w <= 0 {
		it.bad = true
		return false
	}
	if n == 0 {
		it.rest, it.value = it.rest[w:], nil
		return !it.bad
	}
	it.value = it.take(1)
	return !it.bad
}

// take consumes a length, less the given offset, and as many bytes.
func (it *deltaIter) take(less uint64) []byte {
	n, w := binary.Uvarint(it.rest)
	if w <= 0 || n < less || n-less > uint64(len(it.rest)-w) {
		it.bad, it.rest = true, nil
		return nil
	}
	n -= less
	b := it.rest[w : w+int(n) : w+int(n)]
	it.rest = it.rest[w+int(n):]
	return b
}

// merge calls fn for the entries of all, ascending by table and key.
// No two have an entry for the same key.
func merge(all []deltaIter, fn func(table uint32, key, value []byte) error) error {
	its := make([]deltaIter, 0, len(all))
	for _, it := range all {
		switch {
		case it.next():
			its = append(its, it)
		case it.bad:
			return errEntry(&it)
		}
	}
	for len(its) > 0 {
		low := 0 // a handful of shards write a table: no heap
		for i := 1; i < len(its); i++ {
			if less(&its[i], &its[low]) {
				low = i
			}
		}
		it := &its[low]
		if err := fn(it.table, it.key, it.value); err != nil {
			return err
		}
		if it.next() {
			continue
		}
		if it.bad {
			return errEntry(it)
		}
		its[low] = its[len(its)-1]
		its = its[:len(its)-1]
	}
	return nil
}

func less(a, b *deltaIter) bool {
	if a.table != b.table {
		return a.table < b.table
	}
	return bytes.Compare(a.key, b.key) < 0
}

func errEntry(it *deltaIter) error {
	return weirerr.New(weirerr.StoreCorrupt, "a sealed change of table %d does not decode", it.table)
}
