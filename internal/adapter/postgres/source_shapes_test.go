package postgres

import (
	"fmt"
	"strings"
	"testing"
)

func TestReplicaIdentities(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db,
		`CREATE TABLE full_pk (id int PRIMARY KEY, v text); ALTER TABLE full_pk REPLICA IDENTITY FULL`,
		`CREATE TABLE full_only (a int, v text); ALTER TABLE full_only REPLICA IDENTITY FULL`,
		`CREATE TABLE by_index (id int PRIMARY KEY, code text NOT NULL UNIQUE, v int); ALTER TABLE by_index REPLICA IDENTITY USING INDEX by_index_code_key`,
		`CREATE TABLE nothing (id int PRIMARY KEY, v int); ALTER TABLE nothing REPLICA IDENTITY NOTHING`,
		`CREATE TABLE keyless (v int)`,
		`CREATE TABLE deferred (id int PRIMARY KEY DEFERRABLE, v int)`,
		`CREATE UNLOGGED TABLE unlogged (id int PRIMARY KEY)`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	tables, err := c.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, x := range tables {
		kinds = append(kinds, fmt.Sprintf("%s %v", x.Name, x.Keyless))
	}
	expectLines(t, kinds, "by_index false", "deferred true", "full_only true", "full_pk false", "keyless true", "nothing false")
	for name, want := range map[string][]string{
		"full_pk":   {"S full_pk full(1:id integer*!, 2:v text)", "I full_pk (1,2)", "U full_pk O(1,2) (1,3)", "D full_pk O(1,3)"},
		"full_only": {"S full_only full(1:a integer, 2:v text)", "I full_only (1,2)", "U full_only O(1,2) (1,3)", "D full_only O(1,3)"},
		"nothing":   {"S nothing nothing(1:id integer*!, 2:v integer)", "I nothing (1,2)"},
		"deferred":  {"S deferred default(1:id integer!, 2:v integer)", "I deferred (1,2)"},
	} {
		expectLines(t, c.following(name, func() {
			exec(t, db, `INSERT INTO `+name+` VALUES (1, 2)`, `UPDATE `+name+` SET v = 3`, `DELETE FROM `+name)
		}), want...)
	}
	expectLines(t, c.following("keyless", func() {
		exec(t, db, `INSERT INTO keyless VALUES (1)`, `UPDATE keyless SET v = 3`, `DELETE FROM keyless`, `TRUNCATE keyless`)
	}), "S keyless default(1:v integer)", "I keyless (1)", "T keyless flags 0")
	expectLines(t, c.following("by_index", func() {
		exec(t, db, `INSERT INTO by_index VALUES (1, 'x', 2)`, `UPDATE by_index SET v = 3`, `UPDATE by_index SET code = 'y'`, `DELETE FROM by_index`)
	}), "S by_index index(1:id integer!, 2:code text*!, 3:v integer)", "I by_index (1,x,2)", "U by_index (1,x,3)", "U by_index K(~,x,~) (1,y,3)", "D by_index K(~,y,~)")
}

func TestUnchangedLargeValuesAreFilledFromAFullOldRow(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE TABLE a (id int PRIMARY KEY, v int, big text); ALTER TABLE a ALTER big SET STORAGE EXTERNAL; ALTER TABLE a REPLICA IDENTITY FULL`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	expectLines(t, c.since(func() {
		exec(t, db, `INSERT INTO a VALUES (1, 1, repeat('x', 9000))`, `UPDATE a SET v = 2`)
	}), "I a (1,1,xxxxxxxx…9000)", "U a O(1,1,xxxxxxxx…9000) (1,2,xxxxxxxx…9000)")
}

func TestPartitionsThroughTheirRoot(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE TABLE p (id int, region text, v int, PRIMARY KEY (id, region)) PARTITION BY LIST (region)`,
		`CREATE TABLE p_eu PARTITION OF p FOR VALUES IN ('eu')`,
		`CREATE TABLE p_us (v int, junk int, region text NOT NULL, id int NOT NULL, PRIMARY KEY (id, region)); ALTER TABLE p_us DROP junk; ALTER TABLE p ATTACH PARTITION p_us FOR VALUES IN ('us')`,
		`INSERT INTO p VALUES (7, 'eu', 1), (8, 'us', 1)`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	expectLines(t, c.following("p", func() {
		exec(t, db, `INSERT INTO p VALUES (1, 'eu', 1), (2, 'us', 2)`, `UPDATE p SET v = 3 WHERE id = 2`, `UPDATE p SET region = 'us' WHERE id = 1`,
			`DELETE FROM p_us WHERE id = 2`, `TRUNCATE p`)
	}), "S p default(1:id integer*!, 2:region text*!, 3:v integer)", "I p (1,eu,1)", "I p (2,us,2)", "U p (2,us,3)",
		"D p K(1,eu,~)", "I p (1,us,1)", "D p K(2,us,~)", "T p flags 0")
	tables, err := c.Tables(t.Context())
	if err != nil || len(tables) != 1 || tables[0].Name != "p" {
		t.Fatalf("%v %v", tables, err)
	}
	exec(t, db, `INSERT INTO p VALUES (7, 'eu', 1), (8, 'us', 1)`)
	rows, read := readAll(t, c.Source, c.rec, tables[0].ID, nil, nil)
	if len(rows) != 2 || printTuple(rows[0]) != "(7,eu,1)" || printTuple(rows[1]) != "(8,us,1)" || read.Version != 1 {
		t.Errorf("%d rows %v, version %d", len(rows), rows, read.Version)
	}
}

// A leaf whose updates could not be published would make the application's fail.
func TestPartitionWithoutIdentityKeepsTheApplicationGoing(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE TABLE p (id int PRIMARY KEY, v int) PARTITION BY RANGE (id)`,
		`CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10); ALTER TABLE p1 REPLICA IDENTITY NOTHING`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	expectLines(t, c.following("p", func() { exec(t, db, `INSERT INTO p VALUES (1, 1)`, `UPDATE p SET v = 2`, `DELETE FROM p`) }),
		"S p default(1:id integer*!, 2:v integer)", "I p (1,1)")
}

func TestGeneratedColumnsAreLeftOut(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE TABLE g (id int PRIMARY KEY, a int, b int GENERATED ALWAYS AS (a * 2) STORED, c text)`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	expectLines(t, c.following("g", func() { exec(t, db, `INSERT INTO g (id, a, c) VALUES (1, 2, 'x')`, `UPDATE g SET a = 3`) }),
		"S g default(1:id integer*!, 2:a integer, 4:c text, generated b)", "I g (1,2,x)", "U g (1,3,x)")
	tables, _ := c.Tables(t.Context())
	rows, read := readAll(t, c.Source, c.rec, tables[0].ID, nil, nil)
	if len(rows) != 1 || printTuple(rows[0]) != "(1,3,x)" || read.Version != 1 {
		t.Errorf("rows %v, version %d", rows, read.Version)
	}
	if g := c.rec.Shape(tables[0].ID).Generated[0]; g.Expr != "(a * 2)" || g.TypeName != "integer" {
		t.Errorf("%+v", g)
	}
}

// logical_decoding_work_mem is 64 kB: these transactions come in blocks, before they end.
func TestStreamedTransactionsWithRollbacks(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db, other := dial(t, url), dial(t, url)
	exec(t, db, `CREATE TABLE a (id int PRIMARY KEY, v text)`, `CREATE TABLE b (id int PRIMARY KEY)`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	fill := func(from, n int) string {
		return fmt.Sprintf(`INSERT INTO a SELECT g, repeat('x', 100) FROM generate_series(%d, %d) g`, from, from+n-1)
	}
	got := c.since(func() {
		exec(t, db, `BEGIN`, fill(0, 2000), `SAVEPOINT s1`, fill(10000, 2000), `ROLLBACK TO s1`, fill(20000, 2000), `SAVEPOINT s2`,
			`SAVEPOINT s3`, fill(30000, 2000), `RELEASE s3`, `ROLLBACK TO s2`, `SAVEPOINT s4`, fill(40000, 2000), `RELEASE s4`)
		exec(t, other, `INSERT INTO b VALUES (1)`, `BEGIN`, `INSERT INTO b SELECT g FROM generate_series(10, 5000) g`, `ROLLBACK`)
		exec(t, db, `COMMIT`)
	})
	count := map[string]int{}
	for _, line := range got {
		var id int
		if _, err := fmt.Sscanf(line, "I a (%d,", &id); err == nil {
			count[fmt.Sprint(id/10000)]++
		} else {
			count[line]++
		}
	}
	want := map[string]int{"0": 2000, "2": 2000, "4": 2000, "I b (1)": 1}
	if fmt.Sprint(count) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", count, want)
	}
	c.rec.mu.Lock()
	defer c.rec.mu.Unlock()
	last := c.rec.txns[len(c.rec.txns)-1]
	if last.pieces < 10 {
		t.Errorf("the large transaction came in %d pieces: it was not streamed", last.pieces)
	}
	if len(c.rec.open) != 0 {
		t.Errorf("%d transactions are left over", len(c.rec.open))
	}
}

// A change of shape in a sub-transaction that is rolled back is not seen by anybody.
func TestStreamedSchemaChangeRolledBack(t *testing.T) {
	for _, trigger := range []bool{true, false} {
		t.Run(fmt.Sprintf("trigger=%v", trigger), func(t *testing.T) {
			t.Parallel()
			url := newDB(t)
			db := dial(t, url)
			exec(t, db, `CREATE TABLE a (id int PRIMARY KEY, v text)`)
			cfg := testConfig(t, url, "public.*")
			cfg.NoEventTrigger = !trigger
			c := startCapture(t, cfg)
			c.restarts = 1 // see Source.whole
			fill := func(from, n int) string {
				return fmt.Sprintf(`INSERT INTO a SELECT g, repeat('x', 100) FROM generate_series(%d, %d) g`, from, from+n-1)
			}
			got := c.since(func() {
				exec(t, db, `BEGIN`, fill(0, 1000), `SAVEPOINT s`, `ALTER TABLE a ADD w int DEFAULT 5`, fill(10000, 1000), `ROLLBACK TO s`,
					fill(20000, 1000), `ALTER TABLE a ADD z int DEFAULT 6`, fill(30000, 1000), `COMMIT`, `UPDATE a SET z = 7 WHERE id = 1`)
			})
			schema := "a default(1:id integer*!, 2:v text)"
			runs := []string{}
			for _, line := range got {
				kind := line
				if strings.HasPrefix(line, "S ") {
					schema = line[2:]
					continue
				}
				if i := strings.Index(line, ",x"); i > 0 {
					kind = line[:2] + fmt.Sprint(len(strings.Split(line, ","))) + " " + schema
				}
				if len(runs) == 0 || runs[len(runs)-1] != kind {
					runs = append(runs, kind)
				}
			}
			expectLines(t, runs,
				"I 2 a default(1:id integer*!, 2:v text)",
				"I 3 a default(1:id integer*!, 2:v text, 3:z integer)",
				"U 3 a default(1:id integer*!, 2:v text, 3:z integer)")
		})
	}
}
