package op

import (
	"bytes"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// MaxOneConfig describes a MaxOne.
type MaxOneConfig struct {
	Kinds []zset.Kind // of the columns
	Group []int
	// Print prints a chunk of the group columns.
	Print RowPrinter
}

// MaxOne passes the row of each group on. A group of more than one row is an error,
// and none of its rows comes out: a scalar subquery's promise.
type MaxOne struct {
	queue
	c      MaxOneConfig
	keys   keyer
	set    rowset
	row    []byte
	before befores
	at     int
	rows   emitter
	groups emitter // of groups that break the promise
	now    []byte
}

// NewMaxOne makes a MaxOne.
func NewMaxOne(c MaxOneConfig) *MaxOne {
	m := &MaxOne{c: c, set: rowset{table: arrange.New()}, rows: emitter{kinds: c.Kinds}}
	m.keys.cols = c.Group
	for _, g := range c.Group {
		m.groups.kinds = append(m.groups.kinds, c.Kinds[g])
	}
	return m
}

// Tables implements Operator.
func (m *MaxOne) Tables() []Table { return []Table{m.set.table} }

// Run implements Operator.
func (m *MaxOne) Run(out *Output, budget int) Status {
	t := m.set.table
	for p := m.first(); p != nil; p = m.first() {
		if budget <= 0 {
			return More
		}
		m.keys.encode(p.in)
		if t.FindOrInsert(&m.keys.batch, m.keys.slots) {
			return Miss
		}
		for k, i := range m.keys.rows {
			slot := m.keys.slots[k]
			if t.Mark(slot, false) {
				m.before.begin()
				m.before.data = m.state(slot, m.before.data)
			}
			m.row = zset.AppendExactRow(m.row[:0], p.in.Cols, int(i))
			m.set.add(slot, m.row, p.in.Weight(int(i)))
		}
		budget -= p.in.N
		m.pop()
		t.Tick()
	}
	if !m.flushing {
		return Done
	}
	return m.runFlush(out, budget)
}

// What a group's state begins with.
const (
	isOne  = 1 // the row follows
	isMany = 2
)

// state appends what a group gives out: nothing, its row, or an error.
func (m *MaxOne) state(slot uint32, dst []byte) []byte {
	var total int64
	var only []byte
	rows := m.set.walk(slot)
	for row, w, ok := rows.next(); ok && total <= 1; row, w, ok = rows.next() {
		only = row
		total += w
	}
	switch {
	case total <= 0:
		return dst
	case total > 1:
		return append(dst, isMany)
	}
	return append(append(dst, isOne), only...)
}

func (m *MaxOne) runFlush(out *Output, budget int) Status {
	t := m.set.table
	marked := t.Marked()
	for ; m.at < len(marked) && budget > 0; m.at++ {
		budget--
		old := m.before.at(m.at)
		m.now = m.state(marked[m.at], m.now[:0])
		if bytes.Equal(old, m.now) {
			continue
		}
		for _, s := range []struct {
			state []byte
			w     int64
		}{{old, -1}, {m.now, 1}} {
			if err := m.give(marked[m.at], s.state, s.w, out); err != nil {
				out.Fault = corrupt("one row", err)
				return Done
			}
		}
	}
	m.rows.flush(out)
	m.report(out)
	if m.at < len(marked) {
		return More
	}
	t.Unmark()
	m.before.reset()
	t.Tick()
	m.at, m.flushing = 0, false
	return Done
}

// give gives a group's row or error out.
func (m *MaxOne) give(slot uint32, state []byte, w int64, out *Output) error {
	switch {
	case len(state) == 0:
	case state[0] == isOne:
		if _, err := zset.DecodeExactRow(m.rows.cols(), state[1:]); err != nil {
			return err
		}
		m.rows.add(w, out)
	default:
		key := m.set.table.Key(slot)
		for _, v := range m.groups.cols() {
			rest, err := zset.DecodeKey(v, key, zset.Order{})
			if err != nil {
				return err
			}
			key = rest
		}
		m.groups.chunk.AppendWeight(w)
	}
	return nil
}

// report turns the groups gathered into row errors.
func (m *MaxOne) report(out *Output) {
	c := m.groups.take()
	if c == nil {
		return
	}
	err := &sql.Error{Code: sql.CardinalityViolation, Message: "more than one row returned by a subquery used as an expression", Pos: -1}
	r := reporter{print: m.c.Print}
	r.report(c, everyRow(c.N, err), out)
}
