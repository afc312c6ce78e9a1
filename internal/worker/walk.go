package worker

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// walk is the input of a creating graph from relations of the main graph: through each
// of them in the order of its entries in the store.
//
//	entries of a relation   ├── groups up to the cursor ──┤─────── not read yet ───────┤
//	epoch (prev, c]          1. their changes since prev    2. the next piece, as of c
//
// What changes behind the cursor needs no attention: a piece of a later epoch has it.
type walk struct {
	g     *graph
	tail  *tail
	reads []*course
	run   *run // of the barrier at work; nil: none was begun
}

// course is how far a relation was read.
type course struct {
	*dataflow.Job
	node   *dataflow.Node // stands for the relation's root
	cursor []byte         // groups up to it were read; nil: none
	done   bool           // all were
}

// place is a course's in Positions.
type place struct {
	Cursor []byte `json:"cursor,omitempty"`
	Done   bool   `json:"done,omitempty"`
}

// walkName is the walk's in Positions.
const walkName = "walk/relations"

// begun tells whether any of it was read.
func (r *course) begun() bool { return r.done || r.cursor != nil }

// places decodes what position encoded; nil when there is nothing.
func places(p Positions) (map[dataflow.JobID]place, error) {
	raw := p[walkName]
	if raw == nil {
		return nil, nil
	}
	var all map[dataflow.JobID]place
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, weirerr.New(weirerr.StoreCorrupt, "how far a job was created does not decode").Wrap(err)
	}
	return all, nil
}

// position implements input.
func (w *walk) position(ts.Ts) (string, json.RawMessage) {
	all := map[dataflow.JobID]place{}
	for _, r := range w.reads {
		all[r.ID] = place{r.cursor, r.done}
	}
	return walkName, encode(all)
}

// walked tells whether only changes are left to follow.
func (w *walk) walked() bool {
	for _, r := range w.reads {
		if !r.done {
			return false
		}
	}
	return true
}

// bound implements input: nothing is read before its barrier is at work.
func (w *walk) bound(ts.Ts) {}

// poll implements input.
func (w *walk) poll(cut ts.Ts) (*step, error) {
	if cut == 0 {
		return nil, nil
	}
	if w.run == nil || w.run.cut != cut {
		w.run = w.start(cut)
	}
	return w.run.take()
}

// seen implements input.
func (w *walk) seen(cut ts.Ts) bool { return w.run != nil && w.run.cut == cut && w.run.over }

func (w *walk) close() {
	if w.run != nil {
		w.run.cancel()
		<-w.run.ended
	}
}

// run reads what an epoch takes, in a goroutine of its own.
type run struct {
	*walk
	prev   ts.Ts
	cut    ts.Ts
	steps  chan *step
	failed error // when steps is closed
	over   bool  // all steps were taken
	cancel context.CancelFunc
	ended  chan struct{}

	spreader dataflow.Spreader
	next     int // shard of rows that may be anywhere
}

func (w *walk) start(cut ts.Ts) *run {
	ctx, cancel := context.WithCancel(context.Background())
	r := &run{walk: w, prev: w.g.at, cut: cut, steps: make(chan *step, stepsAhead), cancel: cancel, ended: make(chan struct{})}
	failed := w.g.flow.Fault(w.g.job()) != nil
	go func() {
		defer close(r.ended)
		if !failed {
			if err := r.read(ctx); err != nil && !errors.Is(err, context.Canceled) {
				r.failed = err
			}
		}
		close(r.steps)
		w.g.w.signal(w.g)
	}()
	return r
}

// take gives the next step, nil when there is none now.
func (r *run) take() (*step, error) {
	if r.over {
		return nil, nil
	}
	select {
	case s, more := <-r.steps:
		if more {
			return s, nil
		}
		if r.failed != nil {
			return nil, r.failed
		}
		r.over = true
		r.cancel()
		<-r.ended
	default:
	}
	return nil, nil
}
