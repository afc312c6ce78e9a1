package captures

import (
	"strings"
	"testing"
)

// TestColumnsComeAndGo: a new column is not seen, a renamed one is followed, one that no view
// reads may go; one that a view reads takes the table and its dependants with it, and nothing else.
func TestColumnsComeAndGo(t *testing.T) {
	s := newStand(t, shop+"ALTER TABLE visits ADD id serial PRIMARY KEY;")
	s.exec(create)
	s.exec("CREATE TABLE visits (*) FROM shop TABLE 'public.visits'")
	s.exec("CREATE MATERIALIZED VIEW totals AS SELECT customer, sum(total) AS total FROM orders GROUP BY customer")
	s.exec("CREATE MATERIALIZED VIEW big AS SELECT customer FROM totals WHERE total > 1000")
	s.exec("CREATE MATERIALIZED VIEW names AS SELECT id, name FROM customers")
	s.exec("CREATE MATERIALIZED VIEW who AS SELECT who, count(*) AS n FROM visits GROUP BY who")

	s.upstream("ALTER TABLE orders ADD extra int DEFAULT 7; ALTER TABLE customers RENAME name TO title; UPDATE customers SET title = 'retitled' WHERE id = 3")
	s.upstream("ALTER TABLE orders DROP note; INSERT INTO orders VALUES (9001, 3, 7.5, now(), 8)")
	s.want("SELECT name FROM names WHERE id = 3", "retitled")
	s.want("SELECT id, total, note FROM orders WHERE id = 9001", "9001|7.50|NULL")
	s.want("SELECT state, message FROM weir_views WHERE name = 'orders'", `running|column "note" was dropped upstream`)
	if e := s.fails("CREATE MATERIALIZED VIEW notes AS SELECT note FROM orders"); e.Code != "42703" || !strings.Contains(e.Message, "note") {
		t.Errorf("a view over a column that has gone: %v", e)
	}
	s.same("SELECT * FROM totals ORDER BY customer", "SELECT customer, sum(total) FROM orders GROUP BY customer ORDER BY customer")

	s.upstream("TRUNCATE visits; INSERT INTO visits VALUES ('after', 1)")
	s.want("SELECT * FROM who", "after|1")

	s.upstream("ALTER TABLE orders ALTER total TYPE text; INSERT INTO orders VALUES (9002, 4, 'much', now(), 8)")
	s.want("SELECT name, state FROM weir_views WHERE state <> 'running' ORDER BY name", "big|failed\norders|failed\ntotals|failed")
	message := s.query("SELECT message FROM weir_views WHERE name = 'totals'")
	if !strings.Contains(message, "total") || !strings.Contains(message, ", ts ") {
		t.Errorf("the message of a failed view names no column and Ts: %s", message)
	}
	for _, name := range []string{"orders", "totals", "big"} {
		if e := s.fails("SELECT * FROM " + name); e.Code != "55000" || !strings.Contains(e.Message, "total") {
			t.Errorf("SELECT of %s: %v", name, e)
		}
	}
	s.upstream("UPDATE customers SET title = 'further' WHERE id = 4; INSERT INTO visits VALUES ('later', 1)")
	s.want("SELECT name FROM names WHERE id = 4", "further")
	s.want("SELECT * FROM who ORDER BY who", "after|1\nlater|1")

	s.upstream("DROP TABLE visits")
	s.want("SELECT name, state FROM weir_views WHERE state <> 'running' ORDER BY name", "big|failed\norders|failed\ntotals|failed\nvisits|failed\nwho|failed")
	s.check(s.weir.Kill())
	s.serve()
	s.upstream("UPDATE customers SET title = 'restarted' WHERE id = 5")
	s.want("SELECT name FROM names WHERE id = 5", "restarted")
	s.want("SELECT name, state FROM weir_views WHERE state <> 'running' ORDER BY name", "big|failed\norders|failed\ntotals|failed\nvisits|failed\nwho|failed")
}
