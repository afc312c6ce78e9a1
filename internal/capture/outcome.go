package capture

import (
	"context"
	"slices"
	"sync"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
)

// outcomes are what became of a job's readings. On the side channel an outcome
// is one entry with the reading's number as Xid: a transaction with the rows as
// its parts, or a marker entry when the reading is void.
type outcomes struct {
	placing sync.Mutex // held while a marker is placed

	mu      sync.Mutex
	term    uint64 // of the side channel's writer: makes numbers unique over restarts
	last    uint64
	pending []uint64         // placed, without an outcome yet, in the markers' order
	known   map[uint64]ts.Ts // where the rows are on the side channel; 0: void
	changed chan struct{}
}

func newOutcomes() *outcomes {
	return &outcomes{known: map[uint64]ts.Ts{}, changed: make(chan struct{})}
}

// lead begins the numbers of a term.
func (o *outcomes) lead(term uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.term, o.last = term, 0
}

// next numbers a reading and makes it pending.
func (o *outcomes) next() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last++
	read := o.term<<32 | o.last
	o.pending = append(o.pending, read)
	return read
}

// withdraw forgets a reading whose marker was not placed.
func (o *outcomes) withdraw(read uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending = slices.DeleteFunc(o.pending, func(r uint64) bool { return r == read })
	o.signal()
}

func (o *outcomes) signal() {
	close(o.changed)
	o.changed = make(chan struct{})
}

// turn waits until every earlier reading has its outcome.
func (o *outcomes) turn(read uint64) {
	for {
		o.mu.Lock()
		first, changed := len(o.pending) == 0 || o.pending[0] == read, o.changed
		o.mu.Unlock()
		if first {
			return
		}
		<-changed
	}
}

// settle notes an outcome; side is 0 for a void reading.
func (o *outcomes) settle(read uint64, side ts.Ts) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.known[read] = side
	o.pending = slices.DeleteFunc(o.pending, func(r uint64) bool { return r == read })
	o.signal()
}

// of waits for the outcome of a reading: where its rows are, or false when it is void.
func (o *outcomes) of(ctx context.Context, read uint64) (ts.Ts, bool, error) {
	for {
		o.mu.Lock()
		side, known := o.known[read]
		waits, changed := slices.Contains(o.pending, read), o.changed
		o.mu.Unlock()
		if known || !waits { // one of an earlier process that left no outcome is void
			return side, side != 0, nil
		}
		select {
		case <-ctx.Done():
			return 0, false, ctx.Err()
		case <-changed:
		}
	}
}

// load reads the outcomes that the side channel still has.
func (o *outcomes) load(side wal.Channel) error {
	st := side.Status()
	if st.Durable <= st.Truncated {
		return nil
	}
	rd, err := side.Read(st.Truncated)
	if err != nil {
		return err
	}
	defer rd.Close()
	for at := ts.Ts(0); at < st.Durable; {
		b, err := rd.Next(context.Background()) // it is all there: nothing to wait for
		if err != nil {
			return err
		}
		for i := range b.Entries {
			e := &b.Entries[i]
			o.known[e.Xid] = 0
			if e.Large != nil {
				o.known[e.Xid] = e.Ts
			}
		}
		at = b.Resolved
	}
	return nil
}

// record appends an outcome, in its turn: the rows, or with a nil ref that the
// reading is void. When that fails the reading is void for this process and,
// since it left nothing durable, for the next.
func (j *job) record(ctx context.Context, read uint64, ref *wal.LargeRef) error {
	j.outcomes.turn(read)
	j.mu.Lock()
	w := j.writer
	j.mu.Unlock()
	e := wal.Entry{Kind: wal.KindTxn, Xid: read, Large: ref}
	if ref == nil {
		e.Kind = wal.KindMarker
	}
	at, err := w.Append(&e)
	if err == nil {
		err = w.WaitDurable(ctx, at)
	}
	if err != nil || ref == nil {
		at = 0
	}
	j.outcomes.settle(read, at)
	return err
}

// Outcome waits for what became of a reading that a marker of the consumer
// names: where its rows are on the side channel, or false when the marker is void.
func (s *Source) Outcome(ctx context.Context, consumer string, read uint64) (ts.Ts, bool, error) {
	job, err := s.jobs.open(consumer)
	if err != nil {
		return 0, false, err
	}
	return job.outcomes.of(ctx, read)
}
