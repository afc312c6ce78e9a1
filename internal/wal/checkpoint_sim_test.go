package wal

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// The simulation runs keepers of rising terms on one catalog and one log. The
// catalog fails one call in three, before or after it did the work, and answers
// late; keepers crash at any point, or go on as zombies beside their successor.
// The model knows what each consumer may still need and watches every write.

// simStore is the catalog.
type simStore struct {
	term, revision uint64
	checkpoint     ts.Ts
	pins           map[string]PinRecord
	history        []ts.Ts
}

func (s *simStore) take() (uint64, Saved) {
	s.term++
	saved := Saved{Checkpoint: s.checkpoint, Revision: s.revision}
	for _, owner := range slices.Sorted(maps.Keys(s.pins)) {
		saved.Pins = append(saved.Pins, s.pins[owner])
	}
	return s.term, saved
}

func (s *simStore) save(c CheckpointSave) (Stored, error) {
	if c.Term != s.term {
		return Stored{}, weirerr.New(weirerr.LogFenced, "term %d is over", c.Term)
	}
	if c.Revision != s.revision {
		return Stored{Checkpoint: s.checkpoint, Revision: s.revision}, nil
	}
	s.revision++
	if c.Next != s.checkpoint {
		s.history = append(s.history, c.Next)
	}
	s.checkpoint = c.Next
	for _, r := range c.Put {
		s.pins[r.Owner] = r
	}
	for _, owner := range c.Delete {
		delete(s.pins, owner)
	}
	return Stored{Checkpoint: s.checkpoint, Revision: s.revision, Landed: true}, nil
}

// claim is what the model knows of one consumer.
type claim struct {
	held bool // Pin has returned, and nothing took it away
	// may is the highest Ts that the consumer has agreed to need nothing below of.
	// Above it, everything must be there.
	may ts.Ts
	ts  ts.Ts
	lag map[string]ts.Ts
	gen int // grows when the claim is lost
}

func (c *claim) low() ts.Ts {
	low := c.ts
	for _, t := range c.lag {
		low = min(low, t)
	}
	return low
}

// due is something that happens later.
type due struct {
	at  int64
	seq int
	do  func()
}

type sim struct {
	t         *testing.T
	rng       *rand.Rand
	now       int64
	seq       int
	agenda    []due
	store     simStore
	truncated ts.Ts
	confirmed ts.Ts
	healthy   bool // the catalog does not fail
	claims    map[string]*claim
	keepers   []*simKeeper // the last one is current
	trace     []string
}

// simKeeper is a keeper with what it has promised.
type simKeeper struct {
	*keeper
	term    uint64
	dead    bool
	reqs    map[uint64]*request
	nextReq uint64
	closed  *closedEffect
	reached ts.Ts // when it closed
}

// request is an event that waits for its answer.
type request struct {
	owner  string
	done   func(t ts.Ts)
	unsure func() // the answer is an error, or never comes
}

func newSim(t *testing.T, seed uint64) *sim {
	s := &sim{t: t, rng: rand.New(rand.NewPCG(seed, 1)), now: 1_000_000, claims: map[string]*claim{}}
	s.store.pins = map[string]PinRecord{}
	s.confirmed = ts.New(s.now, 0)
	s.store.checkpoint = s.confirmed
	s.takeOver()
	return s
}

func (s *sim) fail(format string, args ...any) {
	s.t.Helper()
	for _, line := range s.trace[max(0, len(s.trace)-60):] {
		s.t.Log(line)
	}
	s.t.Fatalf(format, args...)
}

func (s *sim) note(format string, args ...any) {
	if len(s.trace) > 4096 {
		s.trace = slices.Clone(s.trace[2048:])
	}
	s.trace = append(s.trace, fmt.Sprintf("%d ", s.now-1_000_000)+fmt.Sprintf(format, args...))
}

func simConfig(jitter func() float64) keeperConfig {
	return keeperConfig{channel: "c", saveEvery: 1000, backoff: [2]int64{100, 5000}, evictable: 10, jitter: jitter}
}

func (s *sim) current() *simKeeper { return s.keepers[len(s.keepers)-1] }

// takeOver begins a new term and checks that no claim was forgotten.
func (s *sim) takeOver() {
	term, saved := s.store.take()
	s.note("take over: term %d checkpoint %d", term, saved.Checkpoint)
	k := &simKeeper{term: term, reqs: map[uint64]*request{},
		keeper: newKeeper(simConfig(s.rng.Float64), term, saved, s.truncated, s.confirmed, s.now)}
	s.keepers = append(s.keepers, k)
	for owner, c := range s.claims {
		if !c.held {
			continue
		}
		p := k.pins[owner]
		if p == nil || p.ts > c.may {
			s.fail("the claim of %s at %d is %+v after a restart", owner, c.may, p)
		}
		// The consumer knows its own positions; the keeper knows the lowest.
		c.ts, c.lag = p.ts, nil
	}
}

func (s *sim) later(delay int64, do func()) {
	s.seq++
	s.agenda = append(s.agenda, due{s.now + delay, s.seq, do})
}

// pass lets time go by and does what falls due, in order.
func (s *sim) pass(ms int64) {
	end := s.now + ms
	for {
		next := -1
		for i, d := range s.agenda {
			if d.at <= end && (next < 0 || d.at < s.agenda[next].at || d.at == s.agenda[next].at && d.seq < s.agenda[next].seq) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		d := s.agenda[next]
		s.agenda = slices.Delete(s.agenda, next, next+1)
		s.now = max(s.now, d.at)
		d.do()
	}
	s.now = end
}

// step passes an event to a keeper and begins its effects.
func (s *sim) step(k *simKeeper, event any) {
	if k.dead {
		return
	}
	wasEnded := k.ended != nil
	effects := slices.Clone(k.Step(s.now, event))
	s.invariants(k)
	for _, effect := range effects {
		switch e := effect.(type) {
		case replyEffect:
			s.answered(k, e)
		case evictEffect:
			s.note("t%d evicts %s: %v", k.term, e.Owner, e.Err)
			if weirerr.CodeOf(e.Err) != weirerr.LogEvicted {
				s.fail("eviction says %v", e.Err)
			}
			s.lose(e.Owner)
		case saveEffect:
			if wasEnded {
				s.fail("a save after the end")
			}
			s.save(k, e)
		case truncateEffect:
			s.truncate(k, e.UpTo)
		case closedEffect:
			k.closed, k.reached = &e, k.target()
		}
	}
}

// lose: the consumer has heard that its claim is gone.
func (s *sim) lose(owner string) {
	if c := s.claims[owner]; c != nil {
		c.held = false
		c.gen++
	}
}

func (s *sim) invariants(k *simKeeper) {
	low, any := ts.Ts(0), false
	for owner, p := range k.pins {
		l, _ := p.low()
		if h, ok := k.order.Get(owner); !ok || h.Ts != l {
			s.fail("pin %s is at %d in the heap, at %d itself", owner, h.Ts, l)
		}
		if !any || l < low {
			low, any = l, true
		}
	}
	if h, ok := k.order.Min(); ok != any || h.Ts != low || k.order.Len() != len(k.pins) {
		s.fail("minimum %d, want %d", h.Ts, low)
	}
	if any && low < k.saver.floor {
		s.fail("a pin at %d lies below what was saved, %d", low, k.saver.floor)
	}
	if k.saver.floor < k.saver.stored || k.cutter.cut > k.saver.stored {
		s.fail("stored %d, tried %d, cut %d", k.saver.stored, k.saver.floor, k.cutter.cut)
	}
	if len(k.pins)+len(k.lost) > 0 && k.ended == nil {
		for owner := range k.lost {
			if k.pins[owner] != nil {
				s.fail("%s is held and lost", owner)
			}
		}
	}
}

func (s *sim) answered(k *simKeeper, e replyEffect) {
	r := k.reqs[e.Req]
	if r == nil {
		s.fail("answer to %d, which nobody asked, or again", e.Req)
	}
	delete(k.reqs, e.Req)
	if e.Err != nil {
		s.note("t%d refuses %s: %v", k.term, r.owner, e.Err)
		r.unsure()
		return
	}
	r.done(e.Ts)
}

// save carries one save to the catalog: work and answer at times of their own.
func (s *sim) save(k *simKeeper, e saveEffect) {
	flights := 0
	if k.saver.flight != nil {
		flights++
	}
	if flights != 1 || k.saver.flight.seq != e.Seq {
		s.fail("more than one save at a time")
	}
	if e.Save.Next < e.Save.Previous || e.Save.Next > max(k.confirmed, e.Save.Previous) {
		s.fail("save of %d after %d, confirmed %d", e.Save.Next, e.Save.Previous, k.confirmed)
	}
	answer := func(stored Stored, err error) func() {
		return func() { s.step(k, savedEvent{e.Seq, stored, err}) }
	}
	apply := func() (Stored, error) {
		before := s.store.checkpoint
		stored, err := s.store.save(e.Save)
		if stored.Landed {
			s.note("t%d stored %d -> %d put %d delete %d", k.term, before, s.store.checkpoint, len(e.Save.Put), len(e.Save.Delete))
			s.watch("the stored checkpoint", s.store.checkpoint)
		}
		if s.store.checkpoint < before {
			s.fail("the stored checkpoint went back from %d to %d", before, s.store.checkpoint)
		}
		return stored, err
	}
	delay := s.rng.Int64N(400)
	if s.healthy || s.rng.IntN(3) > 0 {
		s.later(delay, func() {
			stored, err := apply()
			s.later(s.rng.Int64N(100), answer(stored, err))
		})
		return
	}
	if s.rng.IntN(2) == 0 { // done, perhaps after the caller gave up
		s.later(s.rng.Int64N(1500), func() { _, _ = apply() })
	}
	s.later(delay, answer(Stored{}, errors.New("the catalog is away")))
}

func (s *sim) truncate(k *simKeeper, upTo ts.Ts) {
	if upTo > s.store.checkpoint {
		s.fail("truncation to %d, but %d is stored", upTo, s.store.checkpoint)
	}
	failed := !s.healthy && s.rng.IntN(3) == 0
	done := !failed || s.rng.IntN(2) == 0
	s.later(s.rng.Int64N(300), func() {
		if done && upTo > s.truncated {
			s.truncated = upTo
			s.watch("the truncation", upTo)
		}
		var err error
		if failed {
			err = errors.New("the disk is away")
		}
		s.later(s.rng.Int64N(50), func() { s.step(k, truncatedEvent{upTo, err}) })
	})
}

// watch: nothing that a consumer may need lies at or below t.
func (s *sim) watch(what string, t ts.Ts) {
	for owner, c := range s.claims {
		if c.held && c.may < t {
			s.fail("%s passed %d, %s needs everything above %d", what, t, owner, c.may)
		}
	}
}

// busy: a consumer does one thing at a time.
func (s *sim) busy(owner string) bool {
	for _, k := range s.keepers {
		for _, r := range k.reqs {
			if r.owner == owner && !k.dead {
				return true
			}
		}
	}
	return false
}

func (s *sim) ask(k *simKeeper, owner string, event func(req uint64) any, done func(t ts.Ts), unsure func()) {
	k.nextReq++
	req := k.nextReq
	k.reqs[req] = &request{owner, done, unsure}
	s.step(k, event(req))
}

// checkClosed: Close tells the truth.
func (s *sim) checkClosed(k *simKeeper) {
	if k.closed.Err == nil && k.term == s.store.term && s.store.checkpoint != k.reached {
		s.fail("closed well at %d, but %d is stored", k.reached, s.store.checkpoint)
	}
	if len(k.reqs) > 0 {
		s.fail("closed with %d events unanswered", len(k.reqs))
	}
}

// quiesce: with a healthy catalog everything lands, and the log is cut there.
func (s *sim) quiesce() {
	s.healthy = true
	if s.current().ended != nil || s.current().closing {
		s.takeOver()
	}
	k := s.current()
	for range 40 {
		s.pass(500)
		for _, k := range s.keepers {
			s.tick(k)
		}
		if k.ended != nil { // a late save of the same term cannot fence it
			s.fail("the current keeper ended: %v", k.ended)
		}
	}
	want := s.confirmed
	if h, ok := k.order.Min(); ok {
		want = min(want, h.Ts)
	}
	if want = max(want, k.saver.stored); s.store.checkpoint != want || s.truncated != want {
		s.fail("quiet at stored %d, truncated %d, want %d", s.store.checkpoint, s.truncated, want)
	}
	if len(k.reqs) > 0 {
		s.fail("%d events are never answered", len(k.reqs))
	}
	for owner := range s.store.pins {
		_, lost := k.lost[owner]
		if k.pins[owner] == nil && !lost {
			s.fail("%s is stored and not held", owner)
		}
	}
}

func TestKeeperSimulation(t *testing.T) {
	seeds, steps := uint64(150), 1500
	if testing.Short() {
		seeds = 20
	}
	total := 0
	for seed := range seeds {
		s := newSim(t, seed)
		for range steps {
			s.act()
		}
		s.quiesce()
		for i := 1; i < len(s.store.history); i++ {
			if s.store.history[i] <= s.store.history[i-1] {
				s.fail("seed %d: saves are not strictly increasing: %d after %d", seed, s.store.history[i], s.store.history[i-1])
			}
		}
		total += len(s.store.history)
	}
	t.Logf("%d checkpoints stored", total)
	if total < int(seeds)*20 {
		t.Errorf("%d checkpoints stored over %d seeds: the simulation is idle", total, seeds)
	}
}
