package worker

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/ts"
)

// traffic appends random transactions of two opposite rows each, from time to time
// taking rows away again.
func (s *stand) traffic(seed uint64, n int) (last ts.Ts) {
	rnd := rand.New(rand.NewPCG(seed, 3))
	var live []change
	for range n {
		key := rnd.Int64N(500)
		a := change{key: key, value: rnd.Int64N(100), weight: 1}
		b := change{key: (key + 1) % 500, value: -a.value, weight: 1}
		txn := []change{a, b}
		live = append(live, a, b)
		if rnd.IntN(3) == 0 {
			i := rnd.IntN(len(live))
			gone := live[i]
			live[i] = live[len(live)-1]
			live = live[:len(live)-1]
			gone.weight = -1
			txn = append(txn, gone)
		}
		last = s.append(txn...)
	}
	return last
}

// TestEveryCommittedEpochIsTheLogUpToItsCut: views over an own table, one over the
// other, at every epoch, on 1 to 3 shards, while transactions come in, through
// restarts, with memory enough and not.
func TestEveryCommittedEpochIsTheLogUpToItsCut(t *testing.T) {
	for name, o := range map[string]Options{
		"1 shard": {Shards: 1}, "2 shards": {Shards: 2}, "3 shards, no memory": {Shards: 3, Memory: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStand(t, o)
			rnd := rand.New(rand.NewPCG(1, 2))
			build := func() (Job, Job) {
				base, in := tallyJob(2, nil, -1)
				over, _ := tallyJob(3, base, -1)
				return Job{base, []Input{s.input(in)}}, Job{Job: over}
			}
			base, over := build()
			s.start(base, over)
			check := func() {
				t.Helper()
				want := s.expected(s.cut())
				s.same("view", s.shown(base.Job), want)
				s.same("view over a view", s.shown(over.Job), counts(want))
			}
			for round := range 6 {
				done := make(chan ts.Ts)
				go func() { done <- s.traffic(uint64(round), 3000) }()
				var last ts.Ts
				for last == 0 {
					s.barrier(barrier.Kind(1+rnd.IntN(2)), nil)
					for s.flight > rnd.IntN(3) {
						if s.collect(true).Sealed != nil {
							check()
						}
					}
					select {
					case last = <-done:
					case <-time.After(time.Duration(rnd.IntN(20)) * time.Millisecond):
					}
				}
				s.ok(s.writer.WaitDurable(context.Background(), last))
				for s.committed < last {
					s.checkpoint()
				}
				check()
				if round%2 == 0 { // a failure: what is sealed and not committed is lost
					s.traffic(99, 100)
					s.barrier(barrier.Checkpoint, nil)
					s.collect(false)
					if round%4 == 0 {
						s.worker.Drop(graphID)
					} else {
						s.close()
						s.open()
					}
					base, over = build()
					s.start(base, over)
					check()
				}
			}
		})
	}
}
