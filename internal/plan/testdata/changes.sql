INSERT INTO t VALUES (101, 1, 2, 'x', 1.5)
INSERT INTO t VALUES (101, 1), (102, DEFAULT) RETURNING *
INSERT INTO t (c, id) VALUES ('q', '103'), (5, 104) RETURNING id, c || '!', a
INSERT INTO t (id, a) SELECT id + 100, a FROM u WHERE b > 1 RETURNING id, a + 1 AS x
INSERT INTO t (id, n) SELECT 200, '7.5'
INSERT INTO t SELECT 201, NULL, '3'
INSERT INTO t (id, a) VALUES (300, (SELECT max(a) FROM u)), (301, (SELECT count(*) FROM t))
INSERT INTO t (id, n) VALUES (400, 1), (401, '2.25'), (402, NULL)
INSERT INTO d DEFAULT VALUES RETURNING *
INSERT INTO d (x) VALUES (1), (DEFAULT) RETURNING y
INSERT INTO d (y) SELECT c FROM t
INSERT INTO t (id, a) VALUES (1, 7), (900, 8) ON CONFLICT (id) DO NOTHING
INSERT INTO t (id, a) VALUES (1, 7), (900, 8) ON CONFLICT DO NOTHING RETURNING id
INSERT INTO t AS w (id, a) VALUES (1, 7), (2, 8), (900, 8) ON CONFLICT (id) DO UPDATE SET a = excluded.a + coalesce(w.a, 10), c = 'up' RETURNING *
INSERT INTO t (id, a) VALUES (1, 7), (2, 8), (900, 8) ON CONFLICT (id) DO UPDATE SET (a, b) = (excluded.a, t.id) WHERE t.a > 1
WITH x AS (SELECT 500 AS id, 5 AS a) INSERT INTO t (id, a) SELECT * FROM x RETURNING id
UPDATE t SET a = a + 1
UPDATE t SET a = a + 1, b = a WHERE b > 1 RETURNING id, a, b
UPDATE t SET a = NULL, c = DEFAULT, n = 3 WHERE id < 3 RETURNING *
UPDATE d SET x = DEFAULT, y = 'now'
UPDATE t SET (a, b) = (b, a)
UPDATE t SET (a, b) = (SELECT u.a, u.b FROM u WHERE u.id = t.id) RETURNING id, a, b
UPDATE t SET a = (SELECT count(*) FROM u WHERE u.a = t.a)
UPDATE t SET a = u.a + 10, c = u.c FROM u WHERE u.id = t.id RETURNING t.id, t.a, u.b, u.c
UPDATE t x SET b = 9 WHERE EXISTS (SELECT 1 FROM u WHERE u.a = x.a)
UPDATE t SET b = q.m FROM (SELECT a, max(b) AS m FROM u GROUP BY a) q WHERE q.a = t.a RETURNING *
UPDATE t SET n = 1.239, a = 2.6 WHERE id = 1
UPDATE t SET id = id + 1000 WHERE a = 1 RETURNING id, t.id + 1
WITH x AS (SELECT 1 AS k) UPDATE t SET b = x.k FROM x WHERE t.a = x.k
UPDATE v SET a = 5 WHERE b = 1
DELETE FROM t
DELETE FROM t WHERE a = 1 RETURNING *
DELETE FROM t USING u WHERE t.a = u.a RETURNING t.id
DELETE FROM t USING u WHERE t.id = u.id AND u.b > 1 RETURNING t.id, u.b, u.a + t.a AS s
DELETE FROM t WHERE id IN (SELECT id FROM u WHERE u.a = t.a)
DELETE FROM t q WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.id = q.id) RETURNING q.id
WITH x AS (SELECT a FROM u) DELETE FROM t USING x WHERE x.a = t.a
DELETE FROM v WHERE a = 1
