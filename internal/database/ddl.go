package database

import (
	"context"
	"errors"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/coordinator"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
)

// Create makes a relation, and returns when it is committed: a materialized view, of
// the query q, when it shows what its inputs hold. When ctx ends before, the
// creation goes on. It gives rel its id.
func (db *Database) Create(ctx context.Context, rel *catalog.Relation, q *plan.Query) error {
	db.ddl.Lock()
	locked := true
	unlock := func() {
		if locked {
			db.ddl.Unlock()
			locked = false
		}
	}
	defer unlock()
	if err := db.awake(ctx); err != nil {
		return err
	}
	p, err := db.prepare(rel, q)
	if err != nil {
		return err
	}
	if p.job == nil {
		return db.name(p)
	}
	if err := db.claim(ctx, rel); err != nil {
		return err
	}
	backfill := p.rec.Creating
	db.mu.Lock()
	db.pending[p.id] = p
	db.mu.Unlock()
	answer := make(chan error, 1)
	go func() {
		answer <- db.o.Coordinator.Do(context.WithoutCancel(ctx), db.id, barrier.Create, backfill, barrier.Job(p.id))
	}()
	if backfill { // others may define what they like while it reads what is there
		if err := db.appears(ctx, p.id, answer); err != nil {
			return err
		}
		unlock()
	}
	if backfill {
		return db.joins(ctx, p.id, answer)
	}
	select {
	case err = <-answer:
		if err == nil && q != nil { // it computes from the next epoch on
			return db.Flush(ctx)
		}
		return db.command(err)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// joins waits until a relation that is being created is there, or has failed.
func (db *Database) joins(ctx context.Context, id catalog.ID, answer chan error) error {
	for {
		_, moved := db.o.Coordinator.Committed(db.id)
		db.mu.Lock()
		j := db.jobs[id]
		if j != nil && j.rec.Failed != nil {
			defer db.mu.Unlock()
			return &sql.Error{
				Code: sql.ObjectNotReady, Pos: -1, Message: "relation \"" + j.rec.Name + "\" cannot be created: " + j.rec.Failed.Message,
				Hint: "Drop it; what it reads may have to be created again.",
			}
		}
		db.mu.Unlock()
		select {
		case err := <-answer:
			return db.command(err)
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// appears waits until a relation that is being created is in the catalog.
func (db *Database) appears(ctx context.Context, id catalog.ID, answer chan error) error {
	for {
		_, moved := db.o.Coordinator.Committed(db.id)
		db.mu.Lock()
		_, waits := db.pending[id]
		db.mu.Unlock()
		if !waits {
			return nil
		}
		select {
		case <-moved:
		case err := <-answer:
			answer <- err
			return db.command(err)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// prepare makes the change that creates a relation, with an id and tables of its own.
func (db *Database) prepare(rel *catalog.Relation, q *plan.Query) (*change, error) {
	db.mu.Lock()
	info := db.info
	db.mu.Unlock()
	rel.ID = info.NextID
	_, stored, err := db.cat.Load().With(*rel)
	if err != nil {
		return nil, err
	}
	p := &change{rec: &relationRecord{Relation: *stored, FirstTable: info.NextTable}, id: rel.ID}
	if p.job, err = db.makeJob(p.rec, q); err != nil {
		return nil, err
	}
	if p.job != nil {
		if err := db.available(p.job); err != nil {
			return nil, err
		}
	}
	info.NextID++
	if p.job != nil {
		info.NextTable += uint32(p.job.job.TableCount)
		p.rec.Fingerprint = p.job.job.Fingerprint
		p.rec.Creating = rel.Kind == catalog.KindMatView && len(p.job.job.Reads) > 0 || rel.Kind == catalog.KindCapture
	}
	if err := db.o.Meta.Update(func(tx *metastore.Tx) error { return tx.Put(keyInfo(db.o.ID), info) }); err != nil {
		return nil, err
	}
	db.mu.Lock()
	db.info = info
	db.mu.Unlock()
	return p, nil
}

// name writes a relation that nothing runs for: a view, a source.
func (db *Database) name(p *change) error {
	next, _, err := db.cat.Load().With(p.rec.Relation)
	if err != nil {
		return err
	}
	if err := db.o.Meta.Update(func(tx *metastore.Tx) error { return db.write(tx, []*change{p}) }); err != nil {
		return err
	}
	db.cat.Store(next)
	return nil
}

// Drop removes relations and all that they keep. Dependants must be among them.
func (db *Database) Drop(ctx context.Context, ids []catalog.ID) error {
	db.ddl.Lock()
	defer db.ddl.Unlock()
	if err := db.awake(ctx); err != nil {
		return err
	}
	before := db.cat.Load()
	if _, err := before.Without(ids...); err != nil {
		return err
	}
	var jobs []barrier.Job
	var names []*change
	db.mu.Lock()
	for _, id := range ids {
		c := &change{id: id}
		if j := db.jobs[id]; j == nil || j.rec.Failed != nil && !db.opened[barrier.Graph(id)] {
			names = append(names, c)
			continue
		}
		db.pending[id] = c
		jobs = append(jobs, barrier.Job(id))
	}
	db.mu.Unlock()
	if len(jobs) > 0 {
		if err := db.o.Coordinator.Do(ctx, db.id, barrier.Drop, false, jobs...); err != nil {
			return db.command(err)
		}
	}
	if err := db.unname(names); err != nil {
		return err
	}
	db.gone(context.WithoutCancel(ctx), before, ids)
	return nil
}

// unname removes relations that nothing runs for.
func (db *Database) unname(gone []*change) error {
	if len(gone) == 0 {
		return nil
	}
	ids := make([]catalog.ID, len(gone))
	for i, c := range gone {
		ids[i] = c.id
	}
	next, err := db.cat.Load().Without(ids...)
	if err != nil {
		return err
	}
	if err := db.o.Meta.Update(func(tx *metastore.Tx) error { return db.write(tx, gone) }); err != nil {
		return err
	}
	db.mu.Lock()
	var tables []uint32
	for _, id := range ids {
		if j := db.jobs[id]; j != nil {
			tables = append(tables, j.stateTables()...)
			delete(db.jobs, id)
		}
	}
	db.mu.Unlock()
	db.cat.Store(next)
	if len(tables) > 0 {
		return db.o.State.DropTables(db.o.ID, tables)
	}
	return nil
}

// Rename gives a relation another name.
func (db *Database) Rename(_ context.Context, id catalog.ID, to string) error {
	db.ddl.Lock()
	defer db.ddl.Unlock()
	next, err := db.cat.Load().Rename(id, to)
	if err != nil {
		return err
	}
	return db.o.Meta.Update(func(tx *metastore.Tx) error {
		rec := &relationRecord{}
		ok, err := tx.Get(keyRelation(db.o.ID, id), rec)
		if err != nil || !ok {
			return errors.Join(err, errors.New("the relation is not on record"))
		}
		rec.Name = to
		if err := tx.Put(keyRelation(db.o.ID, id), rec); err != nil {
			return err
		}
		db.cat.Store(next)
		return nil
	})
}

// command is a coordinator's answer in a client's words.
func (db *Database) command(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, coordinator.ErrClosed):
		return &sql.Error{Code: "57P01", Message: "terminating connection due to administrator command", Pos: -1}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	e := &sql.Error{Code: sql.ObjectNotReady, Message: err.Error(), Pos: -1}
	if why, since := db.o.Coordinator.Recovering(db.id); why != nil {
		e.Detail = "Since " + since.Format("15:04:05") + ": " + why.Error()
		e.Hint = "It recovers by itself; try again."
	}
	return e
}
