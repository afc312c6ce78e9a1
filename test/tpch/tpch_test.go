package tpch_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/test/rig"
	"github.com/weirstream/weir/test/slt/play"
	"github.com/weirstream/weir/test/tpch"
)

var (
	srv     *pgtest.Server
	weirBin string // the weir under test, built once
)

func TestMain(m *testing.M) { pgtest.Main(rig.Built(m, &weirBin), &srv) }

// Every query finds something in what is left after the batches, refresh deletes
// included, and the aggregates without groups find more than NULL.
func TestEveryQueryHasRows(t *testing.T) {
	t.Parallel()
	conn, err := play.Dial(t.Context(), srv.CreateDB(t, "tpch"), "postgresql")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	exec := func(sql string) play.Result {
		r, err := conn.Exec(t.Context(), sql)
		if err != nil {
			t.Fatalf("%v\n%.300s", err, sql)
		}
		return r
	}
	exec(tpch.Schema)
	rows := 0
	for b := range tpch.New(1, 0.01).Batches(4) {
		exec("BEGIN")
		affected := int64(0)
		for _, s := range b.Statements {
			affected += exec(s).Affected
		}
		exec("COMMIT")
		if affected != int64(b.Inserted+b.Deleted) {
			t.Errorf("%s: %d rows affected, want %d + %d", b.Name, affected, b.Inserted, b.Deleted)
		}
		rows += b.Inserted - b.Deleted
	}
	exec("CREATE INDEX ON lineitem (l_partkey)")
	exec("ANALYZE")
	t.Logf("%d rows", rows)
	for n := 1; n <= tpch.Queries; n++ {
		r := exec(tpch.Query(n))
		if len(r.Rows) == 0 || r.Rows[0][len(r.Rows[0])-1].Null {
			t.Errorf("q%d finds nothing: %v", n, r.Rows)
		}
		t.Logf("q%d: %d rows", n, len(r.Rows))
	}
}

func TestTheSeedDeterminesEveryByte(t *testing.T) {
	t.Parallel()
	sum := func(seed uint64) string {
		h := sha256.New()
		for b := range tpch.New(seed, 0.001).Batches(3) {
			fmt.Fprintln(h, b)
		}
		return fmt.Sprintf("%x", h.Sum(nil))
	}
	if a, b := sum(1), sum(1); a != b {
		t.Errorf("%s, then %s", a, b)
	}
	if sum(1) == sum(2) {
		t.Error("two seeds give the same data")
	}
}
