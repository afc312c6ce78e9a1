package worker

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// Stream is an input that can be read again from any position: a generator. All
// inputs of the same name share one position.
type Stream struct {
	Name string // in Positions
	// Fill makes the rows of events [from, to): a pure function, which shards call
	// concurrently.
	Fill func(from, to int64) *zset.Chunk
	// End is the position at which it ends; 0: never.
	End int64
	// Ready is how far it may be read now; nil: to its end. When it says no more than
	// what was read, it is asked again a little later.
	Ready func(now time.Time) int64
}

// pollAgain is when a stream that has nothing is asked again.
const pollAgain = 5 * time.Millisecond

// stream reads a Stream, a block for every shard in a step.
type stream struct {
	*Stream
	g     *graph
	nodes []target
	late  []lag // to be given before the epoch ends
	at    int64
	begun int64 // at, when the epoch at work began
	timer *time.Timer
}

// target is a node with what makes its rows, which are those of one job or of all readers.
type target struct {
	node *dataflow.Node
	fill func(from, to int64) *zset.Chunk
	only dataflow.JobID // 0: all
}

// lag is what a target has not got of the rows before the stream's position.
type lag struct {
	target
	from, to int64
}

func newStream(g *graph, s *Stream) *stream { return &stream{Stream: s, g: g} }

func (s *stream) add(n *dataflow.Node, fill func(from, to int64) *zset.Chunk) {
	s.nodes = append(s.nodes, target{node: n, fill: fill})
}

func (s *stream) name() string { return s.Name }

func (s *stream) open(resume json.RawMessage) error {
	if resume == nil {
		return nil
	}
	if err := json.Unmarshal(resume, &s.at); err != nil {
		return weirerr.New(weirerr.StoreCorrupt, "the position of the stream %s does not decode", s.Name).Wrap(err)
	}
	s.begun = s.at
	return nil
}

// limit is how far it may be read now.
func (s *stream) limit() int64 {
	limit := int64(1 << 62)
	if s.End > 0 {
		limit = s.End
	}
	if s.Ready != nil {
		limit = min(limit, s.Ready(time.Now()))
	}
	return limit
}

// poll gives nothing when a barrier waits: the position of that moment is the cut.
func (s *stream) poll(cut ts.Ts) (*step, error) {
	if len(s.late) > 0 {
		l := &s.late[0]
		st := s.step(&l.from, l.to, []target{l.target})
		if l.from >= l.to {
			s.late = s.late[1:]
		}
		return st, nil
	}
	if cut != 0 || s.End > 0 && s.at >= s.End {
		return nil, nil
	}
	limit := s.limit()
	if s.at >= limit {
		s.again()
		return nil, nil
	}
	return s.step(&s.at, limit, slices.Clone(s.nodes)), nil
}

// step makes a block for every shard, from a position on, which it moves.
func (s *stream) step(at *int64, limit int64, to []target) *step {
	st := &step{parts: make([][]part, s.g.w.o.Shards)}
	for i := 0; i < len(st.parts) && *at < limit; i++ {
		from, end := *at, min(*at+s.g.pace.block, limit)
		*at = end
		for _, t := range to {
			st.parts[i] = append(st.parts[i], part{
				nodes: []*dataflow.Node{t.node}, only: t.only, fill: func() *zset.Chunk { return t.fill(from, end) },
			})
		}
	}
	return st
}

// again asks later.
func (s *stream) again() {
	if s.timer == nil {
		s.timer = time.AfterFunc(pollAgain, func() { s.g.w.signal(s.g) })
		return
	}
	s.timer.Reset(pollAgain)
}

func (s *stream) seen(ts.Ts) bool { return len(s.late) == 0 }

func (s *stream) bound(ts.Ts) {}

func (s *stream) position(ts.Ts) (string, json.RawMessage) {
	s.begun = s.at
	return s.Name, encode(s.at)
}

func (s *stream) close() {
	if s.timer != nil {
		s.timer.Stop()
	}
}
