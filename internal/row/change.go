package row

import "encoding/binary"

// Op is the kind of a change.
type Op byte

// Kinds of change. Read is a row of an initial snapshot.
const (
	Insert       Op = 'I'
	Update       Op = 'U'
	Delete       Op = 'D'
	Read         Op = 'R'
	Truncate     Op = 'T'
	SchemaChange Op = 'S'
)

// OldImage tells how much of the old row a change carries.
type OldImage byte

// What Change.Old holds: nothing, the key columns (all others NULL), or the whole row.
const (
	OldNone OldImage = 0
	OldKey  OldImage = 'K'
	OldFull OldImage = 'O'
)

// Truncate flags, in Change.Flags.
const (
	TruncateCascade         = 1
	TruncateRestartIdentity = 2
)

// Change is one change of one table. Its slices borrow from the buffer it was
// decoded from.
//
//	op  table(uvarint)  version(uvarint)  body
//	  I,R  len New
//	  U    oldkind len Old len New          (no "len Old" when oldkind is 0)
//	  D    oldkind len Old
//	  T    flags
//	  S    len Schema (JSON of Schema; Version is the version that begins here)
type Change struct {
	Op      Op
	Table   TableID
	Version uint32
	OldKind OldImage
	Flags   byte
	Old     Tuple
	New     Tuple
	Schema  []byte
}

// AppendChange appends c's encoding to dst.
func AppendChange(dst []byte, c *Change) []byte {
	dst = AppendChangeHeader(dst, c.Op, c.Table, c.Version)
	switch c.Op {
	case Insert, Read:
		dst = appendBytes(dst, c.New)
	case Update:
		dst = append(dst, byte(c.OldKind))
		if c.OldKind != OldNone {
			dst = appendBytes(dst, c.Old)
		}
		dst = appendBytes(dst, c.New)
	case Delete:
		dst = append(dst, byte(c.OldKind))
		dst = appendBytes(dst, c.Old)
	case Truncate:
		dst = append(dst, c.Flags)
	case SchemaChange:
		dst = appendBytes(dst, c.Schema)
	}
	return dst
}

// AppendChangeHeader appends the part all changes begin with.
func AppendChangeHeader(dst []byte, op Op, table TableID, version uint32) []byte {
	dst = append(dst, byte(op))
	dst = binary.AppendUvarint(dst, uint64(table))
	return binary.AppendUvarint(dst, uint64(version))
}

func appendBytes(dst, b []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(b)))
	return append(dst, b...)
}

// ChangeIter walks an encoded sequence of changes without allocating.
//
//	for it := row.Changes(buf); it.Next(); { use(&it.Change) }
type ChangeIter struct {
	rest   []byte
	err    error
	Change Change
}

// Changes starts a walk over buf.
func Changes(buf []byte) ChangeIter { return ChangeIter{rest: buf} }

// Rest is what the walk has not consumed yet.
func (it *ChangeIter) Rest() []byte { return it.rest }

// Err tells whether the walk stopped at malformed bytes.
func (it *ChangeIter) Err() error { return it.err }

// Next decodes the next change into it.Change; false at the end or on malformed
// bytes (see Err).
func (it *ChangeIter) Next() bool {
	if len(it.rest) == 0 || it.err != nil {
		return false
	}
	c := &it.Change
	*c = Change{Op: Op(it.rest[0])}
	it.rest = it.rest[1:]
	c.Table = TableID(it.uvarint())
	c.Version = uint32(it.uvarint())
	switch c.Op {
	case Insert, Read:
		c.New = it.bytes()
	case Update:
		if c.OldKind = OldImage(it.byte()); c.OldKind != OldNone {
			c.Old = it.bytes()
		}
		c.New = it.bytes()
	case Delete:
		c.OldKind = OldImage(it.byte())
		c.Old = it.bytes()
	case Truncate:
		c.Flags = it.byte()
	case SchemaChange:
		c.Schema = it.bytes()
	default:
		it.err = ErrCorrupt
	}
	return it.err == nil
}

func (it *ChangeIter) byte() byte {
	if len(it.rest) == 0 {
		it.err = ErrCorrupt
		return 0
	}
	b := it.rest[0]
	it.rest = it.rest[1:]
	return b
}

func (it *ChangeIter) uvarint() uint64 {
	v, w := binary.Uvarint(it.rest)
	if w <= 0 {
		it.err = ErrCorrupt
		it.rest = nil
		return 0
	}
	it.rest = it.rest[w:]
	return v
}

func (it *ChangeIter) bytes() []byte {
	n := it.uvarint()
	if n > uint64(len(it.rest)) {
		it.err = ErrCorrupt
		return nil
	}
	b := it.rest[:n:n]
	it.rest = it.rest[n:]
	return b
}
