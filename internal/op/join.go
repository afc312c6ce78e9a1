package op

import (
	"slices"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/zset"
)

// JoinSide describes an input of a Join.
type JoinSide struct {
	Kinds []zset.Kind // of its columns
	Keys  []int       // key columns
	// AppendOnly: weights are never negative; rows are then stored without looking for equal ones.
	AppendOnly bool
}

// JoinConfig describes a Join. Columns of the output and the residual are those of
// L, then those of R.
type JoinConfig struct {
	Kind     plan.JoinKind
	L, R     JoinSide
	NullSafe []bool // key i compares by IS NOT DISTINCT FROM; nil: none does
	// Out lists the columns of the output; nil: all (of Semi and Anti: all of L).
	// What neither Out nor ResidualCols names is not stored.
	Out []int
	// Residual must be true for a pair to match; nil: none. It is evaluated over all
	// columns, of which those not in ResidualCols may be nil; ResidualCols nil: all.
	Residual     Predicate
	ResidualCols []int
	Env          *expr.Env
	// Print prints rows of all columns that are stored, for error reports.
	Print RowPrinter
}

// joinSide is one side's state.
type joinSide struct {
	keyer
	rowset
	data       rowBytes // of the delta at hand
	kinds      []zset.Kind
	keep       []int // columns that are stored
	kept       []zset.Kind
	appendOnly bool
	pads       bool // its rows come out alone …
	padWhen    bool // … while the other side has no row of their key (true), or has one (false)
}

// Join joins two inputs: port 0 is L, port 1 is R. Each side's rows are stored by key.
//
//	δL ─► into L's table, then × R's rows of the key ─► output
//	δR ─► into R's table, then × L's rows of the key ─► output
//	δR makes the first, or takes the last, row of a key ─► L's rows of that key,
//	      alone, change at Flush (Left, Full, Semi, Anti; of Right and Full the other way round)
type Join struct {
	queue
	kind  plan.JoinKind
	sides [2]joinSide
	out   []int
	pairs pairs
	match matching
	pad   padding
}

// NewJoin makes a Join, or one of its relatives.
func NewJoin(c JoinConfig) (Operator, error) {
	switch {
	case c.Kind == plan.NullAnti:
		return newNotIn(c)
	case c.Kind != plan.Inner && c.Residual != nil:
		return newDegreeJoin(c), nil
	}
	j := &Join{kind: c.Kind}
	j.sides, j.out = joinSides(c)
	j.pairs = newPairs(&j.sides, j.out, c)
	return j, nil
}

// joinSides are both sides and the columns of the output.
func joinSides(c JoinConfig) (sides [2]joinSide, out []int) {
	out = c.Out
	if c.Out == nil {
		n := len(c.L.Kinds)
		if c.Kind != plan.Semi && c.Kind != plan.Anti && c.Kind != plan.NullAnti {
			n += len(c.R.Kinds)
		}
		out = upTo(n)
	}
	need := slices.Clone(out)
	if c.Residual != nil {
		if c.ResidualCols == nil {
			c.ResidualCols = upTo(len(c.L.Kinds) + len(c.R.Kinds))
		}
		need = append(need, c.ResidualCols...)
	}
	sides[0] = newJoinSide(c.L, c.NullSafe, need, 0)
	sides[1] = newJoinSide(c.R, c.NullSafe, need, len(c.L.Kinds))
	l, r := &sides[0], &sides[1]
	l.pads = c.Kind == plan.Left || c.Kind == plan.Full || c.Kind == plan.Semi || c.Kind == plan.Anti
	l.padWhen = c.Kind != plan.Semi
	r.pads, r.padWhen = c.Kind == plan.Right || c.Kind == plan.Full, true
	return sides, out
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func newJoinSide(c JoinSide, safe []bool, need []int, offset int) joinSide {
	s := joinSide{kinds: c.Kinds, appendOnly: c.AppendOnly}
	s.cols, s.safe = c.Keys, safe
	if safe == nil {
		s.safe = make([]bool, len(c.Keys))
	}
	for i, kind := range c.Kinds {
		if slices.Contains(need, offset+i) {
			s.keep, s.kept = append(s.keep, i), append(s.kept, kind)
		}
	}
	s.rowset = rowset{table: arrange.New(), appending: c.AppendOnly}
	return s
}

// Tables implements Operator.
func (j *Join) Tables() []Table { return []Table{j.sides[0].table, j.sides[1].table} }

// matching is how far the delta at hand has come.
type matching struct {
	ready  bool // keys are found and the rows are stored
	other  []uint32
	at     int // place in the batch
	inside bool
	cursor rowCursor
}

// Run implements Operator.
func (j *Join) Run(out *Output, budget int) Status {
	for {
		p := j.first()
		if p == nil {
			break
		}
		own, other := &j.sides[p.port], &j.sides[1-p.port]
		if !j.match.ready {
			if own.appendOnly {
				if out.Fault = shrinks("join", p.in); out.Fault != nil {
					return Done
				}
			}
			if !j.find(p, own, other) {
				return Miss
			}
			budget -= p.in.N
			j.store(p, own, other)
			j.match.ready = true
			j.pairs.addNulls(p, out)
		}
		if !j.emit(p, own, other, out, &budget) {
			j.pairs.flush(p.in, p.port, out)
			return More
		}
		j.pairs.flush(p.in, p.port, out)
		own.table.Tick()
		other.table.Tick()
		j.match.ready, j.match.at = false, 0
		j.pop()
		if budget <= 0 {
			return More
		}
	}
	return j.flushPads(out, budget)
}

// find looks the delta's keys up on both sides; false when some are missing in memory.
func (j *Join) find(p *pushed, own, other *joinSide) bool {
	own.encode(p.in)
	own.data.start()
	for _, i := range own.rows {
		for _, c := range own.keep {
			own.data.bytes = zset.AppendExact(own.data.bytes, p.in.Cols[c], int(i))
		}
		own.data.end()
	}
	own.batch.Heads = own.data.heads(own.batch.Heads)
	j.match.other = grow(j.match.other, own.batch.Len())
	missing := own.table.FindOrInsert(&own.batch, own.slots)
	return !other.table.Find(&own.batch, j.match.other) && !missing
}

// store puts the delta's rows into their own side's table.
func (j *Join) store(p *pushed, own, other *joinSide) {
	for k, i := range own.rows {
		w := p.in.Weight(int(i))
		if other.pads {
			own.table.Mark(own.slots[k], own.table.Empty(own.slots[k]))
		}
		own.add(own.slots[k], own.data.at(k), w)
	}
}

// emit pairs the delta's rows with the other side's; false when the budget is used up.
func (j *Join) emit(p *pushed, own, other *joinSide, out *Output, budget *int) bool {
	m := &j.match
	for ; m.at < len(own.rows); m.at++ {
		slot := m.other[m.at]
		i := own.rows[m.at]
		w := p.in.Weight(int(i))
		if !m.inside {
			if *budget <= 0 {
				return false
			}
			if own.pads && other.lacked(slot) == own.padWhen {
				j.pairs.addAlone(p, i, w, out)
				*budget--
			}
			if slot == arrange.None || j.kind == plan.Semi || j.kind == plan.Anti {
				continue
			}
			m.cursor, m.inside = other.walk(slot), true
		}
		for {
			if *budget <= 0 {
				return false
			}
			row, v, ok := m.cursor.next()
			if !ok {
				break
			}
			if err := j.pairs.add(p, i, row, w*v, other, out); err != nil {
				out.Fault = err
				return true
			}
			*budget--
		}
		m.inside = false
	}
	return true
}
