package barrier

import "slices"

// command accepts a command, or refuses it. Validation precedes the epoch: what
// cannot be is never injected.
func (m *Machine) command(c Command) {
	i, ok := m.find(c.Database)
	if !ok {
		m.failed(&c, errDropped)
		return
	}
	d := m.dbs[i]
	if d.recovering && c.Do != Drop {
		m.failed(&c, errRecovering)
		return
	}
	if !d.recovering {
		if err := d.validate(&c); err != nil {
			m.failed(&c, err)
			return
		}
		if c.Do == Drop {
			m.cancel(d, &c)
		}
	}
	d.queue = append(d.queue, &c)
}

// validate tells why the command cannot be, with those before it done.
func (d *database) validate(c *Command) error {
	switch c.Do {
	case Create:
		if len(c.Jobs) != 1 || d.will(c.Jobs[0]) {
			return errExists
		}
	case Drop:
		for _, j := range c.Jobs {
			if !d.will(j) {
				return errNoJob
			}
		}
	}
	return nil
}

// injected tells whether the job is there once the barriers in flight are committed.
func (d *database) injected(j Job) bool {
	is := d.has(j)
	for _, e := range d.flight {
		is = e.Command.leaves(j, is)
	}
	return is
}

// will tells whether the job is there once all accepted commands are done.
func (d *database) will(j Job) bool {
	is := d.injected(j)
	for _, c := range d.queue {
		is = c.leaves(j, is)
	}
	return is
}

// leaves is whether the job is there after the command, when it is there before or not.
func (c *Command) leaves(j Job, before bool) bool {
	if c == nil || c.Do == Flush || !slices.Contains(c.Jobs, j) {
		return before
	}
	return c.Do == Create
}

// cancel ends the graphs of jobs that are not created yet, at once: their barriers are of no
// interest to anybody else. The drop itself still goes by a barrier, for the catalog.
func (m *Machine) cancel(d *database, c *Command) {
	for _, j := range c.Jobs {
		if i, ok := d.graph(Graph(j)); ok && !d.creating[i].merging {
			m.endGraph(d, i)
		}
	}
}

func (m *Machine) endGraph(d *database, i int) {
	g := d.creating[i]
	d.creating = slices.Delete(d.creating, i, i+1)
	if g.by != nil {
		m.failed(g.by, errCancelled)
	}
	d.addJob(Job(g.graph)) // until its drop commits, so that the catalog loses it with an epoch
	m.emit(DropGraph{d.id, g.graph, d.attempt})
}

func (m *Machine) failed(c *Command, err error) { m.emit(Reply{c.ID, StageFailed, err}) }
