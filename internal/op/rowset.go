package op

import (
	"bytes"
	"encoding/binary"

	"github.com/weirstream/weir/internal/arrange"
)

// rowset keeps, in each group of a Table, rows (exact encodings) with weights. The
// first row is the group's head, so that a group of one row needs nothing else.
//
//	head               weight (varint), row
//	entry, appending   suffix: place of the row in the group; value: weight, row
//	entry, otherwise   suffix: the row; value: weight
type rowset struct {
	table *arrange.Table
	// appending: rows are never taken back, so equal ones need not find each other.
	appending bool
	buf       []byte
}

// add changes the weight of a row; a row whose weight becomes 0 is gone.
func (s *rowset) add(slot uint32, row []byte, w int64) {
	t := s.table
	head := t.Head(slot)
	switch {
	case head == nil && (s.appending || t.Count(slot) == 0):
		s.setHead(slot, row, w)
	case head != nil && s.addHead(slot, head, row, w):
	case s.appending:
		s.buf = append(binary.AppendVarint(s.buf[:0], w), row...)
		var place [5]byte
		t.Add(slot, appendPlace(place[:0], uint32(t.Count(slot))), s.buf)
	default:
		s.addEntry(slot, row, w)
	}
}

func (s *rowset) setHead(slot uint32, row []byte, w int64) {
	s.buf = append(binary.AppendVarint(s.buf[:0], w), row...)
	copy(s.table.SetHead(slot, len(s.buf)), s.buf)
}

// addHead changes the head's weight if it is the same row.
func (s *rowset) addHead(slot uint32, head, row []byte, w int64) bool {
	old, n := binary.Varint(head)
	if len(head)-n != len(row) || s.appending && len(row) > 0 || !bytes.Equal(head[n:], row) {
		return false
	}
	if w += old; w == 0 {
		s.table.DropHead(slot)
	} else {
		s.setHead(slot, row, w)
	}
	return true
}

func (s *rowset) addEntry(slot uint32, row []byte, w int64) {
	id, found := s.table.Get(slot, row)
	if found {
		old, _ := binary.Varint(s.table.Value(id))
		w += old
		if w == 0 {
			s.table.Delete(id)
			return
		}
	}
	s.buf = binary.AppendVarint(s.buf[:0], w)
	switch {
	case found:
		s.table.SetValue(id, s.buf)
	case s.table.Head(slot) == nil:
		s.setHead(slot, row, w)
	default:
		s.table.Add(slot, row, s.buf)
	}
}

// appendPlace encodes a number so that bytes sort as numbers do: length, big-endian.
func appendPlace(dst []byte, n uint32) []byte {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], n)
	skip := 0
	for skip < 3 && b[skip] == 0 {
		skip++
	}
	return append(append(dst, byte(4-skip)), b[skip:]...)
}

// rowCursor walks over the rows of a group. It ends with the next change of the group.
type rowCursor struct {
	set    *rowset
	cursor arrange.Cursor
	slot   uint32
	inHead bool
}

func (s *rowset) walk(slot uint32) rowCursor {
	return rowCursor{set: s, cursor: s.table.First(slot), slot: slot, inHead: true}
}

// next gives a row, borrowed, and its weight.
func (c *rowCursor) next() (row []byte, w int64, ok bool) {
	t := c.set.table
	if c.inHead {
		c.inHead = false
		if head := t.Head(c.slot); head != nil {
			w, n := binary.Varint(head)
			return head[n:], w, true
		}
	}
	if !c.cursor.Valid() {
		return nil, 0, false
	}
	id := c.cursor.ID()
	c.cursor.Next()
	value := t.Value(id)
	w, n := binary.Varint(value)
	if c.set.appending {
		return value[n:], w, true
	}
	return t.Suffix(id), w, true
}

// rowBytes are the encoded rows of a chunk.
type rowBytes struct {
	bytes []byte
	ends  []uint32
}

func (r *rowBytes) start() { r.bytes, r.ends = r.bytes[:0], r.ends[:0] }
func (r *rowBytes) end()   { r.ends = append(r.ends, uint32(len(r.bytes))) }

func (r *rowBytes) at(k int) []byte {
	from := uint32(0)
	if k > 0 {
		from = r.ends[k-1]
	}
	return r.bytes[from:r.ends[k]]
}

// heads are the lengths of the rows with a short weight before them.
func (r *rowBytes) heads(dst []uint32) []uint32 {
	dst = dst[:0]
	from := uint32(0)
	for _, end := range r.ends {
		dst = append(dst, end-from+1)
		from = end
	}
	return dst
}
