package barrier

import (
	"slices"

	"github.com/weirstream/weir/internal/ts"
)

// inject begins the barriers that are due. Databases take turns in who comes first.
func (m *Machine) inject() {
	if len(m.dbs) == 0 {
		return
	}
	m.first = (m.first + 1) % len(m.dbs)
	for i := range m.dbs {
		d := m.dbs[(m.first+i)%len(m.dbs)]
		if d.recovering || len(m.workers) == 0 {
			continue
		}
		m.injectCreating(d)
		m.injectMain(d)
	}
}

// injectMain begins the main graph's next barriers: commands as they come, else one when it is time.
func (m *Machine) injectMain(d *database) {
	c := m.config(d)
	for {
		merge := d.mergeable()
		switch {
		case d.initial:
			m.begin(d, Initial, nil, nil)
		case merge != nil:
			m.begin(d, Checkpoint, nil, merge)
		case d.merging():
			return
		case len(d.queue) > 0:
			next := d.queue[0]
			d.queue = d.queue[1:]
			if err := d.late(next); err != nil {
				m.failed(next, err)
				continue
			}
			m.begin(d, Checkpoint, next, nil)
		case len(d.flight) < c.Cap && (m.now >= d.next(c) || d.wanted > d.prev):
			kind := Plain
			if d.plain+1 >= c.Frequency || d.wanted > d.prev || d.creating != nil {
				kind = Checkpoint
			}
			m.begin(d, kind, nil, nil)
		default:
			return
		}
	}
}

// late validates a command whose turn has come: one that was accepted while the database
// was recovering was not looked at yet, and its jobs may be gone.
func (d *database) late(c *Command) error {
	if c.Do != Drop {
		return nil
	}
	for _, j := range c.Jobs {
		if !d.injected(j) {
			return errNoJob
		}
	}
	return nil
}

// begin injects one barrier of the main graph.
func (m *Machine) begin(d *database, k Kind, c *Command, merge []Graph) {
	e := &epoch{
		Barrier: Barrier{d.id, Main, d.attempt, d.prev, d.curr(m.now), k, c, merge},
		waits:   slices.Clone(m.workers),
	}
	d.initial = false
	for _, id := range merge {
		i, _ := d.graph(id)
		d.creating[i].merging = true
	}
	if k == Plain {
		d.plain++
	} else {
		d.plain = 0
	}
	d.prev = e.Curr
	d.begun = m.now
	d.due = ts.New(m.now.Ms()+max(1, m.config(d).Interval.Milliseconds()), 0) // Curr may be far ahead of now
	d.flight = append(d.flight, e)
	m.emit(Inject{e.Barrier, slices.Clone(m.workers)})
	if c == nil {
		return
	}
	if c.Do == Drop {
		m.cancel(d, c)
	}
	m.emit(Reply{c.ID, StageStarted, nil})
}

// injectCreating lets every creating graph follow the main graph's committed epoch.
func (m *Machine) injectCreating(d *database) {
	for _, g := range d.creating {
		if g.flight != nil || g.commit != nil || g.merging || g.cut >= d.committed {
			continue
		}
		g.flight = &epoch{
			Barrier: Barrier{d.id, g.graph, d.attempt, g.cut, d.committed, Checkpoint, nil, nil},
			waits:   slices.Clone(m.workers),
		}
		m.emit(Inject{g.flight.Barrier, slices.Clone(m.workers)})
	}
}
