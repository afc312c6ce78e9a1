package worker

import (
	"sync"
	"time"

	"github.com/weirstream/weir/internal/ts"
)

// worth is the least work of an epoch that tells how long ends take: below, it is
// what a commit takes at all.
const worth = 20 * time.Millisecond

// strain estimates how long the end of the epoch at work would take, from its barrier
// to its commit: as long, for the work done in it, as the ends of those before.
type strain struct {
	work  time.Duration // on the input of the epoch at work; of the loop
	asked bool          // for a barrier, in this epoch; of the loop

	mu    sync.Mutex
	ratio float64   // of an end to the work before it
	free  time.Time // when the last epoch was committed
}

// end gives what it would take to end the epoch now.
func (s *strain) end() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Duration(float64(s.work) * s.ratio)
}

// reset begins an epoch and gives the work of the one before.
func (s *strain) reset() (work time.Duration) {
	work = s.work
	s.work, s.asked = 0, false
	return work
}

// learn tells when an epoch of so much work began to end, and that it is committed now.
// While the one before was not, it waited.
func (s *strain) learn(work time.Duration, began, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if began.Before(s.free) {
		began = s.free
	}
	s.free = now
	if work >= worth {
		s.ratio = (s.ratio + float64(now.Sub(began))/float64(work)) / 2
	}
}

// full tells whether input has to wait: the epoch's end would take too long already. It asks
// for a barrier before it comes to that.
func (g *graph) full() bool {
	if g.w.o.Full == nil || g.id.Part != 0 {
		return false
	}
	end := g.strain.end()
	if end < g.w.o.End || g.strain.work < worth {
		return false
	}
	if !g.strain.asked && g.sealer.applied() {
		g.strain.asked = true
		g.w.o.Full(g.id, g.after())
	}
	return end >= g.w.o.End+g.w.o.End/2
}

// worked notes work on input, begun a moment ago.
func (g *graph) worked(begun time.Time) {
	d := time.Since(begun)
	g.strain.work += d
	g.pace.step += d
}

// after is the first epoch that the one at work can be.
func (g *graph) after() ts.Ts { return g.at + 1 }
