package postgres

import (
	"encoding/binary"
	"math/bits"

	"github.com/weirstream/weir/internal/row"
)

// ready finds the relation of the next change and sees to it that the handler
// knows its version. nil without error: a table that is not captured.
func (d *decoder) ready(oid uint32) (*relation, error) {
	if d.last != nil && d.lastOID == oid {
		return d.last, nil
	}
	rel := d.find(oid)
	if rel == nil {
		return nil, malformed(nil, "a change of relation %d, which was not described", oid)
	}
	if rel.schema == nil {
		return nil, nil
	}
	if err := d.announce(rel); err != nil {
		return nil, err
	}
	d.last, d.lastOID = rel, oid
	return rel, nil
}

func (d *decoder) insert(c *cursor) error {
	rel, err := d.ready(c.u32())
	if rel == nil {
		return err
	}
	if c.u8() != 'N' {
		c.bad = true
		return nil
	}
	d.buf = append(append(d.buf, byte(row.Insert)), rel.head...)
	d.tuple(c, rel, nil)
	return nil
}

func (d *decoder) update(c *cursor) error {
	rel, err := d.ready(c.u32())
	if rel == nil {
		return err
	}
	d.buf = append(append(d.buf, byte(row.Update)), rel.head...)
	kind := c.u8()
	var full []byte
	switch kind {
	case 'K', 'O':
		d.buf = append(d.buf, kind)
		if kind == 'O' {
			full = c.b
		}
		d.tuple(c, rel, nil)
		kind = c.u8()
	default:
		d.buf = append(d.buf, byte(row.OldNone))
	}
	if kind != 'N' {
		c.bad = true
		return nil
	}
	d.tuple(c, rel, full)
	return nil
}

func (d *decoder) delete(c *cursor) error {
	rel, err := d.ready(c.u32())
	if rel == nil {
		return err
	}
	kind := c.u8()
	if kind != 'K' && kind != 'O' {
		c.bad = true
		return nil
	}
	d.buf = append(append(d.buf, byte(row.Delete)), rel.head...)
	d.buf = append(d.buf, kind)
	d.tuple(c, rel, nil)
	return nil
}

// truncate gives one change per table; PostgreSQL's flags are ours.
func (d *decoder) truncate(c *cursor) error {
	n, flags := c.u32(), c.u8()
	for range n {
		if c.bad {
			return nil
		}
		oid := c.u32()
		if c.bad {
			return nil
		}
		rel, err := d.ready(oid)
		if err != nil {
			return err
		}
		if rel != nil {
			d.buf = append(append(d.buf, byte(row.Truncate)), rel.head...)
			d.buf = append(d.buf, flags)
		}
	}
	return nil
}

// tuple appends a row image with its length before it. full is the old image
// that an unchanged large value is taken from, when the message has it.
func (d *decoder) tuple(c *cursor, rel *relation, full []byte) {
	n := int(c.u16())
	if n != len(rel.cols) {
		c.bad = true
		return
	}
	start := len(d.buf)
	buf := append(d.buf, 0) // one byte for the length, mostly enough
	buf = binary.AppendUvarint(buf, uint64(n))
	b := c.b
	for i := range n {
		if len(b) == 0 {
			c.bad = true
			break
		}
		switch b[0] {
		case 't':
			if len(b) < 5 {
				c.bad = true
				return
			}
			size := uint64(binary.BigEndian.Uint32(b[1:]))
			if size > uint64(len(b)-5) {
				c.bad = true
				return
			}
			if size < 126 {
				buf = append(buf, byte(size+2))
			} else {
				buf = binary.AppendUvarint(buf, size+2)
			}
			buf = append(buf, b[5:5+size]...)
			b = b[5+size:]
		case 'n':
			buf = row.AppendNull(buf)
			b = b[1:]
		case 'u':
			buf = appendOld(buf, full, i)
			b = b[1:]
		default:
			c.bad = true
			return
		}
	}
	c.b = b
	d.buf = prefixLength(buf, start)
}

// appendOld appends column i of an old image as the message has it; Unchanged
// when there is no such image or it does not hold the value either.
func appendOld(buf, image []byte, i int) []byte {
	c := cursor{b: image}
	for range int(c.u16()) {
		kind := c.u8()
		var value []byte
		if kind == 't' {
			value = c.take(c.u32())
		}
		if c.bad {
			break
		}
		if i == 0 {
			if kind == 't' {
				return row.AppendValue(buf, value)
			}
			break
		}
		i--
	}
	return row.AppendUnchanged(buf)
}

// prefixLength puts the length of buf[start+1:] at start, as a uvarint. Moving a
// long tuple by a byte or two is cheaper than measuring all of them first.
func prefixLength(buf []byte, start int) []byte {
	size := len(buf) - start - 1
	if size < 0x80 {
		buf[start] = byte(size)
		return buf
	}
	extra := (bits.Len(uint(size))+6)/7 - 1
	for range extra {
		buf = append(buf, 0)
	}
	copy(buf[start+1+extra:], buf[start+1:start+1+size])
	binary.PutUvarint(buf[start:], uint64(size))
	return buf
}
