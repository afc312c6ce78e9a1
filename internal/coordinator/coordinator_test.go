package coordinator

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/ts"
)

// later is beyond what any of these tests commits.
var later = ts.FromTime(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))

var errDisk = errors.New("the disk is full")

func TestEpochsFollowTheInterval(t *testing.T) {
	standing(t, func(t *testing.T, s *stand) {
		began := len(s.db.past().epochs)
		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		if n := len(s.db.past().epochs) - began; n < 9 || n > 11 {
			t.Errorf("%d epochs in ten seconds", n)
		}
		epochs := s.db.past().epochs
		if !slices.IsSorted(epochs) {
			t.Error("epochs went back:", epochs)
		}
		committed, moved := s.Committed(only)
		if last := epochs[len(epochs)-1]; committed != last {
			t.Errorf("%v is told as committed, %v is", committed, last)
		}
		before := time.Now()
		<-moved
		if waited := time.Since(before); waited > time.Second {
			t.Errorf("no epoch for %v", waited)
		}
		if status := s.Status(); len(status) != 1 || status[0].Recovering || !status[0].Ran {
			t.Errorf("%+v", status)
		}
	})
}

func TestACommandReturnsWhenItIsCommitted(t *testing.T) {
	standing(t, func(t *testing.T, s *stand) {
		s.db.set(func(d *store) { d.slow = 100 * time.Millisecond })
		began := time.Now()
		check(t, s.Do(t.Context(), only, barrier.Create, false, 7))
		if took := time.Since(began); took < 100*time.Millisecond || took > 500*time.Millisecond {
			t.Errorf("took %v with commits of 100 ms", took)
		}
		check(t, s.Do(t.Context(), only, barrier.Create, true, 8)) // in a graph of its own, which merges
		if !slices.Equal(s.db.past().jobs, []barrier.Job{7, 8}) {
			t.Error("jobs", s.db.past().jobs)
		}
		if err := s.Do(t.Context(), only, barrier.Create, false, 7); err == nil {
			t.Error("a job is created twice")
		}
		check(t, s.Do(t.Context(), only, barrier.Drop, false, 7, 8))
		if len(s.db.past().jobs) != 0 {
			t.Error("jobs", s.db.past().jobs)
		}
		if err := s.Do(t.Context(), 99, barrier.Flush, false); err == nil {
			t.Error("a database that is unknown is flushed")
		}
	})
}

func TestAJobThatIsBeingCreatedIsDroppedAtOnce(t *testing.T) {
	standing(t, func(t *testing.T, s *stand) {
		s.db.set(func(d *store) { d.endless = true })
		answer := make(chan error, 1)
		go func() { answer <- s.Do(t.Context(), only, barrier.Create, true, 7) }()
		time.Sleep(time.Minute)
		check(t, s.Do(t.Context(), only, barrier.Drop, false, 7))
		if err := <-answer; err == nil {
			t.Error("a job that was dropped is created")
		}
		if got := s.db.past().dropped; !slices.Equal(got, []barrier.Graph{7}) {
			t.Error("graphs that were ended:", got)
		}
	})
}

func TestACommandGivesUpWithItsContext(t *testing.T) {
	standing(t, func(t *testing.T, s *stand) {
		s.db.set(func(d *store) { d.stuck = true })
		impatient := errors.New("impatient")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, impatient)
		defer cancel()
		if err := s.Do(ctx, only, barrier.Flush, false); !errors.Is(err, impatient) {
			t.Error(err)
		}
		s.mu.Lock()
		if len(s.waits) != 0 {
			t.Error("somebody still waits")
		}
		s.mu.Unlock()
		if err := s.Wait(ctx, only, later); !errors.Is(err, impatient) {
			t.Error(err)
		}
	})
}

func TestWhoWaitsNeedNotWaitForTheInterval(t *testing.T) {
	standing(t, func(t *testing.T, s *stand) {
		s.Configure(barrier.Configure{Database: only, Config: barrier.Config{Interval: time.Hour}})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		began := time.Now()
		at := now() + 5
		check(t, s.Wait(t.Context(), only, at))
		if took := time.Since(began); took > time.Second {
			t.Errorf("waited %v", took)
		}
		if committed, _ := s.Committed(only); committed < at {
			t.Errorf("%v is committed, %v was waited for", committed, at)
		}
		check(t, s.Wait(t.Context(), only, at)) // it is there
	})
}

func TestWhoWaitsIsServedAfterARecovery(t *testing.T) {
	standing(t, func(t *testing.T, s *stand) {
		s.Configure(barrier.Configure{Database: only, Config: barrier.Config{Interval: 24 * time.Hour}})
		s.db.set(func(d *store) { d.stuck = true })
		answer := make(chan error, 1)
		go func() { answer <- s.Wait(t.Context(), only, now()+10) }()
		time.Sleep(time.Second)
		s.db.set(func(d *store) { d.stuck = false })
		s.db.fail(errDisk)
		select {
		case err := <-answer:
			check(t, err)
		case <-time.After(time.Minute):
			t.Error("the wait was forgotten with the recovery")
		}
	})
}

func TestADatabaseThatFailsRecoversWithPauses(t *testing.T) {
	standing(t, func(t *testing.T, s *stand) {
		before, _ := s.Committed(only)
		s.db.set(func(d *store) { d.fails = errDisk })
		if err := s.Do(t.Context(), only, barrier.Flush, false); err == nil {
			t.Error("a flush that was not committed succeeded")
		}
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if err, since := s.Recovering(only); !errors.Is(err, errDisk) || time.Since(since) < 25*time.Second {
			t.Error("why, since when:", err, since)
		}
		var last time.Duration
		resets := s.db.past().resets
		for i := 2; i < len(resets); i++ { // the first is its start
			pause := resets[i].Sub(resets[i-1])
			if pause < last {
				t.Errorf("pause %v after %v", pause, last)
			}
			last = pause
		}
		if len(resets) < 4 || last > 11*time.Second {
			t.Errorf("%d attempts, the last after %v", len(resets), last)
		}
		s.db.set(func(d *store) { d.fails = nil })
		check(t, s.Wait(t.Context(), only, before+1))
		if err, _ := s.Recovering(only); err != nil {
			t.Error("it runs, and is said to recover:", err)
		}
	})
}

func TestAResetThatFailsIsTriedAgain(t *testing.T) {
	standing(t, func(t *testing.T, s *stand) {
		s.db.set(func(d *store) { d.atReset = errDisk })
		s.db.fail(errors.New("a worker"))
		time.Sleep(5 * time.Second)
		s.db.set(func(d *store) { d.atReset = nil })
		check(t, s.Wait(t.Context(), only, now()))
		if len(s.db.past().resets) < 3 {
			t.Errorf("%d attempts", len(s.db.past().resets))
		}
	})
}

func TestDatabasesWaitForEachOtherInNothing(t *testing.T) {
	standing(t, func(t *testing.T, s *stand) {
		other := &store{c: s.Coordinator, id: 2}
		s.Add(2, barrier.Config{Interval: 100 * time.Millisecond}, other)
		synctest.Wait()
		s.db.set(func(d *store) { d.stuck = true })
		check(t, s.Wait(t.Context(), 2, now()+1))
		s.db.fail(errDisk)
		began := len(other.past().epochs)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if n := len(other.past().epochs) - began; n < 90 {
			t.Errorf("%d epochs of 100", n)
		}
	})
}

func TestARemovedDatabaseIsForgotten(t *testing.T) {
	standing(t, func(t *testing.T, s *stand) {
		s.db.set(func(d *store) { d.slow = time.Second })
		answer := make(chan error, 2)
		go func() { answer <- s.Do(t.Context(), only, barrier.Flush, false) }()
		go func() { answer <- s.Wait(t.Context(), only, later) }()
		synctest.Wait()
		s.Remove(only)
		for range 2 {
			if err := <-answer; err == nil {
				t.Error("what was asked of a database that is gone succeeded")
			}
		}
		if at, moved := s.Committed(only); at != 0 || moved != nil || len(s.Status()) != 0 {
			t.Error("it is still known")
		}
	})
}

func TestAtItsEndEverybodyIsTold(t *testing.T) {
	standing(t, func(t *testing.T, s *stand) {
		s.db.set(func(d *store) { d.stuck = true })
		answer := make(chan error, 2)
		go func() { answer <- s.Do(t.Context(), only, barrier.Flush, false) }()
		go func() { answer <- s.Wait(t.Context(), only, later) }()
		synctest.Wait()
		s.stop()
		<-s.over
		for range 2 {
			if err := <-answer; !errors.Is(err, ErrClosed) {
				t.Error(err)
			}
		}
		if err := s.Do(t.Context(), only, barrier.Flush, false); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
		if err := s.Wait(t.Context(), only, later); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	})
}
