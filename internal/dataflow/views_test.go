package dataflow_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/zset"
)

// queries are those that the planner is tested with.
func queries(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../plan/testdata/queries/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no queries", err)
	}
	var all []string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, strings.Split(strings.TrimSpace(string(text)), "\n")...)
	}
	return all
}

// TestViewsEqualTheirQueries: every query as a view over tables that change at random,
// on 1, 2 and 3 shards, with its input cut at random, equals its plain computation at
// the end of each epoch; and so does the same plan run once.
func TestViewsEqualTheirQueries(t *testing.T) {
	cat := newCatalog(t)
	rounds := 2
	if testing.Short() {
		rounds = 1
	}
	run := 0
	for k, query := range queries(t) {
		q := bind(t, cat, query)
		for round := range rounds {
			if q == nil {
				break
			}
			run++
			shards := 1 + (k+round)%3
			maintain(t, cat, query, q, shards, rand.New(rand.NewPCG(uint64(k), uint64(round))))
			if t.Failed() {
				t.Fatalf("%s, round %d, %d shards", query, round, shards)
			}
		}
	}
	if run < 250 {
		t.Errorf("only %d were run", run)
	}
}

// maintain runs a view for some epochs.
func maintain(t *testing.T, cat *catalog.Catalog, query string, q *plan.Query, shards int, r *rand.Rand) {
	g := dataflow.NewGraph(shards)
	var tables []*table
	for i, rel := range cat.List(catalog.KindTable) {
		tb := newTable(t, rel, uint32(10*i))
		if err := g.Attach(tb.job, nil); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, tb)
	}
	var key []int
	if u := q.Root.Properties().Unique; len(u) > 0 && len(u[0]) > 0 && r.IntN(2) == 0 {
		key = u[0]
	}
	job, err := dataflow.CompileView(1000, query, 100, q.Root, key, dataflow.Options{Env: utc, Relation: relations(tables)})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Attach(job, nil); err != nil {
		t.Fatal(err)
	}
	g.Tap(job.ID, true)
	got := content{}
	for range 5 {
		for _, tb := range tables {
			for range r.IntN(12) {
				tb.change(r)
			}
			tb.push(r, g)
		}
		faults, err := g.Finish(nil)
		if err != nil || len(faults) > 0 {
			t.Fatalf("%s: %v %v", query, err, faults)
		}
		got.add(g.Tapped(job.ID))
		want, failed := expected(q, tables)
		if failed != nil {
			continue // a row of it fails: see TestRowErrorsComeAndGo
		}
		if diff := differ(got, want); diff != "" {
			t.Errorf("the view has %s", diff)
			return
		}
		once(t, q, tables)
	}
}

// once runs the query as a SELECT.
func once(t *testing.T, p *plan.Query, tables []*table) {
	want, failed := expected(p, tables)
	q, err := dataflow.NewQuery(p.Root, utc)
	if err != nil {
		t.Fatal(err)
	}
	got := content{}
	emit := func(c *zset.Chunk) error { got.add(c); return nil }
	for _, in := range q.Inputs() {
		for _, tb := range tables {
			if err == nil && tb.rel.ID == in.Relation.ID {
				rows := *tb.rows
				q.Push(in, &rows)
				err = steps(q, emit)
			}
		}
	}
	if err == nil {
		q.End()
		err = steps(q, emit)
	}
	if (err != nil) != (failed != nil) {
		t.Errorf("run once: %v, want %v", err, failed)
	} else if diff := differ(got, want); err == nil && diff != "" {
		t.Errorf("run once it has %s", diff)
	}
}

func steps(q *dataflow.Query, emit func(c *zset.Chunk) error) error {
	for {
		if more, err := q.Step(emit); err != nil || !more {
			return err
		}
	}
}
