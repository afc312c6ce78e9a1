package owner

import (
	"fmt"
	"time"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// retry is a series of attempts that have made no progress yet.
type retry struct {
	on       bool
	began    Time          // of the series
	interval time.Duration // of the next pause
	at       Time          // end of the present pause
	mark     ts.Ts         // checkpoint at the last error or warning
	advanced Time          // when there was last progress, or nothing to do
	through  Time          // since when there is nothing to do; 0 while there is
}

// failure reacts to an error that ended an attempt.
func (m *Machine) failure(f *Fault) {
	switch m.st.State {
	case Failed, Finished, Removed:
		return
	}
	if m.job != nil && m.job.holds {
		return // the job decides how it goes on
	}
	if f.Flags().FailFast {
		m.fail(f)
		return
	}
	if m.st.State == Stopped {
		return
	}
	r := &m.retry
	if !r.on {
		r.on, r.began, r.interval = true, m.now, m.opts.RetryInitial
	}
	jitter := 1 + 0.1*(2*m.opts.Random()-1)
	r.at = m.now + Time(float64(r.interval.Milliseconds())*jitter)
	r.interval = min(2*r.interval, m.opts.RetryMax)
	m.enter(Pending, f)
}

// fail stops the feed until someone acts.
func (m *Machine) fail(f *Fault) {
	m.retry.on = false
	m.enter(Failed, f)
}

// retryDue tries again when the pause is over, or gives up when it went on for
// too long.
func (m *Machine) retryDue() {
	r := &m.retry
	if m.st.State != Pending {
		return
	}
	if r.on && m.now < r.at { // a restored machine tries at once
		return
	}
	if r.on && m.stuck(max(r.began, r.advanced)) {
		m.fail(m.unretryable(m.st.Fault))
		return
	}
	r.mark = m.st.Checkpoint
	m.enter(Warning, m.st.Fault)
}

// warned reacts to a problem that the attempt survived.
func (m *Machine) warned(e Warned) {
	if !m.runs(e.Attempt) || !m.st.State.Running() {
		return
	}
	if e.Fault.Flags().FailFast {
		m.fail(e.Fault)
		return
	}
	if m.stuck(m.retry.advanced) {
		m.fail(m.unretryable(e.Fault))
		return
	}
	m.retry.mark = m.st.Checkpoint
	m.enter(Warning, e.Fault)
}

func (m *Machine) stuck(since Time) bool {
	return m.now-since > Time(m.opts.Stuck.Milliseconds())
}

// unretryable keeps what the last error said.
func (m *Machine) unretryable(f *Fault) *Fault {
	u := &Fault{At: m.now, Code: weirerr.Unretryable, Hint: "remove the cause, then resume the changefeed"}
	u.Message = fmt.Sprintf("no progress for %s of retries", m.opts.Stuck)
	if f != nil {
		u.Message += fmt.Sprintf("; the last error was %s: %s", f.Code, f.Message)
		u.Fields = f.Fields
	}
	return u
}

// progressed notes progress, and ends a series of retries by it. A feed that
// has delivered all there is cannot progress and is not to blame.
func (m *Machine) progressed() {
	r := &m.retry
	if r.mark > m.st.Checkpoint { // an earlier incarnation's
		r.mark = m.st.Checkpoint
	}
	through := m.st.Checkpoint >= m.st.Resolved
	switch {
	case !through:
		r.through = 0
	case r.through == 0:
		r.through = m.now
	}
	if through {
		r.advanced = m.now
	}
	if m.st.State == Warning && m.run == running && (m.st.Checkpoint > r.mark || through && m.open) {
		r.on = false
		m.enter(Normal, nil)
	}
}
