package worker

import (
	"encoding/json"
	"maps"

	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/weirerr"
)

// merge takes up jobs that were created in graphs of their own, in the midst of an
// epoch: all its input is there, no stage has ended. What has passed the roots that
// they read is repeated for them; what the roots give at the epoch's end they get with
// everybody else.
func (g *graph) merge(b *Barrier) error {
	for _, j := range b.Merge {
		c := g.w.graph(state.Graph{Database: g.id.Database, Part: uint32(j.ID)})
		if c == nil || c.at != b.Prev || !c.sealer.applied() || c.tail == nil && !c.inputs.settled() {
			return weirerr.New(weirerr.WrongState, "the job %s is to join the main graph after epoch %s, but its own graph is not there", j.Name, b.Prev)
		}
		reads, chases := c.reads, c.inputs.chases
		if c.tail == nil {
			if err := g.takeOver(j, c, b); err != nil {
				return err
			}
			continue
		}
		g.w.Drop(c.id)
		if err := g.attach(j, true); err != nil {
			return err
		}
		for _, r := range reads {
			if err := g.repeat(r, j.ID, chases); err != nil {
				return err
			}
		}
	}
	g.busy = true
	return nil
}

// takeOver takes up a captured table, with how far its snapshot is.
func (g *graph) takeOver(j Job, c *graph, b *Barrier) error {
	states := map[string]json.RawMessage{}
	for _, ch := range c.inputs.channels {
		maps.Copy(states, ch.states)
	}
	g.w.Drop(c.id)
	if err := g.flow.Attach(j.Job, g.stored); err != nil {
		return err
	}
	return g.inputs.join(j, states, b)
}

// repeat gives a job what has passed in this epoch of a relation.
func (g *graph) repeat(r Read, to dataflow.JobID, chases map[string]*chase) error {
	if why := g.flow.Fault(r.Job.ID); why != nil {
		for _, f := range g.flow.Fail(to, why) {
			f.Cause = r.Job.ID
			g.faults = append(g.faults, f)
		}
		return nil
	}
	if r.Stream == nil {
		g.flow.Repeat(r.Job.ID, to)
		return nil
	}
	s, own := g.inputs.streams[r.Stream.Name], chases[r.Stream.Name]
	if s == nil || s.begun != own.at {
		return weirerr.New(weirerr.WrongState, "a job joins the main graph elsewhere in the stream %s than it is", r.Stream.Name)
	}
	s.late = append(s.late, lag{target{r.Job.Root, r.Stream.Fill, to}, s.begun, s.at})
	return nil
}
