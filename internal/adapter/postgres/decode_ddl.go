package postgres

import (
	"encoding/json"
	"slices"

	"github.com/weirstream/weir/internal/row"
)

// ddlMessage is the content of a DDL message: the tables that a command touched,
// as the catalog has them right after it.
type ddlMessage struct {
	Slot   string       `json:"slot"`
	Tag    string       `json:"tag"`
	Tables []tableFacts `json:"tables"`
	// Rewrite says why the command is about to rewrite the table's rows, in the bits
	// of pg_event_trigger_table_rewrite_reason; 0 when it has ended, or there are no rows.
	Rewrite int `json:"rewrite"`
}

// logicalMessage takes our own messages and leaves all others alone.
func (d *decoder) logicalMessage(c *cursor) error {
	transactional := c.u8()&1 != 0
	c.u64()
	prefix := c.text()
	content := c.take(c.u32())
	if c.bad || !transactional || prefix != ddlPrefix {
		return nil
	}
	var m ddlMessage
	if err := json.Unmarshal(content, &m); err != nil {
		// Anybody may emit a message with our prefix: it is not worth a stop, the
		// relation messages tell the same, only later.
		return nil
	}
	if m.Slot != d.slot || !d.in {
		return nil
	}
	if d.block == nil {
		if err := d.shapes.settle(d.xid); err != nil {
			return err
		}
	}
	for i := range m.Tables {
		if err := d.tableChanged(&m.Tables[i], m.Rewrite); err != nil {
			return err
		}
	}
	if d.block != nil {
		d.block.ddl = true // nobody else sees it before it commits
	} else {
		d.h.TablesChanged()
	}
	return nil
}

// tableChanged announces a table's shape after a DDL command.
func (d *decoder) tableChanged(f *tableFacts, rewrite int) error {
	id := row.TableID(f.OID)
	d.last = nil
	if f.Dropped {
		return d.tableDropped(id)
	}
	if !f.captured() || !d.match(f.Namespace, f.Name) {
		return nil
	}
	schema, err := d.shapes.announced(f, d.h.Shape(id), rewrite)
	if err != nil || schema == nil {
		return err
	}
	rel := &relation{oid: f.OID, namespace: f.Namespace, name: f.Name, identity: f.identityByte(), cols: f.streamColumns()}
	if err := d.register(rel, schema); err != nil {
		return err
	}
	// The stream describes the relation anew before its next row, unless the
	// command left what it tells as it was.
	if old := d.find(f.OID); old != nil && sameRelation(old, rel) {
		d.view().rels[f.OID] = rel
	}
	return d.announce(rel)
}

// tableDropped ends a table whose shape is known.
func (d *decoder) tableDropped(id row.TableID) error {
	last := d.h.Shape(id)
	if last == nil || last.Dropped {
		return nil
	}
	end := *last
	end.Dropped = true
	rel := &relation{oid: uint32(id), namespace: end.Namespace, name: end.Name}
	if err := d.register(rel, &end); err != nil {
		return err
	}
	return d.announce(rel)
}

// sameRelation tells whether the stream would describe both alike.
func sameRelation(a, b *relation) bool {
	return a.namespace == b.namespace && a.name == b.name && a.identity == b.identity && slices.Equal(a.cols, b.cols)
}
