package rig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/pgtest"
)

func TestCompareCountsRowsWithMultiplicity(t *testing.T) {
	srv := pgtest.Start(t)
	a, b := srv.CreateDB(t, "a"), srv.CreateDB(t, "b")
	const table = `CREATE TABLE t (n numeric, "odd ""name" text, gone int); ALTER TABLE t DROP COLUMN gone;`
	srv.Exec(t, "a", table+`INSERT INTO t VALUES (1.0, E'tab\tend\\'), (1.0, E'tab\tend\\'), (NULL, ''), ('NaN', NULL)`)
	srv.Exec(t, "b", table+`INSERT INTO t VALUES ('NaN', NULL), (1.0, E'tab\tend\\'), (1.0, E'tab\tend\\'), (NULL, '')`)
	equal := func() Difference {
		t.Helper()
		d, err := Compare(t.Context(), a, b, "public.t")
		if err != nil {
			t.Fatal(err)
		}
		return d[0]
	}
	if d := equal(); !d.Equal() || d.Source != 4 {
		t.Errorf("same rows in another order: %s", d.String())
	}
	for _, change := range []string{
		`DELETE FROM t WHERE ctid = (SELECT ctid FROM t WHERE n = 1 LIMIT 1)`, // one of two equal rows is missing
		`INSERT INTO t VALUES (1.00, E'tab\tend\\')`,                          // equal as a number, another text
		`UPDATE t SET n = 1.0 WHERE n = 1.00 AND n::text = '1.00'`,            // and back: equal
		`UPDATE t SET "odd ""name" = NULL WHERE n IS NULL`,                    // empty is not NULL
	} {
		srv.Exec(t, "b", change)
		d := equal()
		if wantEqual := strings.HasPrefix(change, "UPDATE t SET n"); d.Equal() != wantEqual {
			t.Errorf("after %s: %s", change, d.String())
		}
	}
	if _, err := Compare(t.Context(), a, b, "public.absent"); err == nil {
		t.Error("a missing table compares without an error")
	}
}

func TestReadLinesKeepsNumbersAndSkipsResolved(t *testing.T) {
	dir := t.TempDir()
	text := `{"before":null,"after":{"id":12345678901234567890,"n":1.50},"source":{"schema":"public","table":"t","txId":7,"lsn":9},"op":"c"}
{"resolved":"453476982784000000"}
{"before":{"id":3},"after":null,"source":{"table":"t"},"op":"d"}
`
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"sub/1.ndjson": text, "manifest.json": "not a line"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var ids []string
	err := ReadLines(dir, func(l *Line) error {
		row, err := l.Row()
		if err != nil {
			return err
		}
		ids = append(ids, l.Op+stringOf(row["id"]))
		return nil
	})
	if got := strings.Join(ids, " "); err != nil || got != "c12345678901234567890 d3" {
		t.Errorf("read %q, %v", got, err)
	}
}

func stringOf(v any) string {
	s, ok := v.(interface{ String() string })
	if !ok {
		return "?"
	}
	return s.String()
}
