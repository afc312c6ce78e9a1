package clients

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// testReference runs the examples of docs/sql.md, in their order, in one session. Those
// that need something else say so behind the word sql.
func testReference(t *testing.T, url string) {
	doc, err := os.ReadFile("../../docs/sql.md")
	check(t, err)
	var script strings.Builder
	for _, m := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllSubmatch(doc, -1) {
		script.Write(m[1])
	}
	file := filepath.Join(t.TempDir(), "reference.sql")
	check(t, os.WriteFile(file, []byte(script.String()), 0o600))
	out, err := output(t, "psql", "-X", "-a", "-v", "ON_ERROR_STOP=1", "-P", "pager=off", "-f", file, url)
	if err != nil || strings.Contains(out, "ERROR") {
		t.Errorf("an example fails: %v\n%s", err, out[max(0, len(out)-3000):])
	}
}
