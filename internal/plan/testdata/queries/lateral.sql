SELECT t.id, x.b FROM t, LATERAL (SELECT u.b FROM u WHERE u.a = t.a) x
SELECT t.id, x.b FROM t LEFT JOIN LATERAL (SELECT u.b FROM u WHERE u.a = t.a) x ON true
SELECT t.id, x.b FROM t LEFT JOIN LATERAL (SELECT u.b FROM u WHERE u.a = t.a) x ON x.b > t.b
SELECT t.id, x.n FROM t LEFT JOIN LATERAL (SELECT count(*) AS n FROM u WHERE u.a = t.a) x ON true
SELECT t.id, x.n FROM t LEFT JOIN LATERAL (SELECT count(*) AS n FROM u WHERE u.a = t.a) x ON x.n > 1
SELECT t.id, x.n FROM t, LATERAL (SELECT count(*) AS n FROM u WHERE u.a = t.a) x WHERE x.n > 0
SELECT t.id, x.id FROM t, LATERAL (SELECT u.id FROM u WHERE u.a = t.a ORDER BY u.b, u.id LIMIT 2) x
SELECT t.id, x.id FROM t, LATERAL (SELECT u.id FROM u WHERE u.a > t.a ORDER BY u.b DESC, u.id LIMIT 1) x
SELECT t.id, x.s FROM t, LATERAL (SELECT t.a + t.b AS s) x
SELECT t.id, x.s FROM t LEFT JOIN LATERAL (SELECT t.a + t.b AS s WHERE t.a > 1) x ON true
SELECT t.id, x.s FROM t LEFT JOIN LATERAL (SELECT coalesce(t.a, u.b) AS s FROM u WHERE u.id = t.b) x ON true
SELECT t.id, x.v FROM t, LATERAL (VALUES (t.a), (t.b)) x (v)
SELECT t.id, x.k, x.v FROM t CROSS JOIN LATERAL (VALUES ('a', t.a), ('b', t.b)) x (k, v) WHERE x.v > 1
SELECT t.id, x.c, y.n FROM t, LATERAL (SELECT u.c, u.b FROM u WHERE u.a = t.a) x, LATERAL (SELECT count(*) AS n FROM v WHERE v.b = x.b AND v.a = t.a) y
SELECT t.id, g FROM t, generate_series(1, t.a) g
SELECT t.id, g.x, g.ordinality FROM t, generate_series(t.a, t.b) WITH ORDINALITY AS g (x)
SELECT t.id, g FROM t LEFT JOIN LATERAL generate_series(1, t.a) g ON true
SELECT t.id, g FROM t LEFT JOIN LATERAL generate_series(1, t.a) g ON g > 1
SELECT g, g * 2 FROM generate_series(1, 5) g
SELECT g FROM generate_series(5, 1, -2) AS g
SELECT u.id, g FROM generate_series(1, 3) g JOIN u ON u.a = g
SELECT id, generate_series(1, a) FROM t
SELECT id, generate_series(1, a) + 10, generate_series(1, b) FROM t
SELECT a, count(*), generate_series(1, 2) FROM t GROUP BY a
SELECT DISTINCT generate_series(1, a) FROM t
SELECT x FROM (SELECT generate_series(1, a) AS x FROM t) q WHERE x > 1
SELECT t.id, x.b FROM t JOIN LATERAL (SELECT DISTINCT u.b FROM u WHERE u.a = t.a) x ON x.b = t.b
SELECT t.id, x.s FROM t, LATERAL (SELECT sum(q.b) AS s FROM (SELECT b FROM u WHERE u.a = t.a UNION ALL SELECT b FROM v WHERE v.a = t.a) q) x
SELECT t.id, x.s FROM t, LATERAL (SELECT u.c, sum(u.b) AS s FROM u WHERE u.a = t.a GROUP BY u.c) x
SELECT t.id, (SELECT sum(g) FROM generate_series(1, t.a) g) FROM t
SELECT t.id FROM t WHERE 2 IN (SELECT generate_series(1, t.a))
SELECT t.id, x.y FROM t, LATERAL (SELECT g AS y FROM generate_series(1, t.a) g WHERE g <> t.b) x
SELECT t.id, w.a FROM t, LATERAL (SELECT * FROM u WHERE u.a = t.a) x LEFT JOIN v w ON w.a = x.b
SELECT t.id, x.id, y.id FROM t LEFT JOIN LATERAL (SELECT u.id, u.b FROM u WHERE u.a = t.a) x ON true LEFT JOIN LATERAL (SELECT u.id FROM u WHERE u.b = x.b AND u.id <> x.id) y ON true
SELECT t.id, unnest(ARRAY[t.a, t.b]) FROM t
SELECT t.id, e FROM t, unnest(ARRAY[t.a, t.b, 7]) e WHERE e > 1
