package pgserver

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// InstallLine is what makes Find succeed on Debian and its kin.
const InstallLine = "apt-get install -y postgresql"

// MissingError reports that the machine has no PostgreSQL server binaries.
type MissingError struct{ Looked []string }

func (e *MissingError) Error() string {
	return "no PostgreSQL server binaries (initdb, postgres) in " + strings.Join(e.Looked, ", ") +
		"; install them with: " + InstallLine
}

// Find returns the directory that holds initdb, postgres and their companions:
// the one of pg_config, else the newest under /usr/lib/postgresql, else the
// first on PATH.
func Find() (string, error) {
	var looked []string
	for _, dir := range candidates() {
		if executable(filepath.Join(dir, "initdb")) && executable(filepath.Join(dir, "postgres")) {
			return dir, nil
		}
		looked = append(looked, dir)
	}
	return "", &MissingError{Looked: append(looked, "PATH")}
}

// Tool is the path of a companion binary, such as pgbench or pg_recvlogical.
func Tool(name string) (string, error) {
	bin, err := Find()
	if err != nil {
		return "", err
	}
	if path := filepath.Join(bin, name); executable(path) {
		return path, nil
	}
	return exec.LookPath(name)
}

func candidates() []string {
	var dirs []string
	if out, err := exec.CommandContext(context.Background(), "pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	debian, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err == nil {
		sort.Slice(debian, func(i, j int) bool { return major(debian[i]) > major(debian[j]) })
		dirs = append(dirs, debian...)
	}
	return append(dirs, filepath.SplitList(os.Getenv("PATH"))...)
}

func major(bindir string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(bindir)))
	if err != nil {
		return 0
	}
	return n
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}
