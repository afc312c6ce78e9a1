package worker

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// channel is a log channel as a graph's input. Its reader goroutine decodes ahead.
type channel struct {
	g       *graph
	channel string
	tables  []*follower
	stale   bool // tables have changed since the reader began

	reader *reader
	head   *step // received, not given
	all    ts.Ts // everything up to here was given
	ahead  ts.Ts // of the newest entry given
	// states are how far snapshots are, by consumer, with what was given; idle are those
	// that have settled.
	states map[string]json.RawMessage
	idle   map[string]bool
	// joins is the channel's input that goes on for these tables, from floor on.
	joins *channel
	floor ts.Ts
}

// channelPosition is a channel in Positions.
type channelPosition struct {
	Ts        ts.Ts                      `json:"ts,omitempty"`        // of the cut, when it is not the epoch's
	Snapshots map[string]json.RawMessage `json:"snapshots,omitempty"` // by consumer
}

// follower is a table of a channel, with the node it feeds.
type follower struct {
	*Table
	node *dataflow.Node
}

func newChannel(g *graph, name string) *channel {
	return &channel{g: g, channel: name, states: map[string]json.RawMessage{}, idle: map[string]bool{}}
}

func (c *channel) name() string { return "channel/" + c.channel }

func (c *channel) add(t *Table, n *dataflow.Node) {
	c.tables = append(c.tables, &follower{t, n})
	c.stale = true
}

// remove takes tables away, and says whether none is left.
func (c *channel) remove(nodes []*dataflow.Node) (empty bool) {
	before := len(c.tables)
	c.tables = slices.DeleteFunc(c.tables, func(f *follower) bool {
		gone := slices.Contains(nodes, f.node)
		if gone && f.Capture != nil {
			delete(c.states, f.Capture.Consumer)
		}
		return gone
	})
	c.stale = c.stale || len(c.tables) != before
	return len(c.tables) == 0
}

// open begins to read behind the cut, unless it does so already. What was read
// ahead for other tables is read again.
func (c *channel) open(cut ts.Ts, resume json.RawMessage, bounds []ts.Ts) error {
	if !c.stale {
		return nil
	}
	if resume != nil {
		var at channelPosition
		if err := json.Unmarshal(resume, &at); err != nil {
			return weirerr.New(weirerr.StoreCorrupt, "the position in channel %s does not decode", c.channel).Wrap(err)
		}
		c.ahead = at.Ts
		maps.Copy(c.states, at.Snapshots)
	}
	c.stop()
	from := max(cut, c.ahead)
	log, err := c.g.w.o.Logs.Channel(c.channel)
	if err != nil {
		return err
	}
	r, err := newReader(c, log, from, bounds)
	if err != nil {
		return err
	}
	c.reader, c.head, c.all, c.stale = r, nil, from, false
	return nil
}

// bound announces a barrier to the reader, and to the channel's writer.
func (c *channel) bound(cut ts.Ts) {
	c.reader.bound(cut)
	if err := c.g.w.o.Logs.Promise(c.channel, cut); err != nil {
		c.g.fail(err)
	}
}

// poll implements input. What was given of entries beyond the cut goes on up to
// the end of its transaction.
func (c *channel) poll(cut ts.Ts) (*step, error) {
	for {
		if c.head == nil {
			var err error
			if c.head, err = c.reader.take(); c.head == nil {
				return nil, err
			}
		}
		s := c.head
		if cut != 0 && s.last > c.limit(cut) {
			return nil, nil
		}
		c.head = nil
		c.all, c.ahead = max(c.all, s.seen), max(c.ahead, s.last)
		for _, at := range s.states {
			c.states[at.consumer], c.idle[at.consumer] = at.state, at.idle
		}
		if s.parts != nil || s.faults != nil {
			return s, nil
		}
	}
}

func (c *channel) seen(cut ts.Ts) bool {
	return c.all >= c.limit(cut) || c.head != nil && c.head.last > c.limit(cut)
}

// position implements input.
func (c *channel) position(cut ts.Ts) (string, json.RawMessage) {
	if c.joins != nil && c.joins.reader != nil {
		return c.name(), nil // it says so
	}
	at := channelPosition{Snapshots: c.states}
	if c.ahead > cut {
		at.Ts = c.ahead
	}
	if at.Ts == 0 && len(at.Snapshots) == 0 {
		return c.name(), nil
	}
	return c.name(), encode(at)
}

func (c *channel) stop() {
	if c.reader != nil {
		c.reader.close()
	}
}

func (c *channel) close() { c.stop() }
