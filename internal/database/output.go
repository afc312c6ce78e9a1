package database

import (
	"bytes"
	"math"
	"slices"

	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// output puts a query's rows into order, and cuts them.
type output struct {
	q      *plan.Query
	limit  int64
	offset int64
	room   int64 // bytes that may still be kept
	held   []*zset.Chunk
	ready  []*zset.Chunk
	given  int64 // rows given to the client
	passed int64 // rows left out by OFFSET
	sorted bool
	// retracts: an outer join gave rows that it took back later.
	retracts bool
}

func newOutput(q *plan.Query, o QueryOptions) (output, error) {
	out := output{q: q, room: o.MemoryLimit, sorted: len(q.Order) > 0}
	var err error
	if out.limit, err = number(q.Limit, o.Env, math.MaxInt64, "LIMIT"); err != nil {
		return out, err
	}
	out.offset, err = number(q.Offset, o.Env, 0, "OFFSET")
	return out, err
}

// full tells that no more rows are wanted.
func (o *output) full() bool { return o.given >= o.limit }

// add takes what the graph gave out.
func (o *output) add(c *zset.Chunk) error {
	if c == nil || c.N == 0 {
		return nil
	}
	if slices.ContainsFunc(c.W, func(w int64) bool { return w < 0 }) {
		o.retracts = true
	} else {
		c = expand(c)
	}
	o.room -= size(c)
	if o.room < 0 {
		return &sql.Error{Code: "53200", Message: "out of memory: the result is too large to be held", Pos: -1, Hint: "Add a LIMIT, or read it in parts."}
	}
	// Without an order rows could go out at once, but for one that fails later: the
	// statement would have to take them back.
	o.held = append(o.held, c)
	return nil
}

// end puts all rows in order.
func (o *output) end() {
	if len(o.held) == 0 {
		return
	}
	all := o.held
	o.held = nil
	if o.retracts {
		var net zset.Consolidator
		all = []*zset.Chunk{expand(net.Consolidate(zset.Concat(all)))}
	}
	if o.sorted {
		all = []*zset.Chunk{o.sort(zset.Concat(all))}
	}
	for _, c := range all {
		if c = o.cut(c); c != nil {
			o.ready = append(o.ready, c)
		}
	}
}

// take gives the next chunk to the client, without the columns that only sort.
func (o *output) take() *zset.Chunk {
	if len(o.ready) == 0 {
		return nil
	}
	c := o.ready[0]
	o.ready = o.ready[1:]
	return &zset.Chunk{N: c.N, Cols: c.Cols[:len(o.q.Columns)]}
}

// cut applies OFFSET and LIMIT.
func (o *output) cut(c *zset.Chunk) *zset.Chunk {
	lo := min(int64(c.N), o.offset-o.passed)
	o.passed += lo
	hi := lo + min(int64(c.N)-lo, o.limit-o.given)
	if hi <= lo {
		return nil
	}
	o.given += hi - lo
	return c.Slice(int(lo), int(hi))
}

func (o *output) sort(c *zset.Chunk) *zset.Chunk {
	var cols []*zset.Vec
	var order []zset.Order
	for _, k := range o.q.Order {
		cols = append(cols, c.Cols[k.Col])
		order = append(order, zset.Order{Desc: k.Desc, NullsFirst: k.NullsFirst})
	}
	var keys zset.Rows
	keys.EncodeKeys(cols, c.N, order)
	sel := make([]int32, c.N)
	for i := range sel {
		sel[i] = int32(i)
	}
	slices.SortStableFunc(sel, func(a, b int32) int { return bytes.Compare(keys.At(int(a)), keys.At(int(b))) })
	return c.Gather(sel)
}

// expand gives every row as often as its weight says.
func expand(c *zset.Chunk) *zset.Chunk {
	if c.W == nil || !slices.ContainsFunc(c.W, func(w int64) bool { return w != 1 }) {
		return c
	}
	var sel []int32
	for i, w := range c.W {
		for range w {
			sel = append(sel, int32(i))
		}
	}
	out := c.Gather(sel)
	out.W = nil
	return out
}

// size estimates what a chunk takes, in bytes.
func size(c *zset.Chunk) int64 {
	n := int64(0)
	for _, v := range c.Cols {
		n += int64(v.N) * 8
		for _, r := range v.Refs {
			n += int64(r.Len)
		}
		n += int64(len(v.Nums)) * 16
	}
	return n
}
