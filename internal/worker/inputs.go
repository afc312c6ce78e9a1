package worker

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/ts"
)

// inputs are all inputs of a graph. Those that share a channel, or a stream's
// name, have one reader.
type inputs struct {
	g         *graph
	committed ts.Ts
	resume    Positions
	channels  map[string]*channel
	streams   map[string]*stream
	walk      *walk             // of a creating graph
	chases    map[string]*chase // likewise
	late      []*channel        // read for tables that join the graph in this epoch

	mu     sync.Mutex
	list   []input // in the order of their names, channels first
	bounds []ts.Ts // of barriers at work
	turn   int
}

func newInputs(g *graph, committed ts.Ts, p Positions) *inputs {
	return &inputs{g: g, committed: committed, resume: p, channels: map[string]*channel{}, streams: map[string]*stream{}, chases: map[string]*chase{}}
}

// add notes one more input; open begins to read it.
func (in *inputs) add(i Input) {
	switch {
	case i.Table != nil:
		c := in.channels[i.Table.Channel]
		if c == nil {
			c = newChannel(in.g, i.Table.Channel)
			in.channels[i.Table.Channel] = c
		}
		c.add(i.Table, i.Node)
	case i.Stream != nil:
		s := in.streams[i.Stream.Name]
		if s == nil {
			s = newStream(in.g, i.Stream)
			in.streams[i.Stream.Name] = s
		}
		s.add(i.Node, i.Stream.Fill)
	}
}

// chase notes a stream that a creating graph reads.
func (in *inputs) chase(st *Stream, n *dataflow.Node, t *tail) {
	c := in.chases[st.Name]
	if c == nil {
		c = &chase{stream: newStream(in.g, st), tail: t}
		in.chases[st.Name] = c
	}
	c.add(n, st.Fill)
}

// met tells whether all streams of a creating graph are where the main graph's are.
func (in *inputs) met() bool {
	all := true
	for _, c := range in.chases {
		all = c.met() && all
	}
	return all
}

// remove takes the inputs of a job away.
func (in *inputs) remove(j *dataflow.Job) {
	for name, c := range in.channels {
		if c.remove(j.Nodes) {
			c.close()
			delete(in.channels, name)
		}
	}
	for name, s := range in.streams {
		s.nodes = slices.DeleteFunc(s.nodes, func(t target) bool { return slices.Contains(j.Nodes, t.node) })
		if len(s.nodes) == 0 {
			s.close()
			delete(in.streams, name)
		}
	}
}

// open lets the readers of what was added or removed begin anew, behind the cut.
func (in *inputs) open(cut ts.Ts) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.list = in.list[:0]
	for _, name := range slices.Sorted(maps.Keys(in.channels)) {
		c := in.channels[name]
		if err := c.open(cut, in.resume[c.name()], in.bounds); err != nil {
			return err
		}
		in.list = append(in.list, c)
	}
	for _, name := range slices.Sorted(maps.Keys(in.streams)) {
		s := in.streams[name]
		if err := s.open(in.resume[s.name()]); err != nil {
			return err
		}
		in.list = append(in.list, s)
	}
	for _, name := range slices.Sorted(maps.Keys(in.chases)) {
		c := in.chases[name]
		if err := c.open(in.resume[name]); err != nil {
			return err
		}
		in.list = append(in.list, c)
	}
	if in.walk != nil {
		in.list = append(in.list, in.walk)
	}
	in.resume = nil // of the first opening alone
	return nil
}

// bound announces a barrier.
func (in *inputs) bound(cut ts.Ts) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.bounds = append(in.bounds, cut)
	for _, i := range in.list {
		i.bound(cut)
	}
}

// poll gives a step of one of the inputs, which take turns.
func (in *inputs) poll(cut ts.Ts) (*step, error) {
	for range in.list {
		in.turn = (in.turn + 1) % len(in.list)
		s, err := in.list[in.turn].poll(cut)
		if s != nil || err != nil {
			return s, err
		}
	}
	return nil, nil
}

func (in *inputs) seen(cut ts.Ts) bool {
	for _, i := range in.list {
		if !i.seen(cut) {
			return false
		}
	}
	return true
}

// positions are the inputs' at the end of an epoch.
func (in *inputs) positions(cut ts.Ts) Positions {
	in.mu.Lock()
	in.bounds = slices.DeleteFunc(in.bounds, func(b ts.Ts) bool { return b <= cut })
	in.mu.Unlock()
	p := Positions{}
	for _, i := range in.list {
		if name, raw := i.position(cut); raw != nil {
			p[name] = raw
		}
	}
	return p
}

func (in *inputs) close() {
	for _, i := range in.list {
		i.close()
	}
}

func encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("worker: a position always encodes: %v", err))
	}
	return raw
}
