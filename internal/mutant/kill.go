package mutant

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inside marks the environment of a mutated run, in which Kill does nothing.
const inside = "WEIR_INSIDE_MUTANT"

// chosen names, in the environment, the packages (the last part of their paths,
// separated by spaces) whose mutants run. Unset: all.
const chosen = "WEIR_MUTANTS"

// Kill replaces the only occurrence of old in file by new, in a copy, runs the
// tests of pkg that match the pattern run with it, and fails t if they pass.
// pkg is what go test takes, mostly "."; file is relative to the directory of
// the calling test. A test that hangs counts as a kill after a minute. It is
// skipped under -short.
func Kill(t testing.TB, pkg, file, old, new, run string) {
	t.Helper()
	if os.Getenv(inside) != "" || testing.Short() {
		t.Skip("mutants run neither inside a mutant nor under -short")
	}
	if here, err := os.Getwd(); err != nil {
		t.Fatal(err)
	} else if names, set := os.LookupEnv(chosen); set && !slices.Contains(strings.Fields(names), filepath.Base(here)) {
		t.Skipf("%s does not name this package", chosen)
	}
	overlay := mutate(t, file, old, new)
	cmd := exec.Command("go", "test", "-count=1", "-vet=off", "-ldflags=-s -w", "-timeout=60s", "-overlay", overlay, "-run", run, pkg)
	cmd.Env = append(os.Environ(), inside+"=1")
	out, err := cmd.CombinedOutput()
	switch text := string(out); {
	case strings.Contains(text, "[build failed]"), strings.Contains(text, "[setup failed]"):
		t.Fatalf("mutant of %s does not compile:\n%s", file, text)
	case strings.Contains(text, "[no tests to run]"), strings.Contains(text, "[no test files]"):
		t.Fatalf("pattern %q runs no test of %s", run, pkg)
	case err == nil:
		t.Errorf("mutant of %s survived: %q -> %q\n%s", file, old, new, text)
	case !strings.Contains(text, "FAIL"):
		t.Fatalf("go test did not run: %v\n%s", err, text)
	}
}

// mutate writes the changed copy and the overlay file that puts it in place.
func mutate(t testing.TB, file, old, new string) (overlay string) {
	t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(src, []byte(old)); n != 1 {
		t.Fatalf("%s holds %q %d times, want exactly once", file, old, n)
	}
	dir := t.TempDir()
	copied := filepath.Join(dir, filepath.Base(path))
	if err := os.WriteFile(copied, bytes.Replace(src, []byte(old), []byte(new), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {path: copied}})
	if err != nil {
		t.Fatal(err)
	}
	overlay = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return overlay
}
