package worker

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/ts"
)

const (
	baseID dataflow.JobID = 2
	sumID  dataflow.JobID = 5
	overID dataflow.JobID = 6
)

// tables are the kinds of tables that views are created over.
var tables = map[string]func(s *stand) Job{
	"changes at the end":   func(s *stand) Job { return s.rowsTable(baseID) },
	"changes as they come": func(s *stand) Job { return s.liveTable(baseID) },
}

// overTable has one table in the main graph, and creates a view over it, and a view over that.
func overTable(s **creator, table func(s *stand) Job) func() ([]Job, map[dataflow.JobID]blueprint) {
	return func() ([]Job, map[dataflow.JobID]blueprint) {
		base := table((*s).stand)
		sum := sums(sumID, base.Job)
		over, _ := tallyJob(overID, sum, -1)
		return []Job{base}, map[dataflow.JobID]blueprint{
			sumID:  {sum, []Read{{Job: base.Job}}},
			overID: {over, []Read{{Job: sum}}},
		}
	}
}

func standCreator(t *testing.T, o Options, table func(s *stand) Job) (*creator, map[dataflow.JobID]blueprint) {
	c := &creator{stand: newStand(t, o), cuts: map[ts.Ts]ts.Ts{}, makes: map[dataflow.JobID]*making{}}
	c.build = overTable(&c, table)
	main, created := c.build()
	c.start(main...)
	return c, created
}

// background appends transactions, not too many, until stop is called, which gives the last one's Ts.
func (c *creator) background(seed uint64) (stop func() ts.Ts) {
	done, end := make(chan ts.Ts), make(chan struct{})
	go func() {
		last := ts.Ts(0)
		for i := uint64(0); ; i++ {
			select {
			case <-end:
				done <- last
				return
			case <-time.After(time.Duration(1+i/20) * time.Millisecond):
				last = c.traffic(seed+i, 20)
			}
		}
	}()
	return func() ts.Ts {
		close(end)
		return <-done
	}
}

// TestAViewIsCreatedWhileItsTableIsWritten: at every commit of its own graph it is its
// query over what was walked so far; when it has joined, over everything. Through
// restarts, with little memory, on several shards.
func TestAViewIsCreatedWhileItsTableIsWritten(t *testing.T) {
	for name, table := range tables {
		for shape, o := range map[string]Options{
			"1 shard": {Shards: 1, most: 4000}, "3 shards, nothing in memory": {Shards: 3, most: 3000, Memory: 1},
		} {
			t.Run(name+", "+shape, func(t *testing.T) {
				t.Parallel()
				rnd := rand.New(rand.NewPCG(7, 7))
				c, created := standCreator(t, o, table)
				c.traffic(1, 2000)
				c.barrier(barrier.Checkpoint, nil)
				c.take(true)
				c.create(created[sumID])
				stop := c.background(100)
				restarts := 0
				for m := c.makes[sumID]; !m.walked; {
					c.move(rnd)
					if got := c.take(true); got.Graph != graphID {
						c.same("walked so far", c.contents(m.job), c.behind(m, m.reads[0].Job))
						if rnd.IntN(4) == 0 && restarts < 6 {
							restarts++
							c.restart(restarts%2 == 0)
						}
					}
				}
				last := stop()
				c.join(rnd, last)
			})
		}
	}
}

// move injects what may be injected.
func (c *creator) move(rnd *rand.Rand) {
	c.step()
	if c.flight < 1+rnd.IntN(2) {
		c.barrier(barrier.Checkpoint, nil)
		time.Sleep(time.Duration(rnd.IntN(3)) * time.Millisecond) // so that epochs differ in size
	}
}

// join lets the view become part of the main graph while there is input, some of which has passed.
func (c *creator) join(rnd *rand.Rand, last ts.Ts) {
	c.t.Helper()
	sum := c.makes[sumID].job
	for len(c.makes) > 0 {
		jobs := c.ready()
		if last = c.traffic(rnd.Uint64(), 20); rnd.IntN(2) == 0 {
			c.awaitRead(last)
		}
		if len(jobs) == 0 {
			c.barrier(barrier.Checkpoint, nil)
			c.take(true)
			continue
		}
		c.merge(jobs)
		c.same("joined", c.shown(sum), c.expected(c.cut()))
	}
	for c.committed < last {
		c.barrier(barrier.Checkpoint, nil)
		c.take(true)
	}
	c.same("in the main graph", c.shown(sum), c.expected(c.cut()))
}
