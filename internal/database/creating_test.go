package database

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/worker"
)

// load writes rows first to last of (id, id % 100), a thousand in a transaction.
func (s *stand) load(rel *catalog.Relation, first, last int64) {
	s.t.Helper()
	var rows []int64
	for id := first; id <= last; id++ {
		if rows = append(rows, id, id%100, 1); len(rows) == 3000 || id == last {
			s.commit(rel, rows...)
			rows = nil
		}
	}
}

// commit applies a delta in a transaction of its own, and does not wait for its epoch.
func (s *stand) commit(rel *catalog.Relation, values ...int64) {
	s.t.Helper()
	ctx := waitContext(s.t)
	txn := s.Begin()
	defer txn.Rollback()
	check(s.t, txn.Lock(ctx, rel))
	check(s.t, txn.Apply(ctx, rel, delta(values...)))
	_, err := txn.Commit(ctx)
	check(s.t, err)
}

// writer moves rows to other numbers until stop is called.
func (s *stand) writer(rel *catalog.Relation, seed uint64) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		rnd := rand.New(rand.NewPCG(seed, 1))
		at := map[int64]int64{}
		for ctx.Err() == nil {
			id := 1 + rnd.Int64N(20_000)
			old, moved := at[id]
			if !moved {
				old = id % 100
			}
			at[id] = rnd.Int64N(200)
			s.commit(rel, id, old, -1, id, at[id], 1)
		}
	}()
	return func() { cancel(); <-done }
}

const (
	direct   = "SELECT n, count(*), sum(id) FROM t GROUP BY n ORDER BY n"
	byNumber = "SELECT n, many, total FROM v ORDER BY n"
	byMany   = "SELECT many, count(*) FROM v GROUP BY many ORDER BY many"
	overView = "SELECT many, views FROM w ORDER BY many"
)

// same compares views with their queries at one epoch; a query reads one.
func (s *stand) same() {
	s.t.Helper()
	check(s.t, s.Flush(waitContext(s.t)))
	expect(s.t, s.query(byNumber, nil), s.query(direct, nil))
	expect(s.t, s.query(overView, nil), s.query(byMany, nil))
}

// TestViewsAreCreatedUnderWrites: over a table, and over a view, that hold rows and change
// all the while; then they follow, through a restart too.
func TestViewsAreCreatedUnderWrites(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	rel := s.table("CREATE TABLE t (id int8 PRIMARY KEY, n int8)")
	s.load(rel, 1, 20_000)
	stop := s.writer(rel, 1)
	s.view("v", "SELECT n, count(*) AS many, sum(id) AS total FROM t GROUP BY n")
	s.view("w", "SELECT many, count(*) AS views FROM v GROUP BY many")
	stop()
	s.same()
	s.load(rel, 20_001, 21_000)
	s.same()
	s.stop()

	s = open(t, dir)
	s.same()
	s.load(s.Catalog().Lookup("", "t"), 21_001, 21_500)
	s.same()
}

// begin creates a view and does not wait for more than its name.
func (s *stand) begin(name, query string) {
	s.t.Helper()
	rel, q := s.define(name, query)
	go func() { _ = s.Create(context.Background(), rel, q) }() // ends with the database, or when it is dropped
	s.await(name+" in the catalog", func() bool { return s.Catalog().Lookup("", name) != nil })
}

// creating tells whether a view is still being created.
func (s *stand) creating(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[s.Catalog().Lookup("", name).ID]
	return j == nil || j.rec.Creating
}

// await waits, epoch by epoch, until something is so.
func (s *stand) await(what string, so func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		_, moved := s.o.Coordinator.Committed(s.id)
		if so() {
			return
		}
		select {
		case <-moved:
		case <-time.After(time.Until(deadline)):
			s.t.Fatalf("%s: not in a minute", what)
		}
	}
}

// TestRestartWhileAViewIsCreated: the creation goes on by itself.
func TestRestartWhileAViewIsCreated(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	rel := s.table("CREATE TABLE t (id int8 PRIMARY KEY, n int8)")
	s.load(rel, 1, 20_000)
	s.begin("v", "SELECT n, count(*) AS many, sum(id) AS total FROM t GROUP BY n")
	s.stop()
	s = open(t, dir)
	s.await("v created", func() bool { return !s.creating("v") })
	s.begin("w", "SELECT many, count(*) AS views FROM v GROUP BY many")
	s.load(s.Catalog().Lookup("", "t"), 20_001, 20_100)
	s.stop()
	s = open(t, dir)
	s.load(s.Catalog().Lookup("", "t"), 20_101, 20_200)
	s.await("w created", func() bool { return !s.creating("w") })
	s.same()
}

// TestDropWhileAViewIsCreated: nothing stays of it, and it may be created again.
func TestDropWhileAViewIsCreated(t *testing.T) {
	s := open(t, t.TempDir())
	rel := s.table("CREATE TABLE t (id int8 PRIMARY KEY, n int8)")
	s.load(rel, 1, 20_000)
	check(t, s.Flush(waitContext(t)))
	before, err := s.o.State.Tables(1)
	check(t, err)
	stop := s.writer(rel, 2)
	for range 5 {
		s.begin("v", "SELECT n, count(*) AS many, sum(id) AS total FROM t GROUP BY n")
		s.begin("w", "SELECT many, count(*) AS views FROM v GROUP BY many")
		v, w := s.Catalog().Lookup("", "v").ID, s.Catalog().Lookup("", "w").ID
		check(t, s.Drop(waitContext(t), []catalog.ID{v, w}))
	}
	check(t, s.Flush(waitContext(t)))
	if after, err := s.o.State.Tables(1); err != nil || len(after) != len(before) {
		t.Errorf("tables %v in the store, before there were %v; %v", after, before, err)
	}
	if graphs := s.o.State.Graphs(); len(graphs) != 1 {
		t.Errorf("graphs %v in the store", graphs)
	}
	s.view("v", "SELECT n, count(*) AS many, sum(id) AS total FROM t GROUP BY n")
	s.view("w", "SELECT many, count(*) AS views FROM v GROUP BY many")
	stop()
	s.same()
}

// TestACreationFailsWithWhatItReads: whoever waits for it is told, and it can be dropped; other
// relations do not notice.
func TestACreationFailsWithWhatItReads(t *testing.T) {
	s := open(t, t.TempDir())
	good := s.table("CREATE TABLE good (id int8 PRIMARY KEY, n int8)")
	for round := 0; ; round++ {
		rel := s.table("CREATE TABLE t (id int8 PRIMARY KEY, n int8)")
		s.load(rel, 1, 1000)
		v, q := s.define("v", "SELECT n, count(*) AS many FROM t GROUP BY n")
		enc := encoder{rel: rel}
		gone := row.Change{Op: row.Delete, Table: row.TableID(rel.ID), Version: logVersion, OldKind: row.OldFull, Old: enc.tuple(nil, delta(-1, 0, 1).Cols, 0)}
		bad := row.AppendChange(nil, &gone) // a row goes that never was
		_, err := s.Database.writer.append(waitContext(t), bad, []int{len(bad)})
		check(t, err)
		err = s.Create(waitContext(t), v, q)
		if err == nil {
			t.Fatal("created over a table that has failed")
		}
		if made := s.Catalog().Lookup("", "v"); made == nil { // the table had failed before
			check(t, s.Drop(waitContext(t), []catalog.ID{rel.ID}))
			if round == 50 {
				t.Fatalf("no creation was under way in %d rounds: %v", round, err)
			}
			continue
		}
		if !strings.Contains(err.Error(), "cannot be created") {
			t.Fatal(err)
		}
		check(t, s.Drop(waitContext(t), []catalog.ID{v.ID, rel.ID}))
		break
	}
	s.load(good, 1, 100)
	check(t, s.Flush(waitContext(t)))
	expect(t, s.query("SELECT count(*) FROM good", nil), "100")
	if why, _ := s.o.Coordinator.Recovering(s.id); why != nil {
		t.Error(why)
	}
}

// TestWhatWaitsForACreationFailsWithIt: it would wait for ever.
func TestWhatWaitsForACreationFailsWithIt(t *testing.T) {
	s := open(t, t.TempDir())
	s.table("CREATE TABLE t (id int8 PRIMARY KEY, n int8)")
	s.view("v", "SELECT n, count(*) AS many, sum(id) AS total FROM t GROUP BY n")
	s.view("w", "SELECT many, count(*) AS views FROM v GROUP BY many")
	s.view("x", "SELECT max(views) FROM w")
	ids := map[string]catalog.ID{}
	for _, name := range []string{"v", "w", "x"} {
		ids[name] = s.Catalog().Lookup("", name).ID
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids { // as if they were under way
		rec := *s.jobs[id].rec
		rec.Creating = id != ids["x"]
		s.jobs[id].rec = &rec
	}
	var failed []catalog.ID
	for _, c := range s.failures(&worker.Collected{Faults: []dataflow.Fault{{Job: dataflow.JobID(ids["v"]), Err: errors.New("broken")}}}) {
		failed = append(failed, c.id)
	}
	if !slices.Equal(failed, []catalog.ID{ids["v"], ids["w"]}) { // x is in the main graph, and would be named by it
		t.Errorf("failed: %v of %v", failed, ids)
	}
}
