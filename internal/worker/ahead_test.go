package worker

import (
	"runtime"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/ts"
)

// awaitGraph waits until something is so between two turns of the graph.
func (s *stand) awaitGraph(what string, so func() bool) {
	s.t.Helper()
	g := s.worker.graph(graphID)
	for deadline := time.Now().Add(60 * time.Second); ; runtime.Gosched() {
		g.turning.Lock()
		done := so()
		g.turning.Unlock()
		if done {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%s: not in 60 s", what)
		}
	}
}

// awaitRead waits until the graph has taken everything up to at.
func (s *stand) awaitRead(at ts.Ts) {
	s.t.Helper()
	g := s.worker.graph(graphID)
	s.awaitGraph("the input up to "+at.String(), func() bool { return g.inputs.channels["dml"].ahead >= at })
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
		if s.cut() != cut {
			t.Fatalf("read up to %s for a barrier at %s", s.cut(), cut)
		}
		s.same("at its own cut", s.shown(j), s.expected(s.cut()))
	}
}

// TestStateIsNotForgottenBeforeItsCommit: what an epoch has changed stays in memory
// until the store shows it, however little memory there is.
func TestStateIsNotForgottenBeforeItsCommit(t *testing.T) {
	s := newStand(t, Options{Shards: 2, Memory: 1})
	j, in := tallyJob(2, nil, -1)
	s.start(Job{j, []Input{s.input(in)}})
	s.checkpoint()
	s.append(change{key: 1, value: 1, weight: 1})
	s.append(change{key: 3, value: 1, weight: 1})
	s.checkpoint()
	for key := range int64(3) { // epochs that change one key each, the first again in the last
		at := s.append(change{key: 1 + key%2, value: 1, weight: 1})
		s.awaitRead(at)
		s.barrier(barrier.Checkpoint, func(b *Barrier) { b.Curr = max(at, b.Prev+1) })
	}
	for s.flight > 0 {
		s.collect(true)
		s.same("counted", s.shown(j), s.expected(s.cut()))
	}
}

// TestSealedEpochsThatWaitAreBounded: without commits the third epoch does not end.
func TestSealedEpochsThatWaitAreBounded(t *testing.T) {
	s := newStand(t, Options{Shards: 2})
	j, in := tallyJob(2, nil, -1)
	s.start(Job{j, []Input{s.input(in)}})
	for range 5 {
		s.barrier(barrier.Checkpoint, nil)
	}
	var done []ts.Ts
	for range waiting {
		done = append(done, s.collect(false).Curr)
	}
	g := s.worker.graph(graphID)
	s.awaitGraph("the input of all five", func() bool { return g.inputs.channels["dml"].all >= s.at })
	if g.turn(time.Now().Add(time.Second)) || g.at != done[waiting-1] {
		t.Errorf("epoch %s has ended, though none is committed", g.at)
	}
	for _, at := range done {
		s.ok(s.worker.Commit(t.Context(), graphID, at))
	}
	s.collect(false)
}
