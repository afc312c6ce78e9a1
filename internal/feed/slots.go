package feed

import (
	"bytes"
	"context"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/wal"
)

// unit is a piece of a transaction: all its changes, or one part of them.
type unit struct {
	entry   *wal.Entry
	changes []byte
}

// slotter finds the slots of the keys that a run of units changes, in tables
// under snapshot, with one question to the source for each table. The reader
// takes the verdicts in the order of the changes.
type slotter struct {
	tables map[row.TableID]*tableSlots
	alone  bool // decide change by change
	arena  arena
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

// prepare takes as many units as can be decided together, at least one.
func (s *slotter) prepare(ctx context.Context, t *tables, units []unit) (int, error) {
	clear(s.tables)
	if s.alone = t.consumer.Idle(); s.alone {
		return len(units), nil // a table that becomes new on the way is decided change by change
	}
	n, err := s.collect(t, units)
	if err != nil || len(s.tables) == 0 {
		return n, err
	}
	for id, ts := range s.tables { // any order: the tables are independent
		if ts.slots, err = locate(ctx, t.source, id, ts.bounds, ts.keys); err != nil {
			return n, err
		}
	}
	return n, nil
}

// collect gathers the keys, up to a unit that changes what slots mean: such a
// one goes alone.
func (s *slotter) collect(t *tables, units []unit) (int, error) {
	s.arena.reset()
	for i := range units {
		turns, err := s.scan(t, &units[i], false)
		if err != nil {
			return i, err
		}
		if turns {
			if i == 0 {
				s.alone = true
				return 1, nil
			}
			return i, nil
		}
		if _, err := s.scan(t, &units[i], true); err != nil {
			return i, err
		}
	}
	return len(units), nil
}

// scan walks the changes of a unit. The first walk begins what is new and tells
// whether the unit must go alone; the second notes keys.
func (s *slotter) scan(t *tables, u *unit, note bool) (turns bool, err error) {
	it := row.Changes(u.changes)
	var sh *shape
	for it.Next() {
		c := &it.Change
		if sh == nil || sh.Table != c.Table || sh.Version != c.Version {
			if c.Op == row.SchemaChange {
				return true, nil
			}
			if sh, err = t.shape(c.Table, c.Version); err != nil {
				return false, err
			}
			if sh.taken && !t.consumer.Known(c.Table) {
				return true, nil
			}
		}
		switch {
		case c.Op == row.SchemaChange:
			return true, nil
		case !sh.taken || !t.consumer.Active(c.Table):
		case c.Op == row.Truncate:
			return true, nil
		case note:
			if err := s.note(t, sh, c); err != nil {
				return false, err
			}
		}
	}
	return false, nil // malformed bytes show when the unit is processed
}

func (s *slotter) note(t *tables, sh *shape, c *row.Change) error {
	if s.tables == nil {
		s.tables = map[row.TableID]*tableSlots{}
	}
	k := s.tables[c.Table]
	if k == nil {
		k = &tableSlots{decider: t.consumer.Decider(c.Table), bounds: t.consumer.Bounds(c.Table)}
		s.tables[c.Table] = k
	}
	return k.add(&s.arena, sh, c)
}

// add notes the keys of one change.
func (k *tableSlots) add(a *arena, sh *shape, c *row.Change) error {
	var pair [2]int
	before, after, err := keysOf(a, sh, c)
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
		pair[i] = len(k.keys)
		k.keys = append(k.keys, key)
	}
	k.pairs = append(k.pairs, pair)
	return nil
}

// verdict decides the next change of the table.
func (k *tableSlots) verdict(xid uint64) backfill.Verdict {
	pair := k.pairs[k.next]
	k.next++
	if pair[0] == pair[1] {
		return k.decider.Insert(k.slots[pair[0]], xid)
	}
	return k.decider.Update(k.slots[pair[0]], k.slots[pair[1]], xid)
}

// locate asks the source, unless there is only one slot.
func locate(ctx context.Context, source Source, id row.TableID, bounds, keys []row.Tuple) ([]int, error) {
	if len(bounds) == 0 {
		return make([]int, len(keys)), nil
	}
	return source.Locate(ctx, id, bounds, keys)
}

// keysOf gives the key tuples of the row before and after a change; nil where
// there is none, or where the old row was not sent because its key is the same.
func keysOf(a *arena, sh *shape, c *row.Change) (before, after row.Tuple, err error) {
	if c.OldKind != row.OldNone {
		if before, err = keyOf(a, sh, c.Old, nil); err != nil {
			return nil, nil, err
		}
	}
	if len(c.New) > 0 {
		after, err = keyOf(a, sh, c.New, c.Old)
	}
	return before, after, err
}

// keyOf cuts the key columns out of a tuple. A key column that is Unchanged is
// taken from the old tuple, which then carries it.
func keyOf(a *arena, sh *shape, t, old row.Tuple) (row.Tuple, error) {
	dst := a.make(len(t) + len(old) + 10)[:0]
	dst = row.AppendTupleHeader(dst, len(sh.key))
	next := 0
	it, was := t.Iter(), old.Iter()
	for i := 0; it.Next() && next < len(sh.key); i++ {
		carried := was.Next()
		if i != sh.key[next] {
			continue
		}
		next++
		state, value := it.State, it.Value
		if state == row.Unchanged && carried {
			state, value = was.State, was.Value
		}
		if state == row.Present {
			dst = row.AppendValue(dst, value)
		} else {
			dst = row.AppendNull(dst)
		}
	}
	if next < len(sh.key) {
		return nil, row.ErrCorrupt
	}
	return dst, nil
}
