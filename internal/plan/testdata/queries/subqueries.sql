SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)
SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.a)
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND u.b > t.b)
SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND u.b > t.b)
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a < t.a)
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u)
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE a > 100)
SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE a > 100)
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE t.a > 1)
SELECT id FROM t WHERE EXISTS (SELECT count(*) FROM u WHERE u.a = t.a)
SELECT id FROM t WHERE EXISTS (SELECT a FROM u WHERE u.b = t.b GROUP BY a HAVING count(*) > 1)
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a LIMIT 1)
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a OFFSET 1)
SELECT id FROM t WHERE a IN (SELECT a FROM u)
SELECT id FROM t WHERE a NOT IN (SELECT a FROM u)
SELECT id FROM t WHERE a NOT IN (SELECT a FROM u WHERE a IS NOT NULL)
SELECT id FROM t WHERE a NOT IN (SELECT a FROM u WHERE a > 100)
SELECT id FROM t WHERE a NOT IN (SELECT a FROM u WHERE u.b = t.b)
SELECT id FROM t WHERE id NOT IN (SELECT id FROM u)
SELECT id FROM t WHERE id NOT IN (SELECT a FROM u)
SELECT id FROM t WHERE a IN (SELECT a FROM u WHERE u.b = t.b)
SELECT id FROM t WHERE a IN (SELECT a + t.b FROM u)
SELECT id FROM t WHERE (a, b) IN (SELECT a, b FROM u)
SELECT id FROM t WHERE (a, b) NOT IN (SELECT a, b FROM u)
SELECT id FROM t WHERE (a, b) NOT IN (SELECT a, b FROM u WHERE u.id > t.id)
SELECT id FROM t WHERE a IN (SELECT a FROM u) OR b = 1
SELECT id FROM t WHERE a NOT IN (SELECT a FROM u) OR b = 1
SELECT id FROM t WHERE NOT (a IN (SELECT a FROM u) OR b = 1)
SELECT id, a IN (SELECT a FROM u) FROM t
SELECT id, a NOT IN (SELECT a FROM u) FROM t
SELECT id, a IN (SELECT a FROM u WHERE u.b = t.b) FROM t
SELECT id, a NOT IN (SELECT a FROM u WHERE u.b = t.b) FROM t
SELECT id, a IN (SELECT a FROM u WHERE false) FROM t
SELECT id, (a, b) IN (SELECT a, b FROM u) FROM t
SELECT id, EXISTS (SELECT 1 FROM u WHERE u.a = t.a) FROM t
SELECT id, NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND u.b <> t.b) FROM t
SELECT id FROM t WHERE a > ANY (SELECT a FROM u)
SELECT id FROM t WHERE a > ALL (SELECT a FROM u)
SELECT id FROM t WHERE a > ALL (SELECT a FROM u WHERE a IS NOT NULL AND u.b = t.b)
SELECT id FROM t WHERE a <> ALL (SELECT a FROM u WHERE u.b = t.b)
SELECT id FROM t WHERE NOT (a > ALL (SELECT a FROM u))
SELECT id FROM t WHERE NOT (a > ANY (SELECT a FROM u))
SELECT id FROM t WHERE a = ANY (SELECT a FROM u)
SELECT id FROM t WHERE a = ALL (SELECT a FROM u WHERE u.id < 3)
SELECT id, a > ALL (SELECT a FROM u), a < ANY (SELECT b FROM u WHERE u.a = t.a) FROM t
SELECT id, (SELECT max(b) FROM u) FROM t
SELECT id, (SELECT max(b) FROM u WHERE u.a = t.a) FROM t
SELECT id, (SELECT count(*) FROM u WHERE u.a = t.a) FROM t
SELECT id, (SELECT count(*) + 1 FROM u WHERE u.a = t.a) FROM t
SELECT id, (SELECT count(*) FROM u WHERE u.a = t.a AND u.b > t.b) FROM t
SELECT id, (SELECT count(u.b) FROM u WHERE u.a < t.a) FROM t
SELECT id, (SELECT sum(u.b + t.b) FROM u WHERE u.a = t.a) FROM t
SELECT id, (SELECT sum(u.b) + t.b FROM u WHERE u.a = t.a) FROM t
SELECT id, (SELECT count(*) FROM u WHERE u.a = t.a HAVING count(*) > 1) FROM t
SELECT id, (SELECT coalesce(sum(u.b), -1) FROM u WHERE u.a = t.a) FROM t
SELECT id, (SELECT u.c FROM u WHERE u.id = t.a) FROM t
SELECT id, (SELECT u.c FROM u WHERE u.a = t.a ORDER BY u.id LIMIT 1) FROM t
SELECT id, (SELECT u.id FROM u WHERE u.a = t.a ORDER BY u.id DESC LIMIT 1 OFFSET 1) FROM t
SELECT id, (SELECT u.id FROM u WHERE u.a < t.a ORDER BY u.id LIMIT 1) FROM t
SELECT id, (SELECT t.a) FROM t
SELECT id, (SELECT t.a + u.b FROM u WHERE u.id = t.b) FROM t
SELECT id, (SELECT t.a WHERE t.b > 1) FROM t
SELECT id FROM t WHERE b = (SELECT max(b) FROM u WHERE u.a = t.a)
SELECT id FROM t WHERE b > (SELECT avg(b) FROM t x WHERE x.a = t.a)
SELECT id FROM t WHERE 1 < (SELECT count(*) FROM t x WHERE x.a = t.a)
SELECT id FROM t WHERE 0 = (SELECT count(*) FROM u WHERE u.a = t.a)
SELECT id FROM t WHERE (SELECT count(*) FROM u WHERE u.a = t.a) = (SELECT count(*) FROM v WHERE v.a = t.a)
SELECT id FROM t WHERE b < (SELECT b FROM u WHERE u.id = 1)
SELECT a, (SELECT count(*) FROM u WHERE u.a = t.a) FROM t GROUP BY a
SELECT a, sum(b), (SELECT max(u.b) FROM u WHERE u.a = t.a) FROM t GROUP BY a
SELECT a, (SELECT count(*) FROM u WHERE u.b = max(t.b)) FROM t GROUP BY a
SELECT a, (SELECT sum(t.b)) FROM t GROUP BY a
SELECT (SELECT sum(t.b) FROM u WHERE u.id = 1) FROM t
SELECT a FROM t GROUP BY a HAVING sum(b) > (SELECT avg(b) FROM u)
SELECT a FROM t GROUP BY a HAVING count(*) > (SELECT count(*) FROM u WHERE u.a = t.a)
SELECT a FROM t GROUP BY a HAVING EXISTS (SELECT 1 FROM u WHERE u.a = t.a)
SELECT a FROM t GROUP BY a HAVING a IN (SELECT b FROM u)
SELECT sum((SELECT count(*) FROM u WHERE u.a = t.a)) FROM t
SELECT a, count(*) FILTER (WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.b)) FROM t GROUP BY a
SELECT (SELECT count(*) FROM u WHERE u.a = t.a), count(*) FROM t GROUP BY 1
SELECT id FROM t ORDER BY (SELECT count(*) FROM u WHERE u.a = t.a), id
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND EXISTS (SELECT 1 FROM v WHERE v.b = u.b AND v.a = t.a))
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND NOT EXISTS (SELECT 1 FROM v WHERE v.b = u.b AND v.a = t.b))
SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE NOT EXISTS (SELECT 1 FROM v WHERE v.a = u.a AND v.b = t.b))
SELECT id, (SELECT count(*) FROM u WHERE u.a = (SELECT max(v.a) FROM v WHERE v.b = t.b)) FROM t
SELECT id, (SELECT count(*) FROM u WHERE u.b > (SELECT count(*) FROM v WHERE v.b = u.b AND v.a = t.a)) FROM t
SELECT id, (SELECT max(x) FROM (SELECT sum(u.b) AS x FROM u WHERE u.a = t.a GROUP BY u.c) q) FROM t
SELECT id, (SELECT count(*) FROM (SELECT DISTINCT u.b FROM u WHERE u.a = t.a) q) FROM t
SELECT id, (SELECT count(*) FROM (SELECT b FROM u WHERE u.a = t.a UNION ALL SELECT b FROM v WHERE v.a = t.a) q) FROM t
SELECT id, (SELECT count(*) FROM (SELECT b FROM u WHERE u.a = t.a UNION SELECT b FROM v WHERE v.a < t.b) q) FROM t
SELECT id, (SELECT count(*) FROM (SELECT b FROM u WHERE u.a = t.a EXCEPT SELECT b FROM v WHERE v.a = t.b) q) FROM t
SELECT id, (SELECT count(*) FROM u LEFT JOIN v ON u.a = v.a WHERE u.b = t.b) FROM t
SELECT id, (SELECT count(*) FROM u LEFT JOIN v ON u.a = v.a AND v.b = t.b) FROM t
SELECT id, (SELECT count(v.a) FROM u FULL JOIN v ON u.a = v.a AND v.b = t.b) FROM t
SELECT id, (SELECT count(v.a) FROM v FULL JOIN (SELECT * FROM u WHERE u.a = t.a) w ON w.b = v.b) FROM t
SELECT id, (SELECT count(*) FROM (SELECT * FROM v WHERE v.a = t.a) v2 FULL JOIN (SELECT * FROM u WHERE u.a = t.b) w ON w.b = v2.b) FROM t
SELECT id, (SELECT min(q.s) FROM (SELECT count(*) AS s FROM u WHERE u.a = t.a) q JOIN v ON v.a = q.s) FROM t
SELECT id, (SELECT q.s FROM (SELECT count(*) AS s FROM u WHERE u.a = t.a) q WHERE q.s > 0) FROM t
SELECT id FROM t WHERE (SELECT count(*) FROM u WHERE u.a = t.a) IN (SELECT a FROM v)
SELECT id FROM t WHERE a IN (SELECT max(a) FROM u GROUP BY b)
SELECT id FROM t WHERE a IN (SELECT max(u.a) FROM u WHERE u.b = t.b GROUP BY c)
SELECT id FROM t WHERE a = (SELECT u.a FROM u WHERE u.id = t.id) OR EXISTS (SELECT 1 FROM v WHERE v.a = t.b)
SELECT id, CASE WHEN EXISTS (SELECT 1 FROM u WHERE u.a = t.a) THEN (SELECT count(*) FROM v WHERE v.a = t.a) ELSE -1 END FROM t
SELECT t.id, u.id FROM t JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM v WHERE v.b = t.b)
SELECT t.id, u.id FROM t JOIN u ON EXISTS (SELECT 1 FROM v WHERE v.a = t.a AND v.b = u.b)
SELECT t.id, u.id FROM t LEFT JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM v WHERE v.b = u.b)
SELECT t.id, u.id FROM t LEFT JOIN u ON t.a = u.a AND EXISTS (SELECT 1 FROM v WHERE v.b = t.b)
SELECT t.id, u.id FROM t LEFT JOIN u ON EXISTS (SELECT 1 FROM v WHERE v.a = t.a AND v.b = u.b)
SELECT t.id, u.id FROM t LEFT JOIN u ON t.a = u.a AND t.b IN (SELECT b FROM v)
SELECT t.id, u.id FROM t LEFT JOIN u ON t.a = (SELECT max(v.a) FROM v WHERE v.b = u.b)
SELECT t.id, u.id FROM t FULL JOIN u ON t.a = u.a AND u.b IN (SELECT b FROM v)
SELECT id FROM t WHERE a = 1 AND b > (SELECT min(b) FROM t) AND EXISTS (SELECT 1 FROM u WHERE u.b = t.b)
SELECT id FROM t WHERE (SELECT true FROM u WHERE u.id = t.id)
SELECT id FROM t WHERE c = (SELECT c FROM u WHERE u.id = t.b)
SELECT id FROM t WHERE n IN (SELECT n FROM u WHERE u.a = t.a)
SELECT id, (SELECT count(u.n) FROM u WHERE u.n = t.n) FROM t
SELECT id, (SELECT CASE WHEN u.b > 0 THEN t.n ELSE u.n END FROM u WHERE u.a = t.a AND u.n = t.n) FROM t
SELECT id, (SELECT u.id FROM u WHERE u.a = t.a) FROM t
SELECT id FROM t WHERE b = (SELECT b FROM u)
SELECT id, (SELECT a FROM u WHERE u.id = t.id AND u.b = (SELECT max(b) FROM u x WHERE x.a = u.a)) FROM t
SELECT (SELECT (SELECT t.a FROM v LIMIT 1) FROM u LIMIT 1) FROM t
SELECT (SELECT (SELECT count(*) FROM v WHERE v.a = t.a AND v.b = u.b) FROM u WHERE u.id = t.id) FROM t
SELECT id FROM t WHERE t.a < (SELECT sum(x) FROM (SELECT count(*) AS x FROM u WHERE u.a = t.a UNION ALL SELECT count(*) FROM v WHERE v.b = t.b) q)
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u JOIN v ON u.a = v.a WHERE u.b = t.b OR v.b = t.a)
SELECT id FROM t WHERE EXISTS ((SELECT a FROM u WHERE u.b = t.b) INTERSECT (SELECT a FROM v WHERE v.b = t.b))
SELECT id FROM t x WHERE NOT EXISTS (SELECT 1 FROM t y WHERE y.a = x.a AND y.id < x.id)
SELECT DISTINCT a FROM t WHERE b IN (SELECT b FROM u WHERE u.a = t.a) ORDER BY a
SELECT id, (SELECT count(*) FROM u WHERE u.a IS NOT DISTINCT FROM t.a) FROM t
SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a IS NOT DISTINCT FROM t.a AND u.b IS NOT DISTINCT FROM t.b)
SELECT id, (SELECT max(r) FROM (SELECT row_number() OVER (ORDER BY u.id) AS r FROM u WHERE u.a = t.a) q) FROM t
SELECT id, (SELECT max(r) FROM (SELECT rank() OVER (PARTITION BY u.c ORDER BY u.b) AS r FROM u WHERE u.a < t.a) q) FROM t
SELECT id, (SELECT count(*) FROM u WHERE u.a = t.a AND u.a = t.b) FROM t
SELECT id, (SELECT count(*) FROM u WHERE u.a + u.b = t.a) FROM t
SELECT id, (SELECT count(*) FROM u WHERE u.a = t.a + t.b) FROM t
SELECT id, (SELECT count(*) FROM u WHERE u.n = t.a) FROM t
SELECT id, (SELECT 1 FROM u WHERE u.id = t.id), (SELECT 2 FROM u WHERE u.id = t.a) FROM t
SELECT id, (SELECT max(u.a) FROM u WHERE u.b IN (SELECT v.b FROM v WHERE v.a = t.a)) FROM t
SELECT id, (SELECT max(u.a) FROM u WHERE u.b NOT IN (SELECT v.b FROM v WHERE v.a = t.a)) FROM t
SELECT id, (SELECT max(u.a) FROM u WHERE t.b NOT IN (SELECT v.b FROM v)) FROM t
SELECT id, (SELECT max(u.a) FROM u WHERE u.id = t.id AND u.b NOT IN (SELECT v.b FROM v)) FROM t
