package owner

import (
	"github.com/weirstream/weir/internal/progress"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
)

// Stage is what a changefeed, a lane or a table is doing.
type Stage string

// Stages.
const (
	Connecting Stage = "connecting"           // opens the sink
	Waiting    Stage = "waiting-for-upstream" // has delivered all there is
	Reading    Stage = "reading"              // reads and decodes the log
	Writing    Stage = "writing"              // the sink has work
	Snapshot   Stage = "snapshot"             // rows of a table are being read or delivered
	Retrying   Stage = "retrying"             // pauses after an error
	Paused     Stage = "paused"
	Over       Stage = "ended" // failed, finished or removed
)

// Holder says what the checkpoint waits for and since when. Table is 0 when it
// is no table in particular.
type Holder struct {
	Table row.TableID
	Stage Stage
	Since Time
}

// lanes keep what each lane has confirmed since the attempt began.
type lanes struct {
	reach   *progress.Heap[int]
	savable *progress.Heap[int]
	work    Holder // what the lane that was busy last does
}

func (l *lanes) reset() {
	l.reach, l.savable = progress.New[int](1), progress.New[int](1)
	l.work = Holder{}
}

func (l *lanes) busy(e Busy) { l.work = Holder{e.Table, e.Stage, e.at()} }

// raise notes a report; one that goes back changes nothing.
func raise(h *progress.Heap[int], lane int, t ts.Ts, now Time) {
	if _, ok := h.Find(lane); ok {
		_, _ = h.Update(lane, t, int64(now))
	} else {
		_, _, _ = h.Add(lane, t, int64(now))
	}
}

// lowest is the minimum over n lanes; unknown until each has reported.
func lowest(h *progress.Heap[int], n int) Reach {
	low, ok := h.Min()
	if !ok || h.Len() < n {
		return Reach{}
	}
	return Known(low.Ts)
}

func (m *Machine) delivered(e Delivered) {
	if !m.runs(e.Attempt) || e.Lane < 0 || e.Lane >= m.opts.Lanes {
		return
	}
	t := e.Ts
	if m.st.Target != 0 {
		t = min(t, m.st.Target)
	}
	l := &m.lanes
	raise(l.reach, e.Lane, t, m.now)
	raise(l.savable, e.Lane, min(e.Savable, t), m.now)
	l.work = Holder{Stage: Reading, Since: m.now}
	if low, ok := lowest(l.reach, m.opts.Lanes).Ts(); ok && low > m.st.Checkpoint {
		m.st.Checkpoint = low
		m.st.Resolved = max(m.st.Resolved, low)
		m.retry.advanced = m.now
	}
	if low, ok := lowest(l.savable, m.opts.Lanes).Ts(); ok && low > m.savable {
		m.savable = low
	}
}

// Reach is the minimum that the lanes of the running attempt have confirmed;
// unknown while it cannot be told.
func (m *Machine) Reach() Reach { return lowest(m.lanes.reach, m.opts.Lanes) }

// tables keeps those that lag their lane, by the Ts at which they stand.
type tables struct {
	heap *progress.Heap[row.TableID]
	more map[row.TableID]TableProgress
	done int64 // rows, of all
	rows int64 // in total
}

// TableProgress is how far a lagging table is.
type TableProgress struct {
	Stage       Stage
	Since       Time // when Stage began
	Done, Total int64
}

func (t *tables) reset() {
	t.heap, t.more = progress.New[row.TableID](0), map[row.TableID]TableProgress{}
	t.done, t.rows = 0, 0
}

func (t *tables) set(e TableAt, now Time) {
	p, known := t.more[e.Table]
	if !known {
		_, _, _ = t.heap.Add(e.Table, e.Ts, int64(now))
	} else {
		_, _ = t.heap.Update(e.Table, e.Ts, int64(now))
	}
	t.done, t.rows = t.done+e.Done-p.Done, t.rows+e.Total-p.Total
	if p.Stage != e.Stage {
		p.Stage, p.Since = e.Stage, now
	}
	p.Done, p.Total = e.Done, e.Total
	t.more[e.Table] = p
}

func (t *tables) drop(id row.TableID) {
	p, known := t.more[id]
	if !known {
		return
	}
	_, _ = t.heap.Drop(id)
	t.done, t.rows = t.done-p.Done, t.rows-p.Total
	delete(t.more, id)
}

// Table is the progress of a lagging table; false when it does not lag.
func (m *Machine) Table(id row.TableID) (TableProgress, bool) {
	p, ok := m.tables.more[id]
	return p, ok
}

// Lagging sums up the tables that lag: how many, and their rows.
func (m *Machine) Lagging() (n int, done, total int64) {
	return m.tables.heap.Len(), m.tables.done, m.tables.rows
}

// longWrite is how long a write may take, in ms, before it counts as what holds
// the checkpoint although a table is under snapshot.
const longWrite = 5000

// Holder says what holds the checkpoint.
func (m *Machine) Holder() Holder {
	switch m.st.State {
	case Stopped:
		return Holder{Stage: Paused, Since: m.st.Since}
	case Pending:
		return Holder{Stage: Retrying, Since: m.retry.began}
	case Failed, Finished, Removed:
		return Holder{Stage: Over, Since: m.st.Since}
	}
	work := m.lanes.work
	low, lags := m.tables.heap.Min()
	switch {
	case !m.open:
		return Holder{Stage: Connecting, Since: m.st.Since}
	case work.Stage == Writing && (!lags || m.now-work.Since >= longWrite):
		return work
	case lags:
		p := m.tables.more[low.Key]
		return Holder{low.Key, p.Stage, p.Since}
	case m.st.Checkpoint >= m.st.Resolved:
		return Holder{Stage: Waiting, Since: m.retry.through}
	}
	return Holder{Stage: Reading, Since: work.Since}
}
