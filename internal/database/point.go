package database

import (
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/zset"
)

// points finds the relations of a plan of which at most one row of a known key is read: all
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

// point is the key of the only row that a scan under a condition needs; nil: it needs more.
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
	key := &zset.Chunk{N: 1}
	for _, k := range j.job.Stored.Key {
		v := values[k]
		if v == nil || v.Kind != j.job.Stored.Kinds[k] {
			return nil
		}
		key.Cols = append(key.Cols, v)
	}
	return key
}

// equal reads column = constant, either way round: the column, and the constant's value.
func (db *Database) equal(e expr.Expr, env *expr.Env) (int, *zset.Vec) {
	c, ok := e.(*expr.Call)
	if !ok || len(c.Args) != 2 {
		return 0, nil
	}
	if eq, nullSafe := db.o.Functions.Equality(c.Fn); !eq || nullSafe {
		return 0, nil
	}
	for i := range 2 {
		col, ok := c.Args[i].(*expr.Column)
		if !ok || !fixed(c.Args[1-i]) {
			continue
		}
		out, errs := expr.Compile([]expr.Expr{c.Args[1-i]}).Eval(&zset.Chunk{N: 1}, env)
		if len(errs) > 0 || out[0].Null(0) {
			return 0, nil
		}
		return col.Index, out[0]
	}
	return 0, nil
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

// pointed reads the row of a key out of the pinned epoch; nil when there is none.
func (s *scan) pointed(key *zset.Chunk) (*zset.Chunk, error) {
	s.done = true
	group := s.stored.AppendKey(nil, key.Cols, 0)
	out := zset.NewChunk(s.stored.Kinds, 1)
	var failed error
	err := s.pin.Use(func(n *state.Snapshot) error {
		return n.Groups(s.db.o.ID, s.table, [][]byte{group}, func(group []byte, entries func(yield func(suffix, value []byte) bool)) {
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
