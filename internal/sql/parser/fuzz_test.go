package parser_test

import (
	"errors"
	"testing"

	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
)

// FuzzParse: text of any kind gives statements, whose queries can be written and read
// again, or an error that points into the text.
func FuzzParse(f *testing.F) {
	for i, e := range corpus(f) {
		if i%7 == 0 {
			f.Add(e.text)
		}
	}
	for _, text := range []string{
		"CREATE SOURCE s (a int, b date AS a::date, PRIMARY KEY (a)) WITH (connector = 'x', a.b.c = 1)",
		"CREATE TABLE t (*) FROM s TABLE 'a.b' APPEND ONLY WITH (x = -1)",
		"CREATE MATERIALIZED VIEW v (a) WITH (x) AS SELECT 1 FROM TUMBLE(t, ts, INTERVAL '1' DAY) EMIT ON WINDOW CLOSE",
		"CREATE CHANGEFEED f FOR a, b.c INTO E'x\\'' WITH a = 1", "COPY (SUBSCRIBE (SELECT 1) AS OF 1 UP TO 2) TO STDOUT",
		"DECLARE c CURSOR FOR SUBSCRIBE v", "FETCH 1 c WITH (timeout = '1s')", "EXPLAIN (verbose) CREATE VIEW v AS SELECT 1",
		"SHOW CREATE TABLE \"a b\".c; FLUSH; WAIT TABLE x", "ALTER SOURCE s RENAME TO t; ALTER TABLE IF EXISTS t REFRESH SCHEMA",
		"CREATE DATABASE d WITH OWNER x; SET TRANSACTION READ ONLY; BEGIN ISOLATION LEVEL SERIALIZABLE",
		"PREPARE p (int) AS INSERT INTO t VALUES ($1) ON CONFLICT (a) DO UPDATE SET (a, b) = (1, 2) RETURNING *",
		"SELECT sum(a) OVER w FROM t WINDOW w AS (PARTITION BY a ROWS 1 PRECEDING)", "CREATE USER u PASSWORD 'x'; DROP DATABASE d",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		script, err := parser.Parse(text)
		var e *sql.Error
		if err != nil && (!errors.As(err, &e) || e.Code == "" || e.Message == "" || e.Pos < -1 || e.Pos > len(text)) {
			t.Fatalf("%q: %#v", text, err)
		}
		for _, p := range script {
			if p.Stmt == nil || text[p.Start:p.Start+len(p.Text)] != p.Text {
				t.Fatalf("%q: %#v", text, p)
			}
			q, ok := p.Stmt.(*sql.Query)
			if !ok {
				continue
			}
			written := sql.DeparseSelect(q.Select)
			again, err := parser.ParseQuery(written)
			if errors.As(err, &e) && (e.Code == sql.StatementTooComplex || e.Code == sql.ProgramLimitExceeded) {
				continue // the parentheses added too much
			}
			if err != nil {
				t.Fatalf("%q written as %q: %v", text, written, err)
			}
			if a, b := positions.ReplaceAllString(dump(q.Select), ""), positions.ReplaceAllString(dump(again), ""); a != b {
				t.Fatalf("%q written as %q:\n%s\n%s", text, written, a, b)
			}
		}
	})
}
