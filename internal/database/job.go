package database

import (
	"time"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/datetime"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/worker"
)

// job is a relation with what keeps it.
type job struct {
	rec *relationRecord
	job worker.Job
	// uses are the columns that a view reads, by relation.
	uses map[catalog.ID]map[int]bool
}

// stateTables are the ids of its tables in the store.
func (j *job) stateTables() []uint32 {
	if j.job.Job == nil {
		return nil
	}
	ids := make([]uint32, j.job.TableCount)
	for i := range ids {
		ids[i] = j.job.FirstTable + uint32(i)
	}
	return ids
}

// makeJob makes what keeps a relation; nil for one that needs nothing.
func (db *Database) makeJob(rec *relationRecord, q *plan.Query) (*job, error) {
	rel := &rec.Relation
	id := dataflow.JobID(rel.ID)
	switch {
	case rel.Kind == catalog.KindTable:
		return db.ownTable(rec, id)
	case rel.Kind == catalog.KindCapture:
		return db.capturedTable(rec, id)
	case rel.Kind == catalog.KindSource && len(rel.Columns) > 0:
		return db.stream(rec, id)
	case rel.Kind == catalog.KindMatView:
		return db.view(rec, id, q)
	}
	return nil, nil
}

// ownTable keeps the rows that the database's writer logs.
func (db *Database) ownTable(rec *relationRecord, id dataflow.JobID) (*job, error) {
	rel := &rec.Relation
	cfg := op.MaterializeConfig{Kinds: kinds(rel), Key: rel.Key, Print: op.PrintRows(types(rel), time.UTC)}
	flow, input, err := dataflow.Exact(id, rel.Name, rec.FirstTable, cfg)
	if err != nil {
		return nil, err
	}
	in := worker.Input{Node: input, Table: &worker.Table{
		Channel: ChannelName(db.o.Name), ID: row.TableID(rel.ID), Key: rel.Key, Decode: worker.Own(types(rel)),
	}}
	return &job{rec: rec, job: worker.Job{Job: flow, Inputs: []worker.Input{in}}}, nil
}

// view keeps the rows of a query.
func (db *Database) view(rec *relationRecord, id dataflow.JobID, q *plan.Query) (*job, error) {
	zone := time.UTC
	if rec.TimeZone != "" {
		var err error
		if zone, err = datetime.LookupZone(rec.TimeZone); err != nil {
			return nil, err
		}
	}
	flow, err := dataflow.CompileView(id, rec.Name, rec.FirstTable, q.Root, rec.Key, dataflow.Options{
		Relation: db.root, Env: &expr.Env{Zone: zone, Database: db.o.Name, User: "root"},
	})
	if err != nil {
		return nil, err
	}
	return &job{rec: rec, job: worker.Job{Job: flow}, uses: uses(q.Root)}, nil
}

// root is the node that gives a relation's rows to jobs that read it.
func (db *Database) root(rel *catalog.Relation) (*dataflow.Node, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if j := db.jobs[rel.ID]; j != nil && j.job.Job != nil {
		return j.job.Root, j.broken()
	}
	return nil, &sql.Error{Code: sql.WrongObjectType, Message: "a view cannot read \"" + rel.Name + "\": it keeps no rows", Pos: -1}
}
