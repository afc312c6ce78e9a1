package clients

import (
	"bufio"
	"context"
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
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

// testWatch repeats a query until psql is interrupted.
func testWatch(t *testing.T, url string) {
	path, err := exec.LookPath("psql")
	if err != nil {
		missing(t, "psql is not there")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-X", "-At", url)
	cmd.Stdin = strings.NewReader("SELECT 'watched' \\watch 0.1\n")
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	seen := 0
	for lines := bufio.NewScanner(out); seen < 3 && lines.Scan(); {
		if lines.Text() == "watched" {
			seen++
		}
	}
	check(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	if seen < 3 {
		t.Errorf("\\watch showed %d answers", seen)
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
