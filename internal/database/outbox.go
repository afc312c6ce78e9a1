package database

import (
	"context"
	"slices"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/worker"
	"github.com/weirstream/weir/internal/zset"
)

// Leave says which relations leave the database by changefeeds: their changes are put into
// the outbox, in the same commit as the rows, until ForgetLeft. It is durable when it returns.
func (db *Database) Leave(ids []catalog.ID) error {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	db.ddl.Lock() // it is written with Info, one at a time
	defer db.ddl.Unlock()
	err := func() error {
		db.mu.Lock()
		defer db.mu.Unlock()
		info := db.info
		info.Leaving = ids
		if err := db.o.Meta.Update(func(tx *metastore.Tx) error { return tx.Put(keyInfo(db.o.ID), info) }); err != nil {
			return err
		}
		db.info = info
		return nil
	}()
	if err != nil {
		return err
	}
	db.leave()
	return nil
}

// leave tells the worker which relations leave.
func (db *Database) leave() {
	db.mu.Lock()
	var ids []dataflow.JobID
	for _, id := range db.info.Leaving {
		ids = append(ids, dataflow.JobID(id))
	}
	db.mu.Unlock()
	db.o.Worker.Leave(db.o.ID, ids)
}

// Leaving lists the relations that leave the database, by id.
func (db *Database) Leaving() (all []*catalog.Relation) {
	db.mu.Lock()
	ids := db.info.Leaving
	db.mu.Unlock()
	for _, id := range ids {
		if rel := db.Catalog().Get(id); rel != nil {
			all = append(all, rel)
		}
	}
	return all
}

// Left reads what the outbox has of epochs after one, up to the newest that is committed, which
// it returns: by epoch, then by relation, in blocks of rows that came (weight above 0) or went.
func (db *Database) Left(after ts.Ts, fn func(epoch ts.Ts, rel *catalog.Relation, c *zset.Chunk) error) (ts.Ts, error) {
	pin, err := db.o.Views.Pin(db.o.ID)
	if err != nil {
		return after, err
	}
	defer pin.Release() //nolint:errcheck // a snapshot that is given back
	rels := map[dataflow.JobID]*catalog.Relation{}
	kinds := map[dataflow.JobID][]zset.Kind{}
	db.mu.Lock()
	for id, j := range db.jobs {
		if j.job.Job != nil && j.job.Stored != nil {
			rels[dataflow.JobID(id)], kinds[dataflow.JobID(id)] = &j.rec.Relation, j.job.Stored.Kinds
		}
	}
	db.mu.Unlock()
	err = pin.Use(func(n *state.Snapshot) error {
		return worker.Outbox(n, db.o.ID, after, pin.Epoch(), func(id dataflow.JobID) []zset.Kind { return kinds[id] },
			func(epoch ts.Ts, id dataflow.JobID, c *zset.Chunk) error { return fn(epoch, rels[id], c) })
	})
	return pin.Epoch(), err
}

// ForgetLeft removes what was read of the outbox: the epochs up to one.
func (db *Database) ForgetLeft(upTo ts.Ts) error { return db.o.Worker.TrimOutbox(db.o.ID, upTo) }

// Epoch is the committed epoch that readers see; 0: none yet.
func (db *Database) Epoch() ts.Ts { return db.o.Views.Epoch(db.o.ID) }

// Shown waits until readers see an epoch at or above one, and returns the newest.
func (db *Database) Shown(ctx context.Context, at ts.Ts) (ts.Ts, error) {
	return db.o.Views.Wait(ctx, db.o.ID, at)
}

// Standing is one epoch at which relations are read, after which all their changes are in the outbox.
type Standing struct {
	db  *Database
	pin *view.Pin
}

// Stand holds an epoch of relations that leave the database.
func (db *Database) Stand(ctx context.Context, rels ...*catalog.Relation) (*Standing, error) {
	for _, rel := range rels {
		since := db.o.Worker.Leaves(db.o.ID, dataflow.JobID(rel.ID))
		for ; since == 0; since = db.o.Worker.Leaves(db.o.ID, dataflow.JobID(rel.ID)) {
			if err := db.Flush(ctx); err != nil { // it is put into the outbox from the next checkpoint on
				return nil, err
			}
		}
		if _, err := db.o.Views.Wait(ctx, db.o.ID, since); err != nil {
			return nil, err
		}
	}
	pin, err := db.o.Views.Pin(db.o.ID)
	if err != nil {
		return nil, err
	}
	return &Standing{db, pin}, nil
}

// Epoch is the epoch at which the rows are read.
func (s *Standing) Epoch() ts.Ts { return s.pin.Epoch() }

// Rows begins to read a relation: next is the next piece of its rows, nil at the end.
func (s *Standing) Rows(rel *catalog.Relation) (next func(context.Context) (*zset.Chunk, error), err error) {
	scan, err := s.db.newScan(s.pin, rel)
	if err != nil {
		return nil, err
	}
	return scan.read, nil
}

// Close gives the epoch back.
func (s *Standing) Close() { _ = s.pin.Release() }
