package worker

import (
	"math"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/ts"
)

func TestStrain(t *testing.T) {
	t.Parallel()
	at := time.Unix(0, 0)
	after := func(ms int) time.Time { return at.Add(time.Duration(ms) * time.Millisecond) }
	s := strain{ratio: 1}
	end := func(want time.Duration) {
		t.Helper()
		s.work = 100 * time.Millisecond
		if got := s.end(); math.Abs(float64(got-want)) > float64(time.Microsecond) {
			t.Errorf("the end takes %v, want %v", got, want)
		}
	}
	end(100 * time.Millisecond)
	s.learn(100*time.Millisecond, after(0), after(300)) // three times as long
	end(200 * time.Millisecond)
	s.learn(100*time.Millisecond, after(100), after(400)) // a third of it waiting for the one before: as long
	end(150 * time.Millisecond)
	s.learn(time.Millisecond, after(500), after(600)) // too little to tell
	end(150 * time.Millisecond)
	if s.asked = true; s.reset() != 100*time.Millisecond || s.work != 0 || s.asked {
		t.Errorf("an epoch begins with %v, asked: %t", s.work, s.asked)
	}
}

// An epoch without a barrier in sight takes input until its end would take long, asks once for
// a barrier, and goes on when that has come.
func TestAnEpochIsBounded(t *testing.T) {
	asked := make(chan ts.Ts, 100)
	s := newStand(t, Options{Shards: 2, End: 40 * time.Millisecond, Full: func(_ state.Graph, at ts.Ts) { asked <- at }})
	j, in := tallyJob(2, nil, -1)
	s.start(Job{j, []Input{{Node: in, Stream: &Stream{Name: "numbers", Fill: numbers}}}})
	g := s.worker.graph(graphID)
	for range 3 {
		s.checkpoint()
		for len(asked) > 0 {
			<-asked
		}
		select {
		case at := <-asked:
			if at != s.at+1 {
				t.Fatalf("asked for an epoch %s, after %s", at, s.at)
			}
		case <-time.After(60 * time.Second):
			t.Fatal("asked for no barrier in 60 s")
		}
		s.awaitGraph("a full epoch", g.full)
		read := func() int64 { return g.inputs.streams["numbers"].at }
		var before int64
		s.awaitGraph("its position", func() bool { before = read(); return true })
		for range 10 {
			s.worker.signal(g)
			s.awaitGraph("a turn", func() bool {
				s.worker.mu.Lock()
				defer s.worker.mu.Unlock()
				return !g.queued
			})
		}
		if now := read(); now != before || len(asked) > 0 {
			t.Fatalf("it read from %d to %d, and asked %d times more", before, now, len(asked))
		}
	}
	s.barrier(barrier.Checkpoint, nil)
	s.collect(true)
}
