package postgres

import (
	"encoding/binary"
	"encoding/json"

	"github.com/weirstream/weir/internal/row"
)

// relation is a table as the stream describes it, and the schema made of it.
type relation struct {
	oid             uint32
	namespace, name string
	identity        byte // relreplident: d, i, f, n
	cols            []streamColumn

	schema *row.Schema // nil: not captured
	head   []byte      // table and version, as every change begins after its op
	// current: the handler says that its last use of the table had this version.
	current bool
}

// streamColumn is a column as the stream describes it.
type streamColumn struct {
	name   string
	key    bool // of the replica identity
	typ    uint32
	typmod int32
}

// relation learns the shape that the following changes of a table have.
func (d *decoder) relation(c *cursor) error {
	rel := &relation{oid: c.u32(), namespace: c.text(), name: c.text(), identity: c.u8()}
	if rel.namespace == "" {
		rel.namespace = "pg_catalog" // how the protocol writes it
	}
	for range int(c.u16()) {
		if c.bad {
			return nil
		}
		rel.cols = append(rel.cols, streamColumn{key: c.u8()&1 != 0, name: c.text(), typ: c.u32(), typmod: int32(c.u32())})
	}
	if c.bad {
		return nil
	}
	d.last = nil
	if d.match(rel.namespace, rel.name) {
		schema, err := d.shapes.streamed(rel, d.h.Shape(row.TableID(rel.oid)), d.xid, d.block == nil)
		if err != nil {
			return err
		}
		if err := d.register(rel, schema); err != nil {
			return err
		}
	}
	d.view().rels[rel.oid] = rel
	return nil
}

// register gives the relation its version.
func (d *decoder) register(rel *relation, schema *row.Schema) error {
	v, current, err := d.h.Register(schema)
	if err != nil {
		return err
	}
	schema.Version = v
	rel.schema, rel.current = schema, current
	rel.head = binary.AppendUvarint(nil, uint64(schema.Table))
	rel.head = binary.AppendUvarint(rel.head, uint64(v))
	return nil
}

// view is where the current transaction leaves what it tells of relations.
func (d *decoder) view() *view {
	if d.block != nil {
		return &d.block.view
	}
	return &d.committed
}

// find is the relation as the current transaction sees it.
func (d *decoder) find(oid uint32) *relation {
	if d.block != nil {
		if rel := d.block.rels[oid]; rel != nil {
			return rel
		}
	}
	return d.committed.rels[oid]
}

// announce puts a SchemaChange before the next change of rel, unless it was the
// last version announced.
func (d *decoder) announce(rel *relation) error {
	table, v := rel.schema.Table, rel.schema.Version
	if d.seen(table, v, rel.current) {
		d.view().versions[table] = v
		return nil
	}
	text, err := json.Marshal(rel.schema)
	if err != nil {
		return malformed(nil, "the schema of relation %d: %v", rel.oid, err)
	}
	d.buf = row.AppendChange(d.buf, &row.Change{Op: row.SchemaChange, Table: table, Version: v, Schema: text})
	d.view().versions[table] = v
	if d.block != nil {
		d.block.announcedBy[table] = d.sub
	}
	return nil
}

// seen tells whether version v is what a reader of this transaction knows of the
// table already.
func (d *decoder) seen(table row.TableID, v uint32, current bool) bool {
	if d.block != nil {
		if have, ok := d.block.versions[table]; ok {
			return have == v
		}
	}
	if have, ok := d.committed.versions[table]; ok {
		return have == v
	}
	// First use since the stream began: the handler knows, unless an unfinished
	// transaction has told it meanwhile.
	for _, t := range d.open {
		if _, ok := t.announcedBy[table]; ok && t != d.block {
			return false
		}
	}
	return current
}
