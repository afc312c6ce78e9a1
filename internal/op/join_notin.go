package op

import (
	"bytes"
	"encoding/binary"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// notIn is NOT IN over one key: a row of L comes out when R is empty, or when its key
// is not NULL, R has no NULL, and R does not have the key. All rows are on one shard,
// in one group, since a single NULL on the right decides over all rows of L.
//
//	L  entry  suffix: key │ the row, exact;  value: weight
//	R  entry  suffix: key;                   value: how many
//
// A row of L whose weight is 0 stays until Flush, which gives out all changes.
type notIn struct {
	queue
	l, r   joinSide
	slots  [2]uint32
	key    arrange.Batch // of the only group
	suffix []byte
	value  []byte

	open    bool // the epoch has touched something
	null    bool // R had a NULL when the epoch began
	empty   bool // R was empty
	had     map[string]bool
	keys    []string
	touched map[uint32]int64 // rows of L that the epoch changed: their weights before
	order   []uint32
	work    []uint32
	at      int
	listed  bool
	rows    emitter
	shape   joinShape
	sides   [2]joinSide
}

func newNotIn(c JoinConfig) (*notIn, error) {
	if len(c.L.Keys) != 1 || len(c.R.Keys) != 1 || c.Residual != nil {
		return nil, weirerr.New(weirerr.InvalidArgument, "NOT IN takes one key and no further condition").
			Hint("plan rows of several columns as an anti join whose residual is (l = r) IS NOT FALSE")
	}
	j := &notIn{had: map[string]bool{}, touched: map[uint32]int64{}}
	var out []int
	j.sides, out = joinSides(c)
	j.l, j.r = j.sides[0], j.sides[1]
	j.shape = joinShape{&j.sides, out, len(c.L.Kinds)}
	j.rows.kinds = j.l.kept
	j.key.End()
	return j, nil
}

// Tables implements Operator.
func (j *notIn) Tables() []Table { return []Table{j.l.table, j.r.table} }

// Run implements Operator.
func (j *notIn) Run(out *Output, budget int) Status {
	for p := j.first(); p != nil; p = j.first() {
		if budget <= 0 {
			return More
		}
		if !j.find() {
			return Miss
		}
		j.begin()
		if p.port == 0 {
			j.left(p.in)
		} else {
			j.right(p.in)
		}
		budget -= p.in.N
		j.pop()
		j.tick()
	}
	if !j.flushing {
		return Done
	}
	if !j.find() {
		return Miss
	}
	return j.runFlush(out, budget)
}

// find finds both groups. They stay in memory until tick.
func (j *notIn) find() bool {
	missing := j.l.table.FindOrInsert(&j.key, j.slots[:1])
	return !j.r.table.FindOrInsert(&j.key, j.slots[1:]) && !missing
}

func (j *notIn) tick() {
	j.l.table.Tick()
	j.r.table.Tick()
}

// begin remembers what R was when the epoch began.
func (j *notIn) begin() {
	if !j.open {
		j.open, j.null, j.empty = true, j.has(nullKey), j.r.table.Count(j.slots[1]) == 0
	}
}

// nullKey is the key of NULL.
const nullKey = "\xff"

// has tells whether R has a key.
func (j *notIn) has(key string) bool {
	_, found := j.r.table.Get(j.slots[1], []byte(key))
	return found
}

func (j *notIn) left(in *zset.Chunk) {
	t := j.l.table
	for i := range in.N {
		j.suffix = zset.AppendKey(j.suffix[:0], in.Cols[j.l.cols[0]], i, zset.Order{})
		for _, c := range j.l.keep {
			j.suffix = zset.AppendExact(j.suffix, in.Cols[c], i)
		}
		id, found := t.Get(j.slots[0], j.suffix)
		if !found {
			id = t.Add(j.slots[0], j.suffix, []byte{0})
		}
		w, _ := binary.Varint(t.Value(id))
		if t.MarkEntry(id) {
			j.touched[id] = w
			j.order = append(j.order, id)
		}
		j.value = binary.AppendVarint(j.value[:0], w+in.Weight(i))
		t.SetValue(id, j.value)
	}
}

func (j *notIn) right(in *zset.Chunk) {
	t := j.r.table
	for i := range in.N {
		j.suffix = zset.AppendKey(j.suffix[:0], in.Cols[j.r.cols[0]], i, zset.Order{})
		id, found := t.Get(j.slots[1], j.suffix)
		if _, known := j.had[string(j.suffix)]; !known {
			j.had[string(j.suffix)] = found
			j.keys = append(j.keys, string(j.suffix))
		}
		n := in.Weight(i)
		if found {
			old, _ := binary.Varint(t.Value(id))
			n += old
		}
		j.value = binary.AppendVarint(j.value[:0], n)
		switch {
		case n == 0 && found:
			t.Delete(id)
		case found:
			t.SetValue(id, j.value)
		case n != 0:
			t.Add(j.slots[1], j.suffix, j.value)
		}
	}
}

// list collects the rows of L that may come out otherwise than before.
func (j *notIn) list() {
	t := j.l.table
	j.work = append(j.work[:0], j.order...)
	null, empty := j.has(nullKey), j.r.table.Count(j.slots[1]) == 0
	if null != j.null || empty != j.empty {
		j.collect(t.First(j.slots[0]), "")
		return
	}
	for _, key := range j.keys {
		if j.had[key] != j.has(key) {
			j.collect(t.Seek(j.slots[0], []byte(key)), key)
		}
	}
}

// collect adds the rows whose key begins with prefix; touched ones are listed already.
func (j *notIn) collect(c arrange.Cursor, prefix string) {
	for ; c.Valid() && bytes.HasPrefix(j.l.table.Suffix(c.ID()), []byte(prefix)); c.Next() {
		if _, listed := j.touched[c.ID()]; !listed {
			j.work = append(j.work, c.ID())
		}
	}
}

// runFlush gives out the changes.
func (j *notIn) runFlush(out *Output, budget int) Status {
	j.begin()
	t := j.l.table
	if !j.listed {
		j.list()
		j.listed = true
	}
	null, empty := j.has(nullKey), j.r.table.Count(j.slots[1]) == 0
	for ; j.at < len(j.work); j.at++ {
		if budget <= 0 {
			j.give(out)
			return More
		}
		id := j.work[j.at]
		w, _ := binary.Varint(t.Value(id))
		old, touched := j.touched[id]
		if !touched {
			old = w
		}
		suffix := t.Suffix(id)
		row, err := zset.SkipKey(j.l.kinds[j.l.cols[0]], suffix, zset.Order{})
		if err != nil {
			out.Fault = corrupt("not in", err)
			return Done
		}
		key := string(suffix[:len(suffix)-len(row)])
		had, changed := j.had[key]
		if !changed {
			had = j.has(key)
		}
		d := int64(0)
		if passes(key, null, empty, j.has(key)) {
			d += w
		}
		if passes(key, j.null, j.empty, had) {
			d -= old
		}
		if d != 0 {
			if _, err := zset.DecodeExactRow(j.rows.cols(), row); err != nil {
				out.Fault = corrupt("not in", err)
				return Done
			}
			j.rows.chunk.AppendWeight(d)
			budget--
		}
		if j.rows.chunk != nil && j.rows.chunk.N >= chunkRows {
			j.give(out)
		}
	}
	j.give(out)
	j.end()
	return Done
}

// passes tells whether a row of L with this key comes out, of an R that has a NULL, is empty, has the key.
func passes(key string, null, empty, has bool) bool {
	return empty || key != nullKey && !null && !has
}

func (j *notIn) give(out *Output) {
	if c := j.rows.take(); c != nil && c.N > 0 {
		out.Chunks = append(out.Chunks, j.shape.padded(0, c))
	}
}

// end forgets the epoch, and the rows that have no weight any more.
func (j *notIn) end() {
	t := j.l.table
	for _, id := range j.order {
		t.UnmarkEntry(id)
		if w, _ := binary.Varint(t.Value(id)); w == 0 {
			t.Delete(id)
		}
	}
	clear(j.had)
	clear(j.touched)
	j.keys, j.order, j.work = j.keys[:0], j.order[:0], j.work[:0]
	j.at, j.listed, j.open, j.flushing = 0, false, false, false
	j.tick()
}
