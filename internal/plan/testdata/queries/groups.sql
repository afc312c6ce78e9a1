SELECT a, count(*), count(b), sum(b), avg(b), min(b), max(b) FROM t GROUP BY a
SELECT count(*), count(b), sum(b), avg(n), min(c), max(c) FROM t
SELECT count(*), sum(b) FROM t WHERE false
SELECT count(*), sum(b) FROM t WHERE a = 99
SELECT a, sum(b) FROM t WHERE a = 99 GROUP BY a
SELECT a + b, count(*) FROM t GROUP BY a + b
SELECT a + b + 1, count(*) FROM t GROUP BY a + b
SELECT a AS x, count(*) FROM t GROUP BY x
SELECT a AS b, count(*) FROM t GROUP BY b, a
SELECT a, b, count(*) FROM t GROUP BY 1, 2
SELECT a, count(*) FROM t GROUP BY a HAVING count(*) > 1
SELECT a FROM t GROUP BY a HAVING sum(b) > 2 AND a > 0
SELECT 1 FROM t HAVING count(*) > 3
SELECT count(*) FROM t HAVING count(*) > 100
SELECT a, count(DISTINCT b), sum(DISTINCT b), avg(DISTINCT b) FROM t GROUP BY a
SELECT count(DISTINCT c), count(DISTINCT a) FROM t
SELECT a, count(*) FILTER (WHERE b > 1), sum(b) FILTER (WHERE c = 'x') FROM t GROUP BY a
SELECT bool_and(a > 1), bool_or(b > 1), every(a < 4) FROM t
SELECT a, bool_and(b > 0), bool_or(b IS NULL) FROM t GROUP BY a
SELECT id, c, count(*) FROM t GROUP BY id
SELECT t.id, t.c, count(u.id) FROM t LEFT JOIN u ON t.a = u.a GROUP BY t.id
SELECT max(s) FROM (SELECT a, sum(b) AS s FROM t GROUP BY a) x
SELECT DISTINCT a, b FROM t
SELECT DISTINCT a FROM t ORDER BY a
SELECT DISTINCT ON (a) a, id FROM t ORDER BY a, id DESC
SELECT DISTINCT ON (a) a, b, id FROM t ORDER BY a, b DESC NULLS LAST, id
SELECT a, sum(n), avg(n), min(n), max(n) FROM t GROUP BY a
SELECT CASE WHEN a > 1 THEN 'big' ELSE 'small' END, count(*) FROM t GROUP BY CASE WHEN a > 1 THEN 'big' ELSE 'small' END
SELECT a, max(b) - min(b) AS spread FROM t GROUP BY a ORDER BY spread, a
SELECT a, count(*) FROM t GROUP BY a ORDER BY count(*) DESC, a LIMIT 2
SELECT sum(count) FROM (SELECT count(*) FROM t GROUP BY a) x
SELECT a, sum(a) FROM t GROUP BY a
SELECT t.a, sum(u.b) FROM t, u WHERE t.a = u.a GROUP BY t.a
SELECT sum(CASE WHEN a = 1 THEN b ELSE 0 END) FROM t
SELECT coalesce(sum(b), 0) FROM t WHERE a = 2
SELECT x.a, count(*) FROM (SELECT a, b FROM t UNION ALL SELECT a, b FROM u) x GROUP BY x.a
SELECT a, count(*) FROM t WHERE b > 0 GROUP BY a HAVING a IS NOT NULL
SELECT a, (a * 2) FROM t GROUP BY a, a * 2
SELECT min(a), max(a + b) FROM t GROUP BY c
SELECT a, b, count(*) FROM t GROUP BY (a, b)
SELECT a, c, sum(b) FROM t GROUP BY (a), (c, a)
SELECT id, a, c FROM t ORDER BY (a, c) DESC, id
SELECT id, a, c FROM t ORDER BY (a, c) NULLS FIRST, id LIMIT 3
SELECT t.id, u.id FROM t JOIN u ON (t.a, t.c) IS NOT DISTINCT FROM (u.a, u.c)
SELECT id FROM t WHERE (a, b) IS DISTINCT FROM (b, a)
SELECT count(DISTINCT (a, c)), count((a, c)) FROM t
