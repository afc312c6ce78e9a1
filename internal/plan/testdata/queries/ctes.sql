WITH x AS (SELECT a, sum(b) AS s FROM t GROUP BY a) SELECT * FROM x
WITH x AS (SELECT a, sum(b) AS s FROM t GROUP BY a) SELECT p.a, q.s FROM x p JOIN x q ON p.s = q.s
WITH x AS (SELECT a, b FROM t), y AS (SELECT a FROM x WHERE b > 1) SELECT x.a, y.a FROM x, y WHERE x.a = y.a
WITH x (k) AS (SELECT a FROM t) SELECT k FROM x WHERE k > (SELECT avg(k) FROM x)
WITH x AS MATERIALIZED (SELECT a FROM t) SELECT count(*) FROM x
WITH x AS NOT MATERIALIZED (SELECT a FROM t) SELECT p.a FROM x p, x q WHERE p.a = q.a
WITH x AS (SELECT max(b) AS m FROM t) SELECT id FROM t, x WHERE t.b = x.m
SELECT id FROM t WHERE a IN (WITH x AS (SELECT a FROM u WHERE u.b = t.b) SELECT a FROM x)
SELECT id, (WITH x AS (SELECT a FROM u WHERE u.b = t.b) SELECT count(*) FROM x p, x q WHERE p.a = q.a) FROM t
WITH x AS (SELECT a FROM t) SELECT a FROM x UNION ALL SELECT a + 1 FROM x
WITH x AS (SELECT a, count(*) AS n FROM t GROUP BY a) SELECT id, (SELECT n FROM x WHERE x.a = u.a) FROM u
WITH x AS (SELECT 1 AS a), y AS (SELECT a FROM x), z AS (SELECT x.a FROM x, y) SELECT * FROM x, y, z
WITH s AS (SELECT a, sum(b) AS n FROM t GROUP BY a) SELECT a FROM s WHERE n = (SELECT max(n) FROM s)
WITH t AS (SELECT 5 AS a) SELECT a FROM t
