package wal

import (
	"encoding/binary"
	"errors"
)

// MaxPosition bounds Entry.Position, in bytes.
const MaxPosition = 4 << 10

// ErrMalformed reports bytes that are not the encoding of an entry.
var ErrMalformed = errors.New("wal: malformed entry")

// Flags of an encoded entry.
const (
	flagLarge = 1 << iota // a LargeRef follows, and no changes
	flagSubs              // the LargeRef lists its surviving sub-transactions
)

// AppendHead appends everything of e's encoding that comes before its changes.
// The whole encoding is the head followed by e.Changes, so a backend can check
// and copy the changes without building the encoding twice.
//
//	kind flags len position  xid(uvarint) commit(varint)  changes …
//	                                                      or the LargeRef:
//	  attempt(uvarint) bytes(varint) changes(varint) [count, differences(varint) of the subs]
//
// Ts and Term are not part of it: they are the backend's frame.
func AppendHead(dst []byte, e *Entry) []byte {
	var flags byte
	if e.Large != nil {
		flags |= flagLarge
		if e.Large.Subs != nil {
			flags |= flagSubs
		}
	}
	dst = append(dst, byte(e.Kind), flags)
	dst = binary.AppendUvarint(dst, uint64(len(e.Position)))
	dst = append(dst, e.Position...)
	dst = binary.AppendUvarint(dst, e.Xid)
	dst = binary.AppendVarint(dst, e.CommitUs)
	if e.Large != nil {
		dst = appendLarge(dst, e.Large)
	}
	return dst
}

func appendLarge(dst []byte, l *LargeRef) []byte {
	dst = binary.AppendUvarint(dst, l.Attempt)
	dst = binary.AppendVarint(dst, l.Bytes)
	dst = binary.AppendVarint(dst, l.Changes)
	if l.Subs == nil {
		return dst
	}
	dst = binary.AppendUvarint(dst, uint64(len(l.Subs)))
	prev := uint64(0)
	for _, s := range l.Subs {
		dst = binary.AppendVarint(dst, int64(s-prev))
		prev = s
	}
	return dst
}

// AppendEntry appends e's whole encoding.
func AppendEntry(dst []byte, e *Entry) []byte {
	dst = AppendHead(dst, e)
	if e.Large == nil {
		dst = append(dst, e.Changes...)
	}
	return dst
}

// DecodeEntry sets all of e but Ts and Term from an encoding. Position and
// Changes borrow from b. It returns ErrMalformed for anything else, and never panics.
func DecodeEntry(b []byte, e *Entry) error {
	if len(b) < 2 || b[1]&^(flagLarge|flagSubs) != 0 || b[1] == flagSubs {
		return ErrMalformed
	}
	kind, flags := Kind(b[0]), b[1]
	if kind != KindTxn && kind != KindMarker {
		return ErrMalformed
	}
	d := decoder{rest: b[2:]}
	e.Kind, e.Large, e.Changes = kind, nil, nil
	e.Position = d.bytes()
	e.Xid = d.uvarint()
	e.CommitUs = d.varint()
	if flags&flagLarge == 0 {
		e.Changes = d.rest[:len(d.rest):len(d.rest)]
	} else {
		e.Large = d.large(flags&flagSubs != 0)
	}
	if d.bad {
		return ErrMalformed
	}
	return nil
}

// decoder consumes rest; after the first malformed item everything is zero and bad is set.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) large(subs bool) *LargeRef {
	l := &LargeRef{Attempt: d.uvarint(), Bytes: d.varint(), Changes: d.varint()}
	if subs {
		n := d.uvarint()
		if n > uint64(len(d.rest)) { // each takes a byte at least
			d.bad = true
			return nil
		}
		l.Subs = make([]uint64, n)
		prev := uint64(0)
		for i := range l.Subs {
			prev += uint64(d.varint())
			l.Subs[i] = prev
		}
	}
	if len(d.rest) != 0 {
		d.bad = true
	}
	return l
}

func (d *decoder) uvarint() uint64 {
	v, w := binary.Uvarint(d.rest)
	return d.took(v, w)
}

func (d *decoder) varint() int64 {
	v, w := binary.Varint(d.rest)
	return int64(d.took(uint64(v), w))
}

func (d *decoder) took(v uint64, w int) uint64 {
	if w <= 0 {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[w:]
	return v
}

func (d *decoder) bytes() []byte {
	n := d.uvarint()
	if n > uint64(len(d.rest)) {
		d.bad = true
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}
