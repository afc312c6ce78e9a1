package dataflow

import (
	"fmt"
	"math/bits"
	"runtime/debug"

	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// Shard is one slice of a graph: every operator's part for its keys. One goroutine
// uses it at a time; different shards of a graph may run at once, but not during
// Attach, Detach and Swap.
type Shard struct {
	index  int
	units  []*unit // topological
	of     map[*Node]*unit
	ready  bitset // units with work that can be done
	missed []*unit

	out      [][]parcel // for other shards
	away     int        // rows in out
	spreader Spreader

	flushing bool
	stage    int
	cursor   int // of units: those before are flushed in this stage
	current  *unit
	faults   []Fault
}

// Fault says that a job cannot go on. Cause is the job that broke: itself, or one that it reads.
type Fault struct {
	Job   JobID
	Err   error
	Cause JobID
}

func newShard(index, shards int) *Shard {
	return &Shard{index: index, of: map[*Node]*unit{}, out: make([][]parcel, shards)}
}

// Push hands rows to an input node of the graph. They must be on their shard.
func (s *Shard) Push(input *Node, c *zset.Chunk) {
	if u := s.of[input]; u != nil {
		u.push(0, c)
	}
}

// stepRows is what one operator may do before another one's turn.
const stepRows = 8 << 10

// Run works until about budget rows are done: More; or until nothing is left that
// the shard can do by itself: Done, or Miss when units wait for groups (see Missing).
func (s *Shard) Run(budget int) (status op.Status) {
	defer func() {
		if r := recover(); r != nil {
			status = s.panicked(r)
		}
	}()
	for budget > 0 {
		u, waits := s.next()
		if u == nil {
			switch {
			case len(s.missed) > 0:
				return op.Miss
			case waits != nil && s.away > 0:
				return op.More // they go on after a Swap
			case waits != nil:
				u = waits
			case !s.flushNext():
				return op.Done
			default:
				continue
			}
		}
		s.current = u
		budget -= max(u.work(min(budget, stepRows)), 64)
	}
	return op.More
}

// next is the unit to run: the last one in topological order, so that what is
// under way goes out before more comes in. One whose readers are behind waits.
func (s *Shard) next() (run, waits *unit) {
	for w := len(s.ready) - 1; w >= 0; w-- {
		for word := s.ready[w]; word != 0; {
			i := 63 - bits.LeadingZeros64(word)
			word &^= 1 << i
			u := s.units[w<<6+i]
			if !u.behind() {
				return u, nil
			}
			waits = u
		}
	}
	return nil, waits
}

// Flush begins the end of the epoch for the nodes of a stage; Run does it. Stages
// are flushed in order, each when all shards are Done with the one before and
// nothing is left to Swap.
func (s *Shard) Flush(stage int) {
	s.flushing, s.stage, s.cursor = true, stage, 0
}

// flushNext flushes the next operator of the stage; false when none is left.
func (s *Shard) flushNext() bool {
	if !s.flushing {
		return false
	}
	for ; s.cursor < len(s.units); s.cursor++ {
		u := s.units[s.cursor]
		if u.node.stage != s.stage || u.op == nil || !u.touched || u.dead() {
			continue
		}
		s.cursor++
		s.current = u
		u.op.Flush()
		u.running = true
		s.ready.set(u.at)
		return true
	}
	s.flushing = false
	return false
}

// Idle tells whether Run would have nothing to do.
func (s *Shard) Idle() bool {
	for _, word := range s.ready {
		if word != 0 {
			return false
		}
	}
	return len(s.missed) == 0 && !s.flushing
}

func (u *unit) dead() bool { return u.node.job.fault != nil }

// EndEpoch readies the shard for the next epoch, when the last stage is flushed.
func (s *Shard) EndEpoch() {
	for _, u := range s.units {
		u.touched = false
	}
}

// Missing calls fn for the tables that units wait for; their Wanted says for what.
func (s *Shard) Missing(fn func(t Table) error) error {
	for _, u := range s.missed {
		for _, t := range u.tables {
			if err := fn(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// Resume lets units go on whose groups were filled.
func (s *Shard) Resume() {
	for _, u := range s.missed {
		u.missed = false
		s.ready.set(u.at)
	}
	s.missed = s.missed[:0]
}

// Tables calls fn for every table of jobs that have not failed.
func (s *Shard) Tables(fn func(t Table)) {
	for _, u := range s.units {
		if u.dead() {
			continue
		}
		for _, t := range u.tables {
			fn(t)
		}
	}
}

// fail notes that a job cannot go on; Graph.Faults takes it out.
func (s *Shard) fail(u *unit, err error) {
	s.faults = append(s.faults, Fault{u.node.job.ID, err, u.node.job.ID})
	u.stop()
}

// panicked turns a panic of an operator into a fault of its job.
func (s *Shard) panicked(r any) op.Status {
	u := s.current
	if u == nil {
		panic(r)
	}
	s.fail(u, weirerr.New(weirerr.Unknown, "an operator (%s) broke: %v", u.node.What, r).
		With("job", u.node.job.Name).
		Wrap(fmt.Errorf("%s", debug.Stack())).
		Hint("this is a defect of weir: please report it with the text above; the other views go on"))
	return op.More
}
