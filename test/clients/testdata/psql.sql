SET client_min_messages = warning;
DROP TABLE IF EXISTS psql_orders CASCADE;
DROP TABLE IF EXISTS psql_lines CASCADE;
CREATE TABLE psql_orders (id int PRIMARY KEY, customer varchar(20) NOT NULL DEFAULT 'nobody', amount numeric(10,2), at timestamptz);
CREATE TABLE psql_lines (order_id int, line int, item text, PRIMARY KEY (order_id, line));
CREATE VIEW psql_big AS SELECT id, amount FROM psql_orders WHERE amount > 100;
CREATE MATERIALIZED VIEW psql_revenue AS SELECT customer, sum(amount) AS total, count(*) AS n FROM psql_orders GROUP BY customer;
\copy psql_orders (id, customer, amount) FROM STDIN
1	ann	10.5
2	bob	200
3	ann	\N
\.
SELECT * FROM psql_revenue ORDER BY customer;
\copy (SELECT id, customer FROM psql_orders ORDER BY id) TO STDOUT WITH (FORMAT csv, HEADER)
\d psql_orders
\d psql_lines
\d psql_big
\d psql_revenue
\d+ psql_orders
\d+ psql_big
\d psql_orders_pkey
\dt psql_*
\dm psql_*
\dv psql_*
\di psql_*
\dt nothing*
\d psql_*
\l dev
\dn public
\du root
\df
\dT
\dx
\ds
\db
\dRp
\dRs
\dp psql_orders
\dconfig TimeZone
\dconfig+ Nothing
\deu
\deu+
\des
\des+
\dew
\dew+
\det
\det+
\dF
\dF+
\dFd
\dFd+
\dFp
\dFt
\dd
\dd psql_orders
\dT+
\dC
\dC+
\do
\do+
\dL
\dL+
\dx+
\dy
\dy+
\dP
\dP+
\dAc
\dAf
\dAo
\dAp
\dD
\dD+
\dc
\dc+
\da
\dO
\dX
\dl
\drds
\db+
\ddp
\ds+
\du+ root
\df+
\di+ psql_*
\dv+ psql_*
\dE
\dRp+
\dRs+
SELECT tableoid::regclass, relname FROM pg_class WHERE relname = 'psql_orders';
\sv psql_big
\encoding
SELECT count(*) AS total FROM psql_orders \gset
\echo :total
SELECT 'x' AS wide, 1 AS n \gx
SELECT id, amount::text AS a, at FROM psql_orders \gdesc
SELECT 'ann' AS r, 'may' AS c, 3 AS v \crosstabview
SELECT 'SELECT 1 AS made' \gexec
\dt+ psql_*
\dm+ psql_*
\d+ psql_revenue
\dS pg_class
\dn+ public
\dg root
\z psql_orders
\timing on
SELECT 1 AS one;
\timing off
BEGIN;
INSERT INTO psql_orders VALUES (4);
ROLLBACK;
\set FETCH_COUNT 2
SELECT id FROM psql_orders ORDER BY id;
\unset FETCH_COUNT
\pset format csv
SELECT id, customer FROM psql_orders ORDER BY id;
\pset format aligned
DROP TABLE psql_orders, psql_lines CASCADE;
