package dataflow_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/plan/planrun"
	"github.com/weirstream/weir/internal/sql/parser"
	"github.com/weirstream/weir/internal/zset"
)

var builtins = expr.Builtins()

var utc = &expr.Env{Zone: time.UTC}

// newCatalog has the tables that the planner's test queries are over: t and u (id, a,
// b, c, n) with a key, v (a, b) without.
func newCatalog(t testing.TB) *catalog.Catalog {
	t.Helper()
	cat, err := catalog.New("dev")
	if err != nil {
		t.Fatal(err)
	}
	col := func(name string, oid uint32) catalog.Column { return catalog.Column{Name: name, Type: datum.Ref(oid)} }
	wide := []catalog.Column{
		col("id", datum.OIDInt4), col("a", datum.OIDInt4), col("b", datum.OIDInt4), col("c", datum.OIDText), col("n", datum.OIDNumeric),
	}
	wide[0].NotNull = true
	for _, rel := range []catalog.Relation{
		{Kind: catalog.KindTable, Schema: "public", Name: "t", Columns: wide, Key: []int{0}},
		{Kind: catalog.KindTable, Schema: "public", Name: "u", Columns: wide, Key: []int{0}},
		{Kind: catalog.KindTable, Schema: "public", Name: "v", Columns: []catalog.Column{col("a", datum.OIDInt4), col("b", datum.OIDInt4)}},
	} {
		if cat, _, err = cat.With(rel); err != nil {
			t.Fatal(err)
		}
	}
	return cat
}

// bind plans a query as a view's; nil when it is one that PostgreSQL refuses too.
func bind(t testing.TB, cat *catalog.Catalog, query string) *plan.Query {
	t.Helper()
	q, err := parser.ParseQuery(query)
	if err != nil {
		t.Fatalf("%v in\n%s", err, query)
	}
	p, err := plan.Bind(cat, builtins, q, plan.Options{View: true, Parse: parser.ParseQuery})
	if err != nil {
		return nil
	}
	return p
}

// table is a relation's rows beside the job that keeps them.
type table struct {
	rel  *catalog.Relation
	job  *dataflow.Job
	rows *zset.Chunk // as they are now, all of weight 1
	in   *zset.Chunk // changes to come, for the Upsert
	cfg  op.UpsertConfig
	next int64
}

func kindsOf(rel *catalog.Relation) []zset.Kind {
	kinds := make([]zset.Kind, len(rel.Columns))
	for i, c := range rel.Columns {
		kinds[i] = zset.KindOf(c.Type.OID)
	}
	return kinds
}

func newTable(t testing.TB, rel *catalog.Relation, firstTable uint32) *table {
	t.Helper()
	tb := &table{rel: rel, rows: zset.NewChunk(kindsOf(rel), 0)}
	tb.cfg = op.UpsertConfig{Kinds: kindsOf(rel), Key: rel.Key, OldRows: true}
	var err error
	if tb.job, err = dataflow.CompileTable(dataflow.JobID(rel.ID), rel.Name, firstTable, tb.cfg); err != nil {
		t.Fatal(err)
	}
	tb.in = zset.NewChunk(tb.cfg.InputKinds(), 0)
	return tb
}

// random appends values of one row to columns; id when there is a key.
func (tb *table) random(r *rand.Rand, cols []*zset.Vec, id int64) {
	for k, c := range tb.rel.Columns {
		v := cols[k]
		switch {
		case c.Name == "id":
			v.AppendInt(id)
		case r.IntN(5) == 0:
			v.AppendNull()
		case c.Name == "c":
			v.AppendString([]string{"x", "y", ""}[r.IntN(3)])
		case c.Name == "n":
			text := []string{"1", "1.0", "2.50", "0"}[r.IntN(4)]
			if err := pgvalue.AppendValue(v, c.Type, []byte(text), pgvalue.Options{}); err != nil {
				panic(err)
			}
		default:
			v.AppendInt(int64(r.IntN(4)))
		}
	}
}

// change makes a random change: of the rows, and for the Upsert.
func (tb *table) change(r *rand.Rand) {
	n := len(tb.rel.Columns)
	i := -1
	if tb.rows.N > 0 && r.IntN(5) > 1 {
		i = r.IntN(tb.rows.N)
	}
	old := tb.in.Cols[1+n : len(tb.in.Cols)-1]
	switch {
	case i < 0: // insert
		tb.next++
		tb.random(r, tb.rows.Cols, tb.next)
		tb.rows.AppendWeight(1)
		tb.log(op.UpsertInsert, tb.rows.N-1)
		for _, v := range old {
			v.AppendNull()
		}
	case r.IntN(2) == 0: // delete
		tb.log(op.UpsertDelete, i)
		tb.logOld(old, i)
		tb.remove(i)
	default: // update; without a key it takes one shard for the old row and one for the new, so it is two changes
		if tb.rel.Key == nil {
			tb.log(op.UpsertDelete, i)
			tb.logOld(old, i)
			tb.in.AppendWeight(1)
			tb.remove(i)
			tb.random(r, tb.rows.Cols, 0)
			tb.rows.AppendWeight(1)
			tb.log(op.UpsertInsert, tb.rows.N-1)
		} else {
			id := tb.rows.Cols[tb.rel.Key[0]].Ints[i]
			tb.remove(i)
			tb.random(r, tb.rows.Cols, id)
			tb.rows.AppendWeight(1)
			tb.log(op.UpsertUpdate, tb.rows.N-1)
		}
		for _, v := range old {
			v.AppendNull()
		}
	}
	tb.in.AppendWeight(1)
}

func (tb *table) log(kind int64, i int) {
	tb.in.Cols[0].AppendInt(kind)
	for k, v := range tb.rows.Cols {
		tb.in.Cols[1+k].AppendFrom(v, i)
	}
	tb.in.Cols[len(tb.in.Cols)-1].AppendNull()
}

// logOld writes what tells which row goes: its key, or all of it.
func (tb *table) logOld(old []*zset.Vec, i int) {
	for k, v := range old {
		c := k
		if tb.rel.Key != nil {
			c = tb.rel.Key[k]
		}
		v.AppendFrom(tb.rows.Cols[c], i)
	}
}

func (tb *table) remove(i int) {
	var sel []int32
	for k := range tb.rows.N {
		if k != i {
			sel = append(sel, int32(k))
		}
	}
	kept := zset.NewChunk(kindsOf(tb.rel), 0)
	for _, k := range sel {
		kept.AppendRow(tb.rows, int(k), 1)
	}
	tb.rows = kept
}

// push hands the changes over, in chunks cut at random, each row to the shard of its key.
func (tb *table) push(r *rand.Rand, g *dataflow.Graph) {
	var by []int
	for _, k := range tb.rel.Key {
		by = append(by, 1+k)
	}
	for k := range tb.rel.Columns {
		if tb.rel.Key == nil {
			by = append(by, 1+k)
		}
	}
	shards := g.Shards()
	var s dataflow.Spreader
	for at := 0; at < tb.in.N; {
		to := min(tb.in.N, at+1+r.IntN(6))
		s.Split(tb.in.Slice(at, to), by, len(shards), func(i int, part *zset.Chunk) {
			shards[i].Push(tb.job.Inputs[0].Node, part)
		})
		at = to
	}
	tb.in = zset.NewChunk(tb.cfg.InputKinds(), 0)
}

// content is a multiset of rows, by the keys of their values: 1.0 is 1.
type content map[string]int64

func (c content) add(rows *zset.Chunk) {
	if rows == nil {
		return
	}
	for i := range rows.N {
		var key []byte
		for _, v := range rows.Cols {
			key = zset.AppendKey(key, v, i, zset.Order{})
		}
		if c[string(key)] += rows.Weight(i); c[string(key)] == 0 {
			delete(c, string(key))
		}
	}
}

// expected computes the query plainly.
func expected(q *plan.Query, tables []*table) (content, error) {
	data := planrun.Tables{}
	for _, tb := range tables {
		data[tb.rel.ID] = tb.rows
	}
	whole := *q
	whole.Columns = q.Root.Columns()
	rows, err := planrun.Run(&whole, data, utc)
	c := content{}
	if err == nil {
		rows.W = nil
		c.add(rows)
	}
	return c, err
}

func differ(got, want content) string {
	for k, n := range want {
		if got[k] != n {
			return fmt.Sprintf("%d rows, want %d: %q is there %d times, want %d", len(got), len(want), k, got[k], n)
		}
	}
	for k, n := range got {
		if want[k] != n {
			return fmt.Sprintf("%d rows, want %d: %q is there %d times, want %d", len(got), len(want), k, n, want[k])
		}
	}
	return ""
}

func relations(tables []*table) func(r *catalog.Relation) (*dataflow.Node, error) {
	return func(r *catalog.Relation) (*dataflow.Node, error) {
		i := slices.IndexFunc(tables, func(tb *table) bool { return tb.rel.ID == r.ID })
		return tables[i].job.Root, nil
	}
}
