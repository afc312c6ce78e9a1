package owner

import (
	"time"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// Options of a machine. All must be set.
type Options struct {
	Lanes        int
	RetryInitial time.Duration // pause before the first retry, then doubled
	RetryMax     time.Duration
	Stuck        time.Duration // retries without progress for so long fail
	SaveInterval time.Duration // between saves of nothing but a checkpoint
	Random       func() float64
}

// Machine is one changefeed's owner. It is used by one goroutine.
type Machine struct {
	opts Options
	now  Time
	out  []Effect
	seq  uint64 // of the last effect that is answered

	st      Status
	savable ts.Ts // st.Checkpoint as far as the shell could restart from it

	save  saver
	pin   pin
	run   phase
	began uint64 // the highest term an attempt may have used
	open  bool   // the attempt's sink is open
	lanes lanes
	retry retry

	tables tables

	jobs    []Job
	job     *activeJob
	closing bool
	halted  bool
	deleted bool
	forget  uint64 // seq of a Delete in flight
	again   Time   // no Delete before
}

// phase of the attempt.
type phase uint8

const (
	idle phase = iota
	running
	stopping
)

// New restores a machine from its saved status. The log after st.Checkpoint is
// claimed, unless st is a state that has released it.
func New(opts Options, st Status) *Machine {
	m := &Machine{opts: opts, st: st, savable: st.Checkpoint, began: st.Term}
	m.st.Resolved = max(st.Resolved, st.Checkpoint)
	m.save.durable = st
	m.pin = pin{held: true, at: st.Checkpoint, most: st.Checkpoint}
	if st.Released() {
		m.pin.most = ts.Max // whether it is still there is not known
	}
	m.lanes.reset()
	m.tables.reset()
	m.retry.mark = st.Checkpoint
	return m
}

// Step tells the machine an event and returns what to do about it, in order.
// The slice is valid until the next Step.
func (m *Machine) Step(e Event) []Effect {
	m.out = m.out[:0]
	if m.halted {
		return m.out
	}
	if m.now == 0 {
		m.retry.advanced = e.at()
	}
	m.now = max(m.now, e.at())
	m.handle(e)
	m.drive()
	m.check()
	return m.out
}

func (m *Machine) handle(e Event) {
	switch e := e.(type) {
	case Tick:
	case Upstream:
		m.st.Resolved = max(m.st.Resolved, e.Resolved)
	case Opened:
		m.open = m.open || m.runs(e.Attempt)
	case Delivered:
		m.delivered(e)
	case Busy:
		if m.runs(e.Attempt) {
			m.lanes.busy(e)
		}
	case TableAt:
		if m.runs(e.Attempt) {
			m.tables.set(e, m.now)
		}
	case TableDone:
		if m.runs(e.Attempt) {
			m.tables.drop(e.Table)
		}
	case Warned:
		m.warned(e)
	case Ended:
		m.ended(e)
	case Evicted:
		m.evicted(e)
	case Saved:
		m.saved(e)
	case PinDone:
		m.pinDone(e)
	case Claimed:
		m.claimed(e)
	case Deleted:
		m.wasDeleted(e)
	case Job:
		m.jobs = append(m.jobs, e)
	case Close:
		m.closing = true
	}
}

// drive does what the state asks for by now.
func (m *Machine) drive() {
	m.progressed()
	m.retryDue()
	m.driveJobs()
	m.finishDue()
	m.driveAttempt()
	m.driveSave()
	m.drivePin()
	m.driveEnd()
}

func (m *Machine) emit(e Effect) { m.out = append(m.out, e) }

func (m *Machine) next() uint64 {
	m.seq++
	return m.seq
}

// runs tells whether the attempt is the present one; everything that others
// report is void.
func (m *Machine) runs(attempt uint64) bool { return m.run != idle && attempt == m.began }

// enter changes the state, which is urgent to save.
func (m *Machine) enter(s State, f *Fault) {
	if m.st.State != s {
		m.st.Since = m.now
	}
	m.st.State, m.st.Fault = s, f
	m.save.urgent()
}

// wants tells whether an attempt should run now.
func (m *Machine) wants() bool {
	return m.st.State.Running() && !m.closing && (m.job == nil || !m.job.holds)
}

// finishDue ends a feed that has delivered everything up to its target.
func (m *Machine) finishDue() {
	if m.st.Target == 0 || m.savable != m.st.Target {
		return
	}
	if m.st.State.Running() || m.st.State == Pending {
		m.enter(Finished, nil)
	}
}

// driveAttempt stops an attempt that is not wanted and starts one that is, under
// a new term that is saved first.
func (m *Machine) driveAttempt() {
	wants := m.wants()
	if m.run == running && !wants {
		m.run = stopping
		m.emit(Stop{m.began})
	}
	if m.run != idle || !wants {
		return
	}
	if m.st.Term == m.began {
		m.st.Term++
		m.save.urgent()
	}
	if !m.save.clean() {
		return
	}
	m.run, m.began, m.open = running, m.st.Term, false
	m.lanes.reset()
	m.tables.reset()
	m.emit(Start{m.began, m.st.Incarnation, m.savable, m.st.Target})
}

func (m *Machine) ended(e Ended) {
	if !m.runs(e.Attempt) {
		return
	}
	asked := m.run == stopping
	m.run, m.open = idle, false
	m.lanes.reset()
	m.tables.reset()
	if e.Fault == nil {
		if asked {
			return
		}
		e.Fault = &Fault{At: m.now, Code: weirerr.Unknown, Message: "the delivery ended by itself"}
	}
	m.failure(e.Fault)
}

// driveEnd deletes a removed feed and ends a closed one.
func (m *Machine) driveEnd() {
	if m.run != idle || !m.save.clean() {
		return
	}
	switch {
	case m.st.State == Removed:
		if m.pin.held {
			return
		}
		if m.deleted {
			m.halt()
		} else if m.forget == 0 && m.now >= m.again {
			m.forget = m.next()
			m.emit(Delete{m.forget})
		}
	case m.closing && m.savable <= m.save.durable.Checkpoint:
		m.halt()
	}
}

func (m *Machine) wasDeleted(e Deleted) {
	if m.forget == 0 || e.Seq != m.forget {
		return
	}
	m.forget, m.deleted = 0, e.OK
	m.again = m.now + pauseAfterFailure
}

func (m *Machine) halt() {
	m.halted = true
	m.closeJobs()
	m.emit(Halt{})
}

// pauseAfterFailure is how long the machine waits before it asks a store again, in ms.
const pauseAfterFailure = 250
