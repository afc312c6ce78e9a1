package postgres

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/weirstream/weir/internal/row"
)

// added are columns with defaults that the catalog keeps for older rows, of every
// kind whose text needs care.
var added = []string{
	`t text DEFAULT 'it''s "q" \ , {} ü'`, `empty text DEFAULT ''`, `word text DEFAULT 'NULL'`, `n numeric(10,2) NOT NULL DEFAULT 1.5`,
	`at timestamptz NOT NULL DEFAULT now()`, `day date DEFAULT '2026-02-01'`, `took interval DEFAULT '1 day 02:03'`, `f float8 DEFAULT 0.1`,
	`b bytea DEFAULT '\x00ff'`, `cash money DEFAULT 12.5`, `ints int[] DEFAULT '{1,NULL,3}'`, `texts text[] DEFAULT ARRAY['a,"b', 'NULL', '']`,
	`corner box DEFAULT '((1,2),(3,4))'`, `corners box[] DEFAULT ARRAY['((1,2),(3,4))'::box, '((5,6),(7,8))'::box]`,
	`m mood DEFAULT 'not so'`, `ms mood[] DEFAULT '{ok}'`, `p pair DEFAULT ROW(1, 'x y')`, `j jsonb DEFAULT '{"a": [1]}'`,
	`nothing int DEFAULT NULL`, `plain int`, `tables regclass DEFAULT 'public.a'::regclass`,
}

// The application's session prints values its own way, which must not matter.
const odd = `SET DateStyle = 'German, DMY'; SET IntervalStyle = 'iso_8601'; SET TimeZone = 'Asia/Tokyo'; SET bytea_output = 'escape'; SET extra_float_digits = -10; SET search_path = public`

func TestAddedColumnsTellWhatOlderRowsHold(t *testing.T) {
	for _, trigger := range []bool{true, false} {
		t.Run(fmt.Sprintf("trigger=%v", trigger), func(t *testing.T) {
			t.Parallel()
			url := newDB(t)
			db := dial(t, url)
			exec(t, db, odd, `CREATE TYPE mood AS ENUM ('ok', 'not so'); CREATE TYPE pair AS (a int, b text); CREATE DOMAIN seven AS int DEFAULT 7`,
				`CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id)`,
				`CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10); INSERT INTO a VALUES (1); INSERT INTO p VALUES (1)`)
			cfg := testConfig(t, url, "public.*")
			cfg.NoEventTrigger = !trigger
			c := startCapture(t, cfg)
			c.sync()
			columns := append(added, `d seven`)
			got := c.since(func() {
				for _, table := range []string{"a", "p"} {
					exec(t, db, `ALTER TABLE `+table+` ADD `+strings.Join(columns, `, ADD `), `INSERT INTO `+table+` (id) VALUES (2)`)
				}
			})
			if len(got) != 4 {
				t.Fatalf("got %q, want a shape and a row of each table", got)
			}
			pinned, err := connect(t.Context(), url, "test", upstream)
			if err != nil {
				t.Fatal(err)
			}
			defer quietly(pinned)
			for table, schema := range announcedShapes(t, c.rec) {
				for _, col := range schema.Columns[1:] {
					var want *string
					if err := pinned.QueryRow(t.Context(), fmt.Sprintf(`SELECT %s::text FROM public.%s WHERE id = 1`, quoteIdent(col.Name), table)).Scan(&want); err != nil {
						t.Fatal(err)
					}
					if show(col.Missing) != show(want) {
						t.Errorf("%s.%s: older rows hold %s, the shape says %s", table, col.Name, show(want), show(col.Missing))
					}
				}
			}
		})
	}
}

// announcedShapes are the last shapes in the stream, by the table's name.
func announcedShapes(t *testing.T, r *recorder) map[string]*row.Schema {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	shapes := map[string]*row.Schema{}
	for _, txn := range r.txns {
		for it := row.Changes(txn.changes); it.Next(); {
			if it.Change.Op != row.SchemaChange {
				continue
			}
			schema := &row.Schema{}
			if err := json.Unmarshal(it.Change.Schema, schema); err != nil {
				t.Fatal(err)
			}
			shapes[schema.Name] = schema
		}
	}
	return shapes
}

func show(text *string) string {
	if text == nil {
		return "NULL"
	}
	return "<" + *text + ">"
}

// A rewrite clears what the catalog tells: shapes stay as they are, for the stream and
// for the snapshot's readers.
func TestRewriteMakesNoVersion(t *testing.T) {
	t.Parallel()
	url := newDB(t)
	db := dial(t, url)
	exec(t, db, `CREATE TABLE a (id int PRIMARY KEY); INSERT INTO a VALUES (1)`)
	c := startCapture(t, testConfig(t, url, "public.*"))
	c.sync()
	expectLines(t, c.since(func() {
		exec(t, db, `ALTER TABLE a ADD c int DEFAULT 42`, `INSERT INTO a VALUES (2)`, `VACUUM FULL a`, `INSERT INTO a VALUES (3)`,
			`ALTER TABLE a ALTER id SET STATISTICS 10`, `INSERT INTO a VALUES (4)`)
	}), "S a default(1:id integer*!, 2:c integer)", "I a (2,42)", "I a (3,42)", "I a (4,42)")
	tables, err := c.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows, read := readAll(t, c.Source, c.rec, tables[0].ID, nil, nil)
	if newest := c.rec.Shape(tables[0].ID); len(rows) != 4 || read.Version != newest.Version || show(newest.Columns[1].Missing) != "<42>" {
		t.Errorf("%d rows of version %d, newest %+v", len(rows), read.Version, newest)
	}
}

// warnings keeps the WARN lines of a log.
type warnings struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *warnings) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

// take returns what was warned of since it was last called.
func (w *warnings) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.b.Reset()
	return w.b.String()
}

func TestValuesThatAreNotStreamedAreWarnedOf(t *testing.T) {
	for _, trigger := range []bool{true, false} {
		t.Run(fmt.Sprintf("trigger=%v", trigger), func(t *testing.T) {
			t.Parallel()
			url := newDB(t)
			db := dial(t, url)
			exec(t, db, `CREATE TABLE a (id int PRIMARY KEY, v int); CREATE TABLE none (id int PRIMARY KEY)`,
				`CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE p0 PARTITION OF p FOR VALUES FROM (-9) TO (0)`,
				`CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10); CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (10) TO (20)`,
				`INSERT INTO a VALUES (1, 1); INSERT INTO p VALUES (1), (11)`)
			cfg := testConfig(t, url, "public.*")
			cfg.NoEventTrigger = !trigger
			c := &captured{Source: newSource(t, cfg), t: t, rec: newRecorder(t)}
			warned := &warnings{}
			c.log = slog.New(slog.NewTextHandler(warned, &slog.HandlerOptions{Level: slog.LevelWarn}))
			var err error
			if c.from, _, err = c.Prepare(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			c.start(c.from)
			c.sync()
			warned.take()
			for _, step := range []struct {
				sql, want string
				guess     bool // noticed without the trigger as well
			}{
				{`ALTER TABLE a ADD r float8 DEFAULT random()`, "columns=r ", true},
				{`ALTER TABLE a ADD c int DEFAULT 42, ADD n int`, "", true},
				{`ALTER TABLE a ADD c2 int DEFAULT 42, ADD n2 int, ADD s serial, ADD i int GENERATED BY DEFAULT AS IDENTITY`, `columns="s, i"`, false},
				{`ALTER TABLE a ADD g int GENERATED ALWAYS AS (id * 2) STORED`, "", true},
				{`ALTER TABLE a ALTER v TYPE bigint USING v + 1`, "columns=v ", false},
				{`ALTER TABLE a ALTER v TYPE bigint USING v + 1`, `columns=""`, false},
				{`ALTER TABLE p ADD r float8 DEFAULT random()`, "table=public.p columns=r ", true},
				{`ALTER TABLE none ADD r float8 DEFAULT random()`, "", false},
				{`VACUUM FULL a`, "", true},
			} {
				if !trigger && !step.guess {
					continue
				}
				exec(t, db, step.sql)
				if !trigger {
					if _, err := c.Tables(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				c.sync()
				got := warned.take()
				if step.want == "" && got != "" || step.want != "" && (strings.Count(got, "\n") != 1 || !strings.Contains(got, step.want)) {
					t.Errorf("%s: warned %q, want %q", step.sql, got, step.want)
				}
			}
		})
	}
}
