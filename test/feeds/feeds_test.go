package feeds

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/test/rig"
)

const relations = `
CREATE TABLE orders (id int PRIMARY KEY, customer text NOT NULL, amount numeric(10,2));
INSERT INTO orders SELECT n, 'c' || n % 7, n FROM generate_series(1, 500) AS g(n);
CREATE MATERIALIZED VIEW revenue AS SELECT customer, sum(amount) AS total, count(*) AS n FROM orders GROUP BY customer;
CREATE MATERIALIZED VIEW amounts AS SELECT amount FROM orders WHERE amount > 3;
FLUSH;`

var queries = []string{
	"SELECT id, customer, amount FROM orders ORDER BY id",
	"SELECT customer, total, n FROM revenue ORDER BY customer",
	"SELECT amount FROM amounts ORDER BY amount",
}

// TestTargetFollowsViews: rows that are there, then inserts, updates and deletes, over a restart,
// a pause and a drop.
func TestTargetFollowsViews(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "follows")
	h.exec(relations)
	h.exec(fmt.Sprintf("CREATE CHANGEFEED to_pg FOR revenue, orders, amounts INTO '%s'", h.to))
	h.same("to-pg", queries...)
	h.exec("INSERT INTO orders VALUES (1001, 'new', 5), (1002, 'c1', 5)")
	h.exec("UPDATE orders SET amount = amount + 1 WHERE id % 3 = 0")
	h.exec("DELETE FROM orders WHERE id % 5 = 0")
	h.same("to-pg", queries...)
	if got := fmt.Sprint(h.rows(h.to, "SELECT conrelid::regclass::text FROM pg_constraint WHERE contype = 'p' AND connamespace = 'public'::regnamespace ORDER BY 1")); got != "[orders revenue]" {
		t.Errorf("tables with a key: %s", got)
	}
	check(t, h.Stop())
	check(t, h.Start(t.Context()))
	h.exec("UPDATE orders SET customer = 'c0' WHERE customer = 'c1'")
	h.same("to-pg", queries...)
}

// code is the SQLSTATE with which a statement fails.
func (h *house) code(text string) string {
	var e *pgconn.PgError
	if errors.As(sql(h.t.Context(), h.url(), text), &e) {
		return e.Code
	}
	return ""
}

// TestChangefeedIsADependency: what is delivered is not dropped nor renamed; with CASCADE the
// changefeed goes too, and leaves no claim on the log.
func TestChangefeedIsADependency(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "depends")
	h.exec(relations)
	h.exec(fmt.Sprintf("CREATE CHANGEFEED a_feed FOR revenue, amounts INTO '%s'", h.to))
	h.same("a-feed", queries[1:]...)
	for text, want := range map[string]string{
		"DROP MATERIALIZED VIEW revenue":                                          "2BP01",
		"ALTER MATERIALIZED VIEW revenue RENAME TO income":                        "2BP01",
		"DROP CHANGEFEED other":                                                   "42704",
		fmt.Sprintf("CREATE CHANGEFEED a_feed FOR orders INTO '%s'", h.to):        "42710",
		"CREATE CHANGEFEED b FOR revenue INTO 'blackhole://' WITH (stat = 'now')": "22023",
		"CREATE CHANGEFEED b FOR nothing INTO 'blackhole://'":                     "42P01",
	} {
		if got := h.code(text); got != want {
			t.Errorf("%s: SQLSTATE %q, want %q", text, got, want)
		}
	}
	if out, err := h.CLI(t.Context(), "changefeed", "list"); err != nil || !strings.Contains(string(out), "a-feed") {
		t.Errorf("weir changefeed list: %s, %v", out, err)
	}
	h.exec("ALTER CHANGEFEED a_feed PAUSE")
	if got := fmt.Sprint(h.rows(h.url(), "SHOW CHANGEFEEDS")); !strings.Contains(got, "stopped") {
		t.Errorf("SHOW CHANGEFEEDS: %s", got)
	}
	h.exec("UPDATE orders SET amount = amount * 2")
	h.exec("ALTER CHANGEFEED a_feed RESUME")
	h.same("a-feed", queries[1:]...)
	if got := fmt.Sprint(h.rows(h.url(), "SHOW CREATE CHANGEFEED a_feed")); !strings.Contains(got, "FOR revenue, amounts INTO") {
		t.Errorf("SHOW CREATE CHANGEFEED: %s", got)
	}
	h.exec("DROP MATERIALIZED VIEW revenue CASCADE")
	if got := h.rows(h.url(), "SHOW CHANGEFEEDS"); len(got) > 0 {
		t.Errorf("SHOW CHANGEFEEDS after the drop: %v", got)
	}
	out, err := h.CLI(t.Context(), "log", "status", "-o", "json")
	check(t, err)
	if strings.Contains(string(out), "a-feed") {
		t.Errorf("the changefeed is gone, its claim is not: %s", out)
	}
}

// TestFiles: the changes of a view as files, each once, over a restart.
func TestFiles(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "files")
	dir := t.TempDir()
	h.exec(relations)
	h.exec(fmt.Sprintf("CREATE CHANGEFEED to_files FOR revenue INTO 'file://%s'", dir))
	check(t, h.Wait(t.Context(), "to-files", limit))
	h.exec("UPDATE orders SET amount = amount + 1 WHERE customer = 'c1'")
	h.exec("INSERT INTO orders VALUES (1001, 'new', 5)")
	check(t, h.Wait(t.Context(), "to-files", limit))
	check(t, h.Stop())
	check(t, h.Start(t.Context()))
	h.exec("DELETE FROM orders WHERE customer = 'new'")
	check(t, h.Wait(t.Context(), "to-files", limit))
	ops := map[string]int{}
	check(t, rig.ReadLines(dir, func(l *rig.Line) error {
		ops[l.Op]++
		return nil
	}))
	if want := map[string]int{"r": 7, "u": 1, "c": 1, "d": 1}; !maps.Equal(ops, want) {
		t.Errorf("operations %v, want %v", ops, want)
	}
}
