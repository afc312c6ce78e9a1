package flow

import "testing"

// everyKind has one table of each kind that behaves in its own way.
const everyKind = `
CREATE TABLE plain (id int PRIMARY KEY, v text);
CREATE TABLE two_keys (a int, b text, v numeric, PRIMARY KEY (b, a));
CREATE TABLE full_identity (id int PRIMARY KEY, v text); ALTER TABLE full_identity REPLICA IDENTITY FULL;
CREATE TABLE by_index (id int NOT NULL, code text NOT NULL, v text); CREATE UNIQUE INDEX by_index_code ON by_index (code);
	ALTER TABLE by_index REPLICA IDENTITY USING INDEX by_index_code;
CREATE TABLE generated (id int PRIMARY KEY, n int, twice int GENERATED ALWAYS AS (n * 2) STORED);
CREATE TABLE identity_always (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, v text);
CREATE TABLE large_values (id int PRIMARY KEY, small int, big text); ALTER TABLE large_values ALTER big SET STORAGE EXTERNAL;
CREATE TABLE parts (id int, region text, v int, PRIMARY KEY (id, region)) PARTITION BY LIST (region);
	CREATE TABLE parts_eu PARTITION OF parts FOR VALUES IN ('eu');
	CREATE TABLE parts_us PARTITION OF parts FOR VALUES IN ('us', 'ca');
	CREATE TABLE parts_rest PARTITION OF parts DEFAULT;
CREATE SCHEMA "Other Schema";
CREATE TABLE "Other Schema"."Odd ""Table""" ("Key Column" int PRIMARY KEY, "select" text, "ünïcode" text);
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE self (id int PRIMARY KEY, up int REFERENCES self);
CREATE TABLE empty (id int PRIMARY KEY);
CREATE TABLE no_columns ();
CREATE TABLE keyless (v text);
INSERT INTO plain SELECT i, 'row ' || i FROM generate_series(1, 1000) i;
INSERT INTO two_keys SELECT i % 10, 'k' || i, i / 3.0 FROM generate_series(1, 100) i;
INSERT INTO full_identity SELECT i, NULL FROM generate_series(1, 10) i;
INSERT INTO by_index SELECT i, 'c' || i, 'v' FROM generate_series(1, 10) i;
INSERT INTO generated SELECT i, i FROM generate_series(1, 10) i;
INSERT INTO identity_always (v) SELECT 'v' FROM generate_series(1, 10);
INSERT INTO large_values SELECT i, i, repeat(chr(64 + i), 100000) FROM generate_series(1, 10) i;
INSERT INTO parts SELECT i, (ARRAY['eu', 'us', 'ca', 'xx'])[i % 4 + 1], i FROM generate_series(1, 100) i;
INSERT INTO "Other Schema"."Odd ""Table""" VALUES (1, 'a', 'ä'), (2, NULL, '');
INSERT INTO parent SELECT generate_series(1, 10); INSERT INTO child SELECT i, i FROM generate_series(1, 10) i;
INSERT INTO self SELECT i, nullif(i - 1, 0) FROM generate_series(1, 10) i;
INSERT INTO keyless SELECT 'same' FROM generate_series(1, 5);
`

var everyTable = []string{
	"public.plain", "public.two_keys", "public.full_identity", "public.by_index", "public.generated", "public.identity_always",
	"public.large_values", "public.parts", `Other Schema.Odd "Table"`, "public.parent", "public.child", "public.self", "public.empty",
}

func TestEveryKindOfTable(t *testing.T) {
	t.Parallel()
	p := newPair(t, everyKind)
	p.feed(t)
	p.equal(t, append(everyTable, "public.keyless")...)

	for _, step := range []struct{ name, sql string }{
		{"updates and deletes", `UPDATE plain SET v = v || '!' WHERE id % 2 = 0; DELETE FROM plain WHERE id % 10 = 0;
			UPDATE two_keys SET v = -v; DELETE FROM full_identity WHERE id < 4; UPDATE full_identity SET v = 'set' WHERE id > 8;
			UPDATE by_index SET v = 'w' WHERE id < 5; DELETE FROM by_index WHERE id = 7; UPDATE generated SET n = n + 1;
			UPDATE identity_always SET v = 'w' WHERE id > 5; UPDATE parts SET v = -v; DELETE FROM parts WHERE id < 20;
			UPDATE "Other Schema"."Odd ""Table""" SET "select" = 'x'; DELETE FROM parent WHERE id = 3`},
		{"key changes", `UPDATE plain SET id = id + 5000 WHERE id < 100; UPDATE two_keys SET a = a + 1, b = b || 'x' WHERE a = 3;
			UPDATE full_identity SET id = -id; UPDATE by_index SET code = 'n' || code; UPDATE "Other Schema"."Odd ""Table""" SET "Key Column" = "Key Column" + 10`},
		{"a chain of key changes", `BEGIN; UPDATE plain SET id = 9001 WHERE id = 501; UPDATE plain SET id = 501 WHERE id = 503;
			UPDATE plain SET id = 503 WHERE id = 9001; DELETE FROM plain WHERE id = 505; INSERT INTO plain VALUES (505, 'again');
			UPDATE plain SET v = 'and again' WHERE id = 505; COMMIT`},
		{"unchanged large values", `UPDATE large_values SET small = small + 100 WHERE id < 6; UPDATE large_values SET id = id + 50 WHERE id > 8;
			UPDATE large_values SET big = repeat('new', 50000), small = 0 WHERE id = 7; UPDATE large_values SET small = 1 WHERE id = 7;
			BEGIN; INSERT INTO large_values VALUES (70, 1, repeat('seven', 40000)); UPDATE large_values SET small = 2 WHERE id = 70; COMMIT`},
		{"a row that moves to another partition", `UPDATE parts SET region = 'eu' WHERE region = 'us'`},
		{"foreign keys", `BEGIN; INSERT INTO child VALUES (100, 100); INSERT INTO parent VALUES (100); COMMIT;
			BEGIN; INSERT INTO self VALUES (100, NULL); INSERT INTO self VALUES (101, 100); UPDATE self SET up = 101 WHERE id = 100; COMMIT`},
	} {
		srv.Exec(t, p.from, step.sql)
		p.delivered(t, "db", "files")
		if !t.Run(step.name, func(t *testing.T) { p.equal(t, everyTable...) }) {
			t.Logf("after %s", step.sql)
		}
	}
	srv.Exec(t, p.from, `INSERT INTO plain VALUES (20000, 'before'); TRUNCATE plain, parts; INSERT INTO plain VALUES (1, 'after'); TRUNCATE parent CASCADE;
		TRUNCATE keyless; INSERT INTO keyless VALUES ('new'), ('new')`)
	p.delivered(t, "db", "files")
	p.equal(t, append(everyTable, "public.keyless")...)
	p.cli(t, "changefeed", "verify", "db")
}

func TestSchemaChangesArriveInOrderWithTheRows(t *testing.T) {
	t.Parallel()
	p := newPair(t, `CREATE TABLE a (id int PRIMARY KEY, v int, gone text); CREATE TABLE b (id int PRIMARY KEY, v text);
		INSERT INTO a SELECT i, i, 'g' FROM generate_series(1, 100) i; INSERT INTO b SELECT i, 'b' FROM generate_series(1, 100) i`)
	p.feed(t)
	for _, sql := range []string{
		"ALTER TABLE a ADD COLUMN added text; UPDATE a SET added = 'x' WHERE id < 50; INSERT INTO a VALUES (200, 2, 'g', 'new')",
		"ALTER TABLE a ADD COLUMN with_default int NOT NULL DEFAULT 42; INSERT INTO a (id, v) VALUES (201, 1)",
		"BEGIN; INSERT INTO a (id, v) VALUES (202, 1); ALTER TABLE a RENAME COLUMN added TO renamed; UPDATE a SET renamed = 'y' WHERE id = 202; COMMIT",
		"ALTER TABLE a ALTER v TYPE bigint; UPDATE a SET v = 5000000000 WHERE id = 1",
		"ALTER TABLE a ALTER v TYPE text USING v::text; INSERT INTO a (id, v) VALUES (203, 'text')",
		"ALTER TABLE a DROP COLUMN gone; UPDATE a SET v = 'after drop' WHERE id = 2; INSERT INTO a (id, v) VALUES (204, 'after drop')",
		"CREATE TABLE c (id int PRIMARY KEY, m text); INSERT INTO c VALUES (1, 'first')",
		"INSERT INTO c SELECT i, 'more' FROM generate_series(2, 50) i; DELETE FROM c WHERE id = 3",
		"CREATE TYPE color AS ENUM ('red', 'green'); ALTER TABLE b ADD COLUMN c color; UPDATE b SET c = 'green' WHERE id < 10",
		"ALTER TYPE color ADD VALUE 'blue'",
		"UPDATE b SET c = 'blue' WHERE id = 20",
		"DROP TABLE c; CREATE TABLE c (id text PRIMARY KEY, other int); INSERT INTO c VALUES ('re-created', 1)",
	} {
		srv.Exec(t, p.from, sql)
		p.delivered(t, "db", "files")
		tables := []string{"public.a", "public.b"}
		if p.value(t, "SELECT (to_regclass('public.c') IS NOT NULL)::text") == "true" {
			tables = append(tables, "public.c")
		}
		if p.equal(t, tables...); t.Failed() {
			t.Fatalf("after %s", sql)
		}
	}
	if got := p.value(t, `SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attname) FROM pg_attribute
		WHERE attrelid = 'a'::regclass AND attnum > 0 AND NOT attisdropped`); got != "id integer, renamed text, v text, with_default integer" {
		t.Errorf("the target's columns: %s", got)
	}
}

func TestLargeTransactionsWithSubtransactions(t *testing.T) {
	t.Parallel()
	p := newPair(t, `CREATE TABLE big (id int PRIMARY KEY, v text); CREATE TABLE small (id int PRIMARY KEY, v text);
		CREATE PROCEDURE fill(lo int, n int) LANGUAGE plpgsql AS $$ BEGIN
			FOR i IN lo..lo + n - 1 LOOP
				BEGIN
					INSERT INTO big SELECT i * 1000 + j, repeat('x', 50) FROM generate_series(0, 999) j;
					IF i % 3 = 0 THEN RAISE division_by_zero; END IF;
				EXCEPTION WHEN division_by_zero THEN NULL;
				END;
				UPDATE big SET v = 'updated' WHERE id = i * 1000 + 1;
			END LOOP; END $$;`)
	p.feed(t)
	srv.Exec(t, p.from, "CALL fill(1, 100)")                                  // streamed, with a third of it aborted
	srv.Exec(t, p.from, "BEGIN; CALL fill(200, 100); ROLLBACK")               // streamed, aborted as a whole
	srv.Exec(t, p.from, "INSERT INTO small VALUES (1, repeat('y', 3000000))") // one value larger than a frame
	srv.Exec(t, p.from, "BEGIN; CALL fill(400, 30); DELETE FROM big WHERE id % 2 = 0; UPDATE big SET id = -id; COMMIT")
	p.delivered(t, "db", "files")
	p.equal(t, "public.big", "public.small")
	if got := p.value(t, "SELECT length(v)::text FROM small"); got != "3000000" {
		t.Errorf("the large value has %s characters", got)
	}
}

// A snapshot of many times what may wait for the sink takes turns with it.
func TestSnapshotLargerThanWhatMayWait(t *testing.T) {
	t.Parallel()
	p := newPairWith(t, "[log]\nsegment_bytes = \"1MiB\"\nside_bytes = \"2MiB\"\n[capture]\nsnapshot_chunk_rows = 2000\n",
		"CREATE TABLE wide (id int PRIMARY KEY, v text); INSERT INTO wide SELECT i, repeat('w', 1000) FROM generate_series(1, 40000) i")
	p.feed(t)
	p.delivered(t, "db", "files")
	p.equal(t, "public.wide")
}

// A table without a key and with its whole old rows in the stream: updates and
// deletes reach one matching row each, equal rows included.
func TestKeylessTableWithFullIdentity(t *testing.T) {
	t.Parallel()
	p := newPair(t, `CREATE TABLE f (v text, n int); ALTER TABLE f REPLICA IDENTITY FULL;
		INSERT INTO f SELECT 'same', 1 FROM generate_series(1, 5); INSERT INTO f VALUES (NULL, 2), ('x', NULL)`)
	p.feed(t)
	p.delivered(t, "db")
	for _, sql := range []string{
		"UPDATE f SET n = 7 WHERE ctid = (SELECT min(ctid) FROM f WHERE v = 'same')",
		"DELETE FROM f WHERE ctid = (SELECT max(ctid) FROM f WHERE v = 'same')",
		"UPDATE f SET v = 'was null' WHERE v IS NULL; DELETE FROM f WHERE n IS NULL; INSERT INTO f VALUES ('same', 1)",
	} {
		srv.Exec(t, p.from, sql)
		p.delivered(t, "db")
		if p.equal(t, "public.f"); t.Failed() {
			t.Fatalf("after %s", sql)
		}
	}
}
