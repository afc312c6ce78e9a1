package planrun

import (
	"fmt"
	"math"
	"slices"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// Tables has the rows of relations, with all their columns.
type Tables map[catalog.ID]*zset.Chunk

// Run computes a query: its columns, in the query's order. Limits that are parameters take env's values.
func Run(q *plan.Query, tables Tables, env *expr.Env) (*zset.Chunk, error) {
	r := &runner{tables: tables, env: env, done: map[plan.Node]*zset.Chunk{}}
	c, err := r.node(q.Root)
	if err != nil {
		return nil, err
	}
	sel := all(c.N)
	slices.SortStableFunc(sel, func(a, b int32) int { return compareRows(c, q.Order, int(a), int(b)) })
	lo, err := r.count(q.Offset, 0, "2201X")
	if err != nil {
		return nil, err
	}
	n, err := r.count(q.Limit, len(sel), "2201W")
	if err != nil {
		return nil, err
	}
	lo = min(lo, len(sel))
	sel = sel[lo:min(lo+n, len(sel))]
	cols := make([]int, len(q.Columns))
	for i := range cols {
		cols[i] = i
	}
	return c.Gather(sel).Project(cols), nil
}

// Text writes the rows of a result, values as PostgreSQL prints them, NULL as nil.
func Text(c *zset.Chunk, cols []plan.Column, o pgvalue.Options) [][]*string {
	rows := make([][]*string, c.N)
	for i := range rows {
		rows[i] = make([]*string, len(cols))
		for k, v := range c.Cols[:len(cols)] {
			if !v.Null(i) {
				s := string(pgvalue.AppendText(nil, v, i, cols[k].Type, o))
				rows[i][k] = &s
			}
		}
	}
	return rows
}

type runner struct {
	tables Tables
	env    *expr.Env
	done   map[plan.Node]*zset.Chunk
}

// count is the value of LIMIT or OFFSET.
func (r *runner) count(e expr.Expr, none int, code string) (int, error) {
	if e == nil {
		return none, nil
	}
	v, err := r.eval([]expr.Expr{e}, &zset.Chunk{N: 1})
	if err != nil {
		return 0, err
	}
	if v.Cols[0].Null(0) {
		return none, nil
	}
	if n := v.Cols[0].Ints[0]; n < 0 {
		return 0, &sql.Error{Code: code, Message: "LIMIT and OFFSET must not be negative", Pos: -1}
	}
	return int(min(v.Cols[0].Ints[0], math.MaxInt32)), nil
}

// node computes a Node once.
func (r *runner) node(n plan.Node) (*zset.Chunk, error) {
	if c := r.done[n]; c != nil {
		return c, nil
	}
	ins := make([]*zset.Chunk, len(n.Inputs()))
	for i, in := range n.Inputs() {
		var err error
		if ins[i], err = r.node(in); err != nil {
			return nil, err
		}
	}
	c, err := r.compute(n, ins)
	if err != nil {
		return nil, err
	}
	if len(c.Cols) != len(n.Columns()) {
		return nil, fmt.Errorf("planrun: %T has %d columns, promises %d", n, len(c.Cols), len(n.Columns()))
	}
	r.done[n] = c
	return c, checkPromises(n, c)
}

func (r *runner) compute(n plan.Node, ins []*zset.Chunk) (*zset.Chunk, error) {
	switch n := n.(type) {
	case *plan.Scan:
		c, ok := r.tables[n.Relation.ID]
		if !ok {
			return nil, fmt.Errorf("planrun: no rows were given for %s", n.Relation.Name)
		}
		return c.Project(n.Cols), nil
	case *plan.Values:
		return r.values(n)
	case *plan.Project:
		return r.eval(n.Exprs, ins[0])
	case *plan.Filter:
		return r.filter(n.Pred, ins[0])
	case *plan.Join:
		return r.join(n, ins[0], ins[1])
	case *plan.Aggregate:
		return aggregate(n, ins[0])
	case *plan.Union:
		out := empty(n)
		for _, in := range ins {
			for i := range in.N {
				out.AppendRow(in, i, 1)
			}
		}
		return plain(out), nil
	case *plan.TopN:
		return topN(n, ins[0]), nil
	case *plan.Hop:
		return hop(n, ins[0]), nil
	case *plan.ProjectSet:
		return r.projectSet(n, ins[0])
	case *plan.MaxOne:
		return ins[0], maxOne(n, ins[0])
	}
	return nil, fmt.Errorf("planrun: unknown operator %T", n)
}

// empty is a chunk for a Node's rows.
func empty(n plan.Node) *zset.Chunk {
	kinds := make([]zset.Kind, len(n.Columns()))
	for i, c := range n.Columns() {
		kinds[i] = zset.KindOf(c.Type.OID)
	}
	return zset.NewChunk(kinds, 0)
}

// plain takes the weights, all 1, off.
func plain(c *zset.Chunk) *zset.Chunk {
	c.W = nil
	return c
}

func all(n int) []int32 {
	sel := make([]int32, n)
	for i := range sel {
		sel[i] = int32(i)
	}
	return sel
}

func (r *runner) eval(exprs []expr.Expr, in *zset.Chunk) (*zset.Chunk, error) {
	cols, errs := expr.Compile(exprs).Eval(in, r.env)
	if len(errs) > 0 {
		return nil, errs[0].Err
	}
	return &zset.Chunk{N: in.N, Cols: cols}, nil
}

func (r *runner) filter(pred expr.Expr, in *zset.Chunk) (*zset.Chunk, error) {
	sel, errs := expr.CompileFilter(pred).EvalFilter(in, r.env)
	if len(errs) > 0 {
		return nil, errs[0].Err
	}
	return in.Gather(sel), nil
}

func (r *runner) values(n *plan.Values) (*zset.Chunk, error) {
	out := empty(n)
	for _, row := range n.Rows {
		c, err := r.eval(row, &zset.Chunk{N: 1})
		if err != nil {
			return nil, err
		}
		out.AppendRow(c, 0, 1)
	}
	return plain(out), nil
}

// key is what a row has in some columns: equal for equal values, NULL equal to NULL.
func key(c *zset.Chunk, cols []int, i int) string {
	var b []byte
	for _, k := range cols {
		b = zset.AppendKey(b, c.Cols[k], i, zset.Order{})
	}
	return string(b)
}

func hasNull(c *zset.Chunk, cols []int, i int) bool {
	return slices.ContainsFunc(cols, func(k int) bool { return c.Cols[k].Null(i) })
}

// compareRows orders two rows; equal ones compare by all columns.
func compareRows(c *zset.Chunk, order []plan.SortKey, a, b int) int {
	for _, k := range order {
		o := zset.Order{Desc: k.Desc, NullsFirst: k.NullsFirst}
		x := zset.AppendKey(nil, c.Cols[k.Col], a, o)
		y := zset.AppendKey(nil, c.Cols[k.Col], b, o)
		if d := slices.Compare(x, y); d != 0 {
			return d
		}
	}
	return 0
}

// checkPromises compares a result with its Node's properties.
func checkPromises(n plan.Node, c *zset.Chunk) error {
	for _, set := range n.Properties().Unique {
		seen := map[string]bool{}
		for i := range c.N {
			k := key(c, set, i)
			if seen[k] {
				return fmt.Errorf("planrun: %T promises unique rows in columns %v and has two alike", n, set)
			}
			seen[k] = true
		}
	}
	return nil
}
