package flow

import "testing"

// The rows that were there before a column are not streamed: the target fills them
// from what the catalog tells.
func TestAddedColumnsFillTheRowsThatWereThere(t *testing.T) {
	t.Parallel()
	p := newPair(t, `CREATE TYPE mood AS ENUM ('ok', 'not so'); CREATE TYPE pair AS (a int, b text);
		CREATE TABLE a (id int PRIMARY KEY); INSERT INTO a SELECT generate_series(1, 100);
		CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (50);
		CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (50) TO (1000); INSERT INTO p SELECT generate_series(1, 100)`)
	p.feed(t)
	columns := `ADD words text NOT NULL DEFAULT 'it''s "q" \ , {} ü', ADD empty text DEFAULT '', ADD n numeric(10,2) NOT NULL DEFAULT 1.5,
		ADD at timestamptz NOT NULL DEFAULT now(), ADD b bytea DEFAULT '\x00ff', ADD ints int[] DEFAULT '{1,NULL}', ADD texts text[] DEFAULT ARRAY['a,"b', 'NULL'],
		ADD boxes box[] DEFAULT ARRAY['((1,2),(3,4))'::box, '((5,6),(7,8))'::box], ADD m mood NOT NULL DEFAULT 'not so', ADD ms mood[] DEFAULT '{ok}',
		ADD p pair DEFAULT ROW(1, 'x y'), ADD nothing int DEFAULT NULL`
	srv.Exec(t, p.from, "SET DateStyle = 'German, DMY'; SET TimeZone = 'Asia/Tokyo'; SET bytea_output = 'escape'; ALTER TABLE a "+columns+"; ALTER TABLE p "+columns)
	p.delivered(t, "db")
	p.equal(t, "public.a", "public.p")

	// One command with a default that the catalog tells, and one that only the rows
	// tell: the first is filled, the second comes with a resync.
	srv.Exec(t, p.from, "ALTER TABLE a ADD c int NOT NULL DEFAULT 42, ADD r float8 NOT NULL DEFAULT random(), ADD q serial")
	p.delivered(t, "db")
	if got := p.value(t, "SELECT count(*) FILTER (WHERE c = 42) || ' ' || count(r) || ' ' || count(q) FROM a"); got != "100 0 0" {
		t.Errorf("values in c, r and q: %s", got)
	}
	p.cli(t, "source", "resync", "src")
	p.delivered(t, "db")
	p.equal(t, "public.a", "public.p")
	p.cli(t, "changefeed", "verify", "db")
}
