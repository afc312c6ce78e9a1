package outbox

import (
	"context"
	"encoding/binary"

	"github.com/weirstream/weir/internal/capture"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/database"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// Upstream is a database as capture sees it.
type Upstream struct{ db *database.Database }

var _ capture.Upstream = (*Upstream)(nil)

// New makes the upstream of a database.
func New(db *database.Database) *Upstream { return &Upstream{db} }

// position is an epoch as the log keeps it: bytes in the order of epochs.
func position(epoch ts.Ts) []byte { return binary.BigEndian.AppendUint64(nil, uint64(epoch)) }

// epochAt reads a position; 0 for none.
func epochAt(position []byte) (ts.Ts, error) {
	switch len(position) {
	case 0:
		return 0, nil
	case 8:
		return ts.Ts(binary.BigEndian.Uint64(position)), nil
	}
	return 0, weirerr.New(weirerr.LogCorrupt, "the position of a database's channel has %d bytes, not 8", len(position))
}

// Identity implements capture.Upstream.
func (u *Upstream) Identity(context.Context) (capture.Identity, error) {
	return capture.Identity{System: "weir", Database: u.db.Name()}, nil
}

// Prepare implements capture.Upstream: the first time, what is committed from now on is published.
func (u *Upstream) Prepare(ctx context.Context, resume []byte) (start []byte, created bool, err error) {
	if err := u.db.Ready(ctx); err != nil {
		return nil, false, err
	}
	at, err := epochAt(resume)
	if err != nil {
		return nil, false, err
	}
	epoch := u.db.Epoch()
	if at > epoch {
		return nil, false, weirerr.New(weirerr.StoreBehind, "the log has epochs that the database has not").
			With("database", u.db.Name()).With("log", at).With("committed", epoch).
			Hint("restore the data directory as a whole")
	}
	if at != 0 {
		return resume, false, nil
	}
	return position(epoch), false, nil
}

// Tables implements capture.Upstream: the relations that leave the database.
func (u *Upstream) Tables(context.Context) ([]capture.Table, error) {
	var all []capture.Table
	for _, rel := range u.db.Leaving() {
		all = append(all, capture.Table{ID: row.TableID(rel.ID), Namespace: rel.Schema, Name: rel.Name, Keyless: !keyed(rel)})
	}
	return all, nil
}

// Now implements capture.Upstream.
func (u *Upstream) Now(ctx context.Context) ([]byte, error) {
	if err := u.db.Flush(ctx); err != nil {
		return nil, err
	}
	return position(u.db.Epoch()), nil
}

// relation finds one that leaves.
func (u *Upstream) relation(id row.TableID) (*catalog.Relation, error) {
	if rel := u.db.Catalog().Get(catalog.ID(id)); rel != nil {
		return rel, nil
	}
	return nil, weirerr.New(weirerr.TableGone, "the relation was dropped").With("database", u.db.Name()).With("relation", id)
}

// Drop implements capture.Upstream: there is nothing to clean up.
func (u *Upstream) Drop(context.Context) error { return nil }

// Close implements capture.Upstream.
func (u *Upstream) Close() error { return nil }
