package owner

import "fmt"

// check asserts the invariants that doc.go numbers; a broken one is a defect of
// this package and panics.
func (m *Machine) check() {
	m.checkProgress()
	m.checkAttempt()
	s, d := &m.st, &m.save.durable
	for _, e := range m.out {
		if _, ok := e.(ReleasePin); ok && !(m.run == idle && d.Released() && s.Released() && m.save.clean()) {
			broken(6, "pin released: saved %s, now %s", d.State, s.State)
		}
	}
	if j := m.job; j != nil && j.done && j.saves <= m.save.stored && (j.Kind != Pause || m.run == idle) {
		broken(7, "job %d is saved and not answered", j.ID)
	}
}

func (m *Machine) checkProgress() {
	s, d := &m.st, &m.save.durable
	if s.Checkpoint > s.Resolved {
		broken(1, "checkpoint %s above resolved %s", s.Checkpoint, s.Resolved)
	}
	if low, ok := m.Reach().Ts(); ok && low > s.Checkpoint {
		broken(1, "lanes reached %s, checkpoint %s", low, s.Checkpoint)
	}
	if m.savable > s.Checkpoint {
		broken(2, "savable %s above checkpoint %s", m.savable, s.Checkpoint)
	}
	same := d.Incarnation == s.Incarnation
	if same && d.Checkpoint > m.savable {
		broken(2, "saved %s above savable %s", d.Checkpoint, m.savable)
	}
	if m.pin.held && same && !d.Released() && m.pin.at > d.Checkpoint {
		broken(2, "pin %s above saved %s", m.pin.at, d.Checkpoint)
	}
	if s.Target != 0 && s.Checkpoint > s.Target {
		broken(3, "checkpoint %s above target %s", s.Checkpoint, s.Target)
	}
	if s.State == Finished && m.savable != s.Target {
		broken(3, "finished at %s, target %s", m.savable, s.Target)
	}
}

func (m *Machine) checkAttempt() {
	if m.run == running && !m.wants() {
		broken(4, "an attempt runs in state %s", m.st.State)
	}
	if m.run != idle && m.began > m.save.durable.Term {
		broken(4, "attempt %d runs, term %d is saved", m.began, m.save.durable.Term)
	}
	if m.began > m.st.Term {
		broken(4, "attempt %d above term %d", m.began, m.st.Term)
	}
}

func broken(invariant int, format string, args ...any) {
	panic(fmt.Sprintf("owner: invariant %d broken: ", invariant) + fmt.Sprintf(format, args...))
}
