package clients

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/psql.want")

// durations are what \timing prints.
var durations = regexp.MustCompile(`Time: .* ms.*`)

// testPsql runs a script of statements and backslash commands. What psql 15 prints is
// golden; another psql sends other queries, and then only must not meet an error.
func testPsql(t *testing.T, url string) {
	version, err := output(t, "psql", "--version")
	check(t, err)
	out, err := output(t, "psql", "-X", "-a", "-P", "pager=off", "-f", "testdata/psql.sql", url)
	check(t, err)
	out = durations.ReplaceAllString(out, "Time: …")
	if strings.Contains(out, "ERROR") {
		t.Errorf("an error:\n%s", out)
	}
	if !strings.Contains(version, "PostgreSQL) 15.") {
		t.Logf("only looked for errors: this is %s", version)
		return
	}
	if *update {
		check(t, os.WriteFile("testdata/psql.want", []byte(out), 0o644))
	}
	want, err := os.ReadFile("testdata/psql.want")
	check(t, err)
	if out != string(want) {
		t.Errorf("psql prints otherwise than testdata/psql.want (-update accepts it):\n%s", diff(string(want), out))
	}
}

// diff shows the first lines that differ.
func diff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return strings.Join(g[max(0, i-5):min(len(g), i+10)], "\n") + "\nwant\n" + strings.Join(w[max(0, i-5):min(len(w), i+10)], "\n")
		}
	}
	return "one is longer"
}
