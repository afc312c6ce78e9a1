package owner

import (
	"fmt"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// activeJob is the job being done.
type activeJob struct {
	Job
	holds bool   // no attempt may run until it is decided
	claim uint64 // seq of a Claim in flight
	held  bool   // the claim relies on the pin being there
	done  bool   // nothing is left but that version saves becomes durable
	saves uint64
}

func (m *Machine) claiming() bool { return m.job != nil && m.job.claim != 0 }

// driveJobs does the jobs in turn, as far as each can get by now.
func (m *Machine) driveJobs() {
	for {
		if m.job == nil {
			if len(m.jobs) == 0 {
				return
			}
			m.job = &activeJob{Job: m.jobs[0]}
			m.jobs = m.jobs[1:]
			if f := m.beginJob(m.job); f != nil {
				m.endJob(f)
				continue
			}
		}
		if !m.advanceJob(m.job) {
			return
		}
		m.endJob(nil)
	}
}

func (m *Machine) endJob(f *Fault) {
	m.emit(Reply{m.job.ID, f})
	m.job = nil
}

// closeJobs answers what will not be done any more. A removal is done.
func (m *Machine) closeJobs() {
	gone := &Fault{At: m.now, Code: weirerr.OwnerClosed, Message: "the changefeed has ended"}
	if m.job != nil {
		if m.job.Kind == Remove && m.deleted {
			m.endJob(nil)
		} else {
			m.endJob(gone)
		}
	}
	for _, j := range m.jobs {
		if j.Kind == Remove && m.deleted {
			m.emit(Reply{j.ID, nil})
		} else {
			m.emit(Reply{j.ID, gone})
		}
	}
	m.jobs = nil
}

// beginJob checks that the job is possible and does what needs no waiting.
func (m *Machine) beginJob(j *activeJob) *Fault {
	if m.st.State == Removed && j.Kind != Remove {
		return m.wrongState(j, "it is being removed")
	}
	switch j.Kind {
	case Pause:
		return m.beginPause(j)
	case Resume:
		return m.beginResume(j)
	case Update:
		return m.beginUpdate(j)
	case Resync:
		j.holds = true
		return nil
	case Remove:
		m.retry.on = false
		if m.st.State != Removed {
			m.enter(Removed, nil)
		}
		return nil
	}
	return m.refuse(weirerr.InvalidArgument, "unknown job "+string(j.Kind), "")
}

func (m *Machine) beginPause(j *activeJob) *Fault {
	switch m.st.State {
	case Failed, Finished:
		return m.wrongState(j, "only a running changefeed can be paused")
	case Stopped:
	default:
		m.retry.on = false
		m.enter(Stopped, m.st.Fault)
	}
	m.awaitSave(j)
	return nil
}

func (m *Machine) beginResume(j *activeJob) *Fault {
	over, overwrites := j.Overwrite.Ts()
	switch m.st.State {
	case Normal, Warning:
		if overwrites {
			return m.wrongState(j, "pause it first")
		}
		m.awaitSave(j)
		return nil
	case Pending:
		if overwrites {
			return m.wrongState(j, "pause it first")
		}
		m.retry.on = false // retryDue goes on at once
		m.awaitSave(j)
		return nil
	}
	if overwrites && m.st.Target != 0 && over >= m.st.Target {
		return m.refuse(weirerr.InvalidArgument, "the checkpoint lies at or above the target", "choose an earlier one")
	}
	j.holds = true
	return nil
}

func (m *Machine) beginUpdate(j *activeJob) *Fault {
	if m.st.State != Stopped && m.st.State != Failed {
		return m.wrongState(j, "pause it first")
	}
	if target, ok := j.Target.Ts(); ok {
		if target != 0 && target <= m.st.Checkpoint {
			return m.refuse(weirerr.InvalidArgument,
				fmt.Sprintf("the target %s is not above the checkpoint %s", target, m.st.Checkpoint), "choose a later target")
		}
		m.st.Target = target
		m.save.urgent()
	}
	m.awaitSave(j)
	return nil
}

// awaitSave leaves the job nothing but to see the present status saved.
func (m *Machine) awaitSave(j *activeJob) { j.done, j.saves = true, m.save.version }

// advanceJob goes on with a job; true when it is done.
func (m *Machine) advanceJob(j *activeJob) bool {
	if j.done {
		return m.save.stored >= j.saves && (j.Kind != Pause || m.run == idle)
	}
	if j.Kind == Remove || j.claim != 0 || m.run != idle || m.pin.op != 0 {
		return false // answered at the end, or waits
	}
	over, overwrites := j.Overwrite.Ts()
	from := m.save.durable.Checkpoint
	if overwrites {
		from = over
	}
	held := m.pin.held && (j.Kind == Resync && m.pin.most != ts.Max || from >= m.pin.most)
	if j.Kind == Resume && !overwrites && held {
		m.proceed(j)
		return false
	}
	if !held && !m.save.clean() {
		return false // a restart before the save would need what the claim leaves out
	}
	j.claim, j.held = m.next(), held
	c := Claim{Seq: j.claim, Held: j.held, Incarnation: m.st.Incarnation}
	switch {
	case j.Kind == Resync:
		c.Now, c.Anew, c.Snapshot = true, true, true
	default:
		c.Ts, c.Anew = from, overwrites
	}
	if c.Anew {
		c.Incarnation++
	}
	m.emit(c)
	return false
}

// claimed begins anew, or resumes, where the log is claimed now.
func (m *Machine) claimed(e Claimed) {
	j := m.job
	if j == nil || j.claim == 0 || e.Seq != j.claim {
		return
	}
	j.claim = 0
	if e.Fault == nil && !j.held { // also when it is refused below: then it is released again
		m.pin = pin{held: true, at: e.Ts, most: e.Ts}
	}
	switch {
	case e.Fault != nil:
	case j.held && !m.pin.held:
		e.Fault = m.refuse(weirerr.LogEvicted, "the log was taken away meanwhile", "try again")
	case e.Ts < m.pin.most && j.held:
		e.Fault = m.refuse(weirerr.CheckpointStale, "the log is not held from there on", "try again")
	case m.st.Target != 0 && e.Ts > m.st.Target:
		e.Fault = m.refuse(weirerr.InvalidArgument, "the target lies in the past", "update the target first")
	}
	if e.Fault != nil {
		m.endJob(e.Fault)
		return
	}
	if _, overwrites := j.Overwrite.Ts(); j.Kind == Resync || overwrites {
		m.anew(e.Ts)
	}
	m.proceed(j)
}

// anew begins an incarnation after t.
func (m *Machine) anew(t ts.Ts) {
	m.st.Incarnation++
	m.st.Checkpoint, m.savable = t, t
	m.st.Resolved = max(m.st.Resolved, t)
	m.retry.mark = t
}

// proceed puts the feed back to work; the job is done once that is saved.
func (m *Machine) proceed(j *activeJob) {
	m.retry.on = false
	m.retry.advanced = m.now
	m.enter(Normal, nil)
	j.holds = false
	m.awaitSave(j)
}

func (m *Machine) wrongState(j *activeJob, hint string) *Fault {
	return m.refuse(weirerr.WrongState, fmt.Sprintf("cannot %s a changefeed that is %s", j.Kind, m.st.State), hint)
}

func (m *Machine) refuse(code weirerr.Code, message, hint string) *Fault {
	return &Fault{At: m.now, Code: code, Message: message, Hint: hint}
}
