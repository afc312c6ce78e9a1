package owner

import "fmt"

// check asserts the invariants that doc.go numbers; a broken one is a defect of
// this package and panics.
func (m *Machine) check() {
	s, d := &m.st, &m.save.durable
	assert(m.savable <= s.Checkpoint, 2, "savable %s above checkpoint %s", m.savable, s.Checkpoint)
	assert(s.Checkpoint <= s.Resolved, 1, "checkpoint %s above resolved %s", s.Checkpoint, s.Resolved)
	if d.Incarnation == s.Incarnation {
		assert(d.Checkpoint <= m.savable, 2, "saved %s above savable %s", d.Checkpoint, m.savable)
	}
	assert(!m.pin.held || m.pin.at <= d.Checkpoint || d.Incarnation != s.Incarnation || d.released(), 2,
		"pin %s above saved %s", m.pin.at, d.Checkpoint)
	if low, ok := m.Reach().Ts(); ok {
		assert(low <= s.Checkpoint, 1, "lanes reached %s, checkpoint %s", low, s.Checkpoint)
	}
	assert(s.Target == 0 || s.Checkpoint <= s.Target, 3, "checkpoint %s above target %s", s.Checkpoint, s.Target)
	assert(s.State != Finished || m.savable == s.Target, 3, "finished at %s, target %s", m.savable, s.Target)
	assert(m.run != running || m.wants(), 4, "an attempt runs in state %s", s.State)
	assert(m.run == idle || m.began <= d.Term, 4, "attempt %d runs, term %d is saved", m.began, d.Term)
	assert(m.began <= s.Term, 4, "attempt %d above term %d", m.began, s.Term)
	for _, e := range m.out {
		if _, ok := e.(ReleasePin); ok {
			assert(m.run == idle && d.released() && s.released() && m.save.clean(), 6,
				"pin released: saved %s, now %s", d.State, s.State)
		}
	}
	assert(m.job == nil || !m.job.done || m.job.saves > m.save.stored || m.job.Kind == Pause && m.run != idle, 7,
		"job %d is saved and not answered", m.jobID())
}

func (m *Machine) jobID() uint64 {
	if m.job == nil {
		return 0
	}
	return m.job.ID
}

func assert(ok bool, invariant int, format string, args ...any) {
	if !ok {
		panic(fmt.Sprintf("owner: invariant %d broken: ", invariant) + fmt.Sprintf(format, args...))
	}
}

// Status is the present status. What is saved may be older.
func (m *Machine) Status() Status { return m.st }

// Saved is the status that is durable.
func (m *Machine) Saved() Status { return m.save.durable }

// Pin is the claim on the log; unknown when it is given up.
func (m *Machine) Pin() Reach {
	if !m.pin.held {
		return Reach{}
	}
	return Known(m.pin.at)
}

// RetryAt is when the next attempt begins; 0 unless the feed is pending.
func (m *Machine) RetryAt() Time {
	if m.st.State != Pending {
		return 0
	}
	return m.retry.at
}

// Halted tells whether the machine has ended.
func (m *Machine) Halted() bool { return m.halted }
