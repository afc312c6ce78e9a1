package postgres

import (
	"encoding/binary"

	"github.com/weirstream/weir/internal/row"
)

// A key is the encoding of the key columns' values as they stand in a tuple, one
// after the other, without the count. Equal keys have equal bytes.

// keyOf finds the key in the tuple at image, whose key columns are cols,
// ascending. Where they stand side by side the key is a part of the tuple, else a
// copy behind the buffer's end. A key column that the image calls unchanged is
// taken from old. ok is false when a key column has no value.
func (p *piece) keyOf(cols []int, image, old span) (key span, ok bool) {
	from := int(image.off)
	end := from + int(image.n)
	n, w := binary.Uvarint(p.buf[from:end])
	if w <= 0 || n == 0 {
		return span{}, false
	}
	if cols[len(cols)-1]-cols[0] == len(cols)-1 {
		if key, ok = p.adjacentKey(cols, from+w, end); ok {
			return key, true
		}
	}
	return p.gatherKey(cols, image, old)
}

// adjacentKey is the part of the tuple that holds the key columns.
func (p *piece) adjacentKey(cols []int, at, end int) (span, bool) {
	start, last := at, cols[len(cols)-1]
	for c := 0; c <= last; c++ {
		if c == cols[0] {
			start = at
		}
		tag, w := binary.Uvarint(p.buf[at:end])
		if w <= 0 {
			return span{}, false
		}
		at += w
		if tag >= 2 {
			at += int(tag - 2)
		} else if c >= cols[0] {
			return span{}, false
		}
		if at > end {
			return span{}, false
		}
	}
	return span{uint32(start), uint32(at - start)}, true
}

// gatherKey copies the key columns, from old where image does not have them.
func (p *piece) gatherKey(cols []int, image, old span) (span, bool) {
	start := len(p.buf)
	for _, c := range cols {
		v, state := p.column(image, c)
		if state == row.Unchanged {
			v, state = p.column(old, c)
		}
		if state != row.Present {
			p.buf = p.buf[:start]
			return span{}, false
		}
		p.buf = row.AppendValue(p.buf, p.bytes(v))
	}
	return span{uint32(start), uint32(len(p.buf) - start)}, true
}

// column finds one column of the tuple at s.
func (p *piece) column(s span, col int) (value span, state row.State) {
	at, end := int(s.off), int(s.off+s.n)
	n, w := binary.Uvarint(p.buf[at:end])
	if w <= 0 || uint64(col) >= n {
		return span{}, row.Null
	}
	at += w
	for c := 0; ; c++ {
		tag, w := binary.Uvarint(p.buf[at:end])
		if w <= 0 {
			return span{}, row.Null
		}
		at += w
		size := 0
		if tag >= 2 {
			size = int(tag - 2)
		}
		if at+size > end {
			return span{}, row.Null
		}
		if c == col {
			switch tag {
			case 0:
				return span{}, row.Null
			case 1:
				return span{}, row.Unchanged
			}
			return span{uint32(at), uint32(size)}, row.Present
		}
		at += size
	}
}

// keyValues walks a key's values.
func keyValues(key []byte, each func(i int, value []byte)) {
	for i := 0; len(key) > 0; i++ {
		tag, w := binary.Uvarint(key)
		if w <= 0 || tag < 2 || uint64(len(key)-w) < tag-2 {
			return
		}
		each(i, key[w:w+int(tag-2)])
		key = key[w+int(tag-2):]
	}
}

// mask appends a byte a column of the tuple at s, 1 where it is unchanged; nothing
// when no column is.
func (p *piece) mask(s span, dst []byte) []byte {
	if !p.partial(s) {
		return dst
	}
	for it := p.tuple(s).Iter(); it.Next(); {
		b := byte(0)
		if it.State == row.Unchanged {
			b = 1
		}
		dst = append(dst, b)
	}
	return dst
}

// partial tells whether the tuple at s has unchanged columns.
func (p *piece) partial(s span) bool {
	for it := p.tuple(s).Iter(); it.Next(); {
		if it.State == row.Unchanged {
			return true
		}
	}
	return false
}

// covers tells whether all columns that the tuple at b leaves unchanged are
// unchanged in the one at a.
func (p *piece) covers(a, b span) bool {
	for x, y := p.tuple(a).Iter(), p.tuple(b).Iter(); x.Next() && y.Next(); {
		if y.State == row.Unchanged && x.State != row.Unchanged {
			return false
		}
	}
	return true
}

// fill copies the tuple at s, taking columns it calls unchanged from base.
func (p *piece) fill(s, base span) span {
	start := len(p.buf)
	t, b := p.tuple(s).Iter(), p.tuple(base).Iter()
	p.buf = row.AppendTupleHeader(p.buf, p.tuple(s).Len())
	for t.Next() {
		have := b.Next()
		it := &t
		if t.State == row.Unchanged && have {
			it = &b
		}
		switch it.State {
		case row.Null:
			p.buf = row.AppendNull(p.buf)
		case row.Unchanged:
			p.buf = row.AppendUnchanged(p.buf)
		case row.Present:
			p.buf = row.AppendValue(p.buf, it.Value)
		}
	}
	return span{uint32(start), uint32(len(p.buf) - start)}
}
