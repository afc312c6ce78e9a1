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

func TestFenced(t *testing.T) {
	s := newStand(t, Saved{Checkpoint: 10}, 10)
	s.pin(Pin{Owner: "a", Ts: 20})
	s.lose("by a newer term", weirerr.New(weirerr.LogFenced, "term 8"))
	s.answer("the claim that waited", weirerr.LogFenced)
	s.pin(Pin{Owner: "b", Ts: 20})
	s.answer("a later claim", weirerr.LogFenced)
	s.tick(100*second, 5000)
	none[saveEffect](s, "fenced")
	none[truncateEffect](s, "fenced")
	if s.k.wake() != 0 {
		t.Error("a fenced keeper wants to be woken")
	}
	if e := want[closedEffect](s.step(closeEvent{}), "close"); weirerr.CodeOf(e.Err) != weirerr.LogFenced {
		t.Errorf("closed: %v", e.Err)
	}
}

func TestAForeignWriteFences(t *testing.T) {
	for _, st := range []Stored{{Checkpoint: 999, Revision: 5}, {Checkpoint: 5, Revision: 5}, {Checkpoint: 10, Revision: 0}} {
		s := newStand(t, Saved{Checkpoint: 10}, 10)
		s.pin(Pin{Owner: "a", Ts: 20})
		e := want[saveEffect](s, "claim")
		s.step(savedEvent{e.Seq, st, nil})
		s.answer("the claim", weirerr.LogFenced)
	}
}

func TestASaveThatLandedAfterAll(t *testing.T) {
	s := newStand(t, Saved{Checkpoint: 10, Pins: []PinRecord{{Owner: "a", Ts: 10}}}, 1000)
	s.now += 2 * second
	s.advance("a", 20)
	s.lose("the answer is lost", errors.New("away"))
	s.advance("a", 30)
	s.tick(second, 1000)
	e := want[saveEffect](s, "again")
	s.step(savedEvent{e.Seq, Stored{Checkpoint: 20, Revision: 1}, nil})
	s.cut("20 is stored", 20)
	if save := s.land("on top of it, at once", 30); save.Previous != 20 || save.Revision != 1 || len(save.Put) != 1 {
		t.Errorf("%+v", save)
	}
}

func TestClose(t *testing.T) {
	begin := func(t *testing.T) *stand {
		return newStand(t, Saved{Checkpoint: 10, Pins: []PinRecord{{Owner: "a", Ts: 10}}}, 1000)
	}
	closed := func(s *stand, what string, landed bool) {
		s.t.Helper()
		if e := want[closedEffect](s, what); (e.Err == nil) != landed {
			s.t.Errorf("%s: %v, landed %v", what, e.Err, landed)
		}
		none[saveEffect](s, what+": after the end")
		none[truncateEffect](s, what+": after the end")
	}
	t.Run("nothing to do", func(t *testing.T) {
		closed(begin(t).step(closeEvent{}), "close", true)
	})
	t.Run("last save", func(t *testing.T) {
		s := begin(t)
		s.k.saver.begun = s.now // not yet due
		s.advance("a", 20)
		none[saveEffect](s, "not yet due")
		s.step(closeEvent{})
		s.answer("advance", "")
		none[closedEffect](s, "before the last save")
		s.pin(Pin{Owner: "late", Ts: 50})
		s.answer("a claim after close", weirerr.OwnerClosed)
		s.land("last", 20)
		closed(s, "close", true)
	})
	t.Run("during a save", func(t *testing.T) {
		s := begin(t)
		s.now += 2 * second
		s.advance("a", 20).advance("a", 30).step(closeEvent{})
		s.land("under way", 20)
		s.land("last", 30)
		closed(s, "close", true)
	})
	t.Run("during a save that fails", func(t *testing.T) {
		s := begin(t)
		s.now += 2 * second
		s.advance("a", 20).step(closeEvent{})
		s.lose("under way", errors.New("away"))
		s.land("last", 20)
		closed(s, "close", true)
	})
	t.Run("during backoff", func(t *testing.T) {
		s := begin(t)
		s.now += 2 * second
		s.advance("a", 20)
		s.lose("first", errors.New("away"))
		s.step(closeEvent{})
		s.land("last, at once", 20)
		closed(s, "close", true)
	})
	t.Run("does not land", func(t *testing.T) {
		s := begin(t).advance("a", 20).step(closeEvent{})
		s.lose("under way", errors.New("away"))
		none[closedEffect](s, "before the last save")
		s.lose("last", errors.New("away"))
		closed(s, "close", false)
	})
	t.Run("a waiting claim", func(t *testing.T) {
		s := begin(t).pin(Pin{Owner: "b", Ts: 20})
		s.step(closeEvent{})
		s.lose("first", errors.New("away"))
		s.lose("last", errors.New("away"))
		s.answer("the claim", weirerr.OwnerClosed)
		closed(s, "close", false)
	})
}

func TestTruncationIsRetriedWithTheNewest(t *testing.T) {
	s := newStand(t, Saved{Checkpoint: 10, Pins: []PinRecord{{Owner: "a", Ts: 10}}}, 1000)
	s.now += 2 * second
	s.advance("a", 20)
	s.land("20", 20)
	e := want[truncateEffect](s, "20")
	s.advance("a", 30)
	s.tick(2*second, 1000)
	s.land("30", 30)
	none[truncateEffect](s, "one at a time")
	s.step(truncatedEvent{e.UpTo, errors.New("busy")})
	none[truncateEffect](s, "it waits after a failure")
	if s.k.wake() == 0 {
		t.Fatal("nobody will wake it")
	}
	s.tick(second, 1000)
	s.cut("the newest", 30)
}

// TestDeadCatalog: 16 minutes without a catalog cost a call every few seconds,
// from the first to the last, and the end of it is noticed soon.
func TestDeadCatalog(t *testing.T) {
	s := newStand(t, Saved{Checkpoint: 10, Pins: []PinRecord{{Owner: "a", Ts: 10}}}, 1<<40)
	begin, calls, last, at := s.now, 0, s.now, ts.Ts(10)
	for s.now-begin < 16*60*second {
		at++
		s.advance("a", at)
		if e, ok := take[saveEffect](s); ok {
			calls++
			if wait := s.now - last; calls > 1 && (wait < 50 || wait > 5*second) {
				t.Fatalf("call %d came %d ms after the one before", calls, wait)
			}
			last = s.now
			if e.Save.Next != at {
				t.Fatalf("call %d saves %d, the newest is %d", calls, e.Save.Next, at)
			}
			s.step(savedEvent{e.Seq, Stored{}, errors.New("away")})
		}
		s.out = nil
		s.now = min(s.now+second, max(s.k.wake(), s.now+1))
	}
	if calls < 16*60/5 || calls > 16*60/2 {
		t.Errorf("%d calls in 16 minutes", calls)
	}
	if what, since := s.k.trouble(); what == "" || since.UnixMilli() < begin || since.UnixMilli() > begin+2*second {
		t.Errorf("trouble %q since %v", what, since)
	}
	s.tick(5*second, 1<<40)
	s.land("it is back", at)
}
