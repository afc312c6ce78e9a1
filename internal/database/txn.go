package database

import (
	"context"
	"slices"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/zset"
)

// Txn is a transaction over own tables. One goroutine uses it; Commit or Rollback ends it.
type Txn struct {
	db      *Database
	tables  map[catalog.ID]*written
	changes []byte // row.Change after row.Change, as the log takes them
	ends    []int  // of each
	hold    hold
}

// written is a table that the transaction has locked.
type written struct {
	table *table
	own   overlay
}

// Begin starts a transaction. It locks nothing yet.
func (db *Database) Begin() *Txn {
	return &Txn{db: db, tables: map[catalog.ID]*written{}, hold: hold{of: db.o.Memory}}
}

// Lock makes the transaction the table's only writer until it ends. What it reads of
// the table from then on (Query, Apply) is everything written before.
func (t *Txn) Lock(ctx context.Context, rel *catalog.Relation) error {
	if t.tables[rel.ID] != nil {
		return nil
	}
	tab, err := t.db.table(rel)
	if err != nil {
		return err
	}
	if err := t.db.shown(ctx); err != nil {
		return err
	}
	if err := t.db.WaitFor(ctx, t.db.settled); err != nil {
		return err
	}
	if err := tab.lock.lock(ctx, rel); err != nil {
		return err
	}
	t.tables[rel.ID] = &written{tab, overlay{}}
	return nil
}

// Wrote tells whether the transaction has anything to commit.
func (t *Txn) Wrote() bool { return len(t.ends) > 0 }

// Apply changes a locked table: rows of weight -1 go, which the caller has read in
// this transaction, rows of weight +1 come. The columns are the relation's. Errors
// are PostgreSQL's: 23502, 23505. After an error nothing of the call holds.
func (t *Txn) Apply(ctx context.Context, rel *catalog.Relation, delta *zset.Chunk) error {
	w := t.tables[rel.ID]
	if err := notNull(rel, delta); err != nil {
		return err
	}
	plus, minus, err := t.split(rel, delta)
	if err != nil {
		return err
	}
	if err := t.unique(ctx, w, rel, delta, plus, minus); err != nil {
		return err
	}
	if err := t.hold.set(t.bytes()); err != nil {
		return err
	}
	t.record(w, rel, delta, plus, minus)
	return nil
}

// bytes estimates what the transaction holds: its changes, and the same rows by key.
func (t *Txn) bytes() int64 { return 2*int64(len(t.changes)) + 128*int64(len(t.ends)) }

// keyed is a row of a delta with its key.
type keyed struct {
	key string
	row int
}

// split sorts the rows of a delta by sign and finds keys that come twice.
func (t *Txn) split(rel *catalog.Relation, delta *zset.Chunk) (plus []keyed, minus map[string]int, err error) {
	minus = map[string]int{}
	seen := map[string]bool{}
	var buf []byte
	for i := range delta.N {
		buf = keyOf(buf[:0], rel, delta.Cols, i)
		key := string(buf)
		if delta.Weight(i) < 0 {
			minus[key] = i
			continue
		}
		if seen[key] {
			return nil, nil, duplicate(rel, delta, i)
		}
		seen[key] = true
		plus = append(plus, keyed{key, i})
	}
	return plus, minus, nil
}

// unique finds a row that comes over another one's key.
func (t *Txn) unique(ctx context.Context, w *written, rel *catalog.Relation, delta *zset.Chunk, plus []keyed, minus map[string]int) error {
	if rel.HiddenKey() {
		return nil // the writer numbers these rows itself
	}
	var ask []keyed
	for _, p := range plus {
		if _, goes := minus[p.key]; !goes {
			ask = append(ask, p)
		}
	}
	keys := make([]string, len(ask))
	for i, p := range ask {
		keys[i] = p.key
	}
	found, err := t.present(ctx, w, rel, keys)
	if err != nil {
		return err
	}
	for i, there := range found {
		if there {
			return duplicate(rel, delta, ask[i].row)
		}
	}
	return nil
}

// record notes the change for the log, and for what the transaction reads next.
func (t *Txn) record(w *written, rel *catalog.Relation, delta *zset.Chunk, plus []keyed, minus map[string]int) {
	enc := encoder{rel: rel}
	var old, new []byte
	for _, p := range plus {
		c := row.Change{Op: row.Insert, Table: row.TableID(rel.ID), Version: logVersion}
		if was, ok := minus[p.key]; ok {
			old = enc.tuple(old[:0], delta.Cols, was)
			c.Op, c.OldKind, c.Old = row.Update, row.OldFull, old
			delete(minus, p.key)
		}
		new = enc.tuple(new[:0], delta.Cols, p.row)
		c.New = new
		t.add(&c)
		w.own[p.key] = version{row: zset.AppendExactRow(nil, delta.Cols, p.row)}
	}
	gone := make([]keyed, 0, len(minus))
	for key, i := range minus {
		gone = append(gone, keyed{key, i})
	}
	slices.SortFunc(gone, func(a, b keyed) int { return a.row - b.row })
	for _, g := range gone {
		old = enc.tuple(old[:0], delta.Cols, g.row)
		t.add(&row.Change{Op: row.Delete, Table: row.TableID(rel.ID), Version: logVersion, OldKind: row.OldFull, Old: old})
		w.own[g.key] = version{}
	}
}

func (t *Txn) add(c *row.Change) {
	t.changes = row.AppendChange(t.changes, c)
	t.ends = append(t.ends, len(t.changes))
}

// Commit makes the transaction durable and gives its Ts; 0 when it wrote nothing.
func (t *Txn) Commit(ctx context.Context) (ts.Ts, error) {
	defer t.Rollback()
	if !t.Wrote() {
		return 0, nil
	}
	at, err := t.db.writer.append(ctx, t.changes, t.ends)
	if err != nil {
		return 0, err
	}
	for _, w := range t.tables {
		w.table.overlay.merge(w.own, at)
	}
	return at, nil
}

// Rollback ends the transaction and forgets what it did not commit.
func (t *Txn) Rollback() {
	for _, w := range t.tables {
		w.table.lock.unlock()
	}
	t.hold.free()
	t.tables, t.changes, t.ends = map[catalog.ID]*written{}, nil, nil
}

// notNull finds a NULL where there may be none.
func notNull(rel *catalog.Relation, delta *zset.Chunk) error {
	for k, col := range rel.Columns {
		if !col.NotNull || !delta.Cols[k].HasNulls() {
			continue
		}
		for i := range delta.N {
			if delta.Weight(i) > 0 && delta.Cols[k].Null(i) {
				return &sql.Error{
					Code: sql.NotNullViolation, Pos: -1,
					Message: "null value in column \"" + col.Name + "\" of relation \"" + rel.Name + "\" violates not-null constraint",
					Detail:  "Failing row contains " + rowText(rel, delta.Cols, i) + ".",
					Schema:  rel.Schema, Table: rel.Name, Column: col.Name,
				}
			}
		}
	}
	return nil
}
