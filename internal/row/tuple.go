package row

import (
	"encoding/binary"
	"errors"
)

// ErrCorrupt reports bytes that are not a well formed tuple or change.
var ErrCorrupt = errors.New("row: malformed encoding")

// Tuple is one row image: a uvarint column count, then for every column a
// uvarint tag (0 NULL, 1 Unchanged, n+2 a value of n bytes) and the value's
// bytes. Values are in the source's canonical text form (see package datum).
type Tuple []byte

// State tells the three things a column of a row image can be.
type State uint8

// Column states. Unchanged is what a source sends for a large value that an
// update did not touch (PostgreSQL's TOAST); it is never NULL.
const (
	Null State = iota
	Unchanged
	Present
)

// AppendTupleHeader starts a tuple of n columns; exactly n Append* calls follow.
func AppendTupleHeader(dst []byte, n int) []byte { return binary.AppendUvarint(dst, uint64(n)) }

// AppendNull appends a NULL column.
func AppendNull(dst []byte) []byte { return append(dst, 0) }

// AppendUnchanged appends an Unchanged column.
func AppendUnchanged(dst []byte) []byte { return append(dst, 1) }

// AppendValue appends a present column.
func AppendValue(dst, value []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(value))+2)
	return append(dst, value...)
}

// Len is the number of columns; 0 for an empty or malformed tuple.
func (t Tuple) Len() int {
	n, w := binary.Uvarint(t)
	if w <= 0 {
		return 0
	}
	return int(n)
}

// TupleIter walks the columns of a tuple without allocating.
//
//	for it := t.Iter(); it.Next(); { use(it.State, it.Value) }
type TupleIter struct {
	rest  []byte
	left  int
	err   error
	State State
	Value []byte // set when State is Present; borrowed from the tuple
}

// Iter starts a walk.
func (t Tuple) Iter() TupleIter {
	n, w := binary.Uvarint(t)
	if w <= 0 || n > uint64(len(t)) {
		return TupleIter{err: ErrCorrupt}
	}
	return TupleIter{rest: t[w:], left: int(n)}
}

// Next moves to the next column; false at the end or on malformed bytes (see Err).
func (it *TupleIter) Next() bool {
	if it.left == 0 || it.err != nil {
		return false
	}
	it.left--
	tag, w := binary.Uvarint(it.rest)
	if w <= 0 {
		it.err = ErrCorrupt
		return false
	}
	it.rest = it.rest[w:]
	it.Value = nil
	switch tag {
	case 0:
		it.State = Null
	case 1:
		it.State = Unchanged
	default:
		n := tag - 2
		if n > uint64(len(it.rest)) {
			it.err = ErrCorrupt
			return false
		}
		it.State, it.Value = Present, it.rest[:n:n]
		it.rest = it.rest[n:]
	}
	return true
}

// Err tells whether the walk stopped at malformed bytes.
func (it *TupleIter) Err() error { return it.err }
