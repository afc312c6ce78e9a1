package barrier

import (
	"fmt"
	"slices"
	"time"

	"github.com/weirstream/weir/internal/ts"
)

// act does one random thing.
func (w *world) act() {
	switch n := w.r.IntN(100); {
	case n < 30:
		w.tick()
	case n < 60:
		w.collect()
	case n < 75:
		w.finishCommit()
	case n < 80:
		w.finishReset()
	case n < 92:
		w.ask()
	case n < 95:
		w.repeat()
	case !w.calm:
		w.misfortune()
	}
}

func (w *world) tick() {
	w.now += ts.Ts(w.r.IntN(300)) << ts.LogicalBits
	w.step(Tick{})
}

// pick is a random database, nil when there is none.
func (w *world) pick() *model {
	var ids []Database
	for id := range w.dbs {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	return w.dbs[ids[w.r.IntN(len(ids))]]
}

// graphs lists a database's chains in order.
func (d *model) graphs() []Graph {
	var all []Graph
	for g := range d.chains {
		all = append(all, g)
	}
	slices.Sort(all)
	return all
}

// collect answers for one worker: the oldest barrier of a graph that waits for it.
func (w *world) collect() {
	d := w.pick()
	if d == nil {
		return
	}
	for _, g := range d.graphs() {
		if w.r.IntN(3) == 0 {
			continue
		}
		for _, in := range d.chains[g].injected {
			if len(in.waits) == 0 {
				continue
			}
			e := Collected{
				Database: d.id, Graph: g, Attempt: d.attempt, Worker: in.waits[0], Curr: in.Curr,
				Done: g != Main && (w.calm || w.r.IntN(3) == 0),
			}
			in.waits = in.waits[1:]
			w.old = append(w.old, e)
			w.step(e)
			return
		}
	}
}

// finishCommit ends a commit under way: done, failed, or done and not known to be.
func (w *world) finishCommit() {
	d := w.pick()
	if d == nil {
		return
	}
	for _, g := range d.graphs() {
		c := d.chains[g]
		if c.commit == nil {
			continue
		}
		f := c.commit
		fate := w.r.IntN(40)
		if w.calm {
			fate = 9
		}
		e := Committed{Database: d.id, Graph: g, Attempt: d.attempt, Curr: f.Curr}
		if fate < 2 {
			e.Err = errMisfortune
		}
		if fate > 0 {
			d.apply(f)
		}
		c.commit, c.injected = nil, c.injected[len(f.Epochs):]
		w.old = append(w.old, e)
		w.step(e)
		return
	}
}

// apply is what the stores have after a commit.
func (d *model) apply(f *Commit) {
	if f.Graph != Main {
		d.creating[f.Graph] = f.Curr
		return
	}
	d.committed = f.Curr
	for _, g := range f.Merge {
		if _, ok := d.creating[g]; ok {
			delete(d.creating, g)
			delete(d.chains, g)
			d.jobs[Job(g)] = true
		}
	}
	for _, c := range f.Commands {
		for _, j := range c.Jobs {
			switch {
			case c.Do == Create && c.Backfill:
				d.creating[Graph(j)] = f.Curr
			case c.Do == Create:
				d.jobs[j] = true
			case c.Do == Drop:
				if _, ok := d.creating[Graph(j)]; !ok && !d.jobs[j] && d.gone[j] {
					panic(fmt.Sprintf("world: invariant 6 broken: job %d is dropped again", j))
				}
				delete(d.jobs, j)
				delete(d.creating, Graph(j))
				delete(d.chains, Graph(j))
				d.gone[j] = true
			}
		}
	}
}

// finishReset answers a reset; one of a database that has gone on since is stale.
func (w *world) finishReset() {
	if len(w.resets) == 0 {
		return
	}
	f := w.resets[0]
	w.resets = w.resets[1:]
	d := w.dbs[f.Database]
	if d == nil {
		return
	}
	if !w.calm && w.r.IntN(5) == 0 {
		w.step(Failed{f.Database, f.Attempt, errMisfortune})
		return
	}
	e := Recovered{Database: f.Database, Attempt: f.Attempt, Committed: d.committed}
	for j := range d.jobs {
		e.Jobs = append(e.Jobs, j)
	}
	slices.Sort(e.Jobs)
	for g, cut := range d.creating {
		e.Creating = append(e.Creating, Resume{g, cut})
	}
	slices.SortFunc(e.Creating, func(a, b Resume) int { return int(a.Graph) - int(b.Graph) })
	d.up = d.up || d.attempt == f.Attempt
	w.old = append(w.old, e)
	w.step(e)
}

// ask gives a command, or wants an epoch.
func (w *world) ask() {
	d := w.pick()
	if d == nil || w.calm {
		return
	}
	w.nextCmd++
	c := Command{ID: w.nextCmd, Database: d.id}
	switch w.r.IntN(6) {
	case 0, 1:
		d.nextJob++
		c.Do, c.Jobs, c.Backfill = Create, []Job{d.nextJob}, w.r.IntN(2) == 0
	case 2, 3:
		c.Do, c.Jobs = Drop, []Job{1 + Job(w.r.IntN(int(d.nextJob)+1))}
	case 4:
		w.step(Want{d.id, w.now + ts.Ts(w.r.IntN(3))})
		return
	}
	w.cmds[c.ID] = &asked{Command: c}
	w.step(c)
}

// repeat sends an old reply once more.
func (w *world) repeat() {
	if len(w.old) == 0 {
		return
	}
	if len(w.old) > 50 {
		w.old = w.old[len(w.old)-50:]
	}
	e := w.old[w.r.IntN(len(w.old))]
	if again, ok := e.(Recovered); ok && w.dbs[again.Database] != nil && !w.dbs[again.Database].up {
		return // it would be the first reply of this attempt, with what is not so any more
	}
	w.step(e)
}

// misfortune breaks something, or changes what there is.
func (w *world) misfortune() {
	switch w.r.IntN(8) {
	case 0:
		if d := w.pick(); d != nil {
			w.step(Failed{d.id, d.attempt, errMisfortune})
		}
	case 1:
		if len(w.workers) > 1 && w.r.IntN(4) == 0 {
			gone := w.workers[len(w.workers)-1]
			w.workers = w.workers[:len(w.workers)-1]
			w.step(WorkerDown{gone, errMisfortune})
		}
	case 2:
		if len(w.workers) < 3 {
			w.workers = append(w.workers, Worker(len(w.workers)+1))
			w.step(WorkerUp{w.workers[len(w.workers)-1]})
		}
	case 3:
		if d := w.pick(); d != nil && w.r.IntN(10) == 0 {
			delete(w.dbs, d.id)
			w.step(DropDatabase{d.id})
		}
	case 4:
		if d := w.pick(); d != nil {
			w.step(Configure{Database: d.id, Config: Config{Interval: time.Duration(1+w.r.IntN(500)) * time.Millisecond, Frequency: 1 + w.r.IntN(3), Cap: 1 + w.r.IntN(4)}})
		}
	default:
		w.addDatabase()
	}
}

// addDatabase adds one, of which there are three at most.
func (w *world) addDatabase() {
	id := Database(1 + w.r.IntN(3))
	if w.dbs[id] != nil {
		return
	}
	w.dbs[id] = &model{
		id: id, committed: w.now, jobs: map[Job]bool{}, creating: map[Graph]ts.Ts{}, gone: map[Job]bool{}, chains: map[Graph]*chain{},
	}
	w.step(AddDatabase{Database: id})
}
