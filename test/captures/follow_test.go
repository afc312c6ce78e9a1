package captures

import (
	"testing"
)

const shop = `
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN cents AS bigint CHECK (VALUE >= 0);
CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, feels mood, credit cents);
CREATE TABLE orders (id bigint PRIMARY KEY, customer int NOT NULL REFERENCES customers, total numeric(10,2) NOT NULL, at timestamptz NOT NULL, note text);
CREATE TABLE visits (who text, n int);
INSERT INTO customers SELECT i, 'customer ' || i, (ARRAY['sad', 'ok', 'happy']::mood[])[i % 3 + 1], i * 100 FROM generate_series(1, 100) i;
INSERT INTO orders SELECT i, i % 100 + 1, i * 1.25, '2024-01-01'::timestamptz + i * interval '1 minute', repeat('n', i % 50) FROM generate_series(1, 5000) i;
INSERT INTO visits SELECT 'v' || i % 7, i FROM generate_series(1, 100) i;`

const (
	create = `CREATE TABLE customers (*) FROM shop TABLE 'public.customers';
		CREATE TABLE orders (*) FROM shop TABLE 'public.orders';`
	spent = `SELECT c.id, c.name, c.feels, count(*), sum(o.total), max(o.at) FROM customers c JOIN orders o ON o.customer = c.id GROUP BY c.id, c.name, c.feels`
	idle  = `SELECT c.id, c.credit FROM customers c LEFT JOIN orders o ON o.customer = c.id WHERE o.id IS NULL`
)

// compareAll compares tables and views with the upstream.
func (s *stand) compareAll() {
	s.t.Helper()
	s.same("SELECT * FROM customers ORDER BY id")
	s.same("SELECT * FROM orders ORDER BY id")
	s.same("SELECT * FROM spent ORDER BY id", spent+" ORDER BY id")
	s.same("SELECT * FROM idle ORDER BY id", idle+" ORDER BY id")
}

// TestTablesFollowTheUpstream: snapshot, stream, views over joins; a restart goes on where it was.
func TestTablesFollowTheUpstream(t *testing.T) {
	s := newStand(t, shop)
	s.exec(create)
	s.exec("CREATE MATERIALIZED VIEW spent AS " + spent)
	s.exec("CREATE MATERIALIZED VIEW idle AS " + idle)
	s.wait()
	s.compareAll()

	s.upstream(`UPDATE orders SET total = total + 1 WHERE id % 10 = 0; DELETE FROM orders WHERE id % 7 = 0;
		INSERT INTO orders VALUES (9001, 3, 7.5, now(), NULL), (9002, 4, 1e6, 'infinity', 'last'); UPDATE customers SET name = 'renamed' WHERE id = 3`)
	s.upstream("DELETE FROM orders WHERE customer IN (5, 6)")
	s.compareAll()

	s.check(s.weir.Kill())
	s.up.Exec(t, "shop", "UPDATE customers SET feels = 'happy' WHERE id < 10; DELETE FROM orders WHERE customer = 7")
	s.serve()
	s.wait()
	s.compareAll()

	s.check(s.weir.Stop())
	s.serve()
	s.upstream("INSERT INTO customers VALUES (1000, 'new', NULL, NULL)")
	s.compareAll()
}
