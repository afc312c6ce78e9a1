package owner

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// world is everything around one machine, in one goroutine and from one seed:
// a disk, a log with a claim, a target with positions, an attempt, operators,
// crashes. It checks what the machine cannot see of itself.
type world struct {
	rng    *rand.Rand
	m      *Machine
	now    Time
	faults bool

	disk     *Status // nil after Delete
	pin      Reach
	evicted  bool
	resolved ts.Ts
	target   map[uint64]ts.Ts // by incarnation, what the sink has confirmed
	maxTerm  uint64           // highest attempt ever started

	att     *attempt
	stale   []uint64 // earlier attempts
	pending []Effect // begun, not yet executed
	answers []Event  // executed, not yet told

	jobs    map[uint64]int // answers by job
	lastJob uint64
	asked   map[uint64]bool // of this process
	halted  bool
	closed  bool
	trace   func(string, ...any)
	err     error
}

type attempt struct {
	Start
	open, stopped bool
	pos           ts.Ts
}

func options(rng *rand.Rand) Options {
	return Options{
		Lanes: 1, RetryInitial: time.Second, RetryMax: 10 * time.Minute, Stuck: 30 * time.Minute,
		SaveInterval: 500 * time.Millisecond, Random: rng.Float64,
	}
}

func newWorld(seed uint64, trace func(string, ...any)) *world {
	w := &world{
		rng: rand.New(rand.NewPCG(seed, 1)), now: 1000, faults: true, resolved: 100,
		target: map[uint64]ts.Ts{}, jobs: map[uint64]int{}, trace: trace,
	}
	w.disk = &Status{State: Normal, Incarnation: 1, Checkpoint: 100}
	if w.rng.IntN(3) == 0 {
		w.disk.Target = 100 + ts.Ts(w.rng.IntN(400))
	}
	w.target[1] = 100
	w.boot()
	return w
}

func (w *world) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// boot starts a process from what is on disk, as the shell does.
func (w *world) boot() {
	w.pending, w.answers, w.att, w.asked = nil, nil, nil, map[uint64]bool{}
	w.halted, w.closed = false, false
	w.m = New(options(w.rng), *w.disk)
	if !w.disk.Released() {
		if at, held := w.pin.Ts(); w.evicted {
			w.answers = append(w.answers, Evicted{At(w.now), fault(weirerr.LogEvicted)})
		} else if !held || at < w.disk.Checkpoint {
			w.pin = Known(w.disk.Checkpoint)
		}
	}
}

func fault(code weirerr.Code) *Fault { return &Fault{Code: code, Message: "simulated"} }

func (w *world) tell(e Event) {
	if w.halted {
		return
	}
	w.trace("%d > %s", w.now, e)
	for _, f := range w.m.Step(e) {
		w.trace("%d < %s", w.now, f)
		w.begin(f)
	}
	for id := range w.asked {
		if w.halted && w.jobs[id] != 1 {
			w.fail("the machine ended with %d answers to job %d", w.jobs[id], id)
		}
	}
}

// begin takes an effect; what may be slow or fail is executed later.
func (w *world) begin(f Effect) {
	switch f := f.(type) {
	case Start:
		w.start(f)
	case Stop:
		if w.att == nil || w.att.Attempt != f.Attempt {
			w.fail("stop of attempt %d, which does not run", f.Attempt)
			return
		}
		w.att.stopped = true
	case Reply:
		if !w.asked[f.Job] {
			w.fail("reply to job %d, which nobody asked for", f.Job)
		}
		if w.jobs[f.Job]++; w.jobs[f.Job] > 1 {
			w.fail("job %d answered twice", f.Job)
		}
	case Halt:
		w.halted = true
	default:
		w.pending = append(w.pending, f)
	}
}

func (w *world) start(f Start) {
	switch pos, known := w.target[f.Incarnation]; {
	case w.att != nil:
		w.fail("attempt %d starts while %d runs", f.Attempt, w.att.Attempt)
	case f.Attempt <= w.maxTerm:
		w.fail("attempt %d after %d", f.Attempt, w.maxTerm)
	case w.disk == nil || w.disk.Term < f.Attempt:
		w.fail("attempt %d starts before its term is saved", f.Attempt)
	case known && f.Checkpoint > pos:
		w.fail("starts from %s, target has %s", f.Checkpoint, pos)
	}
	w.maxTerm = max(w.maxTerm, f.Attempt)
	w.att = &attempt{Start: f}
}

// execute carries out a pending effect, in any order, and leaves its answer.
func (w *world) execute(i int) {
	f := w.pending[i]
	w.pending = append(w.pending[:i], w.pending[i+1:]...)
	ok := !w.faults || w.rng.IntN(5) > 0
	landed := ok || w.rng.IntN(2) == 0
	switch f := f.(type) {
	case Save:
		if landed {
			w.checkSave(f.Status)
			st := f.Status
			w.disk = &st
		}
		w.answers = append(w.answers, Saved{At(w.now), f.Seq, ok})
	case MovePin:
		if at, held := w.pin.Ts(); landed && held {
			w.pin = Known(max(at, f.Ts))
		}
		w.answers = append(w.answers, PinDone{At(w.now), f.Seq, ok})
	case ReleasePin:
		if landed {
			w.pin = Reach{}
		}
		w.answers = append(w.answers, PinDone{At(w.now), f.Seq, ok})
	case Claim:
		w.answers = append(w.answers, w.claim(f, ok))
	case Delete:
		if landed {
			w.disk = nil
		}
		w.answers = append(w.answers, Deleted{At(w.now), f.Seq, ok})
	}
}

func (w *world) claim(f Claim, ok bool) Event {
	e := Claimed{At: At(w.now), Seq: f.Seq, Ts: f.Ts}
	if !ok {
		e.Fault = fault(weirerr.LogTruncated)
		return e
	}
	if f.Now {
		e.Ts = w.resolved
	}
	if !f.Held {
		w.pin, w.evicted = Known(e.Ts), false
	}
	if f.Anew {
		w.target[f.Incarnation] = e.Ts
	}
	return e
}

func (w *world) checkSave(s Status) {
	if w.disk == nil {
		w.fail("saved after it was deleted")
		return
	}
	if pos := w.target[s.Incarnation]; s.Checkpoint > pos {
		w.fail("saved checkpoint %s, the sink confirmed %s", s.Checkpoint, pos)
	}
	if s.Incarnation == w.disk.Incarnation && s.Checkpoint < w.disk.Checkpoint {
		w.fail("saved checkpoint goes back from %s to %s", w.disk.Checkpoint, s.Checkpoint)
	}
	if s.Resolved < w.disk.Resolved {
		w.fail("saved resolved goes back from %s to %s", w.disk.Resolved, s.Resolved)
	}
	if s.State == Finished && s.Checkpoint != s.Target {
		w.fail("finished at %s, target %s", s.Checkpoint, s.Target)
	}
}

// invariants hold after every step of the world.
func (w *world) invariants() {
	if w.disk == nil {
		return
	}
	at, held := w.pin.Ts()
	switch {
	case held && !w.disk.Released() && w.disk.Checkpoint < at:
		w.fail("claim at %s, a restart needs %s", at, w.disk.Checkpoint)
	case !held && !w.evicted && !w.disk.Released():
		w.fail("no claim in saved state %s", w.disk.State)
	}
	if w.att != nil && w.att.Target != 0 && w.att.pos > w.att.Target {
		w.fail("delivered %s, above the target %s", w.att.pos, w.att.Target)
	}
}
