package worker

import (
	"runtime"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/ts"
)

// awaitRead waits until the graph has taken everything up to at ahead of any barrier.
func (s *stand) awaitRead(at ts.Ts) {
	s.t.Helper()
	g := s.worker.graph(graphID)
	for deadline := time.Now().Add(60 * time.Second); ; runtime.Gosched() {
		g.turning.Lock()
		ahead := g.inputs.channels["dml"].ahead
		g.turning.Unlock()
		if ahead >= at {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("read to %s in 60 s, not to %s", ahead, at)
		}
	}
}

// TestABarrierOlderThanWhatWasRead: entries read ahead of it are kept, the cut is
// told, and a restart does not read them again.
func TestABarrierOlderThanWhatWasRead(t *testing.T) {
	s := newStand(t, Options{Shards: 2})
	build := func() Job {
		j, in := tallyJob(2, nil, -1)
		return Job{j, []Input{s.input(in)}}
	}
	j := build()
	s.start(j)
	s.checkpoint()
	for i := range 3 {
		last := s.traffic(uint64(i), 200)
		s.awaitRead(last)
		s.barrier(barrier.Checkpoint, func(b *Barrier) { b.Curr = b.Prev + 1 })
		s.collect(true)
		if s.cut() != last || s.committed >= last {
			t.Fatalf("cut at %s, epoch %s, read up to %s", s.cut(), s.committed, last)
		}
		s.same("with what was read ahead", s.shown(j.Job), s.expected(last))
		if i == 1 {
			s.worker.Drop(graphID)
			j = build()
			s.start(j)
		}
		s.barrier(barrier.Checkpoint, func(b *Barrier) { b.Curr = b.Prev + 1 })
		s.collect(true)
		if s.cut() != last {
			t.Fatalf("cut at %s after the next barrier, which is not beyond %s yet", s.cut(), last)
		}
	}
	s.checkpoint()
	s.same("after all", s.shown(j.Job), s.expected(s.cut()))
}

// TestTwoBarriersAheadOfTheReader: each epoch ends at its own.
func TestTwoBarriersAheadOfTheReader(t *testing.T) {
	s := newStand(t, Options{Shards: 2})
	j, in := tallyJob(2, nil, -1)
	s.start(Job{j, []Input{s.input(in)}})
	s.checkpoint()
	var cuts []ts.Ts
	for i := range 20 {
		at := s.append(change{key: int64(i), value: 1, weight: 1})
		cuts = append(cuts, s.barrier(barrier.Checkpoint, func(b *Barrier) { b.Curr = max(at, b.Prev+1) }))
		if i%3 == 0 {
			s.append(change{key: int64(i), value: 10, weight: 1}) // right behind the barrier
		}
	}
	for _, cut := range cuts {
		if c := s.collect(true); c.Curr != cut {
			t.Fatalf("collected %s, not %s", c.Curr, cut)
		}
		s.same("at its own cut", s.shown(j), s.expected(s.cut()))
	}
}
