package worker

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/reconcile/sourcetest"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/state"
)

// creation is a captured table on its way, in a graph of its own.
type creation struct {
	*shop
	r         *rand.Rand
	id        row.TableID
	graph     state.Graph
	job       Job
	positions Positions
	walked    bool
}

// open opens the graph at the main graph's committed epoch, or where it was.
func (c *creation) open() {
	c.t.Helper()
	c.job = c.captured(c.id)
	c.ok(c.worker.Open(context.Background(), Spec{
		Graph: c.graph, Attempt: c.attempt, Committed: c.committed, Positions: c.positions, Jobs: []Job{c.job},
	}))
}

// step lets the main graph commit, and then this one up to there.
func (c *creation) step() {
	c.t.Helper()
	for range c.r.IntN(4) {
		c.random(c.r)
	}
	c.commit(false, func(*sourcetest.Txn) {}) // the heartbeat after a snapshot
	c.source.Pump(c.r.IntN(6))
	prev := c.committed
	c.checkpoint()
	c.check()
	c.worker.Inject(Barrier{Graph: c.graph, Attempt: c.attempt, Prev: prev, Curr: c.committed, Kind: barrier.Checkpoint})
	got, good := (<-c.reports).(*Collected)
	if !good || got.Graph != c.graph || len(got.Faults) > 0 {
		c.t.Fatalf("not collected: %+v", got)
	}
	c.ok(c.worker.Commit(context.Background(), c.graph, got.Curr))
	c.positions, c.walked = got.Positions, got.Walked
}

// merge lets the table join the main graph.
func (c *creation) merge() {
	c.t.Helper()
	c.random(c.r)
	c.source.Pump(-1)
	old := c.r.IntN(2) == 0 // the main graph has read beyond the barrier
	if old {
		c.mayRead()
	}
	c.shop.barrier(barrier.Checkpoint, func(b *Barrier) {
		if b.Merge = []Job{c.job}; old {
			b.Curr = b.Prev + 1
		}
	})
	c.random(c.r)
	c.source.Pump(-1)
	c.collect(true)
	c.check()
}

// mayRead gives the main graph time to read ahead of the barrier, if it reads the channel at all.
func (c *creation) mayRead() {
	g := c.worker.graph(graphID)
	last := c.source.Last
	c.awaitGraph("what was appended", func() bool {
		ch := g.inputs.channels["shop"]
		return ch == nil || ch.all >= last
	})
}

// TestCapturedTablesJoinTheMainGraph: each is created in a graph of its own while the
// main graph follows those that were there before; from the epoch of its merge on it
// is at one epoch with them, also after restarts of either graph.
func TestCapturedTablesJoinTheMainGraph(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newShop(t, seed, Options{Shards: 1 + int(seed%3)})
			s.joined = map[row.TableID]bool{}
			r := rand.New(rand.NewPCG(seed, 11))
			for range 30 {
				s.random(r)
			}
			s.source.Pump(-1)
			s.start()
			s.checkpoint()
			placing, done := make(chan struct{}), make(chan struct{})
			go s.place(placing, done)
			var jobs []Job
			for _, id := range []row.TableID{journal, accounts} {
				c := &creation{shop: s, r: r, id: id, graph: state.Graph{Database: 1, Part: uint32(id)}}
				c.open()
				for n := 0; !c.walked; n++ {
					if c.step(); n%5 == 3 {
						s.worker.Drop(c.graph)
						c.open()
					}
				}
				c.merge()
				s.joined[id] = true
				jobs = append(jobs, c.job)
				for range 5 {
					s.random(r)
					s.source.Pump(-1)
					s.checkpoint()
					s.check()
				}
				for i, j := range jobs {
					jobs[i] = s.captured(row.TableID(j.ID))
				}
				s.worker.Drop(graphID)
				s.start(jobs...)
				s.checkpoint()
				s.check()
			}
			close(placing)
			<-done
		})
	}
}
