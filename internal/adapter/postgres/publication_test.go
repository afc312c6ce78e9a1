package postgres

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/weirerr"
)

func TestPublicationsFollowTables(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE TABLE a (id int PRIMARY KEY, v int)`, `CREATE TABLE k (v int)`, `CREATE SCHEMA other; CREATE TABLE other.x (id int PRIMARY KEY)`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	list := func() (out []string) {
		t.Helper()
		tables, err := c.Tables(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range tables {
			out = append(out, fmt.Sprintf("%s.%s keyless=%v old=%v", x.Namespace, x.Name, x.Keyless, x.PublishedXid == 0))
		}
		return out
	}
	published := func() (out []string) {
		t.Helper()
		rows, err := db.Query(t.Context(), `SELECT CASE WHEN pubname LIKE '%keyless' THEN 'keyless ' ELSE 'keyed ' END || tablename FROM pg_publication_tables ORDER BY 1`)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				t.Fatal(err)
			}
			out = append(out, s)
		}
		return out
	}
	expectLines(t, list(), "public.a keyless=false old=true", "public.k keyless=true old=true")
	expectLines(t, published(), "keyed a", "keyless k")

	exec(t, db, `CREATE TABLE n (id int PRIMARY KEY)`, `ALTER TABLE k ADD id serial PRIMARY KEY`, `ALTER TABLE a DROP CONSTRAINT a_pkey`)
	// The trigger moved a, inserts of which were published all along.
	expectLines(t, list(), "public.a keyless=true old=true", "public.k keyless=false old=false", "public.n keyless=false old=false")
	expectLines(t, published(), "keyed k", "keyed n", "keyless a")
	expectLines(t, c.since(func() {
		exec(t, db, `INSERT INTO n VALUES (1)`, `UPDATE k SET v = 1`, `INSERT INTO k VALUES (1)`, `UPDATE k SET v = 2`, `INSERT INTO a VALUES (1, 1)`, `UPDATE a SET v = 2`)
	}), "I n (1)", "I k (1,1)", "U k (2,1)", "I a (1,1)")

	exec(t, db, `DROP TABLE n`, `ALTER TABLE k SET SCHEMA other`)
	expectLines(t, list(), "public.a keyless=true old=true")
	expectLines(t, published(), "keyless a")
}

// The DDL trigger moves a table that loses its identity at once: no survey has to
// come before the application's next update.
func TestLostIdentityDoesNotRefuseUpdates(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE TABLE a (id int PRIMARY KEY, v int)`, `CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id)`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	exec(t, db, `INSERT INTO a VALUES (1, 1)`, `ALTER TABLE a DROP CONSTRAINT a_pkey`, `UPDATE a SET v = 2`,
		`CREATE TABLE p1 (id int NOT NULL); ALTER TABLE p1 REPLICA IDENTITY NOTHING; ALTER TABLE p ATTACH PARTITION p1 FOR VALUES FROM (0) TO (10)`,
		`INSERT INTO p VALUES (1)`, `UPDATE p SET id = 2`)
	c.sync()
	if _, err := c.Tables(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A table that is added while a transaction writes to it: whoever reads its rows
// must wait until that one has ended.
func TestPublishedXidCoversTransactionsInProgress(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db, other := dial(t, url), dial(t, url)
	c := startCapture(t, testConfig(t, url, "public.*"))
	exec(t, db, `CREATE TABLE a (id int PRIMARY KEY)`)
	exec(t, other, `BEGIN; INSERT INTO a VALUES (1)`)
	tables, err := c.Tables(t.Context())
	if err != nil || len(tables) != 1 || tables[0].PublishedXid == 0 {
		t.Fatalf("%+v %v", tables, err)
	}
	_, read := readAll(t, c.Source, c.rec, tables[0].ID, nil, nil)
	if read.Visible.Xmin > tables[0].PublishedXid {
		t.Errorf("a chunk of xmin %d may be read although the table is published since %d only", read.Visible.Xmin, tables[0].PublishedXid)
	}
	exec(t, other, `COMMIT`)
	await(t, "a snapshot that may be read", func() bool {
		_, read = readAll(t, c.Source, c.rec, tables[0].ID, nil, nil)
		return read.Visible.Xmin > tables[0].PublishedXid
	})
}

func TestPublicationForAllTablesIsRefused(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	s := newSource(t, testConfig(t, url, "public.*"))
	exec(t, dial(t, url), fmt.Sprintf(`CREATE PUBLICATION %s FOR ALL TABLES`, quoteIdent(s.Slot())))
	_, _, err := s.Prepare(t.Context(), nil)
	expectCode(t, err, weirerr.UpstreamConfig)
}

// TestLeastPrivilege runs what PrintSQL prints and then captures with that role: it
// owns nothing.
func TestLeastPrivilege(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE TABLE a (id int PRIMARY KEY, v text)`, `CREATE TABLE "K less" (v int)`, `INSERT INTO a VALUES (1, 'x')`)
	role := fmt.Sprintf("capture_%d", shared.names.Add(1))
	cfg := testConfig(t, url, "public.*")
	sql, err := PrintSQL(t.Context(), cfg, role)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, sql)
	exec(t, db, fmt.Sprintf(`ALTER ROLE %s PASSWORD 'pw'`, role))
	t.Cleanup(func() { exec(t, dial(t, url), fmt.Sprintf(`DROP OWNED BY %s; DROP ROLE %[1]s`, role)) })
	cfg.URL = strings.Replace(url, "postgres://postgres@", "postgres://"+role+":pw@", 1)
	if cfg.URL == url {
		t.Fatalf("the server's URL is %s", url)
	}
	found, err := Check(t.Context(), cfg.URL, cfg.Tables)
	for _, f := range found {
		if f.Severity == Error {
			t.Errorf("%+v", f)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	c := startCapture(t, cfg)
	expectLines(t, c.following("a", func() {
		exec(t, db, `INSERT INTO a VALUES (2, 'y')`, `INSERT INTO "K less" VALUES (1)`, `UPDATE "K less" SET v = 2`, `ALTER TABLE a ADD w int`)
	}), "S a default(1:id integer*!, 2:v text)", "I a (2,y)", "I K less (1)", "S a default(1:id integer*!, 2:v text, 3:w integer)")
	tables, err := c.Tables(t.Context())
	if err != nil || len(tables) != 2 {
		t.Fatalf("%v %v", tables, err)
	}
	if rows, _ := readAll(t, c.Source, c.rec, tables[1].ID, nil, nil); len(rows) != 2 {
		t.Errorf("%d rows", len(rows))
	}
	// A table that the DBA did not publish: named, and no failure.
	exec(t, db, `CREATE TABLE later (id int PRIMARY KEY)`)
	tables, err = c.Tables(t.Context())
	if err != nil || len(tables) != 2 {
		t.Errorf("%v %v", tables, err)
	}
	if w := c.Warnings(); len(w) != 1 || !strings.Contains(w[0].What, "later") {
		t.Errorf("%v", w)
	}
	c.sync()
	_ = c.end()
	if err := c.Drop(t.Context()); err != nil {
		t.Error(err)
	}
	exec(t, db, strings.Join(dropTriggerSQL(c.Slot()), ";"), `DROP SCHEMA weir`)
}

func TestCheckNamesFaultsWithRemedies(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE TABLE good (id int PRIMARY KEY)`, `CREATE TABLE keyless (v int)`, `CREATE UNLOGGED TABLE u (id int PRIMARY KEY)`,
		`CREATE TABLE f (v int); ALTER TABLE f REPLICA IDENTITY FULL`, `CREATE TABLE n (id int PRIMARY KEY); ALTER TABLE n REPLICA IDENTITY NOTHING`,
		`CREATE TABLE r (id int PRIMARY KEY); ALTER TABLE r ENABLE ROW LEVEL SECURITY`)
	role := fmt.Sprintf("poor_%d", shared.names.Add(1))
	exec(t, db, fmt.Sprintf(`CREATE ROLE %s LOGIN; GRANT SELECT ON r TO %[1]s`, role))
	t.Cleanup(func() { exec(t, dial(t, url), fmt.Sprintf(`DROP OWNED BY %s; DROP ROLE %[1]s`, role)) })
	has := func(found []Finding, severity Severity, text string) {
		t.Helper()
		for _, f := range found {
			if f.Severity == severity && strings.Contains(f.What, text) && f.Remedy != "" {
				return
			}
		}
		t.Errorf("no %s about %q in %+v", severity, text, found)
	}
	cfg := testConfig(t, url, "public.*")
	found, err := Check(t.Context(), url, cfg.Tables)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if f.Severity == Error || strings.Contains(f.What, "good") {
			t.Errorf("%+v", f)
		}
	}
	has(found, Warning, `"keyless" has no primary key`)
	has(found, Warning, `"u" is unlogged`)
	has(found, Warning, `"n" has REPLICA IDENTITY NOTHING`)
	has(found, Note, `"f" has REPLICA IDENTITY FULL`)
	has(found, Note, "max_slot_wal_keep_size")
	found, err = Check(t.Context(), strings.Replace(url, "postgres://postgres@", "postgres://"+role+"@", 1), cfg.Tables)
	if err != nil {
		t.Fatal(err)
	}
	has(found, Error, "may not replicate")
	has(found, Error, `may not read table "public"."good"`)
	has(found, Error, `row level security hides rows of table "public"."r"`)
	has(found, Warning, "may not create publications")
	has(found, Warning, `does not own table "public"."good"`)
}
