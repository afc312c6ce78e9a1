package parser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// example is one statement of the repository's scripts.
type example struct {
	place string
	text  string
	fails bool // its script expects an error
}

// corpus gathers the SQL that the repository tests the server with.
func corpus(t testing.TB) (examples []example) {
	t.Helper()
	for _, dir := range []string{"../../../test/oracle", "../../../test/tpch", "../../../test/nexmark", "../../adapter/nexmark/queries"} {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			switch filepath.Ext(path) {
			case ".slt":
				examples = append(examples, sltExamples(path)...)
			case ".sql":
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				examples = append(examples, example{place: path, text: string(text)})
			}
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	return examples
}

// sltExamples takes the SQL out of a logic script's records.
func sltExamples(path string) (examples []example) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	for record := range strings.SplitSeq(string(text), "\n\n") {
		lines := strings.Split(strings.Trim(record, "\n"), "\n")
		for len(lines) > 0 && (strings.HasPrefix(lines[0], "#") || strings.HasPrefix(lines[0], "skipif") || strings.HasPrefix(lines[0], "onlyif")) {
			lines = lines[1:]
		}
		if len(lines) < 2 || !strings.HasPrefix(lines[0], "statement") && !strings.HasPrefix(lines[0], "query") {
			continue
		}
		sql, _, _ := strings.Cut(strings.Join(lines[1:], "\n")+"\n", "\n----\n")
		examples = append(examples, example{path, sql, strings.Contains(lines[0], " error")})
	}
	return examples
}
