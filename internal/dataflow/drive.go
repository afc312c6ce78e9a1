package dataflow

import (
	"github.com/weirstream/weir/internal/op"
)

// driveRows is a shard's budget in a round.
const driveRows = 64 << 10

// Settle runs all shards, one after the other, until nothing is left to do. It is
// for graphs that live in memory alone; fetch fills what shards miss, nil when
// nothing can be missing. The worker does the same with a goroutine a shard.
func (g *Graph) Settle(fetch func(s *Shard) error) ([]Fault, error) {
	var faults []Fault
	for {
		more, busy, err := g.round(fetch)
		faults = append(faults, more...)
		if err != nil || !busy {
			return faults, err
		}
	}
}

// round gives every shard its budget once. Not busy: nothing is left to do.
func (g *Graph) round(fetch func(s *Shard) error) (faults []Fault, busy bool, err error) {
	for _, s := range g.shards {
		switch s.Run(driveRows) {
		case op.More:
			busy = true
		case op.Miss:
			busy = true
			if err := fetch(s); err != nil {
				return nil, false, err
			}
			s.Resume()
		}
	}
	faults = g.Faults()
	return faults, g.Swap() || busy, nil
}

// Finish ends an epoch: it settles, and flushes stage after stage.
func (g *Graph) Finish(fetch func(s *Shard) error) ([]Fault, error) {
	faults, err := g.Settle(fetch)
	for stage := 0; err == nil && stage < g.stages; stage++ {
		for _, s := range g.shards {
			s.Flush(stage)
		}
		var more []Fault
		more, err = g.Settle(fetch)
		faults = append(faults, more...)
	}
	for _, s := range g.shards {
		s.EndEpoch()
	}
	return faults, err
}
