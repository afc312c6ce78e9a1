package worker

import (
	"encoding/json"

	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/zset"
)

// input is where rows enter a graph. The worker's loop calls it; what it reads
// ahead it does in a goroutine of its own, and signals the graph.
type input interface {
	// poll gives the next step, nil when there is none now. With a cut, nothing
	// beyond it.
	poll(cut ts.Ts) (*step, error)
	// seen tells whether everything up to the cut was polled.
	seen(cut ts.Ts) bool
	// bound announces a barrier, in ascending order, as soon as it is injected.
	bound(cut ts.Ts)
	// position is where it stands at the end of the epoch cut; nil when that says it all.
	position(cut ts.Ts) (name string, raw json.RawMessage)
	close()
}

// step is a small batch of input, cut by shards.
type step struct {
	last  ts.Ts    // of its newest entry; 0: it may go into any epoch
	seen  ts.Ts    // with it, everything up to here was given
	parts [][]part // by shard; nil: no rows
	// faults are jobs whose input cannot be read.
	faults []dataflow.Fault
	// states are how far snapshots are with it.
	states []snapshotAt
}

// part is rows for nodes, or what makes them: then the shard does it.
type part struct {
	nodes []*dataflow.Node
	only  dataflow.JobID // of the nodes' readers; 0: all
	chunk *zset.Chunk
	fill  func() *zset.Chunk
}
