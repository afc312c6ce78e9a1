package reconcile

import (
	"bytes"
	"context"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/row"
)

// Finder decides about the changes of a run of units, a unit being a piece of a
// transaction, in tables under snapshot. Verdicts are asked for in the order of the changes.
type Finder struct {
	Consumer *backfill.Consumer
	// Key gives the indexes of the key columns of a version of a table; taken is false
	// for one that the consumer does not follow.
	Key func(table row.TableID, version uint32) (key []int, taken bool, err error)
	// Locate is Source.Locate.
	Locate func(ctx context.Context, table row.TableID, bounds, keys []row.Tuple) ([]int, error)

	tables map[row.TableID]*tableSlots
	alone  bool // decide change by change
	keys   keys
}

// tableSlots are the keys of one table in a run.
type tableSlots struct {
	decider backfill.Decider
	bounds  []row.Tuple
	keys    []row.Tuple
	pairs   [][2]int // of each change: index of its old and its new key
	slots   []int
	next    int // of pairs
}

// Prepare takes as many units, given by their changes, as can be decided together, at least one.
func (f *Finder) Prepare(ctx context.Context, units [][]byte) (int, error) {
	clear(f.tables)
	if f.alone = f.Consumer.Idle(); f.alone {
		return len(units), nil // a table that becomes new on the way is decided change by change
	}
	n, err := f.collect(units)
	if err != nil || len(f.tables) == 0 {
		return n, err
	}
	for id, t := range f.tables { // any order: the tables are independent
		if t.slots, err = f.locate(ctx, id, t); err != nil {
			return n, err
		}
	}
	return n, nil
}

// collect gathers the keys, up to a unit that changes what slots mean: such a
// one goes alone.
func (f *Finder) collect(units [][]byte) (int, error) {
	f.keys.reset()
	for i, changes := range units {
		turns, err := f.scan(changes, false)
		if err != nil {
			return i, err
		}
		if turns {
			if i == 0 {
				f.alone = true
				return 1, nil
			}
			return i, nil
		}
		if _, err := f.scan(changes, true); err != nil {
			return i, err
		}
	}
	return len(units), nil
}

// scan walks the changes of a unit. The first walk begins what is new and tells
// whether the unit must go alone; the second notes keys.
func (f *Finder) scan(changes []byte, note bool) (turns bool, err error) {
	var (
		key     []int
		taken   bool
		table   row.TableID
		version uint32
	)
	for it, first := row.Changes(changes), true; it.Next(); first = false {
		c := &it.Change
		if c.Op == row.SchemaChange {
			return true, nil
		}
		if first || table != c.Table || version != c.Version {
			table, version = c.Table, c.Version
			if key, taken, err = f.Key(table, version); err != nil {
				return false, err
			}
			if taken && !f.Consumer.Known(table) {
				return true, nil
			}
		}
		switch {
		case !taken || !f.Consumer.Active(table):
		case c.Op == row.Truncate:
			return true, nil
		case note:
			if err := f.note(key, c); err != nil {
				return false, err
			}
		}
	}
	return false, nil // malformed bytes show when the unit is processed
}

func (f *Finder) note(key []int, c *row.Change) error {
	if f.tables == nil {
		f.tables = map[row.TableID]*tableSlots{}
	}
	t := f.tables[c.Table]
	if t == nil {
		t = f.begin(c.Table)
		f.tables[c.Table] = t
	}
	return t.add(&f.keys, key, c)
}

func (f *Finder) begin(table row.TableID) *tableSlots {
	return &tableSlots{decider: f.Consumer.Decider(table), bounds: f.Consumer.Bounds(table)}
}

// Verdict decides about the next change of a table that is Active; key are the indexes of its key columns.
func (f *Finder) Verdict(ctx context.Context, c *row.Change, key []int, xid uint64) (backfill.Verdict, error) {
	if !f.alone {
		return f.tables[c.Table].verdict(xid), nil
	}
	t := f.begin(c.Table)
	err := t.add(&f.keys, key, c)
	if err == nil {
		t.slots, err = f.locate(ctx, c.Table, t)
	}
	if err != nil {
		return backfill.Drop, err
	}
	return t.verdict(xid), nil
}

// locate asks the source, unless there is only one slot.
func (f *Finder) locate(ctx context.Context, id row.TableID, t *tableSlots) ([]int, error) {
	if len(t.bounds) == 0 {
		return make([]int, len(t.keys)), nil
	}
	return f.Locate(ctx, id, t.bounds, t.keys)
}

// add notes the keys of one change.
func (t *tableSlots) add(a *keys, columns []int, c *row.Change) error {
	var pair [2]int
	before, after, err := a.of(columns, c)
	if err != nil {
		return err
	}
	for i, key := range []row.Tuple{before, after} {
		if i == 1 && (after == nil || bytes.Equal(before, after)) {
			pair[1] = pair[0]
			continue
		}
		if i == 0 && before == nil {
			key, after = after, nil
		}
		pair[i] = len(t.keys)
		t.keys = append(t.keys, key)
	}
	t.pairs = append(t.pairs, pair)
	return nil
}

// verdict decides the next change of the table.
func (t *tableSlots) verdict(xid uint64) backfill.Verdict {
	pair := t.pairs[t.next]
	t.next++
	if pair[0] == pair[1] {
		return t.decider.Insert(t.slots[pair[0]], xid)
	}
	return t.decider.Update(t.slots[pair[0]], t.slots[pair[1]], xid)
}
