package feed

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/owner"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

// tickEvery is how often the owner is told the time.
const tickEvery = 100 * time.Millisecond

// Feed is one running changefeed. Its methods may be called concurrently.
//
//	API ──┐                     ┌─► io: Save, MovePin, Claim, … (in order)
//	tick ─┼─► loop ─► Machine ──┤
//	      │    ▲                └─► attempt: reader ─► batches ─► writer ─► Sink
//	      │    └── answers, deliveries, errors ◄──┴────────────────┘
type Feed struct {
	opts    Options // read and changed by the loop, after New
	log     *slog.Logger
	metrics *metrics
	gate    *gate
	inbox   chan func() // run by the loop
	work    chan func(ctx context.Context)
	ctx     context.Context
	cancel  context.CancelFunc
	tasks   sync.WaitGroup
	done    chan struct{} // closed when all has ended

	// The loop's own, below.
	machine   *owner.Machine
	life      life  // of the present incarnation
	next      *life // prepared for the next one
	stopRun   context.CancelFunc
	replies   map[uint64]chan error
	lastJob   uint64
	waiters   []waiter
	stats     Statistics
	synced    ts.Ts // of the last change delivered
	created   time.Time
	polled    time.Time
	reported  map[row.TableID]bool // tables told to the owner as lagging
	snapshots []TableStatus
	halted    bool
	final     Status
	savedMark markBox
}

// life is what belongs to one incarnation.
type life struct {
	incarnation uint64
	start       ts.Ts // where it began
	mark        *mark // to restart with from markTs
	markTs      ts.Ts
	committed   Position // the last the target confirmed
}

// New creates the feed, or takes it up where its record says, claims the log and
// begins to work. It returns an error when the feed cannot be created; what goes
// wrong later is in its Status.
func New(ctx context.Context, o Options) (*Feed, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	f := &Feed{
		opts: o, log: o.Log.With("changefeed", o.Name), metrics: newMetrics(o.Registerer, o.Name), gate: newGate(),
		inbox: make(chan func(), 256), work: make(chan func(context.Context), 64),
		done: make(chan struct{}), replies: map[uint64]chan error{}, reported: map[row.TableID]bool{},
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	st, evicted, err := f.open(ctx)
	if err != nil {
		f.cancel()
		f.metrics.remove()
		return nil, err
	}
	f.machine = owner.New(owner.Options{
		Lanes: 1, RetryInitial: o.RetryInitial, RetryMax: o.RetryMax, Stuck: o.StuckAfter,
		SaveInterval: o.SaveInterval, Random: o.Random,
	}, st)
	f.tasks.Go(f.io)
	go f.loop(evicted)
	return f, nil
}

func now() owner.Time { return owner.Time(time.Now().UnixMilli()) }

func at() owner.At { return owner.At(now()) }

// loop runs everything that touches the machine.
func (f *Feed) loop(evicted error) {
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	if evicted != nil {
		f.step(owner.Evicted{At: at(), Fault: owner.FaultOf(evicted, now())})
	}
	f.tick()
	for !f.halted {
		select {
		case do := <-f.inbox:
			do()
		case <-tick.C:
			f.tick()
		case <-f.ctx.Done(): // Close ran out of patience
			f.halted = true
		}
	}
	f.end()
}

// end waits for what is under way, and answers those who still wait.
func (f *Feed) end() {
	f.final = f.view()
	f.cancel()
	ended := make(chan struct{})
	go func() {
		f.tasks.Wait()
		close(ended)
	}()
	for open := true; open; {
		select {
		case do := <-f.inbox:
			do()
		case <-ended:
			open = false
		}
	}
	for _, reply := range f.replies {
		reply <- f.closedError()
	}
	f.replies = nil
	f.wake()
	f.metrics.remove()
	close(f.done)
}

func (f *Feed) closedError() error {
	return weirerr.New(weirerr.OwnerClosed, "the changefeed has been closed").With("changefeed", f.opts.Name)
}

// post hands do to the loop; false when the feed has ended.
func (f *Feed) post(do func()) bool {
	select {
	case f.inbox <- do:
		return true
	case <-f.done:
		return false
	}
}

// tell is post for an event.
func (f *Feed) tell(e owner.Event) { f.post(func() { f.step(e) }) }

// step tells the machine an event and does what it asks for.
func (f *Feed) step(e owner.Event) {
	if f.halted {
		return
	}
	before := f.machine.Status()
	for _, effect := range f.machine.Step(e) {
		f.do(effect)
	}
	if after := f.machine.Status(); after.State != before.State {
		f.log.Info("changefeed state", "from", before.State, "to", after.State, "checkpoint_ts", after.Checkpoint, "error", after.Fault.Err())
	}
	f.wake()
}

// tick tells the time and what the source knows.
func (f *Feed) tick() {
	f.step(owner.Upstream{At: at(), Resolved: f.opts.Source.Channel().Status().Resolved})
	if time.Since(f.polled) >= time.Second {
		f.polled = time.Now()
		f.pollSnapshots()
	}
	f.metrics.observe(f.machine)
}

// pollSnapshots tells the owner which tables are under snapshot.
func (f *Feed) pollSnapshots() {
	f.snapshots = f.snapshots[:0]
	st := f.machine.Status()
	if st.State.Running() && f.stopRun != nil && !f.life.mark.idle {
		f.reportSnapshots(st)
	}
	listed := map[row.TableID]bool{}
	for _, t := range f.snapshots {
		listed[t.Table] = true
	}
	for id := range f.reported { // any order: they are independent
		if !listed[id] {
			delete(f.reported, id)
			f.step(owner.TableDone{At: at(), Attempt: st.Term, Table: id})
		}
	}
}

func (f *Feed) reportSnapshots(st owner.Status) {
	for _, p := range f.opts.Source.Progress(ConsumerID(f.opts.Name, st.Incarnation)) {
		f.reported[p.Table] = true
		f.step(owner.TableAt{
			At: at(), Attempt: st.Term, Table: p.Table, Stage: owner.Snapshot, Ts: f.life.start,
			Done: p.RowsDone, Total: max(p.RowsTotal, p.RowsDone),
		})
		since := time.UnixMilli(p.SinceMs).UTC()
		if t, ok := f.machine.Table(p.Table); ok && p.Waits == "" {
			since = t.Since.Go()
		}
		f.snapshots = append(f.snapshots, TableStatus{
			Table: p.Table, Name: p.Name, Stage: string(owner.Snapshot), Since: since,
			RowsDone: p.RowsDone, RowsTotal: max(p.RowsTotal, p.RowsDone), Waits: p.Waits,
		})
	}
}
