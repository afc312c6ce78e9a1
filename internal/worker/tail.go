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

// tail holds what a creating graph needs of the main graph: the committed epochs that
// it has not followed yet. The main graph never waits for it.
type tail struct {
	relations []dataflow.JobID
	spill     *spill

	mu     sync.Mutex
	since  map[dataflow.JobID]ts.Ts // of relations whose changes are here: all after this epoch
	epochs []*shown
	broken error // the main graph did not go on where it was
	idle   bool  // nobody reads old rows any more: snapshots are not kept
	closed bool
}

// shown is a committed epoch of the main graph.
type shown struct {
	at, prev  ts.Ts
	snapshot  *state.Snapshot // nil: not kept
	rows      map[dataflow.JobID]*held
	positions Positions
	dead      map[dataflow.JobID]error // relations whose jobs have failed
}

// snapshotsKept is how many of the newest epochs have a snapshot. A creating graph's barrier
// names the newest epoch that the coordinator knows of: at most one more is committed then.
const snapshotsKept = 3

func newTail(o *Options, relations []dataflow.JobID) *tail {
	return &tail{relations: relations, spill: newSpill(o), since: map[dataflow.JobID]ts.Ts{}}
}

// begin is called before any epoch: the main graph shows this one.
func (t *tail) begin(at ts.Ts, n *state.Snapshot, p Positions) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.epochs = []*shown{{at: at, snapshot: n, positions: p}}
}

// arm says that a relation's changes after an epoch are collected.
func (t *tail) arm(id dataflow.JobID, since ts.Ts) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, armed := t.since[id]; !armed {
		t.since[id] = since
	}
}

// armed tells since which epoch a relation's changes are here.
func (t *tail) armed(id dataflow.JobID) (since ts.Ts, yes bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	since, yes = t.since[id]
	return since, yes
}

// add takes an epoch that the main graph has committed.
func (t *tail) add(e *epoch, prev ts.Ts, n *state.Snapshot) {
	s := &shown{at: e.Curr, prev: prev, positions: e.positions, dead: e.dead, rows: map[dataflow.JobID]*held{}}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	if len(t.epochs) > 0 && t.epochs[len(t.epochs)-1].at != prev {
		t.broken = weirerr.New(weirerr.WrongState, "the main graph has left the epoch that a job being created had followed it to")
	}
	for _, id := range t.relations {
		c := e.rows[view.Relation(id)]
		if since, armed := t.since[id]; armed && since <= prev && c != nil {
			s.rows[id] = t.spill.wait(c)
		}
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

// forget drops the epochs up to one that was followed.
func (t *tail) forget(cut ts.Ts) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.epochs) > 0 && t.epochs[0].at <= cut {
		t.drop(t.epochs[0])
		t.epochs = slices.Delete(t.epochs, 0, 1)
	}
}

func (t *tail) drop(s *shown) {
	s.release()
	for _, w := range s.rows {
		t.spill.forget(w)
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

// close drops everything.
func (t *tail) close() {
	t.mu.Lock()
	t.closed = true
	for _, s := range t.epochs {
		t.drop(s)
	}
	t.epochs = nil
	t.mu.Unlock()
	t.spill.close()
}

// changed gives the rows by which a relation has changed in an epoch, in chunks.
func (t *tail) changed(s *shown, id dataflow.JobID, kinds []zset.Kind, fn func(c *zset.Chunk) error) error {
	w := s.rows[id]
	if w == nil {
		return nil
	}
	return t.spill.read(w, kinds, fn)
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
