package state

import (
	"bytes"
	"encoding/binary"

	"github.com/weirstream/weir/internal/weirerr"
)

// Delta is a copy of one table's changes, ascending by key: for each entry
//
//	len key   len+1 value      0: deleted
type Delta struct {
	Table uint32
	n     int
	buf   []byte
}

// NewDelta begins an empty one.
func NewDelta(table uint32) *Delta { return &Delta{Table: table} }

// Reset empties it for another table. It keeps its memory.
func (d *Delta) Reset(table uint32) { d.Table, d.n, d.buf = table, 0, d.buf[:0] }

// Cap is the memory it keeps.
func (d *Delta) Cap() int { return cap(d.buf) }

// Add appends an entry, copied; value nil deletes. Keys ascend.
func (d *Delta) Add(key, value []byte) {
	d.n++
	d.buf = binary.AppendUvarint(d.buf, uint64(len(key)))
	d.buf = append(d.buf, key...)
	if value == nil {
		d.buf = append(d.buf, 0)
		return
	}
	d.buf = binary.AppendUvarint(d.buf, uint64(len(value))+1)
	d.buf = append(d.buf, value...)
}

// Len is the number of entries.
func (d *Delta) Len() int { return d.n }

// Bytes is the size of the entries.
func (d *Delta) Bytes() int { return len(d.buf) }

// deltaIter walks a Delta's entries; key and value are borrowed from it.
type deltaIter struct {
	table      uint32
	rest       []byte
	key, value []byte
	bad        bool
}

func (d *Delta) iter() deltaIter { return deltaIter{table: d.Table, rest: d.buf} }

func (it *deltaIter) next() bool {
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

// merge calls fn for the entries of all deltas, ascending by table and key.
// No two have an entry for the same key.
func merge(deltas []*Delta, fn func(table uint32, key, value []byte) error) error {
	its := make([]deltaIter, 0, len(deltas))
	for _, d := range deltas {
		if it := d.iter(); it.next() {
			its = append(its, it)
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
			return weirerr.New(weirerr.StoreCorrupt, "a sealed change of table %d does not decode", it.table)
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
