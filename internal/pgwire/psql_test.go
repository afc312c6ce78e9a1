package pgwire_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPsql(t *testing.T) {
	w := newWorld()
	_, addr := serve(t, w, nil)
	where := "host=127.0.0.1 port=" + port(addr) + " user=root dbname=dev"
	for _, c := range []struct {
		commands []string
		want     string
	}{
		{[]string{"select 1, 'ä'::text, null"}, " c1 | c2 | c3 \n----+----+----\n  1 | ä  | \n(1 row)\n\n"},
		{[]string{"select 1; select 2"}, " c1 \n----\n  1\n(1 row)\n\n c1 \n----\n  2\n(1 row)\n\n"},
		{[]string{"notice hello"}, "NOTICE:  hello\nNOTICE\n"},
		{[]string{`\set FETCH_COUNT 2`, "rows 3"}, " i |   t   \n---+-------\n 1 | row 1\n 2 | row 2\n 3 | row 3\n(3 rows)\n\n"},
		{[]string{`\conninfo`}, "You are connected to database \"dev\" as user \"root\" on host \"127.0.0.1\" at port \"" + port(addr) + "\".\n"},
	} {
		out, err := psql(t, where, c.commands...)
		if out != c.want || err != nil {
			t.Errorf("%q: %v\n%s", c.commands, err, out)
		}
	}
	out, err := psql(t, where, "select 'ä'::text; selekt 2")
	if err == nil || !strings.Contains(out, "ERROR:  syntax error at or near \"selekt\"\nLINE 1: select 'ä'::text; selekt 2\n                          ^\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPsqlCopies feeds and reads a COPY through psql.
func TestPsqlCopies(t *testing.T) {
	w := newWorld()
	_, addr := serve(t, w, nil)
	where := "host=127.0.0.1 port=" + port(addr) + " user=root dbname=dev"
	dir := t.TempDir()
	script := filepath.Join(dir, "script.sql")
	if err := os.WriteFile(script, []byte("copy from text;\n1\tone\n2\t\\N\n\\.\ncount;\ncopy to csv;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := psql(t, where, `\i `+script)
	if err != nil || out != "COPY 2\n count \n-------\n     2\n(1 row)\n\n1,one\n2,\n" {
		t.Errorf("%v\n%s", err, out)
	}
}
