package database

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/coordinator"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/worker"
)

// control is the database as the coordinator sees it.
type control Database

var _ coordinator.Database = (*control)(nil)

func (b *control) db() *Database { return (*Database)(b) }

// graph is a graph's name in the store.
func (db *Database) graph(g barrier.Graph) state.Graph {
	return state.Graph{Database: db.o.ID, Part: uint32(g)}
}

// Inject implements coordinator.Database. The channels' writers promise the cut on their own.
func (b *control) Inject(in barrier.Barrier) {
	db := b.db()
	out := worker.Barrier{Graph: db.graph(in.Graph), Attempt: in.Attempt, Prev: in.Prev, Curr: in.Curr, Kind: in.Kind}
	if in.Kind == barrier.Initial { // it is committed like any checkpoint
		out.Kind = barrier.Checkpoint
	}
	db.mu.Lock()
	if c := in.Command; c != nil {
		for _, id := range c.Jobs {
			p := db.pending[catalog.ID(id)]
			switch {
			case p == nil:
			case c.Do == barrier.Drop:
				out.Detach = append(out.Detach, dataflow.JobID(id))
			case p.job != nil && !c.Backfill:
				out.Attach = append(out.Attach, p.job.job)
			}
		}
	}
	for _, g := range in.Merge {
		if j := db.jobs[catalog.ID(g)]; j != nil {
			out.Merge = append(out.Merge, j.job)
		}
	}
	db.mu.Unlock()
	db.o.Worker.Inject(out)
}

// ReportOf is the number of the database that a report is about.
func ReportOf(r worker.Report) uint32 {
	switch r := r.(type) {
	case *worker.Collected:
		return r.Graph.Database
	case *worker.Failed:
		return r.Graph.Database
	}
	return 0
}

// Report passes on what the worker says of the database's graphs.
func (db *Database) Report(r worker.Report) {
	switch r := r.(type) {
	case *worker.Collected:
		db.mu.Lock()
		db.done[epochKey{barrier.Graph(r.Graph.Part), r.Curr}] = r
		db.mu.Unlock()
		db.o.Coordinator.Report(barrier.Collected{
			Database: db.id, Graph: barrier.Graph(r.Graph.Part), Attempt: r.Attempt, Worker: 1, Curr: r.Curr, Sealed: r, Done: r.Walked,
		})
	case *worker.Failed:
		db.o.Coordinator.Report(barrier.Failed{Database: db.id, Attempt: r.Attempt, Err: r.Err})
	}
}

// Commit implements coordinator.Database: one metastore transaction moves the epoch,
// with the names and jobs that change with it; then the store and readers get it.
func (b *control) Commit(ctx context.Context, c *barrier.Commit) error {
	db := b.db()
	got, _ := c.Sealed[0].Part.(*worker.Collected)
	if got == nil || got.Sealed == nil {
		return weirerr.New(weirerr.Unknown, "epoch %s was collected without its state", c.Curr)
	}
	next, changes, err := db.changes(c, got)
	if err != nil {
		return err
	}
	err = db.o.Meta.Update(func(tx *metastore.Tx) error {
		var rec graphRecord
		key := keyGraph(db.o.ID, uint32(c.Graph))
		if _, err := tx.Get(key, &rec); err != nil {
			return err
		}
		if rec.Epoch != c.Prev {
			return weirerr.New(weirerr.WrongState, "epoch %s follows %s, but %s is committed", c.Curr, c.Prev, rec.Epoch)
		}
		if err := db.write(tx, changes); err != nil {
			return err
		}
		for _, ch := range changes {
			if ch.begins() { // its graph is committed here: it has read nothing
				if err := tx.Put(keyGraph(db.o.ID, uint32(ch.id)), graphRecord{Epoch: c.Curr}); err != nil {
					return err
				}
			}
		}
		return tx.Put(key, graphRecord{Epoch: c.Curr, Sealed: []*state.Sealed{got.Sealed}, Positions: got.Positions})
	})
	if err != nil {
		return err
	}
	if err := db.o.Worker.Commit(ctx, db.graph(c.Graph), c.Curr); err != nil {
		return fmt.Errorf("apply the committed epoch %s: %w", c.Curr, err)
	}
	db.mu.Lock()
	db.cuts[c.Graph] = c.Curr
	for _, g := range c.Merge {
		delete(db.cuts, g)
	}
	db.mu.Unlock()
	if c.Graph == barrier.Main {
		db.keepUp(c.Curr)
	}
	return db.publish(ctx, c, next, changes)
}

// DropGraph implements coordinator.Database.
func (b *control) DropGraph(g barrier.Graph) {
	db := b.db()
	db.mu.Lock()
	open := db.opened[g]
	delete(db.opened, g)
	delete(db.cuts, g)
	db.mu.Unlock()
	if !open {
		return
	}
	db.o.Worker.Drop(db.graph(g)) // it may wait for a report, which takes the lock
	db.mu.Lock()
	defer db.mu.Unlock()
	db.ended = append(db.ended, g)
}

// Reset implements coordinator.Database: back to what the metastore says is committed.
func (b *control) Reset(ctx context.Context, attempt barrier.Attempt) (coordinator.State, error) {
	db := b.db()
	db.dropGraphs()
	db.mu.Lock()
	db.done = map[epochKey]*worker.Collected{}
	db.pending = map[catalog.ID]*change{}
	db.attempt = attempt
	db.mu.Unlock()
	if _, err := db.writer.lead(ctx); err != nil {
		return coordinator.State{}, err
	}
	graphs, err := db.load()
	if err != nil {
		return coordinator.State{}, err
	}
	return db.open(ctx, graphs)
}

// dropGraphs ends what the worker has of the database.
func (db *Database) dropGraphs() {
	db.mu.Lock()
	all := slices.Sorted(maps.Keys(db.opened))
	clear(db.opened)
	clear(db.cuts)
	db.mu.Unlock()
	for _, g := range all {
		db.o.Worker.Drop(db.graph(g)) // it may wait for a report, which takes the lock
	}
}

// open opens the main graph with its jobs, and those of jobs that are being created.
func (db *Database) open(ctx context.Context, graphs map[uint32]graphRecord) (coordinator.State, error) {
	main := graphs[0]
	out := coordinator.State{Committed: main.Epoch}
	spec := worker.Spec{Graph: db.graph(barrier.Main), Attempt: db.attempt, Committed: main.Epoch, Positions: main.Positions}
	db.mu.Lock()
	order := db.order()
	db.cuts[barrier.Main] = main.Epoch
	for _, j := range order { // at once: the log is truncated behind the lowest
		if j.rec.Creating && j.rec.Failed == nil {
			db.cuts[barrier.Graph(j.rec.ID)] = graphs[uint32(j.rec.ID)].Epoch
		}
	}
	db.mu.Unlock()
	for _, j := range order {
		if j.rec.Failed != nil {
			continue
		}
		if j.rec.Creating {
			spec.Taps = append(spec.Taps, j.job.Reads...)
			continue
		}
		spec.Jobs = append(spec.Jobs, j.job)
		out.Jobs = append(out.Jobs, barrier.Job(j.rec.ID))
	}
	db.leave()
	if err := db.o.Worker.Open(ctx, spec); err != nil {
		return out, err
	}
	db.mu.Lock()
	db.opened[barrier.Main] = true
	db.mu.Unlock()
	for _, j := range order {
		if !j.rec.Creating || j.rec.Failed != nil {
			continue
		}
		g := barrier.Graph(j.rec.ID)
		rec := graphs[uint32(g)]
		if err := db.openCreating(ctx, j, rec); err != nil {
			return out, err
		}
		out.Creating = append(out.Creating, barrier.Resume{Graph: g, Cut: rec.Epoch})
	}
	return out, nil
}

// openCreating opens the graph of a job that reads what is there before it joins the main graph.
func (db *Database) openCreating(ctx context.Context, j *job, rec graphRecord) error {
	g := barrier.Graph(j.rec.ID)
	spec := worker.Spec{
		Graph: db.graph(g), Attempt: db.attempt, Committed: rec.Epoch, Positions: rec.Positions, Jobs: []worker.Job{j.job},
	}
	db.mu.Lock()
	for _, id := range j.job.Reads {
		up := db.jobs[catalog.ID(id)]
		r := worker.Read{Job: up.job.Job}
		for _, in := range up.job.Inputs {
			r.Stream = in.Stream
		}
		spec.Reads = append(spec.Reads, r)
	}
	db.mu.Unlock()
	if err := db.o.Worker.Open(ctx, spec); err != nil {
		return err
	}
	db.mu.Lock()
	db.opened[g], db.cuts[g] = true, rec.Epoch
	db.mu.Unlock()
	return nil
}
