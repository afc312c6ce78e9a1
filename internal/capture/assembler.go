package capture

import (
	"bytes"
	"slices"

	"github.com/weirstream/weir/internal/wal"
)

// spillAt is where an unfinished transaction moves from memory into parts.
const spillAt = 256 << 10

// assembler puts the pieces of transactions together: small ones in memory,
// large ones in the log's parts. It is used by the stream's goroutine.
type assembler struct {
	large func() (wal.LargeWriter, error)
	open  map[uint64]*transaction
	spare *transaction // reused, so that small transactions do not allocate
}

// transaction is one that has not ended.
type transaction struct {
	buf    []byte
	pieces []piece         // of buf
	parts  wal.LargeWriter // nil while it is small
	subs   []uint64        // seen in parts, in order of appearance
	gone   []uint64        // sub-transactions that were rolled back
}

// piece is a run of one sub-transaction's changes in a transaction's buf.
type piece struct {
	sub      uint64
	from, to int
}

func newAssembler(large func() (wal.LargeWriter, error)) *assembler {
	return &assembler{large: large, open: map[uint64]*transaction{}}
}

// add appends a piece of txn.
func (a *assembler) add(txn, sub uint64, changes []byte) error {
	t := a.open[txn]
	if t == nil {
		if t = a.spare; t == nil {
			t = &transaction{}
		}
		a.spare = nil
		a.open[txn] = t
	}
	if t.parts == nil && len(t.buf)+len(changes) <= spillAt {
		from := len(t.buf)
		t.buf = append(t.buf, changes...)
		if n := len(t.pieces); n > 0 && t.pieces[n-1].sub == sub {
			t.pieces[n-1].to = len(t.buf)
		} else {
			t.pieces = append(t.pieces, piece{sub, from, len(t.buf)})
		}
		return nil
	}
	if err := a.spill(t); err != nil {
		return err
	}
	return t.part(sub, changes)
}

// spill moves what t holds in memory into parts.
func (a *assembler) spill(t *transaction) (err error) {
	if t.parts != nil {
		return nil
	}
	if t.parts, err = a.large(); err != nil {
		return err
	}
	for _, p := range t.pieces {
		if err := t.part(p.sub, t.buf[p.from:p.to]); err != nil {
			return err
		}
	}
	t.buf, t.pieces = t.buf[:0], t.pieces[:0]
	return nil
}

func (t *transaction) part(sub uint64, changes []byte) error {
	if !slices.Contains(t.subs, sub) {
		t.subs = append(t.subs, sub)
	}
	return t.parts.Part(sub, changes)
}

// abort forgets a sub-transaction of txn, or all of it.
func (a *assembler) abort(txn, sub uint64) error {
	t := a.open[txn]
	switch {
	case t == nil:
		return nil
	case txn == sub:
		delete(a.open, txn)
		return a.discard(t)
	case t.parts != nil:
		t.gone = append(t.gone, sub)
		return nil
	}
	var kept []byte
	pieces := t.pieces[:0]
	for _, p := range t.pieces {
		if p.sub != sub {
			from := len(kept)
			kept = append(kept, t.buf[p.from:p.to]...)
			pieces = append(pieces, piece{p.sub, from, len(kept)})
		}
	}
	t.buf, t.pieces = kept, pieces
	return nil
}

// finish ends txn and fills the entry that commits it. release is called once the
// entry is appended.
func (a *assembler) finish(txn uint64, e *wal.Entry) (release func(), err error) {
	t := a.open[txn]
	delete(a.open, txn)
	if t == nil { // a transaction without a change for us
		return func() {}, nil
	}
	if t.parts == nil {
		e.Changes = t.buf
		return func() { a.recycle(t) }, nil
	}
	var subs []uint64 // nil: all of them
	if len(t.gone) > 0 {
		subs = slices.DeleteFunc(t.subs, func(s uint64) bool { return slices.Contains(t.gone, s) })
		if subs == nil {
			subs = []uint64{}
		}
	}
	if e.Large, err = t.parts.Seal(subs); err != nil {
		return nil, err
	}
	return func() {}, nil
}

// reset forgets every unfinished transaction: the stream begins again.
func (a *assembler) reset() error {
	var first error
	for txn, t := range a.open {
		delete(a.open, txn)
		if err := a.discard(t); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (a *assembler) discard(t *transaction) error {
	if t.parts != nil {
		return t.parts.Abort()
	}
	a.recycle(t)
	return nil
}

// recycle keeps t for the next transaction.
func (a *assembler) recycle(t *transaction) {
	*t = transaction{buf: t.buf[:0], pieces: t.pieces[:0]}
	a.spare = t
}

// above tells whether position p lies above q; an empty q is below everything.
func above(p, q []byte) bool { return bytes.Compare(p, q) > 0 }
