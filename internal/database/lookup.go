package database

import (
	"context"
	"slices"
	"strings"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/zset"
)

// present says which keys a locked table has: its own writes, those of others in the
// log, the committed epoch.
func (t *Txn) present(ctx context.Context, w *written, rel *catalog.Relation, keys []string) ([]bool, error) {
	found := make([]bool, len(keys))
	_, err := t.lookup(ctx, w, rel, keys, func(i int, _ []byte, _ *zset.Chunk) error {
		found[i] = true
		return nil
	})
	return found, err
}

// Lookup reads the rows of a locked table with these keys, whose columns stand in the
// order of the relation's Key. It gives full rows, and for each the number of its key.
func (t *Txn) Lookup(ctx context.Context, rel *catalog.Relation, keys *zset.Chunk) (rows *zset.Chunk, which []int, err error) {
	w := t.tables[rel.ID]
	encoded := make([]string, keys.N)
	var buf []byte
	for i := range keys.N {
		buf = buf[:0]
		for _, v := range keys.Cols {
			buf = zset.AppendKey(buf, v, i, zset.Order{})
		}
		encoded[i] = string(buf)
	}
	rows = zset.NewChunk(kinds(rel), keys.N)
	_, err = t.lookup(ctx, w, rel, encoded, func(i int, exact []byte, stored *zset.Chunk) error {
		which = append(which, i)
		if stored != nil {
			rows.AppendRow(stored, 0, 1)
			return nil
		}
		if _, err := zset.DecodeExactRow(rows.Cols, exact); err != nil {
			return err
		}
		rows.AppendWeight(1)
		return nil
	})
	return rows, which, err
}

// lookup calls found for every key that is there: with the row's exact encoding when an
// overlay has it, else with a chunk of the one row.
func (t *Txn) lookup(ctx context.Context, w *written, rel *catalog.Relation, keys []string, found func(i int, exact []byte, row *zset.Chunk) error) (int, error) {
	pin, err := t.db.pinFor(w)
	if err != nil {
		return 0, err
	}
	defer pin.Release() //nolint:errcheck // a snapshot that is given back
	s, err := t.db.newScan(pin, rel)
	if err != nil {
		return 0, err
	}
	n := 0
	ask := map[string][]int{}
	for i, key := range keys {
		v, own := w.own[key]
		if !own {
			v, own = w.table.overlay[key]
		}
		switch {
		case !own:
			group := string(arrange.AppendGroup(nil, []byte(key)))
			ask[group] = append(ask[group], i)
		case v.row != nil:
			n++
			if err := found(i, v.row, nil); err != nil {
				return n, err
			}
		}
	}
	err = s.groups(ask, func(i int, row *zset.Chunk) error {
		n++
		return found(i, nil, row)
	})
	return n, err
}

// groups reads the rows of some keys, given as prefix | key, out of the pinned epoch.
func (s *scan) groups(ask map[string][]int, found func(i int, row *zset.Chunk) error) error {
	if len(ask) == 0 {
		return nil
	}
	sorted := make([][]byte, 0, len(ask))
	for g := range ask {
		sorted = append(sorted, []byte(g))
	}
	slices.SortFunc(sorted, func(a, b []byte) int { return strings.Compare(string(a), string(b)) })
	return s.pin.Use(func(n *state.Snapshot) error {
		var failed error
		err := n.Groups(s.db.o.ID, s.table, sorted, func(group []byte, entries func(yield func(suffix, value []byte) bool)) {
			entries(func(suffix, value []byte) bool {
				row := zset.NewChunk(s.stored.Kinds, 1)
				if failed = s.stored.DecodeRow(append(slices.Clone(group), suffix...), value, row); failed != nil {
					return false
				}
				for _, i := range ask[string(group)] {
					if failed = found(i, row); failed != nil {
						return false
					}
				}
				return true
			})
		})
		if failed != nil {
			return failed
		}
		return err
	})
}

// pinFor pins the newest epoch for a writer of a table, and forgets what of the
// overlay that epoch holds.
func (db *Database) pinFor(w *written) (*view.Pin, error) {
	pin, err := db.o.Views.Pin(db.o.ID)
	if err == nil {
		w.table.overlay.forget(pin.Epoch())
	}
	return pin, err
}
