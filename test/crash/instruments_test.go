package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/test/rig"
)

// The instruments of this package notice what they are there for. No weir runs
// here: the test itself plays a deliverer that makes mistakes.

func TestAuditSeesRepeatsAndHalfTransactions(t *testing.T) {
	t.Parallel()
	srv := pgtest.Start(t)
	srv.CreateDB(t, "copy")
	srv.Exec(t, "copy", moneySchema+moneyAudit)
	conn := srv.Conn(t, "copy")
	deliver := func(sql string) {
		t.Helper()
		if _, err := conn.PgConn().Exec(t.Context(), "SET session_replication_role = replica;"+sql).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	judge := func(when string, want ...string) {
		t.Helper()
		faults := auditFaults(t, conn, time.Unix(0, 0))
		if len(faults) != len(want) {
			t.Errorf("%s: %q", when, faults)
			return
		}
		for i := range want {
			if !strings.HasPrefix(faults[i], want[i]) {
				t.Errorf("%s: %q, want %q", when, faults[i], want[i])
			}
		}
	}
	deliver(fmt.Sprintf(`BEGIN; INSERT INTO acct_a SELECT i, %d, 0 FROM generate_series(1, %d) i;
		INSERT INTO acct_b SELECT i, %[1]d, 0 FROM generate_series(1, %[2]d) i; COMMIT;
		BEGIN; UPDATE acct_a SET balance = balance - 5 WHERE id = 1; UPDATE acct_b SET balance = balance + 5 WHERE id = 2;
		INSERT INTO journal VALUES (1, 1, 2, 5); COMMIT`, openBalance, accounts))
	judge("after whole transactions")
	deliver("UPDATE acct_a SET balance = balance - 1 WHERE id = 1; ")
	judge("after half a transaction", "G3: 1 of 3")
	deliver("DELETE FROM journal; INSERT INTO journal VALUES (1, 1, 2, 5)")
	judge("after a repeated insert", "G2: the journal has 1 rows; its trigger saw 1 inserted, 1 more", "G3")

	s := startSampler(srv.URL("copy"))
	s.consistent.Store(true)
	for deadline := time.Now().Add(20 * time.Second); s.samples.Load() == 0 && time.Now().Before(deadline); {
		pause(5 * time.Millisecond)
	}
	if _, wrong := s.stop(); len(wrong) == 0 {
		t.Error("the sampler does not see that a unit is missing")
	}
}

func TestLedgerSeesLinesThatRepeatOrAreMissing(t *testing.T) {
	t.Parallel()
	srv := pgtest.Start(t)
	url := srv.CreateDB(t, "bank")
	srv.Exec(t, "bank", moneySchema+`INSERT INTO acct_a VALUES (1, 10, 2); INSERT INTO journal (id, from_a, to_b, amount) VALUES (1, 1, 1, 5), (2, 1, 1, 5);`)
	if err := rig.PgbenchInit(t.Context(), url, 1); err != nil {
		t.Fatal(err)
	}
	srv.Exec(t, "bank", "INSERT INTO pgbench_history VALUES (1, 2, 3, 4, '2024-02-29 12:34:56.789012', NULL)")
	line := func(op, table, after string) string {
		return fmt.Sprintf(`{"op":%q,"before":null,"after":%s,"source":{"schema":"public","table":%q}}`, op, after, table)
	}
	right := []string{
		line("r", "acct_a", `{"id":1,"balance":9,"version":0}`), line("u", "acct_a", `{"id":1,"balance":9,"version":1}`),
		line("r", "journal", `{"id":1}`), line("u", "acct_a", `{"id":1,"balance":10,"version":2}`), line("c", "journal", `{"id":2}`),
		line("c", "pgbench_history", `{"tid":1,"bid":2,"aid":3,"delta":4,"mtime":1709210096789012,"filler":null}`),
	}
	conn := srv.Conn(t, "bank")
	if faults := faultsOf(t, conn, right); len(faults) != 0 {
		t.Errorf("the right lines: %q", faults)
	}
	for i := range right {
		without := append(append([]string(nil), right[:i]...), right[i+1:]...)
		if i > 0 && len(faultsOf(t, conn, without)) == 0 { // the first line could have been a later image
			t.Errorf("without line %d nothing is found", i)
		}
		twice := append(append([]string(nil), right[:i+1]...), right[i:]...)
		if len(faultsOf(t, conn, twice)) == 0 {
			t.Errorf("with line %d twice nothing is found", i)
		}
	}
}

func faultsOf(t *testing.T, source *pgx.Conn, lines []string) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "1.ndjson"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return fileFaults(t, dir, source)
}
