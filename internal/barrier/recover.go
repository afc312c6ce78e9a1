package barrier

import (
	"slices"
	"time"

	"github.com/weirstream/weir/internal/ts"
)

// Pauses before an attempt: doubled with every failure that follows without a commit between.
const (
	firstPause = 100 * time.Millisecond
	longPause  = 10 * time.Second
)

// fail ends the present attempt of a database. The others do not notice.
func (m *Machine) fail(d *database, err error) {
	if d.recovering {
		// A second failure of the same recovery, reported by the shell.
		d.failures++
		m.reset(d, err, d.pause())
		return
	}
	m.abandon(d, errRecovering, func(c *Command) bool { return c.Do == Drop })
	d.recovering = true
	d.failures++
	m.reset(d, err, d.pause())
}

func (d *database) pause() time.Duration {
	return min(longPause, firstPause<<min(d.failures-1, 10))
}

// reset asks for what is committed, under a new attempt.
func (m *Machine) reset(d *database, err error, pause time.Duration) {
	m.attempt++
	d.attempt = m.attempt
	m.emit(Reset{d.id, d.attempt, pause, err})
}

// abandon fails every command under way but those to be kept, which are done after
// the recovery. A job being created goes on, and so does who waits for it.
func (m *Machine) abandon(d *database, err error, keep func(*Command) bool) {
	var kept []*Command
	for _, e := range d.flight {
		if e.Command != nil {
			m.failed(e.Command, err)
		}
	}
	for _, c := range d.queue {
		if keep != nil && keep(c) {
			kept = append(kept, c)
			continue
		}
		m.failed(c, err)
	}
	if keep == nil {
		for _, g := range d.creating {
			if g.by != nil {
				m.failed(g.by, err)
			}
		}
		d.creating = nil
	}
	d.flight, d.queue, d.commit = nil, kept, nil
	for _, g := range d.creating {
		g.flight, g.commit, g.done, g.merging = nil, nil, false, false
	}
}

// recovered begins a new attempt where the committed state stands. A commit whose outcome the
// machine did not learn counts when it is there.
func (m *Machine) recovered(e Recovered) {
	d := m.current(e, e.Database, e.Attempt)
	if d == nil {
		return
	}
	if !d.recovering {
		m.odd(e, "the database runs")
		return
	}
	d.recovering, d.initial, d.ran = false, true, false
	d.committed, d.prev, d.due, d.plain, d.wanted = e.Committed, e.Committed, ts.Ts(0), 0, 0
	d.jobs = slices.Clone(e.Jobs)
	slices.Sort(d.jobs)
	d.jobs = slices.Compact(d.jobs)
	m.resume(d, e.Creating)
}

// resume keeps the graphs that are still being created, and answers for those that are not.
func (m *Machine) resume(d *database, found []Resume) {
	old := d.creating
	d.creating = nil
	for _, r := range found {
		i, _ := d.graph(r.Graph)
		d.creating = slices.Insert(d.creating, i, &creating{graph: r.Graph, cut: min(r.Cut, d.committed)})
	}
	for _, g := range old {
		if g.by == nil {
			continue
		}
		if i, ok := d.graph(g.graph); ok {
			d.creating[i].by = g.by
		} else if _, ok := slices.BinarySearch(d.jobs, Job(g.graph)); ok {
			m.emit(Reply{g.by.ID, StageCollected, nil})
		} else {
			m.failed(g.by, errCancelled)
		}
	}
}
