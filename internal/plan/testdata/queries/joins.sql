SELECT t.id, u.id FROM t JOIN u ON t.a = u.a
SELECT t.id, u.id FROM t LEFT JOIN u ON t.a = u.a AND t.b < u.b
SELECT t.id, u.id FROM t RIGHT JOIN u ON t.a = u.a AND u.b > 1
SELECT t.id, u.id FROM t FULL JOIN u ON t.a = u.a
SELECT t.id, u.id FROM t FULL JOIN u ON t.a = u.a WHERE t.b = 1
SELECT t.id, u.id FROM t FULL JOIN u ON t.a = u.a WHERE u.b = 1
SELECT t.id, u.id FROM t FULL JOIN u ON t.a = u.a WHERE u.b = t.b
SELECT t.id, u.id FROM t LEFT JOIN u ON t.a = u.a WHERE u.id IS NULL
SELECT t.id, u.id FROM t LEFT JOIN u ON t.a = u.a WHERE u.b = 2
SELECT t.id, u.id FROM t LEFT JOIN u ON t.a = u.a WHERE u.b = 2 OR t.b = 1
SELECT t.id, u.id FROM t LEFT JOIN u ON t.a = u.a WHERE coalesce(u.b, 2) = 2
SELECT t.id, u.id FROM t, u WHERE t.a = u.a AND t.b = u.b
SELECT count(*) FROM t, u, v
SELECT t.id, u.id, v.a FROM t, u, v WHERE t.a = u.a AND u.b = v.b AND v.a < t.b
SELECT t.id, u.id, v.b FROM v, u, t WHERE t.id = u.b AND u.id = v.a AND t.a > 0
SELECT x.id, y.id FROM t x JOIN t y ON x.a = y.b
SELECT x.id, y.id FROM t x LEFT JOIN t y ON x.a = y.id
SELECT a, b, t.id, u.id FROM t JOIN u USING (a, b)
SELECT a, t.b, u.b FROM t LEFT JOIN u USING (a)
SELECT a, t.b, u.b FROM t RIGHT JOIN u USING (a)
SELECT a, t.a, u.a FROM t FULL JOIN u USING (a)
SELECT * FROM t NATURAL JOIN v
SELECT * FROM v NATURAL LEFT JOIN u
SELECT t.id FROM t JOIN u ON t.a = u.a JOIN v ON v.a = u.a AND v.b = t.b
SELECT t.id, x.id FROM t LEFT JOIN (u JOIN v ON u.a = v.a) AS x ON t.b = x.id
SELECT t.id, u.id, v.a FROM t LEFT JOIN (u LEFT JOIN v ON u.b = v.b) ON t.a = u.a
SELECT t.id, u.id, v.a FROM (t LEFT JOIN u ON t.a = u.a) LEFT JOIN v ON u.b = v.b
SELECT t.id, u.id FROM t LEFT JOIN u ON t.id = 1
SELECT t.id, u.id FROM t LEFT JOIN u ON u.id = 1
SELECT t.id, u.id FROM t LEFT JOIN u ON true
SELECT t.id, u.id FROM t LEFT JOIN u ON false
SELECT t.id, u.id FROM t FULL JOIN u ON false
SELECT t.id, u.id FROM t JOIN u ON t.a IS NOT DISTINCT FROM u.a
SELECT t.id, u.id FROM t JOIN u ON t.a + 1 = u.b * 2
SELECT t.id, u.id FROM t JOIN u ON t.n = u.a
SELECT t.id, u.id FROM t JOIN u ON t.n = u.n AND t.c = u.c
SELECT t.id, u.id FROM t JOIN u ON t.a = u.a OR t.b = u.b
SELECT t.id, u.id FROM t JOIN u ON t.a BETWEEN u.a AND u.b
SELECT t.id, u.id FROM t CROSS JOIN u WHERE t.a = u.a AND t.a = 1
SELECT x.id, y.id, z.id FROM t x, t y, t z WHERE x.a = y.a AND y.a = z.a AND x.b = z.b
SELECT x.id FROM t x, t y WHERE x.a = x.b AND x.a = y.b
SELECT x.id, y.id FROM t x, u y WHERE x.a = y.a AND x.a = y.b AND x.b = y.a
SELECT t.id, u.id FROM t LEFT JOIN u ON t.a = u.a LEFT JOIN v ON v.a = t.a WHERE v.b = 1
SELECT DISTINCT t.id FROM t LEFT JOIN u ON t.a = u.id
SELECT t.id FROM t LEFT JOIN u ON t.a = u.id
