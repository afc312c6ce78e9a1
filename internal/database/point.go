package database

import (
	"bytes"
	"slices"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/zset"
)

// points finds the relations of a plan of which only rows of known keys are read: all
// their key's columns are compared with constants, where they are scanned, which is once.
// The filter stays in the plan; a point only spares reading what it would drop.
func (db *Database) points(root plan.Node, env *expr.Env) map[catalog.ID]*zset.Chunk {
	scans := map[catalog.ID]int{}
	found := map[catalog.ID]*zset.Chunk{}
	seen := map[plan.Node]bool{}
	var walk func(n plan.Node)
	walk = func(n plan.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		switch n := n.(type) {
		case *plan.Filter:
			if s, ok := n.In.(*plan.Scan); ok {
				if key := db.point(s, n.Pred, env); key != nil {
					found[s.Relation.ID] = key
				}
			}
		}
		for _, in := range n.Inputs() {
			if s, ok := in.(*plan.Scan); ok { // a scan that two read counts twice
				scans[s.Relation.ID]++
			}
			walk(in)
		}
	}
	walk(root)
	for id, n := range scans {
		if n > 1 {
			delete(found, id)
		}
	}
	return found
}

// mostPoints is how many keys are read one by one at most.
const mostPoints = 4096

// point gives the keys of the only rows that a scan under a condition needs; nil: it needs others.
func (db *Database) point(s *plan.Scan, pred expr.Expr, env *expr.Env) *zset.Chunk {
	db.mu.Lock()
	j := db.jobs[s.Relation.ID]
	db.mu.Unlock()
	if j == nil || j.job.Job == nil || j.job.Stored == nil || len(j.job.Stored.Key) == 0 {
		return nil
	}
	values := map[int]*zset.Vec{} // by the relation's column
	terms := []expr.Expr{pred}
	if and, ok := pred.(*expr.And); ok {
		terms = and.Args
	}
	for _, t := range terms {
		if col, v := db.equal(t, env); v != nil {
			values[s.Cols[col]] = v
		}
	}
	n := 1
	var columns []*zset.Vec
	for _, k := range j.job.Stored.Key {
		v := values[k]
		if v == nil || v.Kind != j.job.Stored.Kinds[k] || n*v.N > mostPoints {
			return nil
		}
		n *= v.N
		columns = append(columns, v)
	}
	return product(columns, n)
}

// product combines each value of each column with all of the others: n rows.
func product(columns []*zset.Vec, n int) *zset.Chunk {
	out := &zset.Chunk{N: n}
	each := n
	for _, v := range columns {
		each /= max(v.N, 1)
		sel := make([]int32, n)
		for i := range sel {
			sel[i] = int32(i / each % v.N)
		}
		out.Cols = append(out.Cols, v.Gather(sel))
	}
	return out
}

// equal reads conditions that only some values of one column meet: the column, and the values,
// none of which is NULL.
func (db *Database) equal(e expr.Expr, env *expr.Env) (int, *zset.Vec) {
	if or, ok := e.(*expr.Or); ok {
		return db.alternatives(or, env)
	}
	ways, _ := db.o.Functions.OneOf(e)
	for _, w := range ways {
		col, ok := w.X.(*expr.Column)
		if !ok {
			continue
		}
		if w.Array != nil {
			if v := constants([]expr.Expr{w.Array}, env); v != nil && v.N == 1 {
				elements, err := expr.Elements(v, 0, w.Array.Type().OID)
				if err == nil {
					return col.Index, known(elements)
				}
			}
		} else if v := constants(w.List, env); v != nil {
			return col.Index, v
		}
	}
	return 0, nil
}

// alternatives reads conditions on the same column of which one is enough.
func (db *Database) alternatives(or *expr.Or, env *expr.Env) (col int, all *zset.Vec) {
	for _, arg := range or.Args {
		c, v := db.equal(arg, env)
		if v == nil || all != nil && (c != col || v.Kind != all.Kind) {
			return 0, nil
		}
		if all == nil {
			col, all = c, zset.NewVec(v.Kind, v.N)
		}
		all.AppendAll(v)
	}
	return col, all
}

// constants evaluates expressions of one kind that have one value each for the whole statement;
// NULLs, which equal nothing, are left out. nil: some have not, or fail.
func constants(list []expr.Expr, env *expr.Env) *zset.Vec {
	for _, e := range list {
		if !fixed(e) {
			return nil
		}
	}
	cols, errs := expr.Compile(list).Eval(&zset.Chunk{N: 1}, env)
	if len(errs) > 0 {
		return nil
	}
	all := zset.NewVec(cols[0].Kind, len(cols))
	for _, v := range cols {
		if v.Kind != all.Kind {
			return nil
		}
		all.AppendFrom(v, 0)
	}
	return known(all)
}

// known leaves NULLs out.
func known(v *zset.Vec) *zset.Vec {
	if !v.HasNulls() {
		return v
	}
	out := zset.NewVec(v.Kind, v.N)
	for i := range v.N {
		if !v.Null(i) {
			out.AppendFrom(v, i)
		}
	}
	return out
}

// fixed tells whether an expression has one value for the whole statement.
func fixed(e expr.Expr) bool {
	constant := expr.VolatilityOf(e) != expr.Volatile
	expr.Walk(e, func(e expr.Expr) {
		if _, ok := e.(*expr.Column); ok {
			constant = false
		}
	})
	return constant
}

// pointed reads the rows of keys out of the pinned epoch; nil when there are none.
func (s *scan) pointed(keys *zset.Chunk) (*zset.Chunk, error) {
	s.done = true
	groups := make([][]byte, keys.N)
	for i := range groups {
		groups[i] = s.stored.AppendKey(nil, keys.Cols, i)
	}
	slices.SortFunc(groups, bytes.Compare)
	groups = slices.CompactFunc(groups, bytes.Equal)
	out := zset.NewChunk(s.stored.Kinds, len(groups))
	var failed error
	err := s.pin.Use(func(n *state.Snapshot) error {
		return n.Groups(s.db.o.ID, s.table, groups, func(group []byte, entries func(yield func(suffix, value []byte) bool)) {
			entries(func(suffix, value []byte) bool {
				full := append(append([]byte(nil), group...), suffix...)
				if s.hidden(full) {
					return true
				}
				failed = s.stored.DecodeRow(full, value, out)
				return failed == nil
			})
		})
	})
	if err == nil {
		err = failed
	}
	if err != nil || out.N == 0 {
		return nil, err
	}
	return out, nil
}
