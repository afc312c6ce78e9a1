package database

import (
	"errors"
	"strconv"
	"testing"

	"github.com/weirstream/weir/internal/sql"
)

// A view follows its table, through a restart too.
func TestViewFollowsTable(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	rel := s.table("CREATE TABLE t (id int8 PRIMARY KEY, n int8)")
	s.view("v", "SELECT n, count(*) AS many, sum(id) AS total FROM t GROUP BY n")
	s.write(rel, delta(1, 10, 1, 2, 10, 1, 3, 20, 1))
	expect(t, s.query("SELECT * FROM v ORDER BY n", nil), "10|2|3 20|1|3")
	s.write(rel, delta(1, 10, -1, 1, 20, 1))
	expect(t, s.query("SELECT * FROM v ORDER BY n", nil), "10|1|2 20|2|4")
	s.stop()

	s = open(t, dir)
	check(t, s.Flush(waitContext(t)))
	expect(t, s.query("SELECT * FROM v ORDER BY n", nil), "10|1|2 20|2|4")
	rel = s.Catalog().Lookup("", "t")
	s.write(rel, delta(2, 10, -1, 4, 30, 1))
	expect(t, s.query("SELECT * FROM v ORDER BY n", nil), "20|2|4 30|1|4")
	expect(t, s.query("SELECT count(*), max(n) FROM t WHERE id > 1", nil), "2|30")
}

// A transaction sees what it wrote, and what was written and is in no epoch yet; keys are
// unique over all of it.
func TestTransaction(t *testing.T) {
	s := open(t, t.TempDir())
	rel := s.table("CREATE TABLE t (id int8 PRIMARY KEY, n int8 NOT NULL)")
	ctx := waitContext(t)
	for i := range 20 { // back to back: most find the last one in the overlay
		txn := s.Begin()
		check(t, txn.Lock(ctx, rel))
		if i > 0 {
			expect(t, s.query("SELECT max(n) FROM t", txn), itoa(i-1))
		}
		if i > 0 {
			check(t, txn.Apply(ctx, rel, delta(1, int64(i-1), -1, 1, int64(i), 1)))
		} else {
			check(t, txn.Apply(ctx, rel, delta(1, 0, 1)))
		}
		expect(t, s.query("SELECT n FROM t", txn), itoa(i))
		var fault *sql.Error
		if err := txn.Apply(ctx, rel, delta(1, 7, 1)); !errors.As(err, &fault) || fault.Code != sql.UniqueViolation {
			t.Fatalf("a second row of key 1: %v", err)
		}
		if _, err := txn.Commit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	check(t, s.Flush(ctx))
	expect(t, s.query("SELECT id, n FROM t", nil), "1|19")
}

func itoa(i int) string { return strconv.Itoa(i) }

func expect(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
}

// A row that is asked for by its key is found by it, in the epoch and in what is not in it yet.
func TestRowByKey(t *testing.T) {
	s := open(t, t.TempDir())
	rel := s.table("CREATE TABLE t (id int8 PRIMARY KEY, n int8)")
	s.write(rel, delta(1, 10, 1, 2, 20, 1))
	expect(t, s.query("SELECT n FROM t WHERE id = 2", nil), "20")
	expect(t, s.query("SELECT n FROM t WHERE 2 = id AND n > 20", nil), "")
	expect(t, s.query("SELECT n FROM t WHERE id = 3", nil), "")
	expect(t, s.query("SELECT a.n, b.n FROM t a, t b WHERE a.id = 1 AND b.id = 2", nil), "10|20")
	for _, both := range []string{
		"id = 1 OR id = 2", "id IN (2, 1, 2, 9, NULL)", "id = ANY (ARRAY[1, 2, 7, NULL])", "id = ANY ('{2,1,1}')", "id IN (1, 7) OR 2 = id",
		"id IN (1, 2, 3) AND n < 30", "id = 1 OR n = 20", "id IN (1, n / 10)", "NOT (id <> ALL ('{1,2}'))",
	} {
		expect(t, s.query("SELECT n FROM t WHERE "+both+" ORDER BY n", nil), "10 20")
	}
	for _, none := range []string{"id IN (NULL)", "id = ANY ('{}')", "id IN (8, 9)", "id = 1 AND id IN (2)", "id = ANY (NULL::int8[])"} {
		expect(t, s.query("SELECT n FROM t WHERE "+none, nil), "")
	}
	ctx := waitContext(t)
	txn := s.Begin()
	defer txn.Rollback()
	check(t, txn.Lock(ctx, rel))
	check(t, txn.Apply(ctx, rel, delta(2, 20, -1, 2, 21, 1, 3, 30, 1)))
	expect(t, s.query("SELECT n FROM t WHERE id = 2", txn), "21")
	expect(t, s.query("SELECT n FROM t WHERE id = 3", txn), "30")
	expect(t, s.query("SELECT n FROM t WHERE id = 1", txn), "10")
	expect(t, s.query("SELECT n FROM t WHERE id IN (1, 2, 3) ORDER BY n", txn), "10 21 30")
}

// Rows of a key of several columns are found by all of it, in every combination.
func TestRowsByKeyOfColumns(t *testing.T) {
	s := open(t, t.TempDir())
	rel := s.table("CREATE TABLE t (a int8, b int8, PRIMARY KEY (a, b))")
	s.write(rel, delta(1, 1, 1, 1, 2, 1, 2, 1, 1, 2, 3, 1, 3, 3, 1))
	expect(t, s.query("SELECT a, b FROM t WHERE a IN (1, 2) AND b = ANY ('{1,3}') ORDER BY a, b", nil), "1|1 2|1 2|3")
	expect(t, s.query("SELECT a, b FROM t WHERE a IN (1, 2) AND b = 3 AND a > 1", nil), "2|3")
	expect(t, s.query("SELECT a, b FROM t WHERE b = 3 ORDER BY a", nil), "2|3 3|3")
}
