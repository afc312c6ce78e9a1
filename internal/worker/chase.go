package worker

import (
	"encoding/json"
	"math"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// chase is a stream as the input of a creating graph: from its beginning up to where the
// main graph has read it.
type chase struct {
	*stream
	tail *tail
	cut  ts.Ts // of the barrier at work
	// goal is the main graph's position at the cut; limit is how far to read in this epoch.
	goal, limit int64
	// caught: the goal was reached once. From then on it is reached in every epoch.
	caught bool
}

// chaseMost is how many times Options.chase are read in an epoch while the main graph has no newer one.
const chaseMost = 8

// poll implements input.
func (c *chase) poll(cut ts.Ts) (*step, error) {
	if cut == 0 {
		return nil, nil
	}
	if c.cut != cut {
		if err := c.begin(cut); err != nil {
			return nil, err
		}
	}
	if c.at >= c.limit && c.at < c.goal && c.at-c.begun < chaseMost*c.g.w.o.chase && !c.tail.newer(cut) {
		c.limit = min(c.limit+c.g.w.o.chase, c.goal)
	}
	if c.at >= c.limit {
		return nil, nil
	}
	return c.step(&c.at, c.limit, c.nodes), nil
}

// begin finds out how far the main graph was at a cut.
func (c *chase) begin(cut ts.Ts) error {
	epochs, err := c.tail.upTo(cut)
	if err != nil {
		return err
	}
	c.cut, c.goal, c.limit = cut, math.MaxInt64, c.at
	raw := epochs[len(epochs)-1].positions[c.Name]
	if raw == nil {
		return nil // the source is not part of the main graph yet
	}
	if err := json.Unmarshal(raw, &c.goal); err != nil {
		return weirerr.New(weirerr.StoreCorrupt, "the position of the stream %s does not decode", c.Name).Wrap(err)
	}
	if c.limit = c.goal; !c.caught {
		c.limit = min(c.at+c.g.w.o.chase, c.goal)
	}
	return nil
}

// met tells, at the end of an epoch, whether it is where the main graph was.
func (c *chase) met() bool {
	c.caught = c.caught || c.at >= c.goal
	return c.caught
}

// seen implements input.
func (c *chase) seen(cut ts.Ts) bool { return c.cut == cut && c.at >= c.limit }
