package owner

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
