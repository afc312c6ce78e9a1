package tpch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/test/rig"
	"github.com/weirstream/weir/test/slt/play"
	"github.com/weirstream/weir/test/slt/script"
	"github.com/weirstream/weir/test/tpch"
)

// pair is a weir and a PostgreSQL that get the same statements.
type pair struct {
	t           *testing.T
	here, there *play.Conn
}

func (p *pair) exec(c *play.Conn, sql string) play.Result {
	p.t.Helper()
	r, err := c.Exec(p.t.Context(), sql)
	if err != nil {
		p.t.Fatalf("%v\n%.300s", err, sql)
	}
	return r
}

func (p *pair) both(sql string) {
	p.t.Helper()
	p.exec(p.there, sql)
	p.exec(p.here, sql)
}

// keyless are the queries that compare with an aggregate of the whole, which no key joins.
var keyless = map[int]bool{11: true, 22: true}

// view makes a query a view, which has the name of the query. Its plan has keys in every join.
func (p *pair) view(n int) {
	p.t.Helper()
	crosses := 0
	for _, r := range p.exec(p.here, fmt.Sprintf("EXPLAIN CREATE MATERIALIZED VIEW q%d AS %s", n, tpch.Query(n))).Rows {
		if strings.Contains(r[0].Text, " Join") && !strings.Contains(r[0].Text, " Join on ") {
			crosses++
		}
	}
	if want := map[bool]int{true: 1}[keyless[n]]; crosses != want {
		p.t.Errorf("q%d: %d joins without a key, want %d", n, crosses, want)
	}
	p.exec(p.here, fmt.Sprintf("CREATE MATERIALIZED VIEW q%d AS %s", n, tpch.Query(n)))
}

// compare compares a view with the query on PostgreSQL.
func (p *pair) compare(n int, when string) {
	p.t.Helper()
	want, got := p.exec(p.there, tpch.Query(n)), p.exec(p.here, fmt.Sprintf("SELECT * FROM q%d", n))
	if !got.Rows.Matches(want.Rows.Lines(script.RowSort, 0), script.RowSort) {
		p.t.Errorf("q%d, %s: %d rows, want %d\n got %.300q\nwant %.300q", n, when, len(got.Rows), len(want.Rows),
			got.Rows.Lines(script.RowSort, 0), want.Rows.Lines(script.RowSort, 0))
	}
}

// TestViewsFollowTheLoad keeps every query as a view while data comes in batches and some of it
// goes again, and compares all of them with PostgreSQL at each step. Half of the views are there
// before the data; the others are made over it. WEIR_SOAK=1 takes more data, and both halves.
func TestViewsFollowTheLoad(t *testing.T) {
	t.Parallel()
	scale, batches, halves := 0.002, 4, 1
	if os.Getenv("WEIR_SOAK") != "" {
		scale, batches, halves = 0.02, 8, 2
	}
	for half := range halves {
		t.Run(fmt.Sprint("half ", half), func(t *testing.T) { follow(t, half, scale, batches) })
	}
}

func follow(t *testing.T, half int, scale float64, batches int) {
	weir, err := rig.New(rig.Options{Bin: weirBin, DataDir: filepath.Join(t.TempDir(), "data")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := weir.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the end of weir's log:\n%s", weir.Log())
		}
	})
	if err := weir.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := &pair{t: t, here: dial(t, "postgres://root@"+weir.SQLAddr()+"/dev?sslmode=disable", "weir"),
		there: dial(t, srv.CreateDB(t, fmt.Sprint("views_", half)), "postgresql")}
	p.both(tpch.Schema)
	p.exec(p.there, "CREATE INDEX ON lineitem (l_partkey)")
	made := map[int]bool{}
	make := func(which func(n int) bool) {
		for n := 1; n <= tpch.Queries; n++ {
			if which(n) {
				p.view(n)
				made[n] = true
			}
		}
	}
	make(func(n int) bool { return n%2 == half })
	at, rows := 0, 0
	for b := range tpch.New(uint64(half+1), scale).Batches(batches) {
		p.exec(p.there, "BEGIN; "+strings.Join(b.Statements, ";\n")+"; COMMIT")
		began := time.Now()
		p.exec(p.here, "BEGIN; "+strings.Join(b.Statements, ";\n")+"; COMMIT")
		wrote := time.Since(began)
		if at++; at == 3 {
			make(func(n int) bool { return n%2 != half })
		}
		p.exec(p.here, "FLUSH")
		took := time.Since(began)
		p.exec(p.there, "ANALYZE")
		for n := 1; n <= tpch.Queries; n++ {
			if made[n] {
				p.compare(n, "after "+b.Name)
			}
		}
		rows += b.Inserted - b.Deleted
		t.Logf("%s: %d rows come, %d go; written in %d ms, in all %d views after %d ms", b.Name, b.Inserted, b.Deleted, wrote.Milliseconds(), len(made), took.Milliseconds())
	}
	for _, r := range p.exec(p.here, "SELECT name, state_bytes, errors FROM weir_views ORDER BY name").Rows {
		t.Logf("%s: %s bytes of state, %s rows in error", r[0].Text, r[1].Text, r[2].Text)
	}
	t.Logf("%d rows at the end", rows)
}

func dial(t *testing.T, url, label string) *play.Conn {
	t.Helper()
	c, err := play.Dial(t.Context(), url, label)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
