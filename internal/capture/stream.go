package capture

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// noteEvery is how often a position that moves without a transaction for us is
// made durable, so that the upstream's slot moves on.
const noteEvery = 5 * time.Second

// stream is the Handler: it turns what the upstream tells into entries. Its mutex
// orders transactions and markers.
type stream struct {
	s *Source
	*assembler
	current map[row.TableID]uint32 // version the stream used last

	mu struct {
		sync.Mutex
		writer wal.Writer
		broken error     // the writer must be replaced
		last   []byte    // position of the last entry appended, or where the slot began
		seen   []byte    // the stream has delivered everything up to here
		noted  time.Time // when last was appended
		// unsettled: a chunk was placed, and its consumer waits for an entry at or
		// above end.
		unsettled bool
		end       []byte
		moved     chan struct{}
		passed    passed
	}
}

func newStream(s *Source) *stream {
	st := &stream{s: s, current: map[row.TableID]uint32{}}
	st.assembler = newAssembler(func() (wal.LargeWriter, error) { return st.writer().Large() })
	st.mu.moved = make(chan struct{})
	return st
}

// lead takes the channel's next term and resumes from its high position.
func (st *stream) lead(ctx context.Context) error {
	w, err := st.s.channel.Lead(ctx)
	if err != nil {
		return err
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.mu.writer, st.mu.broken = w, nil
	st.mu.last = slices.Clone(st.s.channel.Status().High)
	return nil
}

// ready makes the stream fit to begin: what the last connection left unfinished
// is forgotten, a poisoned writer is replaced.
func (st *stream) ready(ctx context.Context) error {
	if err := st.reset(); err != nil {
		return err
	}
	clear(st.current) // shapes of unfinished transactions do not count
	st.mu.Lock()
	broken, w := st.mu.broken, st.mu.writer
	st.mu.Unlock()
	if broken == nil {
		return nil
	}
	st.s.log.Warn("leading the channel again", "error", broken)
	if err := w.Close(); err != nil {
		st.s.log.Warn("closing the old writer", "error", err)
	}
	return st.lead(ctx)
}

func (st *stream) writer() wal.Writer {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.mu.writer
}

// position is where the channel ends upstream; empty before anything was captured.
func (st *stream) position() []byte {
	st.mu.Lock()
	defer st.mu.Unlock()
	return slices.Clone(st.mu.last)
}

// startAt notes in the log where a new slot begins, so that a slot created anew
// later is noticed even if nothing is ever captured; an existing position stays.
func (st *stream) startAt(ctx context.Context, position []byte) error {
	st.mu.Lock()
	if len(st.mu.last) > 0 {
		st.mu.Unlock()
		return nil
	}
	w := st.mu.writer
	at, err := w.Append(&wal.Entry{Kind: wal.KindTxn, Position: position})
	if err != nil {
		defer st.mu.Unlock()
		return st.noteLocked(err)
	}
	st.mu.last = slices.Clone(position)
	st.mu.Unlock()
	return st.note(w.WaitDurable(ctx, at))
}

// begin returns where to stream from.
func (st *stream) begin() []byte { return st.position() }

// Changes implements Handler.
func (st *stream) Changes(txn, sub uint64, changes []byte) error {
	return st.note(st.add(txn, sub, changes))
}

// Abort implements Handler.
func (st *stream) Abort(txn, sub uint64) error { return st.note(st.abort(txn, sub)) }

// Commit implements Handler: one entry for the whole transaction, even an empty
// one, since its position is what the acknowledgement rests on.
func (st *stream) Commit(txn uint64, position []byte, commitUs int64) error {
	st.mu.Lock()
	known := !above(position, st.mu.last)
	st.mu.Unlock()
	if known {
		return st.abort(txn, txn)
	}
	e := wal.Entry{Kind: wal.KindTxn, Position: position, Xid: txn, CommitUs: commitUs}
	release, err := st.finish(txn, &e)
	if err != nil {
		return st.note(err)
	}
	defer release()
	st.s.metrics.committed(commitUs, &e)
	st.mu.Lock()
	defer st.mu.Unlock()
	if _, err := st.mu.writer.Append(&e); err != nil {
		return st.noteLocked(err)
	}
	st.appendedLocked(position)
	st.mu.passed.add(txn)
	st.seenLocked(position)
	return nil
}

// Alive implements Handler. Now and then, and when a chunk or the upstream waits
// for it, the position becomes an entry without changes: only what the log has is
// acknowledged, and only entries settle a chunk.
func (st *stream) Alive(position []byte) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	again := bytes.Equal(position, st.mu.seen)
	st.seenLocked(position)
	settles := st.mu.unsettled && !above(st.mu.end, position)
	if !above(position, st.mu.last) || !settles && !again && time.Since(st.mu.noted) < noteEvery {
		return nil
	}
	if _, err := st.mu.writer.Append(&wal.Entry{Kind: wal.KindTxn, Position: position}); err != nil {
		return st.noteLocked(err)
	}
	st.appendedLocked(position)
	return nil
}

// appendedLocked follows an entry at position.
func (st *stream) appendedLocked(position []byte) {
	st.mu.last, st.mu.noted = append(st.mu.last[:0], position...), time.Now()
	st.mu.unsettled = st.mu.unsettled && above(st.mu.end, position)
}

// seenLocked moves the position up to which everything was delivered.
func (st *stream) seenLocked(position []byte) {
	if above(position, st.mu.seen) {
		st.mu.seen = append(st.mu.seen[:0], position...)
		select {
		case <-st.mu.moved:
		default:
			close(st.mu.moved)
		}
	}
}

// Durable implements Handler: never more than the log has fsynced.
func (st *stream) Durable() []byte {
	_, high, _ := st.writer().Durable()
	return high
}

// Register implements Handler.
func (st *stream) Register(shape *row.Schema) (version uint32, current bool, err error) {
	version, err = st.s.schemas.Register(shape)
	if err != nil {
		return 0, false, err
	}
	current = st.current[shape.Table] == version
	st.current[shape.Table] = version
	return version, current, nil
}

// Shape implements Handler.
func (st *stream) Shape(table row.TableID) *row.Schema { return st.s.schemas.Newest(table) }

// TablesChanged implements Handler.
func (st *stream) TablesChanged() { st.s.tables.kick() }

// note remembers that the writer can no longer be used.
func (st *stream) note(err error) error {
	if err == nil {
		return nil
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.noteLocked(err)
}

func (st *stream) noteLocked(err error) error {
	switch weirerr.CodeOf(err) {
	case weirerr.LogFenced, weirerr.LogUnknown:
		st.mu.broken = err
	}
	return err
}

// promise raises the channel's resolved Ts to t, 0 for the present, and returns it.
func (st *stream) promise(t ts.Ts) (ts.Ts, error) {
	t, err := st.writer().Promise(t)
	return t, st.note(err)
}

// await blocks until everything at or below position was delivered and appended.
func (st *stream) await(ctx context.Context, position []byte) error {
	for {
		st.mu.Lock()
		done := bytes.Compare(st.mu.seen, position) >= 0
		select {
		case <-st.mu.moved:
			st.mu.moved = make(chan struct{})
		default:
		}
		moved := st.mu.moved
		st.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-moved:
		}
	}
}

// place appends a chunk's marker, if its snapshot sees every transaction in the
// channel. False means that another snapshot must be taken.
func (st *stream) place(ctx context.Context, m *backfill.Marker) (bool, error) {
	at, placed, err := st.placeLocked(m)
	if err != nil || !placed {
		return false, err
	}
	if err := st.writer().WaitDurable(ctx, at); err != nil {
		return false, st.note(fmt.Errorf("place the marker of chunk %d: %w", m.Chunk, err))
	}
	return true, nil
}

func (st *stream) placeLocked(m *backfill.Marker) (ts.Ts, bool, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if !st.mu.passed.check(m.Visible) {
		return 0, false, nil
	}
	at, err := st.mu.writer.Append(&wal.Entry{Kind: wal.KindMarker, Changes: m.Encode()})
	if err != nil {
		return 0, false, st.noteLocked(err)
	}
	st.mu.unsettled = true
	if above(m.End, st.mu.end) {
		st.mu.end = slices.Clone(m.End)
	}
	return at, true, nil
}

// reading notes a chunk reading that is about to take its snapshot; done ends it.
func (st *stream) reading() (done func()) {
	st.mu.Lock()
	defer st.mu.Unlock()
	id := st.mu.passed.begin()
	return func() {
		st.mu.Lock()
		defer st.mu.Unlock()
		st.mu.passed.end(id)
	}
}

func (st *stream) close() error { return st.writer().Close() }
