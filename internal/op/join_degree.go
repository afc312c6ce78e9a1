package op

import (
	"encoding/binary"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/zset"
)

// degreeJoin is an outer, semi or anti join with a residual: whether a row has a partner
// depends on both rows, so each row counts its partners (its degree).
//
//	entry  suffix: the row;  value: weight, degree (varints)
//
// A row whose weight is 0 stays until Flush, which gives out how the rows that come out
// alone have changed.
type degreeJoin struct {
	queue
	kind     plan.JoinKind
	sides    [2]joinSide
	touched  [2][]touchedRow
	alone    pairs // for rows without a key
	residual Predicate
	env      *expr.Env
	reporter reporter

	// The delta at hand.
	ready   bool
	own     []uint32 // its rows' entries, by place in the batch
	other   []uint32 // the other side's groups
	degrees []int64  // partners of each row
	at      int
	inside  bool
	cursor  arrange.Cursor
	// Pairs that wait for the residual.
	sel    []int32 // row of the delta
	place  []int32 // its place in the batch
	theirs []uint32
	v      []int64 // weight of the other row
	w      []int64 // of the pair
	built  []*zset.Vec
	last   [2]sizes // of built, by the delta's side

	side  int // that Flush is at
	next  int // its row
	rows  emitter
	value []byte
}

// touchedRow is a row that the epoch changed, and the weight with which it came out alone before.
type touchedRow struct {
	id  uint32
	old int64
}

func newDegreeJoin(c JoinConfig) *degreeJoin {
	j := &degreeJoin{kind: c.Kind, residual: c.Residual, env: c.Env, reporter: reporter{print: c.Print}}
	var out []int
	j.sides, out = joinSides(c)
	j.alone = newPairs(&j.sides, out, c)
	return j
}

// Tables implements Operator.
func (j *degreeJoin) Tables() []Table { return []Table{j.sides[0].table, j.sides[1].table} }

// Run implements Operator.
func (j *degreeJoin) Run(out *Output, budget int) Status {
	for p := j.first(); p != nil; p = j.first() {
		if budget <= 0 {
			return More
		}
		if !j.ready {
			if !j.find(p) {
				return Miss
			}
			j.store(p)
			j.alone.addNulls(p, out)
			j.alone.flush(p.in, p.port, out)
			j.ready = true
			budget -= p.in.N
		}
		if !j.pair(p, out, &budget) {
			return More
		}
		if j.sides[p.port].pads {
			j.setDegrees(p.port)
		}
		j.sides[0].table.Tick()
		j.sides[1].table.Tick()
		j.ready, j.at = false, 0
		j.pop()
		if out.Fault != nil {
			return Done
		}
	}
	if !j.flushing {
		return Done
	}
	return j.runFlush(out, budget)
}

// setDegrees says how many partners the delta's rows have.
func (j *degreeJoin) setDegrees(side int) {
	for k, id := range j.own {
		if w, degree := j.get(side, id); degree != j.degrees[k] {
			j.set(side, id, w, j.degrees[k])
		}
	}
}

func (j *degreeJoin) find(p *pushed) bool {
	own, other := &j.sides[p.port], &j.sides[1-p.port]
	own.encode(p.in)
	j.other = grow(j.other, own.batch.Len())
	missing := own.table.FindOrInsert(&own.batch, own.slots)
	return !other.table.Find(&own.batch, j.other) && !missing
}

// get is a row's weight and degree.
func (j *degreeJoin) get(side int, id uint32) (w, degree int64) {
	b := j.sides[side].table.Value(id)
	w, n := binary.Varint(b)
	degree, _ = binary.Varint(b[n:])
	return w, degree
}

// set changes a row's weight and degree.
func (j *degreeJoin) set(side int, id uint32, w, degree int64) {
	t := j.sides[side].table
	if t.MarkEntry(id) {
		j.touched[side] = append(j.touched[side], touchedRow{id, j.emitted(side, id)})
	}
	j.value = binary.AppendVarint(binary.AppendVarint(j.value[:0], w), degree)
	t.SetValue(id, j.value)
}

// emitted is the weight with which a row comes out alone.
func (j *degreeJoin) emitted(side int, id uint32) int64 {
	s := &j.sides[side]
	if w, degree := j.get(side, id); s.pads && (degree == 0) == s.padWhen {
		return w
	}
	return 0
}

// store changes the weights of the delta's rows.
func (j *degreeJoin) store(p *pushed) {
	s := &j.sides[p.port]
	j.own = grow(j.own, len(s.rows))
	j.degrees = grow(j.degrees, len(s.rows))
	clear(j.degrees)
	for k, i := range s.rows {
		s.buf = s.buf[:0]
		for _, c := range s.keep {
			s.buf = zset.AppendExact(s.buf, p.in.Cols[c], int(i))
		}
		if len(s.keep) == 0 {
			s.buf = append(s.buf, 0) // an entry needs a suffix
		}
		id, found := s.table.Get(s.slots[k], s.buf)
		if !found {
			id = s.table.Add(s.slots[k], s.buf, []byte{0, 0})
		}
		w, degree := j.get(p.port, id)
		j.set(p.port, id, w+p.in.Weight(int(i)), degree)
		j.own[k] = id
	}
}

// pair looks for the partners of the delta's rows; false when the budget is used up.
func (j *degreeJoin) pair(p *pushed, out *Output, budget *int) bool {
	own, other := &j.sides[p.port], &j.sides[1-p.port]
	for ; j.at < len(own.rows); j.at++ {
		if j.other[j.at] == arrange.None {
			continue
		}
		if !j.inside {
			j.cursor, j.inside = other.table.First(j.other[j.at]), true
		}
		for ; j.cursor.Valid(); j.cursor.Next() {
			if *budget <= 0 {
				j.match(p, out)
				return false
			}
			id := j.cursor.ID()
			v, _ := j.get(1-p.port, id)
			if v == 0 {
				continue
			}
			j.add(p, other, id, v, out)
			*budget--
		}
		j.inside = false
	}
	j.match(p, out)
	return true
}

func (j *degreeJoin) add(p *pushed, other *joinSide, id uint32, v int64, out *Output) {
	if j.built == nil {
		j.built = j.last[p.port].vecs(other.kept)
	}
	if _, err := zset.DecodeExactRow(j.built, other.table.Suffix(id)); err != nil {
		out.Fault = corrupt("join", err)
	}
	i := j.sides[p.port].rows[j.at]
	j.sel, j.place = append(j.sel, i), append(j.place, int32(j.at))
	j.theirs, j.v = append(j.theirs, id), append(j.v, v)
	j.w = append(j.w, v*p.in.Weight(int(i)))
	if len(j.sel) >= chunkRows {
		// The cursor survives this: no entry comes or goes.
		j.match(p, out)
	}
}

// match evaluates the residual for the pairs gathered, counts partners and gives the pairs out.
func (j *degreeJoin) match(p *pushed, out *Output) {
	if len(j.sel) == 0 || out.Fault != nil {
		return
	}
	c := j.alone.paired(p.in, p.port, j.sel, j.built)
	c.W = weights(j.w)
	matched, errs := j.residual.EvalFilter(c, j.env)
	j.reporter.report(c, errs, out)
	for _, m := range matched {
		j.degrees[j.place[m]] += j.v[m]
		if id := j.theirs[m]; j.sides[1-p.port].pads {
			w, degree := j.get(1-p.port, id)
			j.set(1-p.port, id, w, degree+p.in.Weight(int(j.sel[m])))
		}
	}
	if j.kind != plan.Semi && j.kind != plan.Anti && len(matched) > 0 {
		out.Chunks = append(out.Chunks, c.Project(j.alone.out).Gather(matched))
	}
	j.last[p.port].note(j.built, len(j.sel))
	j.sel, j.place, j.theirs, j.v, j.w, j.built = j.sel[:0], j.place[:0], j.theirs[:0], j.v[:0], j.w[:0], nil
}

// runFlush gives out how the rows that come out alone have changed, and forgets those without weight.
func (j *degreeJoin) runFlush(out *Output, budget int) Status {
	for ; j.side < 2; j.side++ {
		s := &j.sides[j.side]
		j.rows.kinds = s.kept
		for ; j.next < len(j.touched[j.side]); j.next++ {
			if budget <= 0 {
				j.flushRows(out)
				return More
			}
			r := j.touched[j.side][j.next]
			if d := j.emitted(j.side, r.id) - r.old; d != 0 {
				if _, err := zset.DecodeExactRow(j.rows.cols(), s.table.Suffix(r.id)); err != nil {
					out.Fault = corrupt("join", err)
					return Done
				}
				j.rows.chunk.AppendWeight(d)
				if j.rows.chunk.N >= chunkRows {
					j.flushRows(out)
				}
			}
			s.table.UnmarkEntry(r.id)
			if w, _ := j.get(j.side, r.id); w == 0 {
				s.table.Delete(r.id)
			}
			budget--
		}
		j.flushRows(out)
		j.touched[j.side], j.next = j.touched[j.side][:0], 0
		s.table.Tick()
	}
	j.side, j.flushing = 0, false
	return Done
}

func (j *degreeJoin) flushRows(out *Output) {
	if c := j.rows.take(); c != nil && c.N > 0 {
		out.Chunks = append(out.Chunks, j.alone.padded(j.side, c))
	}
}
