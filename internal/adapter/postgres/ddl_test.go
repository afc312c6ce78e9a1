package postgres

import (
	"fmt"
	"strings"
	"testing"
)

// TestSchemaChangesInOrderWithTheRows runs once with the DDL trigger, where shapes
// change even if no row follows, and once without, where they change with the next row.
func TestSchemaChangesInOrderWithTheRows(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE TABLE a (id int PRIMARY KEY, b text, c int)`)
	c := startCapture(t, testConfig(t, url, "public.*,!public.other*"))
	expectLines(t, c.following("a", func() {
		exec(t, db, `INSERT INTO a VALUES (1, 'x', 1)`,
			`ALTER TABLE a ADD d numeric(10,2) NOT NULL DEFAULT 0`,
			`ALTER TABLE a RENAME b TO bb`, `INSERT INTO a VALUES (2, 'y', 2, 5)`,
			`ALTER TABLE a ALTER c TYPE bigint`, `ALTER TABLE a DROP c`, `INSERT INTO a VALUES (3, 'z', 7)`,
			`BEGIN; INSERT INTO a VALUES (4, 'r', 1); ALTER TABLE a ADD gone int; INSERT INTO a VALUES (5, 'r', 1, 1); ROLLBACK`,
			`BEGIN; INSERT INTO a VALUES (6, 'c', 1); ALTER TABLE a ADD e int; INSERT INTO a VALUES (7, 'c', 1, 1); COMMIT`,
			`ALTER TABLE a ADD e2 text; ALTER TABLE a DROP e`, // two commands in one transaction
			`ALTER TABLE a RENAME TO a2`, `ALTER TABLE a2 DROP CONSTRAINT a_pkey`,
			`CREATE TEMP TABLE tmp (x int)`, `CREATE TABLE other (x int)`, `CREATE VIEW v AS SELECT 1 AS one`,
			`CREATE TABLE n (id int PRIMARY KEY)`, `DROP TABLE n`, `DROP TABLE a2`)
	}),
		"S a default(1:id integer*!, 2:b text, 3:c integer)", "I a (1,x,1)",
		"S a default(1:id integer*!, 2:b text, 3:c integer, 4:d numeric(10,2)!)",
		"S a default(1:id integer*!, 2:bb text, 3:c integer, 4:d numeric(10,2)!)", "I a (2,y,2,5.00)",
		"S a default(1:id integer*!, 2:bb text, 3:c bigint, 4:d numeric(10,2)!)",
		"S a default(1:id integer*!, 2:bb text, 4:d numeric(10,2)!)", "I a (3,z,7.00)", "I a (6,c,1.00)",
		"S a default(1:id integer*!, 2:bb text, 4:d numeric(10,2)!, 5:e integer)", "I a (7,c,1.00,1)",
		"S a default(1:id integer*!, 2:bb text, 4:d numeric(10,2)!, 5:e integer, 6:e2 text)",
		"S a default(1:id integer*!, 2:bb text, 4:d numeric(10,2)!, 6:e2 text)",
		"S a2 default(1:id integer*!, 2:bb text, 4:d numeric(10,2)!, 6:e2 text)",
		"S a2 default(1:id integer!, 2:bb text, 4:d numeric(10,2)!, 6:e2 text)",
		"S n default(1:id integer*!)", "S n dropped", "S a2 dropped")
	if c.rec.asked == 0 {
		t.Error("nobody asked for Tables")
	}
}

func TestSchemaChangesWithoutTrigger(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE TABLE a (id int PRIMARY KEY, b text, c int)`)
	cfg := testConfig(t, url, "public.*")
	cfg.NoEventTrigger = true
	c := startCapture(t, cfg)
	survey := func() {
		t.Helper()
		if _, err := c.Tables(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	expectLines(t, c.following("a", func() {
		exec(t, db, `INSERT INTO a VALUES (1, 'x', 1)`)
		c.sync()
		exec(t, db, `ALTER TABLE a RENAME b TO bb`, `INSERT INTO a VALUES (2, 'y', 2)`)
		c.sync()
		exec(t, db, `ALTER TABLE a DROP bb; ALTER TABLE a ADD bb text`, `INSERT INTO a VALUES (3, 3, 'w')`)
		c.sync()
		exec(t, db, `ALTER TABLE a ADD d int`, `CREATE TABLE n (id int PRIMARY KEY)`)
		survey() // no row follows
		exec(t, db, `INSERT INTO a VALUES (4, 4, 'v', 4)`, `INSERT INTO n VALUES (1)`)
		c.sync()
		exec(t, db, `DROP TABLE a`)
		survey()
	}),
		"S a default(1:id integer*!, 2:b text, 3:c integer)", "I a (1,x,1)",
		"S a default(1:id integer*!, 2:bb text, 3:c integer)", "I a (2,y,2)",
		"S a default(1:id integer*!, 3:c integer, 4:bb text)", "I a (3,3,w)",
		"S a default(1:id integer*!, 3:c integer, 4:bb text, 5:d integer)",
		"S n default(1:id integer*!)",
		"I a (4,4,v,4)", "I n (1)", "S a dropped")
}

func TestDDLOfManyKinds(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE SCHEMA s; CREATE TABLE s.a (id int PRIMARY KEY)`, `CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id)`,
		`CREATE TYPE pair AS (x int, y int); CREATE TABLE c (id int PRIMARY KEY, v pair)`)
	c := startCapture(t, testConfig(t, url, "*.*"))
	expectLines(t, c.since(func() {
		exec(t, db, `ALTER SCHEMA s RENAME TO s2`, `CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (9)`, `ALTER TABLE p ADD v int`,
			`CREATE TABLE copied AS SELECT 1 AS n`, `ALTER TYPE pair ADD ATTRIBUTE z int`, `ALTER TABLE c RENAME COLUMN v TO w`,
			`DROP TYPE pair CASCADE`, `ALTER TABLE copied REPLICA IDENTITY FULL`, `ALTER TABLE p DETACH PARTITION p1`, `DROP SCHEMA s2 CASCADE`)
	}),
		"S a default(1:id integer*!)", // in s2
		"S p default(1:id integer*!, 2:v integer)",
		"S copied default(1:n integer)",
		"S c default(1:id integer*!, 2:v public.pair)", // pair has z
		"S c default(1:id integer*!, 2:w public.pair)",
		"S c default(1:id integer*!)",
		"S copied full(1:n integer)",
		"S a dropped")
}

// The catalog is ahead when a stream catches up: earlier rows keep their shape.
func TestLateStreamKeepsEarlierShapes(t *testing.T) {
	for _, trigger := range []bool{true, false} {
		t.Run(fmt.Sprintf("trigger=%v", trigger), func(t *testing.T) {
			t.Parallel()
			url := newDB(t)
			db := dial(t, url)
			exec(t, db, `CREATE TABLE a (id int PRIMARY KEY, b text, c int, d int)`, `CREATE TYPE mood AS ENUM ('x', 'y')`,
				`CREATE TABLE e (id int PRIMARY KEY, m mood)`)
			cfg := testConfig(t, url, "public.*")
			cfg.NoEventTrigger = !trigger
			c := startCapture(t, cfg)
			c.sync()
			_ = c.end()
			exec(t, db, `INSERT INTO a VALUES (1, 'x', 1, 1)`, `ALTER TABLE a RENAME b TO b2`, `INSERT INTO a VALUES (2, 'y', 2, 2)`,
				`ALTER TABLE a ALTER c TYPE text`, `INSERT INTO a VALUES (3, 'z', '3', 3)`, `ALTER TABLE a DROP d`, `INSERT INTO a VALUES (4, 'w', '4')`,
				`ALTER TABLE a ADD d text`, `INSERT INTO a VALUES (5, 'v', '5', '5')`, `ALTER TABLE a RENAME b2 TO b3`,
				`INSERT INTO e VALUES (1, 'x')`, `ALTER TABLE e DROP m`, `DROP TYPE mood`)
			c.restart()
			c.sync()
			got := c.rec.lines(0)
			var rows []string
			var schema string
			for _, line := range got {
				if strings.HasPrefix(line, "S a ") {
					schema = strings.TrimPrefix(line, "S a ")
				} else if strings.HasPrefix(line, "I a") {
					rows = append(rows, line+" "+schema)
				}
			}
			expectLines(t, rows,
				"I a (1,x,1,1) default(1:id integer*!, 2:b text, 3:c integer, 4:d integer)",
				"I a (2,y,2,2) default(1:id integer*!, 2:b2 text, 3:c integer, 4:d integer)",
				"I a (3,z,3,3) default(1:id integer*!, 2:b2 text, 3:c text, 4:d integer)",
				"I a (4,w,4) default(1:id integer*!, 2:b2 text, 3:c text)",
				"I a (5,v,5,5) default(1:id integer*!, 2:b2 text, 3:c text, 5:d text)")
		})
	}
}

func TestEnumLabelsAndTypesAreFollowed(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE TYPE mood AS ENUM ('x'); CREATE TABLE e (id int PRIMARY KEY, m mood, ms mood[])`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	got := c.since(func() {
		exec(t, db, `INSERT INTO e VALUES (1, 'x')`)
		c.sync() // a type is described as it is when the stream meets it
		exec(t, db, `ALTER TYPE mood ADD VALUE 'y'`, `INSERT INTO e VALUES (2, 'y', '{x,y}')`)
	})
	if len(got) != 3 || !strings.HasPrefix(got[1], "S e") {
		t.Errorf("got %q", got)
	}
	tables, _ := c.Tables(t.Context())
	types := c.rec.Shape(tables[0].ID).Types
	if len(types) != 2 || fmt.Sprint(types[1].Labels, types[0].Labels) != "[] [x y]" && fmt.Sprint(types[0].Labels, types[1].Labels) != "[] [x y]" {
		t.Errorf("types %+v", types)
	}
}

// The trigger runs for roles without rights, and no error of it reaches them.
func TestDDLTriggerNeverFailsTheApplication(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	role := "app_" + strings.ToLower(fmt.Sprint(shared.names.Add(1)))
	exec(t, db, fmt.Sprintf(`CREATE ROLE %s LOGIN; CREATE SCHEMA app AUTHORIZATION %[1]s`, role))
	c := startCapture(t, testConfig(t, url, "app.*"))
	expectLines(t, c.since(func() {
		exec(t, db, `SET ROLE `+role, `CREATE TABLE app.a (id int PRIMARY KEY)`, `ALTER TABLE app.a ADD b int`, `DROP TABLE app.a`, `RESET ROLE`)
	}), "S a default(1:id integer*!)", "S a default(1:id integer*!, 2:b integer)", "S a dropped")
	// A function that fails in any way: the statement goes through.
	exec(t, db, fmt.Sprintf(`ALTER FUNCTION weir.%s_ddl() SET search_path = nowhere`, c.Slot()),
		`ALTER SCHEMA weir RENAME TO weird`, `CREATE TABLE app.b (id int)`, `DROP TABLE app.b`, `ALTER SCHEMA weird RENAME TO weir`)
	exec(t, db, fmt.Sprintf(`DROP SCHEMA app; DROP OWNED BY %s; DROP ROLE %[1]s`, role))
}
