package dataflow_test

import (
	"math/rand/v2"
	"testing"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/zset"
)

// TestApartAndJoined: a copy of a job in a graph of its own, given what the tables
// give, and the job itself, attached in the midst of an epoch, both are the query.
func TestApartAndJoined(t *testing.T) {
	cat := newCatalog(t)
	for k, query := range queries(t) {
		if k%5 != 0 {
			continue
		}
		if q := bind(t, cat, query); q != nil {
			twice(t, cat, query, q, rand.New(rand.NewPCG(uint64(k), 9)))
		}
	}
}

func twice(t *testing.T, cat *catalog.Catalog, query string, q *plan.Query, r *rand.Rand) {
	const shards = 2
	g, own := dataflow.NewGraph(shards), dataflow.NewGraph(shards)
	var tables []*table
	for i, rel := range cat.List(catalog.KindTable) {
		tb := newTable(t, rel, uint32(10*i))
		attach(t, g, tb.job)
		g.Tap(tb.job.ID, true)
		tables = append(tables, tb)
	}
	job, err := dataflow.CompileView(1000, query, 100, q.Root, nil, dataflow.Options{Env: utc, Relation: relations(tables)})
	if err != nil {
		t.Fatal(err)
	}
	apart, stands := job.Apart()
	attach(t, own, apart)
	own.Tap(job.ID, true)
	there, here := content{}, content{}
	for epoch := range 3 {
		for _, tb := range tables {
			for range r.IntN(12) {
				tb.change(r)
			}
			tb.push(r, g)
		}
		if epoch == 0 {
			if _, err := g.Settle(nil); err != nil {
				t.Fatal(err)
			}
			attach(t, g, job)
			g.Tap(job.ID, true)
			for _, id := range job.Reads {
				g.Repeat(id, job.ID)
			}
		}
		finish(t, query, g)
		for _, tb := range tables {
			give(own, stands[tb.job.Root], g, tb.job.ID)
		}
		finish(t, query, own)
		there.add(g.Tapped(job.ID))
		here.add(own.Tapped(job.ID))
		want, failed := expected(q, tables)
		if failed != nil {
			continue
		}
		if diff := differ(there, want); diff != "" {
			t.Fatalf("%s: joined in the midst of an epoch, it has %s", query, diff)
		}
		if diff := differ(here, want); diff != "" {
			t.Fatalf("%s: apart, it has %s", query, diff)
		}
	}
}

// give pushes what a job's tap has into a node of another graph that stands for its root.
func give(to *dataflow.Graph, stand *dataflow.Node, from *dataflow.Graph, id dataflow.JobID) {
	rows := from.Tapped(id)
	if stand == nil || rows == nil {
		return
	}
	var s dataflow.Spreader
	s.Split(rows, stand.Part.Cols, len(to.Shards()), func(shard int, part *zset.Chunk) { to.Shards()[shard].Push(stand, part) })
}

func attach(t *testing.T, g *dataflow.Graph, j *dataflow.Job) {
	t.Helper()
	if err := g.Attach(j, nil); err != nil {
		t.Fatal(err)
	}
}

func finish(t *testing.T, query string, g *dataflow.Graph) {
	t.Helper()
	if faults, err := g.Finish(nil); err != nil || len(faults) > 0 {
		t.Fatalf("%s: %v %v", query, err, faults)
	}
}
