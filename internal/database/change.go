package database

import (
	"context"
	"slices"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/worker"
)

// change is what a barrier does to a relation: made when the command is given, written
// with the epoch.
type change struct {
	rec  *relationRecord // as it will be; nil: it goes
	job  *job            // that begins to run; nil: none
	id   catalog.ID
	done bool // of a create with backfill: the job has joined the main graph
}

// begins tells whether the change lets a job be created in a graph of its own.
func (c *change) begins() bool {
	return c.rec != nil && c.job != nil && c.rec.Creating && c.rec.Failed == nil && !c.done
}

// changes are those of a commit, and the catalog with them; nil when it stays what it is:
// names that change meanwhile, and commits of other graphs, then do not get in each other's way.
func (db *Database) changes(c *barrier.Commit, got *worker.Collected) (*catalog.Catalog, []*change, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	before := db.cat.Load()
	next := before
	var out []*change
	var gone []catalog.ID
	var err error
	for _, cmd := range c.Commands {
		for _, id := range cmd.Jobs {
			p := db.pending[catalog.ID(id)]
			if p == nil {
				continue
			}
			out = append(out, p)
			if cmd.Do == barrier.Drop {
				gone = append(gone, p.id)
				continue
			}
			if next, _, err = next.With(p.rec.Relation); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, g := range c.Merge {
		if j := db.jobs[catalog.ID(g)]; j != nil {
			rec := *j.rec
			rec.Creating = false
			out = append(out, &change{rec: &rec, job: j, id: rec.ID, done: true})
		}
	}
	out = append(out, db.failures(got)...)
	if len(gone) > 0 {
		next, err = next.Without(gone...)
	}
	if next == before {
		next = nil
	}
	return next, out, err
}

// failures are the jobs that failed in an epoch, with those being created that read them:
// they would wait for ever.
func (db *Database) failures(got *worker.Collected) (out []*change) {
	failed := map[dataflow.JobID]error{}
	for _, f := range got.Faults {
		failed[f.Job] = f.Err
	}
	for _, j := range db.order() {
		if j.job.Job == nil {
			continue // it was not made
		}
		for _, id := range j.job.Reads {
			if why := failed[id]; why != nil && j.rec.Creating && failed[j.job.ID] == nil {
				failed[j.job.ID] = why
			}
		}
		if why := failed[dataflow.JobID(j.rec.ID)]; why != nil && j.rec.Failed == nil {
			rec := *j.rec
			rec.Failed = &failure{why.Error(), got.Curr}
			out = append(out, &change{rec: &rec, job: j, id: rec.ID})
		}
	}
	return out
}

// write puts changes into the metastore.
func (db *Database) write(tx *metastore.Tx, changes []*change) error {
	for _, c := range changes {
		if c.rec == nil {
			if err := tx.Delete(keyGraph(db.o.ID, uint32(c.id))); err != nil {
				return err
			}
			if err := tx.Delete(keyRelation(db.o.ID, c.id)); err != nil {
				return err
			}
			continue
		}
		if c.done {
			if err := tx.Delete(keyGraph(db.o.ID, uint32(c.id))); err != nil {
				return err
			}
		}
		if err := tx.Put(keyRelation(db.o.ID, c.id), c.rec); err != nil {
			return err
		}
	}
	return nil
}

// publish shows a committed epoch's changes to who comes next.
func (db *Database) publish(ctx context.Context, c *barrier.Commit, next *catalog.Catalog, changes []*change) error {
	db.mu.Lock()
	for key := range db.done {
		if key.graph == c.Graph && key.curr <= c.Curr {
			delete(db.done, key)
		}
	}
	var dropped []uint32
	var begin []*job
	for _, ch := range changes {
		if db.pending[ch.id] == ch { // not of a drop that waits for its barrier
			delete(db.pending, ch.id)
		}
		old := db.jobs[ch.id]
		if ch.rec == nil {
			if old != nil {
				dropped = append(dropped, old.stateTables()...)
			}
			delete(db.jobs, ch.id)
			delete(db.tables, ch.id)
			continue
		}
		j := ch.job
		if j == nil {
			continue
		}
		j.rec = ch.rec
		db.jobs[ch.id] = j
		if ch.rec.Kind == catalog.KindTable && db.tables[ch.id] == nil {
			db.tables[ch.id] = &table{rel: &ch.rec.Relation, lock: newTableLock(), overlay: overlay{}}
		}
		if ch.begins() {
			begin = append(begin, j)
		}
	}
	gone := db.forgotten()
	if next != nil {
		db.cat.Store(next)
	}
	db.mu.Unlock()
	for _, id := range c.Merge {
		db.mu.Lock()
		delete(db.opened, id) // it ended when it merged
		db.mu.Unlock()
	}
	for _, g := range gone {
		if err := db.o.Worker.Forget(db.graph(g)); err != nil {
			return err
		}
	}
	if len(dropped) > 0 {
		if err := db.o.State.DropTables(db.o.ID, dropped); err != nil {
			return err
		}
	}
	for _, j := range begin {
		if err := db.openCreating(ctx, j, graphRecord{Epoch: c.Curr}); err != nil {
			return err
		}
	}
	return nil
}

// forgotten takes the creating graphs that have ended, of jobs whose drop is committed:
// no epoch of the main graph writes anything for them any more.
func (db *Database) forgotten() (gone []barrier.Graph) {
	db.ended = slices.DeleteFunc(db.ended, func(g barrier.Graph) bool {
		over := db.jobs[catalog.ID(g)] == nil
		if over {
			gone = append(gone, g)
		}
		return over
	})
	return gone
}

// order lists the jobs so that each comes after those it reads: by id, since
// nothing reads what was created later.
func (db *Database) order() []*job {
	out := make([]*job, 0, len(db.jobs))
	for _, j := range db.jobs {
		out = append(out, j)
	}
	slices.SortFunc(out, func(a, b *job) int { return int(a.rec.ID) - int(b.rec.ID) })
	return out
}
