package worker

import (
	"slices"
	"sync"

	"github.com/weirstream/weir/internal/state"
)

// spareBytes bounds the memory that a graph keeps for copies of changes.
const spareBytes = 64 << 20

// spare keeps the memory of deltas that were sealed for those of later epochs.
type spare struct {
	mu    sync.Mutex
	list  []*state.Delta // the largest last
	bytes int
}

func (s *spare) take(table uint32) *state.Delta {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.list) - 1
	if last < 0 {
		return state.NewDelta(table)
	}
	d := s.list[last]
	s.list = s.list[:last]
	s.bytes -= d.Cap()
	d.Reset(table)
	return d
}

func (s *spare) put(deltas []*state.Delta) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range deltas {
		if d.Cap() == 0 || s.bytes+d.Cap() > spareBytes {
			continue
		}
		at, _ := slices.BinarySearchFunc(s.list, d.Cap(), func(o *state.Delta, n int) int { return o.Cap() - n })
		s.list = slices.Insert(s.list, at, d)
		s.bytes += d.Cap()
	}
}
