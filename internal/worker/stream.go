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

// streamEvents is how many events a shard makes in a step.
const streamEvents = 8 << 10

// pollAgain is when a stream that has nothing is asked again.
const pollAgain = 5 * time.Millisecond

// stream reads a Stream, a block for every shard in a step.
type stream struct {
	*Stream
	g     *graph
	nodes []*dataflow.Node
	at    int64
	timer *time.Timer
}

func newStream(g *graph, s *Stream) *stream { return &stream{Stream: s, g: g} }

func (s *stream) name() string { return s.Name }

func (s *stream) open(resume json.RawMessage) error {
	if resume == nil {
		return nil
	}
	if err := json.Unmarshal(resume, &s.at); err != nil {
		return weirerr.New(weirerr.StoreCorrupt, "the position of the stream %s does not decode", s.Name).Wrap(err)
	}
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
	if cut != 0 || s.End > 0 && s.at >= s.End {
		return nil, nil
	}
	limit := s.limit()
	if s.at >= limit {
		s.again()
		return nil, nil
	}
	shards := s.g.w.o.Shards
	st := &step{parts: make([][]part, shards)}
	for i := 0; i < shards && s.at < limit; i++ {
		from, to := s.at, min(s.at+streamEvents, limit)
		s.at = to
		st.parts[i] = []part{{nodes: slices.Clone(s.nodes), fill: func() *zset.Chunk { return s.Fill(from, to) }}}
	}
	return st, nil
}

// again asks later.
func (s *stream) again() {
	if s.timer == nil {
		s.timer = time.AfterFunc(pollAgain, func() { s.g.w.signal(s.g) })
		return
	}
	s.timer.Reset(pollAgain)
}

func (s *stream) seen(ts.Ts) bool { return true }

func (s *stream) bound(ts.Ts) {}

func (s *stream) position(ts.Ts) (string, json.RawMessage) { return s.Name, encode(s.at) }

func (s *stream) close() {
	if s.timer != nil {
		s.timer.Stop()
	}
}
