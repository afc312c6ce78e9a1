package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Every error code that a user can meet is explained, and none that is not there.
func TestEveryCodeHasASection(t *testing.T) {
	codes := map[string]bool{}
	for _, m := range regexp.MustCompile(`Code = "(\w+)"`).FindAllStringSubmatch(read(t, "internal/weirerr/code.go"), -1) {
		codes[m[1]] = true
	}
	if len(codes) < 10 {
		t.Fatalf("only %d codes found: the pattern is wrong", len(codes))
	}
	sections := map[string]string{}
	for _, part := range strings.Split(read(t, "docs/operations.md"), "\n### ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		sections[name], _, _ = strings.Cut(text, "\n## ")
	}
	for code := range codes {
		if len(strings.TrimSpace(sections[code])) < 40 {
			t.Errorf("docs/operations.md has no section that explains %s", code)
		}
	}
	for name := range sections {
		if !codes[name] {
			t.Errorf("docs/operations.md explains %s, which is no code", name)
		}
	}
}

// Every guarantee names its tests, and the tests are there.
func TestGuaranteesNameTestsThatExist(t *testing.T) {
	there := map[string]bool{}
	testFunc := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, path := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range testFunc.FindAllStringSubmatch(read(t, path), -1) {
				there[m[1]] = true
			}
		}
	}
	for _, part := range strings.Split(read(t, "docs/guarantees.md"), "\n## ")[1:] {
		title, text, _ := strings.Cut(part, "\n")
		named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(text, -1)
		if len(named) == 0 && !strings.Contains(text, "not part of") {
			t.Errorf("%s: no test is named", title)
		}
		for _, m := range named {
			if !there[m[1]] {
				t.Errorf("%s: %s does not exist", title, m[1])
			}
		}
	}
}

// Links between documents lead somewhere.
func TestLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, doc := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(read(t, doc), -1) {
			target := filepath.Join(root, filepath.Dir(doc), m[1])
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", doc, m[1], err)
			}
		}
	}
}

func documents(t *testing.T) (docs []string) {
	t.Helper()
	return files(t, func(path string) bool { return strings.HasSuffix(path, ".md") })
}

func goFiles(t *testing.T) []string {
	t.Helper()
	return files(t, func(path string) bool { return strings.HasSuffix(path, ".go") })
}

// files lists the tree's files, relative to its root, without what is hidden or
// built.
func files(t *testing.T, want func(string) bool) (found []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() && rel != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "bin" || d.Name() == "weir-data" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !d.IsDir() && want(rel) {
			found = append(found, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
