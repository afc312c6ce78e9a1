package membudget

import (
	"runtime/debug"
	"sync"
)

// rest is what is taken for the live heap beside the state, in bytes.
const rest = 64 * mib

// Pace sets how much garbage the collector lets pile up. Its methods may be called concurrently.
type Pace struct {
	mu      sync.Mutex
	percent int
	set     func(percent int) // debug.SetGCPercent, but in tests
}

// NewPace begins without state.
func NewPace() *Pace {
	p := &Pace{set: func(percent int) { debug.SetGCPercent(percent) }}
	p.Held(0)
	return p
}

// Held says how many bytes of state are held in memory. It costs nothing unless they changed much.
func (p *Pace) Held(bytes int64) {
	percent := int(100 * (2*rest + bytes/4) / (rest + bytes))
	p.mu.Lock()
	defer p.mu.Unlock()
	if d := percent - p.percent; d*d*100 > p.percent*p.percent { // by a tenth: setting it stops the world for a moment
		p.percent = percent
		p.set(percent)
	}
}
