package backfill

import "github.com/weirstream/weir/internal/row"

// Verdict says what becomes of a change of a table under snapshot.
type Verdict uint8

// Verdicts. The last two are for updates that change the key, when only one of
// the two keys counts.
const (
	Drop          Verdict = iota // a chunk has it, or will have it
	Deliver                      // as it is
	DeliverDelete                // only the disappearance of the old key
	DeliverInsert                // only the appearance of the new row
)

// Bounds are the ascending key tuples that cut the table's keys into slots. A
// key's slot is the number of bounds below it (bound < key). Slots are valid
// until the next Marker, Settle, Truncate, Start or Restore.
func (c *Consumer) Bounds(id row.TableID) []row.Tuple {
	t := c.tables[id]
	if t == nil {
		return nil
	}
	bounds, _ := t.slots()
	return bounds
}

// slots returns the bounds and, for each slot, the index of its range or -1.
func (t *table) slots() (bounds []row.Tuple, ranges []int) {
	next := 0 // chunk index at which the current slot begins
	for i := range t.Ranges {
		r := &t.Ranges[i]
		if r.First > next { // a hole that ends at r.Lo
			bounds = append(bounds, r.Lo)
			ranges = append(ranges, -1)
		}
		ranges = append(ranges, i)
		if r.Hi == nil {
			return bounds, ranges
		}
		bounds = append(bounds, r.Hi)
		next = r.Last + 1
	}
	return bounds, append(ranges, -1)
}

// Decider decides about changes of one table between two calls of the Consumer.
type Decider struct {
	t      *table
	ranges []int
}

// Decider prepares decisions for a table under snapshot, from the same state as
// Bounds. The zero Decider, for tables that are not Active, delivers everything.
func (c *Consumer) Decider(id row.TableID) Decider {
	t := c.tables[id]
	if t == nil {
		return Decider{}
	}
	_, ranges := t.slots()
	return Decider{t, ranges}
}

// Insert decides about a change of one key: an insert, a delete, or an update
// that keeps its key. slot is the key's; xid is the transaction's.
func (d Decider) Insert(slot int, xid uint64) Verdict {
	if d.counts(slot, xid) {
		return Deliver
	}
	return Drop
}

// Update decides about an update that changes the key.
func (d Decider) Update(oldSlot, newSlot int, xid uint64) Verdict {
	before, after := d.counts(oldSlot, xid), d.counts(newSlot, xid)
	switch {
	case before && after:
		return Deliver
	case before:
		return DeliverDelete
	case after:
		return DeliverInsert
	}
	return Drop
}

// counts: the key is covered by a chunk that does not include the transaction.
func (d Decider) counts(slot int, xid uint64) bool {
	if d.t == nil {
		return true
	}
	if slot >= len(d.ranges) || d.ranges[slot] < 0 {
		return false
	}
	return !d.t.Ranges[d.ranges[slot]].Visible.Sees(xid) // a settled range sees nothing
}

// Truncate tells that the stream truncates the table; the consumer delivers the
// truncation in any case. True means that the snapshot begins anew, as the next
// attempt (see Wants), since a chunk was already read behind the truncation.
func (c *Consumer) Truncate(id row.TableID, xid uint64) (restart bool) {
	t := c.tables[id]
	if t == nil {
		return false
	}
	for i := range t.Ranges {
		if t.Ranges[i].Visible.Sees(xid) {
			restart = true
		}
	}
	if restart {
		*t = table{Attempt: t.Attempt + 1}
	}
	return restart
}
