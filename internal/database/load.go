package database

import (
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/plan"
)

// load reads what is committed, and makes catalog and jobs of it anew.
func (db *Database) load() (map[uint32]graphRecord, error) {
	info, graphs, recs, err := load(db.o.Meta, db.o.ID)
	if err != nil {
		return nil, err
	}
	sortRecords(recs)
	state := catalog.State{Database: db.o.Name, Next: info.NextID, Schemas: info.schemas()}
	for _, r := range recs {
		state.Relations = append(state.Relations, &r.Relation)
	}
	cat, err := catalog.Restore(state, db.o.System...)
	if err != nil {
		return nil, err
	}
	db.cat.Store(cat)
	db.mu.Lock()
	db.info, db.jobs = info, map[catalog.ID]*job{}
	db.mu.Unlock()
	for _, r := range recs {
		if err := db.restore(cat, r); err != nil {
			return nil, err
		}
	}
	return graphs, nil
}

// restore makes a relation's job again.
func (db *Database) restore(cat *catalog.Catalog, r *relationRecord) error {
	q, err := db.bindView(cat, r)
	var j *job
	if err == nil {
		j, err = db.makeJob(r, q)
	}
	if err != nil {
		// What ran before and cannot be built now is shown as failed, with the rest running.
		db.log.Error("a relation's job cannot be made again", "relation", r.Name, "error", err)
		r.Failed = &failure{Message: err.Error()}
		j = &job{rec: r}
	}
	if j == nil {
		return nil
	}
	if r.Failed == nil && j.job.Fingerprint != r.Fingerprint {
		r.Failed = &failure{Message: "this version of weir plans it differently: drop it and create it again"}
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	db.jobs[r.ID] = j
	if r.Kind == catalog.KindTable && db.tables[r.ID] == nil {
		db.tables[r.ID] = &table{rel: &r.Relation, lock: newTableLock(), overlay: overlay{}}
	}
	return nil
}

// bindView plans a materialized view's query; nil for what has none.
func (db *Database) bindView(cat *catalog.Catalog, r *relationRecord) (*plan.Query, error) {
	if r.Kind != catalog.KindMatView {
		return nil, nil
	}
	sel, err := db.o.Parse(r.Query)
	if err != nil {
		return nil, err
	}
	return plan.Bind(cat, db.o.Functions, sel, plan.Options{View: true, Parse: db.o.Parse})
}
