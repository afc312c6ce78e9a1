package barrier

import (
	"slices"

	"github.com/weirstream/weir/internal/ts"
)

// collected notes a worker's reply and commits what is complete.
func (m *Machine) collected(e Collected) {
	d := m.current(e, e.Database, e.Attempt)
	if d == nil {
		return
	}
	at := d.inFlight(e.Graph, e.Curr)
	if at == nil {
		m.odd(e, "of an epoch that is not in flight")
		return
	}
	i, ok := slices.BinarySearch(at.waits, e.Worker)
	if !ok {
		m.odd(e, "of a worker that is not waited for")
		return
	}
	at.waits = slices.Delete(at.waits, i, i+1)
	at.sealed = append(at.sealed, Sealed{e.Worker, e.Sealed})
	at.done = at.done || e.Done
	m.commitNext(d)
}

func (d *database) inFlight(g Graph, curr ts.Ts) *epoch {
	if g == Main {
		for _, e := range d.flight {
			if e.Curr == curr {
				return e
			}
		}
		return nil
	}
	if i, ok := d.graph(g); ok && d.creating[i].flight != nil && d.creating[i].flight.Curr == curr {
		return d.creating[i].flight
	}
	return nil
}

// commitNext begins the commits that can be: of each graph the oldest checkpoint,
// when everything up to it is collected and no other commit of it is under way.
func (m *Machine) commitNext(d *database) {
	if d.commit == nil {
		m.commitMain(d)
	}
	for _, g := range d.creating {
		if f := g.flight; f != nil && g.commit == nil && len(f.waits) == 0 {
			g.commit = &Commit{
				Database: d.id, Graph: g.graph, Attempt: d.attempt, Prev: f.Prev, Curr: f.Curr,
				Epochs: []ts.Ts{f.Curr}, Sealed: f.sealed,
			}
			m.emit(*g.commit)
		}
	}
}

func (m *Machine) commitMain(d *database) {
	c := &Commit{Database: d.id, Graph: Main, Attempt: d.attempt, Prev: d.committed}
	for _, e := range d.flight {
		if len(e.waits) > 0 {
			return
		}
		c.Epochs = append(c.Epochs, e.Curr)
		if e.Command != nil {
			c.Commands = append(c.Commands, e.Command)
		}
		c.Merge = append(c.Merge, e.Merge...)
		if e.Kind != Plain {
			c.Curr, c.Sealed = e.Curr, e.sealed
			d.commit = c
			m.emit(*c)
			return
		}
	}
}

// committed moves a graph's committed epoch.
func (m *Machine) committed(e Committed) {
	d := m.current(e, e.Database, e.Attempt)
	if d == nil {
		return
	}
	if e.Graph != Main {
		m.committedCreating(d, e)
		return
	}
	if d.commit == nil || d.commit.Curr != e.Curr {
		m.odd(e, "of no commit under way")
		return
	}
	if e.Err != nil {
		m.fail(d, e.Err)
		return
	}
	c := d.commit
	d.commit, d.committed, d.failures, d.ran = nil, c.Curr, 0, true
	d.flight = d.flight[len(c.Epochs):]
	for _, g := range c.Merge {
		m.merged(d, g)
	}
	for _, cmd := range c.Commands {
		m.done(d, cmd)
	}
	m.commitNext(d)
}

func (m *Machine) committedCreating(d *database, e Committed) {
	i, ok := d.graph(e.Graph)
	if !ok || d.creating[i].commit == nil || d.creating[i].commit.Curr != e.Curr {
		m.odd(e, "of no commit under way")
		return
	}
	if e.Err != nil {
		m.fail(d, e.Err)
		return
	}
	g := d.creating[i]
	g.done = g.done || g.flight.done
	g.cut, g.flight, g.commit = e.Curr, nil, nil
}

// merged makes a created job part of the main graph.
func (m *Machine) merged(d *database, graph Graph) {
	i, ok := d.graph(graph)
	if !ok {
		return // dropped meanwhile
	}
	g := d.creating[i]
	d.creating = slices.Delete(d.creating, i, i+1)
	d.addJob(Job(graph))
	if g.by != nil {
		m.emit(Reply{g.by.ID, StageCollected, nil})
	}
}

// done answers a command whose barrier is committed.
func (m *Machine) done(d *database, c *Command) {
	switch {
	case c.Do == Create && c.Backfill:
		g := &creating{graph: Graph(c.Jobs[0]), by: c, cut: d.committed}
		i, _ := d.graph(g.graph)
		d.creating = slices.Insert(d.creating, i, g)
		return // it is created when it merges
	case c.Do == Create:
		d.addJob(c.Jobs[0])
	case c.Do == Drop:
		m.cancel(d, c) // of a create that was in flight with it
		for _, j := range c.Jobs {
			d.removeJob(j)
		}
	}
	m.emit(Reply{c.ID, StageCollected, nil})
}
