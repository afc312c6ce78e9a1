package dataflow_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/op"
	"github.com/weirstream/weir/internal/zset"
)

// graphOf attaches the tables and views, each over the tables.
func graphOf(t *testing.T, shards int, views ...string) (*dataflow.Graph, []*table, []*dataflow.Job) {
	t.Helper()
	cat := newCatalog(t)
	g := dataflow.NewGraph(shards)
	var tables []*table
	for i, rel := range cat.List(catalog.KindTable) {
		tb := newTable(t, rel, uint32(10*i))
		if err := g.Attach(tb.job, nil); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, tb)
	}
	var jobs []*dataflow.Job
	for i, query := range views {
		j, err := dataflow.CompileView(dataflow.JobID(1000+i), query, uint32(100*(i+1)), bind(t, cat, query).Root, nil,
			dataflow.Options{Env: utc, Relation: relations(tables)})
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Attach(j, nil); err != nil {
			t.Fatal(err)
		}
		g.Tap(j.ID, true)
		jobs = append(jobs, j)
	}
	return g, tables, jobs
}

// epoch changes the tables and ends an epoch.
func epoch(t *testing.T, r *rand.Rand, g *dataflow.Graph, tables []*table, changes int) []dataflow.Fault {
	t.Helper()
	for _, tb := range tables {
		for range changes {
			tb.change(r)
		}
		tb.push(r, g)
	}
	faults, err := g.Finish(nil)
	if err != nil {
		t.Fatal(err)
	}
	return faults
}

// entries counts what a table of a job holds that was never sealed.
func entries(g *dataflow.Graph, id uint32) (n int) {
	for _, s := range g.Shards() {
		s.Tables(func(tb dataflow.Table) {
			if tb.ID == id {
				tb.Changes(func(_, value []byte) {
					if value != nil {
						n++
					}
				})
			}
		})
	}
	return n
}

// TestRowErrorsComeAndGo: rows that fail are left out of the view and are in its
// error table, until they change.
func TestRowErrorsComeAndGo(t *testing.T) {
	g, tables, jobs := graphOf(t, 2, "SELECT id, 6 / a AS x FROM t")
	healthy := bind(t, newCatalog(t), "SELECT id, 6 / a AS x FROM t WHERE a IS NULL OR a <> 0")
	r := rand.New(rand.NewPCG(1, 1))
	got, most := content{}, 0
	for range 30 {
		if faults := epoch(t, r, g, tables, r.IntN(10)); len(faults) > 0 {
			t.Fatal(faults)
		}
		got.add(g.Tapped(jobs[0].ID))
		want, err := expected(healthy, tables)
		if err != nil {
			t.Fatal(err)
		}
		if diff := differ(got, want); diff != "" {
			t.Fatal(diff)
		}
		zeros := 0
		for i := range tables[0].rows.N {
			if v := tables[0].rows.Cols[1]; !v.Null(i) && v.Ints[i] == 0 {
				zeros++
			}
		}
		if n := entries(g, jobs[0].FailedIn); n != zeros {
			t.Fatalf("%d errors, %d rows divide by zero", n, zeros)
		}
		most = max(most, zeros)
	}
	if most == 0 {
		t.Error("no row ever failed")
	}
}

// broken is an operator that fails, in one way or the other.
type broken struct {
	armed  bool
	panics bool
}

func (b *broken) Push(int, *zset.Chunk) { b.armed = true }
func (b *broken) Flush()                {}
func (b *broken) Tables() []op.Table    { return nil }
func (b *broken) Run(out *op.Output, _ int) op.Status {
	if b.armed && b.panics {
		panic("broken")
	}
	if b.armed {
		out.Fault = errors.New("broken")
	}
	return op.Done
}

// TestAJobThatFailsLeavesTheOthersAlone, whether it reports a fault or panics.
func TestAJobThatFailsLeavesTheOthersAlone(t *testing.T) {
	for _, panics := range []bool{false, true} {
		g, tables, jobs := graphOf(t, 2, "SELECT a, count(*) FROM t GROUP BY a")
		bad := &dataflow.Job{ID: 5000, Name: "bad", Reads: []dataflow.JobID{tables[0].job.ID}}
		n := &dataflow.Node{What: "broken", In: []dataflow.In{{From: tables[0].job.Root}}}
		n.Make = func(int, int) (op.Operator, error) { return &broken{panics: panics}, nil }
		bad.Nodes, bad.Root = []*dataflow.Node{n}, n
		reader := &dataflow.Job{ID: 5001, Name: "reader", Reads: []dataflow.JobID{5000}}
		m := &dataflow.Node{What: "reader", In: []dataflow.In{{From: n}}}
		reader.Nodes, reader.Root = []*dataflow.Node{m}, m
		for _, j := range []*dataflow.Job{bad, reader} {
			if err := g.Attach(j, nil); err != nil {
				t.Fatal(err)
			}
		}
		r := rand.New(rand.NewPCG(2, 2))
		got := content{}
		var faults []dataflow.Fault
		for range 5 {
			faults = append(faults, epoch(t, r, g, tables, 6)...)
			got.add(g.Tapped(jobs[0].ID))
			want, _ := expected(bind(t, newCatalog(t), jobs[0].Name), tables)
			if diff := differ(got, want); diff != "" {
				t.Fatal(diff)
			}
		}
		if len(faults) != 2 || faults[0].Job != 5000 || faults[1].Job != 5001 || faults[1].Cause != 5000 {
			t.Errorf("faults %v", faults)
		}
		gone := g.Detach(5000)
		if len(gone) != 2 || gone[0].ID != 5001 || g.Job(5000) != nil || g.Job(jobs[0].ID) == nil {
			t.Errorf("detached %v", gone)
		}
	}
}

// TestTheSamePlanHasTheSameTables: ids and fingerprint are a function of the plan.
func TestTheSamePlanHasTheSameTables(t *testing.T) {
	seen := map[uint64]string{}
	for _, query := range []string{
		"SELECT a, count(*) FROM t GROUP BY a", "SELECT a, b, count(*) FROM t GROUP BY a, b",
		"SELECT t.id FROM t JOIN u ON t.a = u.a", "SELECT t.id FROM t LEFT JOIN u ON t.a = u.a", "SELECT DISTINCT a FROM t",
		"SELECT max(a) FROM t", "SELECT min(a) FROM t",
	} {
		_, _, jobs := graphOf(t, 1, query)
		_, _, again := graphOf(t, 3, query)
		a, b := jobs[0], again[0]
		if a.Fingerprint != b.Fingerprint || a.TableCount != b.TableCount || a.StoredIn != b.StoredIn || a.FailedIn != b.FailedIn {
			t.Errorf("%s: %+v and %+v", query, a, b)
		}
		if other, taken := seen[a.Fingerprint]; taken {
			t.Errorf("%s has the fingerprint of %s", query, other)
		}
		seen[a.Fingerprint] = query
		if err := a.Same(a.Fingerprint + 1); err == nil {
			t.Error("another fingerprint is taken for the same")
		}
	}
}

// TestEqualInputGivesEqualOutput, chunk by chunk, whatever ran before.
func TestEqualInputGivesEqualOutput(t *testing.T) {
	run := func() []string {
		g, tables, jobs := graphOf(t, 3, "SELECT t.a, count(*), sum(u.b) FROM t JOIN u ON t.a = u.a GROUP BY t.a")
		r := rand.New(rand.NewPCG(3, 3))
		var all []string
		for range 10 {
			epoch(t, r, g, tables, 8)
			if c := g.Tapped(jobs[0].ID); c != nil {
				for i := range c.N {
					all = append(all, fmt.Sprintf("%x %d", zset.AppendExactRow(nil, c.Cols, i), c.Weight(i)))
				}
			}
		}
		return all
	}
	if a, b := run(), run(); !slices.Equal(a, b) || len(a) == 0 {
		t.Errorf("%d rows, then %d, and not the same", len(a), len(b))
	}
}
