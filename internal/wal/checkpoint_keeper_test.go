package wal

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/progress"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// stand drives one keeper by hand.
type stand struct {
	t   *testing.T
	k   *keeper
	now int64
	req uint64
	out []any // effects not yet taken
}

const second = 1000

func newStand(t *testing.T, saved Saved, confirmed ts.Ts) *stand {
	t.Helper()
	now := int64(1_000_000)
	return &stand{t: t, now: now, k: newKeeper(simConfig(func() float64 { return 0.5 }), 7, saved, saved.Checkpoint, confirmed, now)}
}

func (s *stand) step(event any) *stand {
	s.out = append(s.out, s.k.Step(s.now, event)...)
	return s
}

func (s *stand) tick(ms int64, confirmed ts.Ts) *stand {
	s.now += ms
	return s.step(tickEvent{Confirmed: confirmed})
}

func (s *stand) pin(p Pin) *stand { s.req++; return s.step(pinEvent{s.req, p}) }

func (s *stand) advance(owner string, t ts.Ts) *stand {
	s.req++
	return s.step(advanceEvent{s.req, owner, t})
}

// take removes the first effect of the type and returns it.
func take[E any](s *stand) (e E, ok bool) {
	for i, effect := range s.out {
		if e, ok := effect.(E); ok {
			s.out = append(s.out[:i:i], s.out[i+1:]...)
			return e, true
		}
	}
	return e, false
}

func want[E any](s *stand, what string) E {
	s.t.Helper()
	e, ok := take[E](s)
	if !ok {
		s.t.Fatalf("%s: no %T in %v", what, e, s.out)
	}
	return e
}

func none[E any](s *stand, what string) {
	s.t.Helper()
	if e, ok := take[E](s); ok {
		s.t.Fatalf("%s: unexpected %T %+v", what, e, e)
	}
}

// land answers the save under way with success.
func (s *stand) land(what string, next ts.Ts) CheckpointSave {
	s.t.Helper()
	e := want[saveEffect](s, what)
	if e.Save.Next != next {
		s.t.Fatalf("%s: saves %d, want %d", what, e.Save.Next, next)
	}
	s.step(savedEvent{e.Seq, Stored{e.Save.Next, e.Save.Revision + 1, true}, nil})
	return e.Save
}

func (s *stand) lose(what string, err error) {
	s.t.Helper()
	e := want[saveEffect](s, what)
	s.step(savedEvent{e.Seq, Stored{}, err})
}

// cut answers the truncation under way with success.
func (s *stand) cut(what string, upTo ts.Ts) {
	s.t.Helper()
	if e := want[truncateEffect](s, what); e.UpTo != upTo {
		s.t.Fatalf("%s: truncates up to %d, want %d", what, e.UpTo, upTo)
	}
	s.step(truncatedEvent{upTo, nil})
}

func (s *stand) answer(what string, code weirerr.Code) replyEffect {
	s.t.Helper()
	r := want[replyEffect](s, what)
	if got := weirerr.Code(""); r.Err != nil {
		got = weirerr.CodeOf(r.Err)
		if got != code {
			s.t.Fatalf("%s: %v, want %q", what, r.Err, code)
		}
	} else if code != "" {
		s.t.Fatalf("%s: done, want %q", what, code)
	}
	return r
}

func TestTruncationFollowsTheSave(t *testing.T) {
	s := newStand(t, Saved{Checkpoint: 10}, 10)
	s.pin(Pin{Owner: "a", Ts: 20}).pin(Pin{Owner: "b", Ts: 30})
	none[truncateEffect](s, "before any save")
	none[replyEffect](s, "a claim is answered when it is durable")
	s.land("claim of a", 10)
	s.answer("claim of a", "")
	s.land("claim of b", 10)
	s.answer("claim of b", "")
	s.tick(2*second, 100)
	save := want[saveEffect](s, "the minimum")
	none[truncateEffect](s, "while the save is under way")
	if save.Save.Next != 20 || save.Save.Previous != 10 || save.Save.Term != 7 {
		t.Fatalf("saves %+v", save.Save)
	}
	s.step(savedEvent{save.Seq, Stored{20, save.Save.Revision + 1, true}, nil})
	s.cut("after the save", 20)
}

func TestSavesCoalesce(t *testing.T) {
	s := newStand(t, Saved{Checkpoint: 10, Pins: []PinRecord{{Owner: "a", Ts: 10}}}, 1000)
	s.now += 2 * second
	s.advance("a", 11)
	first := want[saveEffect](s, "the first advance")
	for at := ts.Ts(12); at <= 500; at++ {
		s.advance("a", at)
	}
	none[saveEffect](s, "one is under way")
	s.step(savedEvent{first.Seq, Stored{11, 1, true}, nil})
	none[saveEffect](s, "too soon after the last")
	s.tick(second, 1000)
	s.land("the newest alone", 500)
	s.tick(2*second, 1000)
	none[saveEffect](s, "nothing is new")
}

func TestAFailedSaveIsFollowedByTheNewest(t *testing.T) {
	s := newStand(t, Saved{Checkpoint: 10, Pins: []PinRecord{{Owner: "a", Ts: 10}}}, 1000)
	s.now += 2 * second
	s.advance("a", 20)
	s.lose("the first try", errors.New("away"))
	s.advance("a", 30)
	none[saveEffect](s, "it waits after a failure")
	if w := s.k.wake() - s.now; w < 50 || w > 100 {
		t.Errorf("waits %d ms after the first failure", w)
	}
	s.tick(100, 1000)
	s.land("the second try", 30)
}

func TestTheMinimumMayFallButNotBelowWhatWasTried(t *testing.T) {
	s := newStand(t, Saved{Checkpoint: 10, Pins: []PinRecord{{Owner: "a", Ts: 10}}}, 1000)
	s.now += 2 * second
	s.advance("a", 50)
	s.pin(Pin{Owner: "low", Ts: 40})
	s.answer("advance", "")
	s.answer("a claim below a save under way", weirerr.CheckpointStale)
	s.lose("the save of 50", errors.New("perhaps it landed"))
	s.pin(Pin{Owner: "low", Ts: 40})
	s.answer("a claim below a save that may have landed", weirerr.CheckpointStale)
	s.tick(second, 1000)
	s.land("again", 50)
	s.advance("a", 90)
	s.pin(Pin{Owner: "low", Ts: 60})
	s.land("the minimum fell before it was saved", 60)
	if h := s.k.holderName(); h != "low" {
		t.Errorf("held by %q", h)
	}
}

func (k *keeper) holderName() string { h, _ := k.order.Min(); return h.Key }

func TestWithoutPinsTheCheckpointFollowsTheLog(t *testing.T) {
	s := newStand(t, Saved{}, 0)
	s.tick(2*second, 500)
	s.land("the log's end", 500)
	s.cut("the log's end", 500)
	s.pin(Pin{Owner: "a", Now: true})
	s.land("a claim of what comes", 500)
	if r := s.answer("a claim of what comes", ""); r.Ts != 500 {
		t.Errorf("it begins at %d, want 500", r.Ts)
	}
	s.tick(2*second, 900)
	none[saveEffect](s, "the pin holds")
	s.req++
	s.step(releaseEvent{s.req, "a"})
	if save := s.land("dropping the last pin frees the log", 900); len(save.Delete) != 1 {
		t.Errorf("the record stays: %+v", save)
	}
	s.answer("release", "")
	s.tick(2*second, 800)
	none[saveEffect](s, "a log that seems to go back changes nothing")
}

func TestNeverAboveTheLog(t *testing.T) {
	s := newStand(t, Saved{}, 100)
	s.pin(Pin{Owner: "a", Ts: 5000})
	s.land("a pin above the log's end", 100)

	s = newStand(t, Saved{Checkpoint: 100}, 50)
	s.tick(2*second, 60)
	none[saveEffect](s, "a log that ends below the checkpoint")
}

func TestLaggingVchannels(t *testing.T) {
	s := newStand(t, Saved{Checkpoint: 10}, 1000)
	s.pin(Pin{Owner: "a", Ts: 100, Lag: map[string]ts.Ts{"t1": 40, "t2": 60}})
	if save := s.land("pin", 40); save.Put[0].Ts != 40 {
		t.Errorf("stored %+v", save.Put)
	}
	lag := func(v string, at ts.Ts) { s.req++; s.step(lagEvent{s.req, "a", v, at}) }
	s.answer("pin", "")
	s.advance("a", 200)
	s.answer("advance", "")
	lag("t1", 70)
	s.answer("t1 goes on", "")
	s.tick(2*second, 1000)
	s.land("t2 holds", 60)
	if _, v := s.k.pins["a"].low(); v != "t2" {
		t.Errorf("held by %q", v)
	}
	lag("t2", 250)
	s.answer("t2 has caught up", "")
	s.tick(2*second, 1000)
	s.land("t1 holds", 70)
	lag("t1", 65)
	s.answer("back", weirerr.CheckpointStale)
	lag("t3", 80)
	s.answer("one that is above the lowest", "")
	lag("t3", 79)
	s.answer("back", weirerr.WrongState)
	lag("t1", 200)
	s.answer("at the pin it lags no more", "")
	lag("t3", 300)
	s.answer("t3 has caught up", "")
	s.tick(2*second, 1000)
	s.land("nobody lags", 200)
	if n := s.k.pins["a"].lag.Len(); n != 0 {
		t.Errorf("%d entries of vchannels that do not lag", n)
	}
	lag("t4", 200) // at the pin: nothing
	s.answer("not lagging", "")
	s.advance("a", 300)
	s.answer("advance", "")
	lag("t5", 210)
	none[replyEffect](s, "a lower claim is answered when it is durable")
	s.land("t5", 210)
	s.answer("t5", "")
}

func TestAdvanceRefuses(t *testing.T) {
	s := newStand(t, Saved{Checkpoint: 10, Pins: []PinRecord{{Owner: "a", Ts: 50}}}, 1000)
	s.advance("a", 40)
	var back *progress.Backward
	if r := s.answer("back", weirerr.WrongState); !errors.As(r.Err, &back) || back.Has != 50 || back.Asked != 40 {
		t.Errorf("going back: %v", r.Err)
	}
	s.advance("nobody", 60)
	s.answer("no pin", weirerr.NotFound)
	s.advance("a", 50)
	s.answer("the same again", "")
}

func TestBudgets(t *testing.T) {
	base := ts.New(1_000_000, 0)
	at := func(ms int64) ts.Ts { return ts.New(1_000_000+ms, 0) }
	pins := []PinRecord{
		{Owner: "ttl", Ts: base, Budget: Budget{TTL: 10 * time.Second}},
		{Owner: "bytes", Ts: base, Budget: Budget{Bytes: 100, OnFull: Block}},
		{Owner: "age", Ts: base, Budget: Budget{Age: 20 * time.Second}},
		{Owner: "idle", Ts: base, Budget: Budget{Age: 5 * time.Second}},
		{Owner: "free", Ts: base},
	}
	s := newStand(t, Saved{Checkpoint: base, Pins: pins}, base)
	tick := func(ms int64, held map[string]int64) {
		s.now += ms
		s.step(tickEvent{at(s.now), held})
	}
	evicted := func(what, owner string) {
		t.Helper()
		e := want[evictEffect](s, what)
		if e.Owner != owner || weirerr.CodeOf(e.Err) != weirerr.LogEvicted {
			t.Fatalf("%s: evicted %s: %v", what, e.Owner, e.Err)
		}
	}
	tick(9000, map[string]int64{"bytes": 100, "age": 1, "idle": 0})
	none[evictEffect](s, "all are within their budgets")
	tick(500, map[string]int64{"bytes": 101})
	evicted("bytes", "bytes")
	s.advance("ttl", base) // renewed though it stands still
	tick(10_000, nil)
	none[evictEffect](s, "ttl was renewed")
	tick(600, nil)
	e1 := want[evictEffect](s, "two at once")
	e2 := want[evictEffect](s, "two at once")
	if got := fmt.Sprint(e1.Owner, e2.Owner); got != "ttlage" && got != "agettl" {
		t.Fatalf("evicted %s", got)
	}
	tick(1_000_000, nil)
	none[evictEffect](s, "one that holds nothing has no age; one without a budget stays")
	s.out = nil
	s.advance("bytes", at(s.now))
	s.answer("the evicted one goes on", weirerr.LogEvicted)
}

func TestEvictionIsDurableAndHeard(t *testing.T) {
	s := newStand(t, Saved{Checkpoint: 10, Pins: []PinRecord{{Owner: "a", Ts: 10}, {Owner: "b", Ts: 50}}}, 1000)
	s.k.saver.begun = s.now // no other save is due
	s.step(evictEvent{"a", "the disk is full"})
	want[evictEffect](s, "a")
	save := s.land("at once", 50)
	if len(save.Put) != 1 || save.Put[0].Evicted != "the disk is full" || save.Put[0].Ts != 10 {
		t.Fatalf("stored %+v", save)
	}
	s.cut("freed", 50)
	// After a restart the owner hears of it, and may claim anew where the log is.
	s = newStand(t, Saved{Checkpoint: 50, Pins: []PinRecord{save.Put[0], {Owner: "b", Ts: 50}}}, 1000)
	s.pin(Pin{Owner: "a", Ts: 10})
	if r := s.answer("a comes back", weirerr.LogEvicted); r.Err == nil {
		t.Fatal("no error")
	}
	s.pin(Pin{Owner: "a", Ts: 60})
	s.land("a claims anew", 50)
	s.answer("a claims anew", "")
	if len(s.k.lost) != 0 {
		t.Errorf("lost: %v", s.k.lost)
	}
}

func TestACLaimLostBeforeItWasDurable(t *testing.T) {
	s := newStand(t, Saved{Checkpoint: 10}, 10)
	s.pin(Pin{Owner: "a", Ts: 20})
	s.step(evictEvent{"a", "the disk is full"})
	s.land("the claim", 10)
	s.answer("the claim", weirerr.LogEvicted)
}

func TestARecordBelowTheCheckpointIsLoud(t *testing.T) {
	s := newStand(t, Saved{Checkpoint: 100, Pins: []PinRecord{{Owner: "a", Ts: 90}}}, 1000)
	s.advance("a", 200)
	s.answer("its owner", weirerr.LogEvicted)
	s.tick(2*second, 1000)
	s.land("it holds nothing", 1000)
}

func TestCandidate(t *testing.T) {
	held := map[string]int64{"low": 500, "high": 100}
	for _, c := range []struct {
		onFull OnFull
		held   int64
		want   string
	}{{Evict, 500, "low"}, {"", 500, "low"}, {Block, 500, ""}, {Evict, 9, ""}} {
		s := newStand(t, Saved{Checkpoint: 10, Pins: []PinRecord{{Owner: "high", Ts: 50}, {Owner: "low", Ts: 10, Budget: Budget{OnFull: c.onFull}}}}, 1000)
		held["low"] = c.held
		s.step(tickEvent{1000, held})
		if owner, _, _ := s.k.candidate(); owner != c.want {
			t.Errorf("on_full %q, %d bytes: candidate %q, want %q", c.onFull, c.held, owner, c.want)
		}
	}
}
