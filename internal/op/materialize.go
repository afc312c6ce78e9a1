package op

import (
	"bytes"
	"encoding/binary"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/zset"
)

// MaterializeConfig describes a Materialize.
type MaterializeConfig struct {
	Kinds []zset.Kind // of the columns
	Key   []int       // columns that no two rows have equal; nil: none are known
	Print RowPrinter
}

// Materialize keeps a view's rows for readers (see Stored) and gives out, once an epoch,
// how they have changed: consolidated, each row once. A row whose weight
// is negative when the epoch ends is a Fault.
type Materialize struct {
	queue
	c      MaterializeConfig
	keys   keyer
	set    rowset
	data   rowBytes
	before befores
	at     int // marked group
	rows   emitter
	now    []byte
}

// NewMaterialize makes a Materialize.
func NewMaterialize(c MaterializeConfig) *Materialize {
	m := &Materialize{c: c, set: rowset{table: arrange.New()}, rows: emitter{kinds: c.Kinds}}
	m.keys.cols = c.Key
	if c.Key == nil {
		m.set.table.Reserve(1)
	}
	return m
}

// NewErrorTable makes the Materialize of an operator's Output.Errors.
func NewErrorTable() *Materialize {
	return NewMaterialize(MaterializeConfig{Kinds: ErrorKinds(), Print: printErrors})
}

// ErrorKinds are the kinds of Output.Errors' columns.
func ErrorKinds() []zset.Kind { return []zset.Kind{zset.Bytes, zset.Bytes, zset.Bytes} }

func printErrors(dst []byte, in *zset.Chunk, i int) []byte {
	for k, v := range in.Cols {
		if k > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, v.Bytes(i)...)
	}
	return dst
}

// Stored is how the rows lie in the store.
func (m *Materialize) Stored() *Stored { return &Stored{Kinds: m.c.Kinds, Key: m.c.Key} }

// Tables implements Operator.
func (m *Materialize) Tables() []Table { return []Table{m.set.table} }

// Run implements Operator.
func (m *Materialize) Run(out *Output, budget int) Status {
	t := m.set.table
	for p := m.first(); p != nil; p = m.first() {
		if budget <= 0 {
			return More
		}
		if m.c.Key != nil {
			m.keys.encode(p.in)
		} else {
			encodeRows(&m.keys, p.in.Cols, p.in, 0, p.in.N)
		}
		m.encode(p.in)
		if t.FindOrInsert(&m.keys.batch, m.keys.slots) {
			return Miss
		}
		m.apply(p.in)
		budget -= p.in.N
		m.pop()
		t.Tick()
	}
	if !m.flushing {
		return Done
	}
	return m.runFlush(out, budget)
}

// encode lays out the rows that groups will have, if not in their keys.
func (m *Materialize) encode(in *zset.Chunk) {
	if m.c.Key == nil {
		return
	}
	m.data.start()
	for _, i := range m.keys.rows {
		m.data.bytes = zset.AppendExactRow(m.data.bytes, in.Cols, int(i))
		m.data.end()
	}
	m.keys.batch.Heads = m.data.heads(m.keys.batch.Heads)
}

func (m *Materialize) apply(in *zset.Chunk) {
	t := m.set.table
	for k, i := range m.keys.rows {
		slot := m.keys.slots[k]
		if t.Mark(slot, false) {
			m.before.begin()
			m.before.data = m.state(slot, m.before.data)
		}
		var row []byte
		if m.c.Key != nil {
			row = m.data.at(k)
		}
		m.set.add(slot, row, in.Weight(int(i)))
	}
}

// state appends a group's rows: length, weight (varints), row, of each.
func (m *Materialize) state(slot uint32, dst []byte) []byte {
	rows := m.set.walk(slot)
	for row, w, ok := rows.next(); ok; row, w, ok = rows.next() {
		dst = binary.AppendUvarint(dst, uint64(len(row)))
		dst = append(binary.AppendVarint(dst, w), row...)
	}
	return dst
}

// cutRow takes the first row of a state.
func cutRow(state []byte) (row []byte, w int64, rest []byte) {
	n, k := binary.Uvarint(state)
	w, l := binary.Varint(state[k:])
	state = state[k+l:]
	return state[:n], w, state[n:]
}

// weightIn is the weight of a row in a state.
func weightIn(state, row []byte) int64 {
	for len(state) > 0 {
		r, w, rest := cutRow(state)
		if bytes.Equal(r, row) {
			return w
		}
		state = rest
	}
	return 0
}

// runFlush gives out what has changed.
func (m *Materialize) runFlush(out *Output, budget int) Status {
	marked := m.set.table.Marked()
	for ; m.at < len(marked); m.at++ {
		if budget <= 0 {
			m.rows.flush(out)
			return More
		}
		slot := marked[m.at]
		old := m.before.at(m.at)
		m.now = m.state(slot, m.now[:0])
		if bytes.Equal(old, m.now) {
			continue
		}
		n, err := m.diff(slot, old, m.now, out)
		if err != nil {
			out.Fault = err
			return Done
		}
		budget -= n
	}
	m.rows.flush(out)
	m.set.table.Unmark()
	m.before.reset()
	m.set.table.Tick()
	m.at, m.flushing = 0, false
	return Done
}

// diff gives out a group's rows that have another weight than before: first those that lost, then those that gained.
func (m *Materialize) diff(slot uint32, old, now []byte, out *Output) (n int, err error) {
	for rest := old; len(rest) > 0 && err == nil; {
		var row []byte
		var w int64
		row, w, rest = cutRow(rest)
		if have := weightIn(now, row); have < w {
			err = m.give(slot, row, have-w, out)
			n++
		}
	}
	for rest := now; len(rest) > 0 && err == nil; {
		var row []byte
		var w int64
		row, w, rest = cutRow(rest)
		if w < 0 {
			return n, m.negative(slot, row, w)
		}
		if had := weightIn(old, row); had < w {
			err = m.give(slot, row, w-had, out)
			n++
		}
	}
	return n, err
}

// whole is a row as it is stored: by row, it is the group's key.
func (m *Materialize) whole(slot uint32, row []byte) []byte {
	if m.c.Key == nil {
		return m.set.table.Key(slot)
	}
	return row
}

func (m *Materialize) give(slot uint32, row []byte, w int64, out *Output) error {
	if _, err := zset.DecodeExactRow(m.rows.cols(), m.whole(slot, row)); err != nil {
		return corrupt("materialize", err)
	}
	m.rows.add(w, out)
	return nil
}

func (m *Materialize) negative(slot uint32, row []byte, w int64) error {
	return negativeWeight("materialize", m.c.Kinds, m.whole(slot, row), w, m.c.Print)
}
