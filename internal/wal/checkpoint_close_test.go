package wal

import (
	"errors"
	"testing"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

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
