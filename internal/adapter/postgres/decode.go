package postgres

import (
	"encoding/binary"
	"slices"

	"github.com/weirstream/weir/internal/capture"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/wal"
)

// flushAt is how many bytes of changes are collected before the handler gets them.
const flushAt = 256 << 10

// pgEpochUs is 2000-01-01 in unix microseconds, the zero of PostgreSQL's clock.
const pgEpochUs = 946684800_000000

// Prefixes of our own logical messages. All others are the application's.
const (
	heartbeatPrefix = "weir.heartbeat"
	ddlPrefix       = "weir.ddl"
)

// shaper completes what the stream tells of a table's shape. It is the decoder's
// only way to the outside.
type shaper interface {
	// streamed gives the schema of a relation that transaction xid uses, which has
	// committed or is in progress.
	streamed(rel *relation, prev *row.Schema, xid uint32, committed bool) (*row.Schema, error)
	// announced gives the schema of a table as a DDL message describes it, nil
	// when it is not one to capture. rewrite is ddlMessage.Rewrite.
	announced(f *tableFacts, prev *row.Schema, rewrite int) (*row.Schema, error)
	// settle waits until other sessions see what transaction xid committed: the
	// stream may be faster than the server is with that.
	settle(xid uint32) error
	// forget drops what a DDL message told that was rolled back.
	forget(table row.TableID)
}

// decoder turns pgoutput messages (protocol 2) into a handler's calls. It does no
// I/O and allocates nothing per row change. One decoder lives as long as one
// connection.
//
//	B … I U D … C        one transaction, decoded when it committed
//	S … I U D … E  S … E  A  c   blocks of transactions in progress
type decoder struct {
	h      capture.Handler
	shapes shaper
	match  func(namespace, name string) bool
	slot   string // DDL messages of other slots' triggers are not for us

	committed view                    // relations and versions as committed transactions left them
	open      map[uint32]*streamedTxn // transactions in progress
	types     map[uint32]string       // names of types, from Y messages

	in       bool         // between B and C, or S and E
	block    *streamedTxn // set between S and E
	xid, sub uint32
	empty    bool // the transaction has had no change so far
	buf      []byte

	lastOID uint32    // fast path: the relation of the previous change,
	last    *relation // announced already
	// position is where the stream stands: the end of the last transaction.
	position LSN
}

// view is what is known of relations at one place of the stream.
type view struct {
	rels     map[uint32]*relation
	versions map[row.TableID]uint32 // announced last
}

// streamedTxn is a transaction in progress. What it does to relations counts for
// others only once it commits.
type streamedTxn struct {
	view
	empty bool
	ddl   bool // it holds a DDL message
	// announcedBy is the sub-transaction that holds a table's SchemaChange.
	announcedBy map[row.TableID]uint32
}

func newView() view {
	return view{rels: map[uint32]*relation{}, versions: map[row.TableID]uint32{}}
}

func newDecoder(h capture.Handler, shapes shaper, match func(namespace, name string) bool, slot string) *decoder {
	return &decoder{h: h, shapes: shapes, match: match, slot: slot,
		committed: newView(), open: map[uint32]*streamedTxn{}, types: map[uint32]string{}}
}

// idle tells that no transaction is being delivered.
func (d *decoder) idle() bool { return !d.in && len(d.open) == 0 }

// message decodes one pgoutput message.
func (d *decoder) message(b []byte) error {
	if len(b) == 0 {
		return malformed(b, "it is empty")
	}
	c := cursor{b: b[1:]}
	switch b[0] {
	case 'I', 'U', 'D', 'T', 'R', 'Y', 'M':
		return d.content(b, &c)
	case 'B':
		return d.begin(b, &c)
	case 'C':
		return d.commit(b, &c)
	case 'S':
		return d.streamStart(b, &c)
	case 'E':
		return d.streamStop(b)
	case 'c':
		return d.streamCommit(b, &c)
	case 'A':
		return d.streamAbort(b, &c)
	case 'O': // where a replicated transaction came from
		return nil
	}
	return malformed(b, "unknown kind %q", b[0])
}

// content decodes what a transaction consists of.
func (d *decoder) content(b []byte, c *cursor) error {
	if d.block != nil {
		if err := d.enter(c.u32()); err != nil {
			return err
		}
	}
	var err error
	switch b[0] {
	case 'I', 'U', 'D', 'T':
		if !d.in {
			return malformed(b, "a change outside a transaction")
		}
		switch b[0] {
		case 'I':
			err = d.insert(c)
		case 'U':
			err = d.update(c)
		case 'D':
			err = d.delete(c)
		case 'T':
			err = d.truncate(c)
		}
	case 'R':
		err = d.relation(c)
	case 'Y':
		oid, ns, name := c.u32(), c.text(), c.text()
		d.types[oid] = typeNameOf(ns, name)
	case 'M':
		err = d.logicalMessage(c)
	}
	if c.bad {
		return malformed(b, "it ends early or holds a wrong length")
	}
	if err == nil && len(d.buf) >= flushAt {
		err = d.flush()
	}
	return err
}

// enter switches to a sub-transaction of the current block.
func (d *decoder) enter(sub uint32) error {
	if sub == d.sub {
		return nil
	}
	err := d.flush()
	d.sub = sub
	return err
}

// flush hands the collected changes over. A change larger than a call may carry
// goes in several, cut anywhere.
func (d *decoder) flush() error {
	if len(d.buf) == 0 {
		return nil
	}
	d.empty = false
	for rest := d.buf; len(rest) > 0; {
		n := min(len(rest), wal.MaxChanges)
		if err := d.h.Changes(uint64(d.xid), uint64(d.sub), rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	if cap(d.buf) > 4*flushAt {
		d.buf = nil // one huge row does not hold its memory for ever
	}
	d.buf = d.buf[:0]
	return nil
}

func (d *decoder) begin(b []byte, c *cursor) error {
	c.u64() // where it will end
	c.u64() // when
	xid := c.u32()
	if c.bad || d.in {
		return malformed(b, "begin")
	}
	d.in, d.xid, d.sub, d.empty, d.last = true, xid, xid, true, nil
	return nil
}

func (d *decoder) commit(b []byte, c *cursor) error {
	c.u8()
	c.u64()
	end, at := c.u64(), c.u64()
	if c.bad || !d.in || d.block != nil {
		return malformed(b, "commit")
	}
	if err := d.flush(); err != nil {
		return err
	}
	d.in = false
	return d.ended(d.xid, d.empty, end, at)
}

// ended reports a committed transaction. One without changes for us only moves
// the position.
func (d *decoder) ended(xid uint32, empty bool, end, at uint64) error {
	var position [8]byte
	binary.BigEndian.PutUint64(position[:], end)
	d.position = LSN(end)
	if empty {
		return d.h.Alive(position[:])
	}
	return d.h.Commit(uint64(xid), position[:], int64(at)+pgEpochUs)
}

func (d *decoder) streamStart(b []byte, c *cursor) error {
	xid := c.u32()
	first := c.u8()
	t := d.open[xid]
	if c.bad || d.in {
		return malformed(b, "stream start")
	}
	if t == nil {
		if first == 0 {
			return malformed(b, "stream start of a transaction that has not begun")
		}
		t = &streamedTxn{view: newView(), empty: true, announcedBy: map[row.TableID]uint32{}}
		d.open[xid] = t
	}
	d.in, d.block, d.xid, d.sub, d.empty, d.last = true, t, xid, xid, t.empty, nil
	return nil
}

func (d *decoder) streamStop(b []byte) error {
	if d.block == nil {
		return malformed(b, "stream stop")
	}
	if err := d.flush(); err != nil {
		return err
	}
	d.block.empty = d.empty
	d.in, d.block = false, nil
	return nil
}

func (d *decoder) streamCommit(b []byte, c *cursor) error {
	xid := c.u32()
	c.u8()
	c.u64()
	end, at := c.u64(), c.u64()
	t := d.open[xid]
	if c.bad || d.in || t == nil {
		return malformed(b, "stream commit")
	}
	delete(d.open, xid)
	for oid, rel := range t.rels {
		d.committed.rels[oid] = rel
	}
	for table, v := range t.versions {
		d.committed.versions[table] = v
	}
	if err := d.ended(xid, t.empty, end, at); err != nil {
		return err
	}
	if t.ddl {
		if err := d.shapes.settle(xid); err != nil {
			return err
		}
		d.h.TablesChanged()
	}
	return d.complete(t, xid)
}

// complete looks up again what the catalog did not tell while the transaction that
// changed it was in progress.
func (d *decoder) complete(t *streamedTxn, xid uint32) error {
	for _, rel := range t.rels {
		if rel.schema == nil || !slices.ContainsFunc(rel.schema.Columns, func(c row.Column) bool { return c.ID == 0 }) {
			continue
		}
		schema, err := d.shapes.streamed(rel, d.h.Shape(row.TableID(rel.oid)), xid, true)
		if err != nil {
			return err
		}
		if err := d.register(rel, schema); err != nil {
			return err
		}
	}
	return nil
}

// streamAbort forgets a sub-transaction, or the whole transaction. What it told of
// shapes is forgotten as well.
func (d *decoder) streamAbort(b []byte, c *cursor) error {
	xid, sub := c.u32(), c.u32()
	if c.bad || d.in {
		return malformed(b, "stream abort")
	}
	t := d.open[xid]
	if t == nil {
		return nil // rolled back before any of it was streamed
	}
	for table, by := range t.announcedBy {
		if sub == xid || by == sub {
			delete(t.versions, table)
			delete(t.announcedBy, table)
			d.shapes.forget(table)
		}
	}
	if sub == xid {
		delete(d.open, xid)
	}
	return d.h.Abort(uint64(xid), uint64(sub))
}
