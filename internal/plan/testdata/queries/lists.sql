SELECT array_agg(b ORDER BY b) FROM t
SELECT a, array_agg(b ORDER BY b) FROM t GROUP BY a
SELECT a, array_agg(b ORDER BY b DESC, id) FROM t GROUP BY a
SELECT a, array_agg(c ORDER BY id) FROM t GROUP BY a
SELECT a, array_agg(c ORDER BY c NULLS FIRST, id) FROM t GROUP BY a
SELECT a, array_agg(DISTINCT b ORDER BY b DESC) FROM t GROUP BY a
SELECT a, array_agg(DISTINCT b) FROM t GROUP BY a
SELECT a, array_agg(n ORDER BY n, id) FILTER (WHERE b > 1) FROM t GROUP BY a
SELECT a, array_agg(ARRAY[a, b] ORDER BY id) FROM t WHERE b IS NOT NULL GROUP BY a
SELECT a, string_agg(c, ', ' ORDER BY c, id) FROM t GROUP BY a
SELECT a, string_agg(c, c ORDER BY id DESC) FROM t GROUP BY a
SELECT a, string_agg(c, NULL ORDER BY id) FROM t GROUP BY a
SELECT string_agg(DISTINCT c, '-') FROM t
SELECT string_agg(c, '-') FROM t WHERE a > 99
SELECT a, string_agg(b::text || c, ',' ORDER BY b DESC NULLS LAST, c, id), count(*), max(b) FROM t GROUP BY a HAVING count(c) > 0
SELECT ARRAY(SELECT b FROM t ORDER BY b, id)
SELECT ARRAY(SELECT b FROM t ORDER BY b DESC LIMIT 3)
SELECT id, ARRAY(SELECT t.b FROM t WHERE t.a = u.a ORDER BY t.b) FROM u
SELECT id, ARRAY(SELECT t.c FROM t WHERE t.a = u.a ORDER BY t.id DESC) FROM u
SELECT id, ARRAY(SELECT t.c FROM t WHERE t.a = u.a AND t.b > 100) FROM u
SELECT id FROM t WHERE b = ANY (ARRAY(SELECT a FROM u WHERE u.a IS NOT NULL ORDER BY 1))
SELECT id, array_length(ARRAY(SELECT u.id FROM u WHERE u.b = t.b), 1) FROM t
SELECT x.a, x.l FROM (SELECT a, array_agg(id ORDER BY id) AS l FROM t GROUP BY a) x WHERE x.l[1] < 5
