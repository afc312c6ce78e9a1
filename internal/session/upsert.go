package session

import (
	"cmp"
	"context"
	"slices"

	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// upsert puts new rows in where their keys are free. What ON CONFLICT says is done where
// they are not.
//
//	rows ─► keys ─► not there ──────────────► +new
//	                there ─┬─ DO NOTHING ───► (left out)
//	                       └─ DO UPDATE ────► −there +computed of (there, new), where it says so
func (c *change) upsert(ctx context.Context, rows *zset.Chunk) error {
	keys := rows.Project(c.Relation.Key)
	there, which, err := c.txn.Lookup(ctx, c.Relation, keys)
	if err != nil {
		return err
	}
	sel, err := c.fresh(keys, which)
	if err != nil {
		return err
	}
	fresh := rows.Gather(sel)
	fresh.W = nil
	delta, written := []*zset.Chunk{fresh}, fresh
	if c.update != nil && there.N > 0 {
		old, updated, at, err := c.updates(there, rows, which)
		if err != nil {
			return err
		}
		delta = append(delta, old.Negate(), updated)
		written = inOrder(fresh, sel, updated, at)
	}
	if written.N == 0 {
		return nil
	}
	if err := c.apply(ctx, zset.Concat(delta)); err != nil {
		return err
	}
	c.changed += int64(written.N)
	return c.give(written)
}

// inOrder puts new and updated rows into the order in which they were given.
func inOrder(fresh *zset.Chunk, sel []int32, updated *zset.Chunk, at []int32) *zset.Chunk {
	given := append(slices.Clone(sel), at...)
	order := make([]int32, len(given))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(given[a], given[b]) })
	return zset.Concat([]*zset.Chunk{fresh, updated}).Gather(order)
}

// fresh are the rows whose keys are not there, the first of each key. A key that comes
// again is left alone with DO NOTHING, and with DO UPDATE an error.
func (c *change) fresh(keys *zset.Chunk, which []int) (sel []int32, err error) {
	if c.touched == nil {
		c.touched = map[string]bool{}
	}
	taken := make([]bool, keys.N)
	for _, i := range which {
		taken[i] = true
	}
	seen := map[string]bool{}
	var buf []byte
	for i := range keys.N {
		buf = buf[:0]
		for _, v := range keys.Cols {
			buf = zset.AppendKey(buf, v, i, zset.Order{})
		}
		switch again := c.touched[string(buf)] || seen[string(buf)]; {
		case again && c.update != nil:
			e := fail(sql.CardinalityViolation, "ON CONFLICT DO UPDATE command cannot affect row a second time")
			e.Hint = "Ensure that no rows proposed for insertion within the same command have duplicate constrained values."
			return nil, e
		case !again && !taken[i]:
			sel = append(sel, int32(i))
		}
		seen[string(buf)] = true
	}
	if c.update != nil {
		for k := range seen {
			c.touched[k] = true
		}
	}
	return sel, nil
}

// updates computes the new rows over those that are there, and gives the old ones too,
// and at which proposed row each was.
func (c *change) updates(there, rows *zset.Chunk, which []int) (old, updated *zset.Chunk, at []int32, err error) {
	at = make([]int32, len(which))
	for i, k := range which {
		at[i] = int32(k)
	}
	proposed := rows.Gather(at)
	both := &zset.Chunk{N: there.N, Cols: append(append([]*zset.Vec(nil), there.Cols...), proposed.Cols...)}
	if c.where != nil {
		pass, errs := c.where.EvalFilter(both, c.env)
		if len(errs) > 0 {
			return nil, nil, nil, errs[0].Err
		}
		both = both.Gather(pass)
		for i, p := range pass {
			at[i] = at[p]
		}
		at = at[:len(pass)]
	}
	cols, errs := c.programs.update.Eval(both, c.env)
	if len(errs) > 0 {
		return nil, nil, nil, errs[0].Err
	}
	return &zset.Chunk{N: both.N, Cols: both.Cols[:len(c.Relation.Columns)]}, &zset.Chunk{N: both.N, Cols: cols}, at, nil
}
