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

// TestRefreshFollowsTheNewShape: new columns are there, with what the upstream has in old rows;
// views keep theirs; what had failed runs again once no view needs what has gone.
func TestRefreshFollowsTheNewShape(t *testing.T) {
	s := newStand(t, shop)
	s.exec(create)
	s.exec("CREATE MATERIALIZED VIEW copies AS SELECT * FROM orders")
	s.exec("CREATE VIEW few AS SELECT * FROM copies WHERE id < 4")
	s.exec("CREATE MATERIALIZED VIEW spent AS " + spent)
	s.upstream("ALTER TABLE orders ADD extra int DEFAULT 7, ADD late text; UPDATE orders SET extra = 8, late = 'late' WHERE id = 2")
	was := s.query("SELECT * FROM few ORDER BY id")
	s.want("SELECT count(*) FROM orders WHERE id = 2", "1")

	s.exec("ALTER TABLE orders REFRESH SCHEMA")
	s.same("SELECT * FROM orders ORDER BY id")
	s.want("SELECT id, extra, late FROM orders WHERE id < 3 ORDER BY id", "1|7|NULL\n2|8|late")
	s.want("SELECT * FROM few ORDER BY id", was)
	s.upstream("INSERT INTO orders VALUES (9001, 3, 7.5, now(), 'n', 1, 'l'); DELETE FROM orders WHERE id = 3")
	s.same("SELECT * FROM orders ORDER BY id")
	s.same("SELECT * FROM copies ORDER BY id", "SELECT id, customer, total, at, note FROM orders ORDER BY id")
	s.same("SELECT * FROM spent ORDER BY id", spent+" ORDER BY id")

	s.upstream("ALTER TABLE orders DROP note; UPDATE orders SET extra = 9 WHERE id = 1")
	s.fails("SELECT * FROM orders")
	if e := s.fails("ALTER TABLE orders REFRESH SCHEMA"); e.Code != "2BP01" || !strings.Contains(e.Message, "copies") {
		t.Errorf("REFRESH SCHEMA without a column that a view needs: %v", e)
	}
	s.exec("DROP MATERIALIZED VIEW copies CASCADE")
	s.exec("ALTER TABLE orders REFRESH SCHEMA")
	s.want("SELECT name, state FROM weir_views WHERE state <> 'running'", "")
	s.check(s.weir.Kill())
	s.serve()
	s.upstream("UPDATE orders SET total = total + 1 WHERE id < 100")
	s.same("SELECT * FROM orders ORDER BY id")
	s.same("SELECT * FROM spent ORDER BY id", spent+" ORDER BY id")
}
