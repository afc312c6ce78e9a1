package wal

import (
	"fmt"
	"maps"
	"slices"

	"github.com/weirstream/weir/internal/ts"
)

// near is a Ts around the interesting places.
func (s *sim) near() ts.Ts {
	base := []ts.Ts{s.store.checkpoint, s.confirmed, s.truncated}[s.rng.IntN(3)]
	return base + ts.Ts(s.rng.IntN(40)) - 20
}

func (s *sim) pin(k *simKeeper, owner string) {
	if s.busy(owner) {
		return
	}
	p := Pin{Owner: owner, Ts: s.near(), Now: s.rng.IntN(4) == 0}
	if s.rng.IntN(3) == 0 {
		p.Lag = map[string]ts.Ts{"v1": p.Ts - 1, "v2": p.Ts - ts.Ts(s.rng.IntN(9))}
	}
	if p.Now {
		p.Lag = nil
	}
	if s.rng.IntN(4) == 0 {
		p.Budget = Budget{Bytes: 200, TTL: 5_000_000_000}
	}
	c := s.claims[owner]
	if c == nil {
		c = &claim{}
		s.claims[owner] = c
	}
	want := claim{ts: p.Ts, lag: maps.Clone(p.Lag)}
	// While the answer is out, both may be in force.
	floor := k.saver.floor
	if !p.Now && want.low() >= floor || p.Now {
		c.may = max(c.may, want.low())
		if p.Now {
			c.may = max(c.may, k.confirmed, floor)
		}
	}
	gen := c.gen
	s.note("t%d %s pins %d low %d now %v", k.term, owner, p.Ts, want.low(), p.Now)
	s.ask(k, owner, func(req uint64) any { return pinEvent{req, p} }, func(t ts.Ts) {
		if want.low() < floor && !p.Now {
			s.fail("a claim at %d below %d was accepted", want.low(), floor)
		}
		if c.gen != gen {
			return
		}
		want.ts = t
		*c = claim{held: true, ts: t, lag: want.lag, may: want.low(), gen: gen}
		s.note("t%d %s is pinned at %d", k.term, owner, t)
	}, func() {})
}

func (s *sim) advance(k *simKeeper, owner string) {
	if s.busy(owner) {
		return
	}
	c := s.claims[owner]
	p := k.pins[owner]
	if c == nil || p == nil {
		s.ask(k, owner, func(req uint64) any { return advanceEvent{req, owner, s.near()} }, func(ts.Ts) {
			s.fail("an advance without a pin was accepted")
		}, func() {})
		return
	}
	to := p.ts + ts.Ts(s.rng.IntN(30)) - 3
	was := p.ts
	if s.rng.IntN(2) == 0 {
		to = max(was, s.confirmed)
	}
	if refusing := k.refused() != nil; !refusing && to >= was {
		low := to
		if p.lag != nil {
			if m, ok := p.lag.Min(); ok {
				low = min(low, m.Ts)
			}
		}
		c.may = max(c.may, low)
	}
	s.ask(k, owner, func(req uint64) any { return advanceEvent{req, owner, to} }, func(ts.Ts) {
		if to < was {
			s.fail("a pin went back from %d to %d", was, to)
		}
	}, func() {})
}

func (s *sim) lag(k *simKeeper, owner string) {
	p, c := k.pins[owner], s.claims[owner]
	if p == nil || c == nil || s.busy(owner) {
		return
	}
	v := fmt.Sprintf("v%d", s.rng.IntN(3))
	to := p.ts - ts.Ts(s.rng.IntN(30)) + 5
	s.note("t%d %s lags %s at %d", k.term, owner, v, to)
	before, _ := p.low()
	gen := c.gen
	s.ask(k, owner, func(req uint64) any { return lagEvent{req, owner, v, to} }, func(ts.Ts) {
		if c.gen == gen && k == s.current() {
			c.may, _ = p.low() // a lower claim is one, once it is answered
		}
	}, func() {})
	if after, _ := p.low(); after > before {
		c.may = max(c.may, after)
	}
}

func (s *sim) release(k *simKeeper, owner string) {
	if s.busy(owner) {
		return
	}
	s.lose(owner)
	s.note("t%d %s releases", k.term, owner)
	s.ask(k, owner, func(req uint64) any { return releaseEvent{req, owner} }, func(ts.Ts) {}, func() {})
}

func (s *sim) tick(k *simKeeper) {
	held := map[string]int64{}
	for owner := range k.pins {
		h, _ := k.order.Get(owner)
		held[owner] = int64(s.confirmed - min(s.confirmed, h.Ts))
	}
	s.step(k, tickEvent{s.confirmed, held})
}

func (s *sim) crash() {
	k := s.current()
	k.dead = true
	s.note("t%d crashes", k.term)
	s.takeOver()
}

// act does one random thing.
func (s *sim) act() {
	k := s.current()
	if len(s.keepers) > 1 && s.rng.IntN(6) == 0 {
		k = s.keepers[s.rng.IntN(len(s.keepers))] // a zombie, perhaps
	}
	owner := fmt.Sprintf("o%d", s.rng.IntN(4))
	switch n := s.rng.IntN(100); {
	case n < 12:
		s.pin(k, owner)
	case n < 40:
		s.advance(k, owner)
	case n < 46:
		s.lag(k, owner)
	case n < 50:
		s.release(k, owner)
	case n < 70:
		s.confirmed += ts.Ts(s.rng.IntN(20))
	case n < 72:
		if o, _, ok := k.candidate(); ok {
			s.step(k, evictEvent{o, "the disk is full"})
		}
	case n < 74:
		s.crash()
	case n < 75 && len(s.keepers) < 4:
		s.takeOver() // the old one goes on
	case n < 76:
		s.step(s.current(), closeEvent{})
	default:
		s.pass(s.rng.Int64N(700))
		for _, k := range s.keepers {
			s.tick(k)
		}
	}
	if s.current().closed != nil {
		s.checkClosed(s.current())
		s.takeOver()
	}
	if len(s.keepers) > 4 {
		s.keepers = slices.Clone(s.keepers[len(s.keepers)-4:])
	}
}
