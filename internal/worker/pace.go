package worker

import "time"

// A round of all shards takes about so long: short enough for the turns, long
// enough for what it costs to start one.
const (
	roundTime = 3 * time.Millisecond
	leastRows = 4 << 10
	mostRows  = 256 << 10
)

// A step of a stream takes about so long, for a barrier that comes has to wait for its end.
const (
	stepTime   = 10 * time.Millisecond
	leastBlock = 512
	mostBlock  = 8 << 10
)

// pace finds how many rows a shard may do in a round, and how many events of a stream
// it makes in a step.
type pace struct {
	rows  int
	block int64
	step  time.Duration // spent on the step at hand
}

func newPace() pace { return pace{rows: 32 << 10, block: mostBlock} }

// took tells how long a round took.
func (p *pace) took(d time.Duration) {
	switch {
	case d > roundTime:
		p.rows = max(p.rows/2, leastRows)
	case d > roundTime/4 && d < roundTime/2:
		p.rows = min(p.rows*2, mostRows)
	}
}

// stepped tells that a step is over.
func (p *pace) stepped() {
	switch {
	case p.step > stepTime:
		p.block = max(p.block/2, leastBlock)
	case p.step > 0 && p.step < stepTime/3:
		p.block = min(p.block*2, mostBlock)
	}
	p.step = 0
}
