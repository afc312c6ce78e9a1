package feed

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/reconcile"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/wal"
)

// unit is a piece of a transaction: all its changes, or one part of them.
type unit struct {
	entry   *wal.Entry
	changes []byte
}

// unit processes the changes of a piece of a transaction. With txn nil the
// target has them already: then only the state follows.
func (r *reader) unit(ctx context.Context, u *unit, txn *Txn) error {
	changes := u.changes
	if txn != nil {
		changes = r.b.arena.copy(changes)
		r.b.bytes += len(changes)
	}
	for it := row.Changes(changes); ; {
		if !it.Next() {
			if err := it.Err(); err != nil {
				return r.badEntry(u.entry, err)
			}
			return nil
		}
		if err := r.change(ctx, u, &it.Change, txn); err != nil {
			return err
		}
	}
}

func (r *reader) change(ctx context.Context, u *unit, c *row.Change, txn *Txn) error {
	if c.Op == row.SchemaChange {
		return r.schemaChange(ctx, u, c, txn)
	}
	sh, err := r.shape(c.Table, c.Version)
	if err != nil || !sh.taken {
		return err
	}
	if !r.consumer.Known(c.Table) {
		if err := r.newTable(ctx, u, sh.Schema); err != nil {
			return err
		}
	}
	if c.Op == row.Truncate {
		return r.truncate(ctx, u, sh, c, txn)
	}
	if !r.consumer.Active(c.Table) {
		return r.deliver(u, sh, c, txn)
	}
	verdict, err := r.finder.Verdict(ctx, c, sh.key, u.entry.Xid)
	if errors.Is(err, row.ErrCorrupt) {
		return r.badEntry(u.entry, err)
	}
	if err != nil {
		return named(err, sh.Schema)
	}
	switch verdict {
	case backfill.Deliver:
		return r.deliver(u, sh, c, txn)
	case backfill.DeliverDelete:
		gone := row.Change{Op: row.Delete, Table: c.Table, Version: c.Version, OldKind: c.OldKind, Old: c.Old}
		return r.deliver(u, sh, &gone, txn)
	case backfill.DeliverInsert:
		return r.appear(ctx, u, sh, c, txn)
	}
	return nil
}

// deliver puts a change into the batch, behind the change of shape that it may
// imply.
func (r *reader) deliver(u *unit, sh *shape, c *row.Change, txn *Txn) error {
	if r.delivered[sh.Table] != sh.Version {
		if err := r.reshape(sh, u, txn); err != nil {
			return err
		}
	}
	if txn != nil {
		r.b.items = append(r.b.items, Item{Change: *c, Schema: sh.Schema, Txn: txn})
	}
	return nil
}

// reshape delivers that a table has another shape from here on.
func (r *reader) reshape(sh *shape, u *unit, txn *Txn) error {
	before, err := r.before(sh.Table)
	if err != nil {
		return err
	}
	r.delivered[sh.Table] = sh.Version
	r.changedIf(true, u.entry.Ts)
	if txn != nil {
		r.b.items = append(r.b.items, Item{
			Change: row.Change{Op: row.SchemaChange, Table: sh.Table, Version: sh.Version},
			Schema: sh.Schema, Before: before, Txn: txn,
		})
	}
	return nil
}

// schemaChange follows a table through a change of its shape: it may be new to
// the feed, leave it, or end.
func (r *reader) schemaChange(ctx context.Context, u *unit, c *row.Change, txn *Txn) error {
	schema := new(row.Schema)
	if err := json.Unmarshal(c.Schema, schema); err != nil {
		return r.badEntry(u.entry, err)
	}
	schema.Table, schema.Version = c.Table, c.Version
	sh := r.keep(schema)
	known := r.consumer.Known(c.Table)
	switch {
	case !sh.taken && known: // renamed away
		r.forget(c.Table, u.entry.Ts)
		r.changedIf(true, u.entry.Ts)
		return nil
	case !sh.taken, sh.Dropped && !known:
		return nil
	case !known:
		if err := r.newTable(ctx, u, schema); err != nil {
			return err
		}
	}
	if r.delivered[c.Table] != c.Version {
		if err := r.reshape(sh, u, txn); err != nil {
			return err
		}
	}
	if schema.Dropped {
		r.forget(c.Table, u.entry.Ts)
		r.changedIf(true, u.entry.Ts)
	}
	return nil
}

// newTable begins the snapshot of a table that the feed has not seen.
func (r *reader) newTable(ctx context.Context, u *unit, schema *row.Schema) error {
	r.consumer.Start(schema.Table)
	r.changedIf(true, u.entry.Ts)
	return r.ask(ctx)
}

func (r *reader) truncate(ctx context.Context, u *unit, sh *shape, c *row.Change, txn *Txn) error {
	if r.consumer.Truncate(c.Table, u.entry.Xid) {
		r.changedIf(true, u.entry.Ts)
		if err := r.ask(ctx); err != nil {
			return err
		}
	}
	return r.deliver(u, sh, c, txn)
}

// appear delivers an update whose old key the target does not have as an insert.
func (r *reader) appear(ctx context.Context, u *unit, sh *shape, c *row.Change, txn *Txn) error {
	if txn == nil {
		return r.deliver(u, sh, c, nil)
	}
	filled, err := reconcile.Appear(ctx, r.source, sh.Schema, sh.key, c)
	if errors.Is(err, row.ErrCorrupt) {
		return r.badEntry(u.entry, err)
	}
	if err != nil {
		return named(err, sh.Schema)
	}
	insert := row.Change{Op: row.Insert, Table: c.Table, Version: c.Version, New: filled}
	return r.deliver(u, sh, &insert, txn)
}
