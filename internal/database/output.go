package database

import (
	"bytes"
	"math"
	"slices"

	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/zset"
)

// output puts a query's rows into order, and cuts them. A row is held once, with how often it
// comes, until the client takes it.
type output struct {
	q      *plan.Query
	limit  int64
	offset int64
	given  int64 // rows given to the client
	passed int64 // rows left out by OFFSET
	bytes  int64 // of held and ready
	// held waits for the end, for what sorts or may still be taken back. What streams is ready at once.
	streams bool
	held    []*zset.Chunk
	ready   []*zset.Chunk
	row     int   // of the first one that is ready: the row to give next
	copies  int64 // how often it was given, or left out
	// retracts: an outer join gave rows that it took back later.
	retracts bool
	sel      []int32
}

func newOutput(q *plan.Query, o QueryOptions) (output, error) {
	out := output{q: q, streams: o.Stream && len(q.Order) == 0 && grows(q.Root)}
	var err error
	if out.limit, err = number(q.Limit, o.Env, math.MaxInt64, "LIMIT"); err != nil {
		return out, err
	}
	out.offset, err = number(q.Offset, o.Env, 0, "OFFSET")
	return out, err
}

// grows tells whether a plan takes no row back that it has given out.
func grows(n plan.Node) bool {
	switch n := n.(type) {
	case *plan.Scan, *plan.Values, *plan.Filter, *plan.Project, *plan.ProjectSet, *plan.Hop, *plan.Union:
	case *plan.Join:
		if n.Kind != plan.Inner {
			return false
		}
	default:
		return false
	}
	for _, in := range n.Inputs() {
		if !grows(in) {
			return false
		}
	}
	return true
}

// full tells that no more rows are wanted.
func (o *output) full() bool { return o.given >= o.limit }

// add takes what the graph gave out.
func (o *output) add(c *zset.Chunk) error {
	if c == nil || c.N == 0 {
		return nil
	}
	o.bytes += size(c)
	if o.streams {
		o.ready = append(o.ready, c)
		return nil
	}
	o.retracts = o.retracts || slices.ContainsFunc(c.W, func(w int64) bool { return w < 0 })
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
		all = []*zset.Chunk{net.Consolidate(zset.Concat(all))}
	}
	if len(o.q.Order) > 0 {
		all = []*zset.Chunk{o.sort(zset.Concat(all))}
	}
	o.ready = all
	o.bytes = 0
	for _, c := range all {
		o.bytes += size(c)
	}
}

// takeRows is how many rows the client gets at a time.
const takeRows = 4096

// take gives the next rows to the client, each as often as its weight says, without the columns that only sort.
func (o *output) take() *zset.Chunk {
	for len(o.ready) > 0 {
		c := o.ready[0]
		sel := o.choose(c)
		if o.row == c.N || o.full() {
			o.bytes -= size(c)
			o.ready[0] = nil
			o.ready, o.row, o.copies = o.ready[1:], 0, 0
		}
		if len(sel) == 0 {
			continue
		}
		c = &zset.Chunk{N: c.N, Cols: c.Cols[:len(o.q.Columns)]}
		if lo, n := int(sel[0]), len(sel); int(sel[n-1]) == lo+n-1 { // each once, one behind the other
			return c.Slice(lo, lo+n)
		}
		return c.Gather(sel)
	}
	return nil
}

// choose goes on through a chunk: the rows that come next, OFFSET and LIMIT applied.
func (o *output) choose(c *zset.Chunk) []int32 {
	sel := o.sel[:0]
	for o.row < c.N && len(sel) < takeRows && !o.full() {
		left := max(c.Weight(o.row)-o.copies, 0)
		skip := min(left, o.offset-o.passed)
		n := min(left-skip, o.limit-o.given, int64(takeRows-len(sel)))
		for range n {
			sel = append(sel, int32(o.row))
		}
		o.passed += skip
		o.given += n
		if o.copies += skip + n; skip+n == left {
			o.row, o.copies = o.row+1, 0
		}
	}
	o.sel = sel
	return sel
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

// size estimates what a chunk takes, in bytes.
func size(c *zset.Chunk) int64 {
	n := int64(len(c.W)) * 8
	for _, v := range c.Cols {
		n += int64(v.N) * 8
		for _, r := range v.Refs {
			n += int64(r.Len)
		}
		n += int64(len(v.Nums)) * 16
	}
	return n
}
