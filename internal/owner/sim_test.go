package owner

import (
	"fmt"
	"hash/fnv"
	"os"
	"reflect"
	"strconv"
	"testing"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// step lets one thing happen.
func (w *world) step() {
	w.now += Time(w.rng.IntN(400))
	if w.rng.IntN(300) == 0 {
		w.now += Time(w.rng.IntN(15 * 60_000))
	}
	switch p := w.rng.IntN(100); {
	case w.halted:
		w.reboot()
	case p < 25:
		w.tell(Tick{At(w.now)})
	case p < 35:
		w.resolved += ts.Ts(w.rng.IntN(10))
		report := w.resolved
		if w.rng.IntN(8) == 0 {
			report -= min(report, ts.Ts(w.rng.IntN(80))) // another feed's reader, behind
		}
		w.tell(Upstream{At(w.now), report})
	case p < 55 && len(w.pending) > 0:
		w.execute(w.rng.IntN(len(w.pending)))
	case p < 75 && len(w.answers) > 0:
		i := w.rng.IntN(len(w.answers))
		e := w.answers[i]
		w.answers = append(w.answers[:i], w.answers[i+1:]...)
		w.tell(restamp(e, w.now))
	case p < 92:
		w.attempt()
	case p < 94 && w.faults:
		w.operator()
	case p < 96 && w.faults:
		w.lies()
	case p < 97 && w.faults && w.rng.IntN(4) == 0:
		w.trace("%d crash", w.now)
		w.reboot()
	}
	w.invariants()
}

// reboot starts the process again; a deleted changefeed stays away.
func (w *world) reboot() {
	if w.att != nil {
		w.stale = append(w.stale, w.att.Attempt)
	}
	if w.disk != nil {
		w.boot()
	}
}

// restamp tells an answer at the time it arrives.
func restamp(e Event, now Time) Event {
	v := reflect.New(reflect.TypeOf(e)).Elem()
	v.Set(reflect.ValueOf(e))
	v.FieldByName("At").SetInt(int64(now))
	return v.Interface().(Event)
}

// attempt lets the running attempt do something.
func (w *world) attempt() {
	a := w.att
	if a == nil {
		return
	}
	if a.stopped && w.rng.IntN(2) == 0 {
		w.end(nil)
		return
	}
	switch p := w.rng.IntN(20); {
	case !a.open && p < 16:
		a.open, a.pos = true, w.target[a.Incarnation]
		w.tell(Opened{At(w.now), a.Attempt})
		first := a.pos
		if w.rng.IntN(3) == 0 { // a target that keeps idle positions lazily
			first -= min(first, ts.Ts(w.rng.IntN(40)))
		}
		w.tell(Delivered{At: At(w.now), Attempt: a.Attempt, Ts: first, Savable: min(first, a.Checkpoint)})
	case a.open && p < 12:
		w.deliver()
	case a.open && p < 14:
		w.tell(TableAt{At(w.now), a.Attempt, 7, Snapshot, a.pos, 1, 2})
	case a.open && p < 15:
		w.tell(TableDone{At(w.now), a.Attempt, 7})
	case !w.faults || a.stopped && p < 17:
	case p < 17:
		w.tell(Warned{At(w.now), a.Attempt, fault(weirerr.TargetUnreachable)})
	case p < 19:
		w.end(fault(weirerr.TargetUnreachable))
	case w.rng.IntN(3) == 0:
		w.end(fault(weirerr.BadRow))
	}
}

func (w *world) end(f *Fault) {
	id := w.att.Attempt
	w.stale, w.att = append(w.stale, id), nil
	w.tell(Ended{At(w.now), id, f})
}

func (w *world) deliver() {
	a := w.att
	bound := w.resolved
	if a.Target != 0 {
		bound = min(bound, a.Target)
	}
	if a.pos < bound {
		a.pos += ts.Ts(w.rng.IntN(int(bound-a.pos) + 1))
	}
	w.target[a.Incarnation] = max(w.target[a.Incarnation], a.pos)
	report := a.pos
	if w.faults && w.rng.IntN(10) == 0 {
		report -= min(report, ts.Ts(w.rng.IntN(50))) // a report that goes back
	}
	savable := report
	if w.rng.IntN(3) == 0 && w.faults {
		savable -= min(savable, ts.Ts(w.rng.IntN(20)))
	}
	w.tell(Delivered{At: At(w.now), Attempt: a.Attempt, Ts: report, Savable: savable})
}

func (w *world) operator() {
	w.lastJob++
	j := Job{At: At(w.now), ID: w.lastJob}
	j.Kind = []JobKind{Pause, Pause, Resume, Resume, Resume, Update, Resync, Remove}[w.rng.IntN(8)]
	switch {
	case j.Kind == Remove && w.rng.IntN(4) > 0:
		j.Kind = Resume
	case j.Kind == Resume && w.rng.IntN(3) == 0:
		at := w.m.Status().Checkpoint
		j.Overwrite = Known(at - min(at, ts.Ts(w.rng.IntN(60))))
	case j.Kind == Update:
		j.Target = Known(0)
		if w.rng.IntN(2) == 0 {
			j.Target = Known(w.resolved + ts.Ts(w.rng.IntN(200)))
		}
	case w.rng.IntN(30) == 0:
		w.closed = true
		w.tell(Close{At(w.now)})
		return
	}
	if !w.halted {
		w.asked[j.ID] = true
		w.tell(j)
	}
}

// lies tells the machine what must change nothing, and takes its claim away.
func (w *world) lies() {
	if w.halted {
		return
	}
	if _, held := w.pin.Ts(); held && w.rng.IntN(10) == 0 && !w.m.claiming() {
		w.pin, w.evicted = Reach{}, true
		w.answers = append(w.answers, Evicted{At(w.now), fault(weirerr.LogEvicted)})
		return
	}
	if len(w.stale) == 0 {
		return
	}
	a := w.stale[w.rng.IntN(len(w.stale))]
	w.tell(Tick{At(w.now)})
	before := w.m.Status()
	reach := w.m.Reach()
	for _, e := range []Event{
		Delivered{At: At(w.now), Attempt: a, Ts: w.resolved + 50, Savable: w.resolved + 50},
		Ended{At(w.now), a, fault(weirerr.BadRow)},
		Warned{At(w.now), a, fault(weirerr.BadRow)},
		Saved{At(w.now), 1 << 40, true},
		PinDone{At(w.now), 1 << 40, true},
		Claimed{At(w.now), 1 << 40, w.resolved + 50, nil},
		Deleted{At(w.now), 1 << 40, true},
	} {
		w.tell(e)
	}
	if after := w.m.Status(); after != before || w.m.Reach() != reach {
		w.fail("late reports of attempt %d changed %s to %s", a, before.String(), after.String())
	}
}

// settle stops the faults; now everything must come to rest where it belongs.
func (w *world) settle() {
	w.faults = false
	for range 4000 {
		if w.step(); w.err != nil || w.disk == nil {
			break
		}
	}
	if w.err != nil || w.disk == nil {
		return
	}
	w.evictedSettles()
	s := w.m.Status()
	switch s.State {
	case Normal:
		if w.resolved > s.Checkpoint+100 {
			w.fail("at rest %s holds at %s of %s", s.State, s.Checkpoint, w.resolved)
		}
	case Warning, Pending, Removed:
		w.fail("does not come to rest: %s", s.String())
	}
	for id := range w.asked {
		if w.jobs[id] != 1 {
			w.fail("job %d has %d answers", id, w.jobs[id])
		}
	}
}

func (w *world) evictedSettles() {
	if _, held := w.pin.Ts(); held && w.disk.Released() {
		w.fail("the claim is still held in state %s", w.disk.State)
	}
}

func simulate(seed uint64, steps int, trace func(string, ...any)) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	w := newWorld(seed, trace)
	for range steps {
		if w.step(); w.err != nil {
			return w.err
		}
	}
	w.settle()
	return w.err
}

// TestSimulation runs seeds of 2,000 steps; WEIR_OWNER_STEPS sets how many steps
// in all, WEIR_OWNER_SEED runs one seed and prints its history.
func TestSimulation(t *testing.T) {
	const each = 2000
	if s := os.Getenv("WEIR_OWNER_SEED"); s != "" {
		seed, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if err := simulate(seed, each, t.Logf); err != nil {
			t.Fatal(err)
		}
		return
	}
	seeds := uint64(300)
	if s := os.Getenv("WEIR_OWNER_STEPS"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seeds = n / each
	}
	for seed := range seeds {
		if err := simulate(seed, each, func(string, ...any) {}); err != nil {
			t.Fatalf("seed %d: %v\nrepeat: WEIR_OWNER_SEED=%d go test -run TestSimulation -v", seed, err, seed)
		}
	}
}

// TestOneSeedOneHistory: nothing in the machine depends on map order.
func TestOneSeedOneHistory(t *testing.T) {
	history := func(seed uint64) uint64 {
		h := fnv.New64a()
		if err := simulate(seed, 1500, func(f string, a ...any) { fmt.Fprintf(h, f+"\n", a...) }); err != nil {
			t.Fatal(err)
		}
		return h.Sum64()
	}
	for seed := range uint64(20) {
		if a, b := history(seed), history(seed); a != b {
			t.Fatalf("seed %d has two histories", seed)
		}
	}
}
