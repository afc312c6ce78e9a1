package barrier

import (
	"slices"

	"github.com/weirstream/weir/internal/ts"
)

// Status is a database as the machine sees it.
type Status struct {
	Database   Database
	Attempt    Attempt
	Recovering bool
	Ran        bool // an epoch of this attempt is committed
	Committed  ts.Ts
	InFlight   []Flight // main graph first, each graph in order
	Queued     int      // commands that wait for their barrier
}

// Flight is a barrier in flight, and what it waits for.
type Flight struct {
	Barrier
	Workers    []Worker // that have not finished it; none: it waits for its commit, or for one before it
	Committing bool
}

// Status is every database, by id.
func (m *Machine) Status() []Status {
	all := make([]Status, 0, len(m.dbs))
	for _, d := range m.dbs {
		s := Status{Database: d.id, Attempt: d.attempt, Recovering: d.recovering, Ran: d.ran, Committed: d.committed, Queued: len(d.queue)}
		for _, e := range d.flight {
			s.InFlight = append(s.InFlight, e.status(d.commit))
		}
		for _, g := range d.creating {
			if g.flight != nil {
				s.InFlight = append(s.InFlight, g.flight.status(g.commit))
			}
		}
		all = append(all, s)
	}
	return all
}

func (e *epoch) status(c *Commit) Flight {
	return Flight{e.Barrier, slices.Clone(e.waits), c != nil && e.Curr <= c.Curr}
}

// String is the kind's name.
func (k Kind) String() string { return [...]string{"initial", "barrier", "checkpoint"}[k] }

// String is the command's name.
func (d Do) String() string { return [...]string{"flush", "create", "drop"}[d] }
