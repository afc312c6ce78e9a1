package worker

import "time"

// A round of all shards takes about so long: short enough for the turns, long
// enough for what it costs to start one.
const (
	roundTime = 3 * time.Millisecond
	leastRows = 4 << 10
	mostRows  = 256 << 10
)

// pace finds how many rows a shard may do in a round.
type pace struct{ rows int }

func newPace() pace { return pace{32 << 10} }

// took tells how long a round took.
func (p *pace) took(d time.Duration) {
	switch {
	case d > roundTime:
		p.rows = max(p.rows/2, leastRows)
	case d > roundTime/4 && d < roundTime/2:
		p.rows = min(p.rows*2, mostRows)
	}
}
