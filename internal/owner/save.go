package owner

import (
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// saver knows what of the status is durable. One save is in flight at a time.
type saver struct {
	durable  Status
	version  uint64 // of the urgent part of the status
	stored   uint64 // version that durable has
	inflight *Status
	carries  uint64 // version of inflight
	seq      uint64
	last     Time // when the last save began
	again    Time // no save before
}

// urgent says that something other than the checkpoint changed.
func (s *saver) urgent() { s.version++ }

// clean tells whether everything urgent is durable.
func (s *saver) clean() bool { return s.stored == s.version }

// driveSave saves what is urgent at once and the checkpoint now and then.
func (m *Machine) driveSave() {
	s := &m.save
	if s.inflight != nil || m.now < s.again {
		return
	}
	moved := m.savable > s.durable.Checkpoint && m.st.State != Removed
	due := m.closing || m.now-s.last >= Time(m.opts.SaveInterval.Milliseconds())
	if s.clean() && !(moved && due) {
		return
	}
	st := m.st
	st.Checkpoint = m.savable
	s.inflight, s.carries, s.seq, s.last = &st, s.version, m.next(), m.now
	m.emit(Save{s.seq, st})
}

func (m *Machine) saved(e Saved) {
	s := &m.save
	if s.inflight == nil || e.Seq != s.seq {
		return
	}
	if e.OK {
		s.durable, s.stored = *s.inflight, s.carries
	} else {
		s.again = m.now + pauseAfterFailure
	}
	s.inflight = nil
}

// pin is the claim on the log.
type pin struct {
	held  bool
	at    ts.Ts  // it lies at or above
	most  ts.Ts  // and at or below: an operation that failed may have landed
	op    uint64 // seq of the operation in flight, 0: none
	to    ts.Ts  // of a move
	frees bool   // the operation is a release
	again Time
}

// drivePin lets the claim follow the saved checkpoint, and gives it up when a
// saved state needs it no more.
func (m *Machine) drivePin() {
	p, d := &m.pin, &m.save.durable
	if !p.held || p.op != 0 || m.now < p.again || m.claiming() {
		return
	}
	switch {
	case m.releases():
		p.op, p.frees, p.most = m.next(), true, ts.Max
		m.emit(ReleasePin{p.op})
	case d.Checkpoint > p.at && d.Incarnation == m.st.Incarnation:
		p.op, p.to, p.frees = m.next(), d.Checkpoint, false
		p.most = max(p.most, p.to)
		m.emit(MovePin{p.op, p.to})
	}
}

// releases: the state that is saved does not need the log, and nothing runs.
func (m *Machine) releases() bool {
	return m.run == idle && m.save.clean() && m.save.durable.Released() && m.st.Released()
}

func (m *Machine) pinDone(e PinDone) {
	p := &m.pin
	if p.op == 0 || e.Seq != p.op {
		return
	}
	p.op = 0
	switch {
	case !e.OK:
		p.again = m.now + pauseAfterFailure
	case p.frees:
		p.held = false
	default:
		p.at = p.to
	}
}

func (m *Machine) evicted(e Evicted) {
	m.pin.held = false
	if m.st.State == Removed || m.st.State == Finished {
		return
	}
	f := *e.Fault
	if !f.Flags().LogGone {
		f.Code = weirerr.LogEvicted
	}
	m.fail(&f)
}
