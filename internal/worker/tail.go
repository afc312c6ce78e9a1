package worker

import (
	"slices"
	"sync"

	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// tail knows the committed epochs of the main graph that a creating graph has not
// followed yet; what changed in them is in its changelog. The main graph never waits for it.
type tail struct {
	part      uint32           // the creating graph's
	relations []dataflow.JobID // ascending

	mu     sync.Mutex
	since  map[dataflow.JobID]ts.Ts // of relations whose changes are logged: all after this epoch
	epochs []*shown
	broken error // the main graph did not go on where it was
	idle   bool  // nobody reads old rows any more: snapshots are not kept
	closed bool
}

// shown is a committed epoch of the main graph.
type shown struct {
	at, prev  ts.Ts
	relations []dataflow.JobID // whose changes are logged
	snapshot  *state.Snapshot  // nil: not kept
	positions Positions
	dead      map[dataflow.JobID]error // relations whose jobs have failed
}

// snapshotsKept is how many of the newest epochs have a snapshot. A creating graph's barrier
// names the newest epoch that the coordinator knows of: at most one more is committed then.
const snapshotsKept = 3

func newTail(part uint32, reads []Read) *tail {
	t := &tail{part: part, since: map[dataflow.JobID]ts.Ts{}}
	for _, r := range reads {
		if r.Stream == nil {
			t.relations = append(t.relations, r.Job.ID)
		}
	}
	slices.Sort(t.relations)
	return t
}

// arm says that a relation's changes after an epoch are logged.
func (t *tail) arm(id dataflow.JobID, since ts.Ts) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, armed := t.since[id]; !armed {
		t.since[id] = since
	}
}

// armed tells whether a relation's changes after an epoch are logged.
func (t *tail) armed(id dataflow.JobID, at ts.Ts) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	since, yes := t.since[id]
	return yes && since <= at
}

// log is what an epoch that follows prev puts into the changelog; nil: nothing.
func (t *tail) log(prev ts.Ts, rows map[view.Relation]*zset.Chunk) *logged {
	l := &logged{part: t.part, tail: t, rows: map[dataflow.JobID]*zset.Chunk{}}
	for _, id := range t.relations {
		if t.armed(id, prev) {
			l.relations = append(l.relations, id)
			l.rows[id] = rows[view.Relation(id)]
		}
	}
	if l.relations == nil {
		return nil
	}
	return l
}

// add takes an epoch that the main graph has committed.
func (t *tail) add(e *epoch, prev ts.Ts, n *state.Snapshot) {
	s := &shown{at: e.Curr, prev: prev, positions: e.positions, dead: e.dead}
	for _, l := range e.logs {
		if l.tail == t {
			s.relations = l.relations
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	if len(t.epochs) > 0 && t.epochs[len(t.epochs)-1].at != prev {
		t.broken = weirerr.New(weirerr.WrongState, "the main graph has left the epoch that a job being created had followed it to")
	}
	if !t.idle {
		n.Retain()
		s.snapshot = n
	}
	t.epochs = append(t.epochs, s)
	if old := len(t.epochs) - 1 - snapshotsKept; old >= 0 {
		t.epochs[old].release()
	}
}

// upTo lists the epochs to follow for a barrier at cut; the last one is the cut's.
func (t *tail) upTo(cut ts.Ts) ([]*shown, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.broken != nil {
		return nil, t.broken
	}
	at := slices.IndexFunc(t.epochs, func(s *shown) bool { return s.at == cut })
	if at < 0 {
		return nil, weirerr.New(weirerr.WrongState, "a job being created is to follow epoch %s, which the main graph does not show", cut)
	}
	return slices.Clone(t.epochs[:at+1]), nil
}

// newer tells whether the main graph has committed more than that epoch.
func (t *tail) newer(cut ts.Ts) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.epochs) > 0 && t.epochs[len(t.epochs)-1].at > cut
}

// forget drops the epochs up to one that was followed. The newest stays known.
func (t *tail) forget(cut ts.Ts) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.epochs) > 0 && t.epochs[0].at <= cut {
		t.epochs[0].release()
		if len(t.epochs) == 1 {
			return
		}
		t.epochs = slices.Delete(t.epochs, 0, 1)
	}
}

// follows says that old rows are not read any more.
func (t *tail) follows() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.idle = true
	for _, s := range t.epochs {
		s.release()
	}
}

// release gives a snapshot back. The store may complain when it is closed; nothing is lost then.
func (s *shown) release() {
	if s.snapshot != nil {
		_ = s.snapshot.Release()
		s.snapshot = nil
	}
}

// hold keeps a snapshot for the reader, nil when it is not kept.
func (t *tail) hold(s *shown) *state.Snapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.snapshot != nil {
		s.snapshot.Retain()
	}
	return s.snapshot
}

// close drops everything.
func (t *tail) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for _, s := range t.epochs {
		s.release()
	}
	t.epochs = nil
}
