package barrier

import (
	"fmt"
	"slices"
)

// check asserts the invariants that doc.go numbers and that a state shows; a
// broken one is a defect of this package and panics. The simulation asserts those
// that only a history shows.
func (m *Machine) check() {
	for _, d := range m.dbs {
		d.checkChain()
		d.checkGraphs()
		if d.recovering && (len(d.flight) > 0 || d.commit != nil) {
			broken(7, "database %d recovers with %d barriers in flight", d.id, len(d.flight))
		}
		for _, c := range d.queue {
			if d.recovering && c.Do != Drop {
				broken(7, "command %d waits in a recovering database", c.ID)
			}
		}
	}
}

func (d *database) checkChain() {
	prev := d.committed
	for i, e := range d.flight {
		if e.Prev != prev || e.Curr <= e.Prev {
			broken(1, "database %d: barrier (%s, %s] after %s", d.id, e.Prev, e.Curr, prev)
		}
		if e.Kind == Initial && i > 0 {
			broken(2, "database %d: an Initial barrier at %s follows others", d.id, e.Curr)
		}
		prev = e.Curr
	}
	if !d.recovering && prev != d.prev {
		broken(1, "database %d: the chain ends at %s, not at %s", d.id, prev, d.prev)
	}
	if c := d.commit; c != nil && (c.Prev != d.committed || len(c.Epochs) == 0 || c.Epochs[len(c.Epochs)-1] != c.Curr) {
		broken(3, "database %d: commit of %s from %s while %s is committed", d.id, c.Curr, c.Prev, d.committed)
	}
}

func (d *database) checkGraphs() {
	for _, g := range d.creating {
		if g.cut > d.committed || g.commit != nil && g.commit.Curr > d.committed {
			broken(4, "graph %d at %s is beyond %s", g.graph, g.cut, d.committed)
		}
		if f := g.flight; f != nil && (f.Prev != g.cut || f.Curr <= f.Prev) {
			broken(1, "graph %d: barrier (%s, %s] after %s", g.graph, f.Prev, f.Curr, g.cut)
		}
		if _, ok := slices.BinarySearch(d.jobs, Job(g.graph)); ok {
			broken(10, "job %d is created and being created", g.graph)
		}
	}
}

func broken(invariant int, format string, args ...any) {
	panic(fmt.Sprintf("barrier: invariant %d broken: ", invariant) + fmt.Sprintf(format, args...))
}
