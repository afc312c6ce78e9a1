package debezium

import (
	"bytes"

	"github.com/weirstream/weir/internal/row"
)

// Event is one message about a change; its byte is Debezium's op.
type Event byte

// The events.
const (
	Create       Event = 'c'
	Update       Event = 'u'
	Delete       Event = 'd'
	SnapshotRead Event = 'r'
	Truncate     Event = 't'
)

// Tombstone tells whether a compacted topic gets a message with this key and no
// value after the event.
func (e Event) Tombstone() bool { return e == Delete }

// What Events returns; shared, so that asking costs nothing.
var (
	creates   = []Event{Create}
	updates   = []Event{Update}
	deletes   = []Event{Delete}
	reads     = []Event{SnapshotRead}
	truncates = []Event{Truncate}
	moves     = []Event{Delete, Create}
)

// Events lists the events that tell c, in order: one for most changes, a delete of
// the old key and a create of the new when an update changes the key, none for a
// change of schema. The caller must not change the slice.
func Events(c *row.Change, s *row.Schema) []Event {
	switch c.Op {
	case row.Insert:
		return creates
	case row.Read:
		return reads
	case row.Delete:
		return deletes
	case row.Truncate:
		return truncates
	case row.Update:
		if changesKey(c, s) {
			return moves
		}
		return updates
	}
	return nil
}

// changesKey compares the key columns of both images. An unchanged column is
// equal, however it is sent.
func changesKey(c *row.Change, s *row.Schema) bool {
	if c.OldKind == row.OldNone {
		return false
	}
	before, after := c.Old.Iter(), c.New.Iter()
	for i := 0; i < len(s.Columns) && before.Next() && after.Next(); i++ {
		if s.Columns[i].Key && after.State != row.Unchanged && !bytes.Equal(before.Value, after.Value) {
			return true
		}
	}
	return false
}
