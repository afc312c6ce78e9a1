package clients

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/test/rig"
)

// TestClients starts one weir and lets every client at it.
func TestClients(t *testing.T) {
	url := weirURL(t)
	t.Run("psql", func(t *testing.T) { testPsql(t, url) })
	t.Run("watch", func(t *testing.T) { testWatch(t, url) })
	t.Run("reference", func(t *testing.T) { testReference(t, url) })
	t.Run("pgx", func(t *testing.T) { testPgx(t, url) })
	t.Run("pgx day", func(t *testing.T) { testPgxDay(t, url) })
	t.Run("node", func(t *testing.T) {
		if _, err := os.Stat("node/node_modules/pg"); err != nil {
			missing(t, "node's packages are not there: npm ci --prefix test/clients/node")
		}
		program(t, url, "node", "node/client.js")
	})
	t.Run("python", func(t *testing.T) { testPython(t, url) })
}

// weirURL is a weir's SQL address: WEIR_SQL_URL's, or that of one that ends with the test.
func weirURL(t *testing.T) string {
	t.Helper()
	if url := os.Getenv("WEIR_SQL_URL"); url != "" {
		return url
	}
	bin, err := rig.Build(t.Context(), t.TempDir())
	check(t, err)
	w, err := rig.New(rig.Options{Bin: bin, DataDir: filepath.Join(t.TempDir(), "data")})
	check(t, err)
	check(t, w.Start(t.Context()))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of weir's log:\n%s", w.Log())
		}
		if err := w.Stop(); err != nil {
			t.Error(err)
		}
	})
	url := fmt.Sprintf("postgres://root@%s/dev?sslmode=disable", w.SQLAddr())
	conn, err := pgx.Connect(t.Context(), url)
	if errors.Is(err, syscall.ECONNREFUSED) {
		t.Skip("this weir serves no SQL: ", err)
	}
	check(t, err)
	check(t, conn.Close(t.Context()))
	return url
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// missing skips for want of a client; continuous integration has them all.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// output runs a program that has a minute, and gives all that it prints.
func output(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, "%s is not there", name)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, fmt.Errorf("%s took more than a minute", name))
	defer cancel()
	out, err := exec.CommandContext(ctx, path, args...).CombinedOutput()
	return string(out), errors.Join(err, context.Cause(ctx))
}

// program runs a client's script, which says ok.
func program(t *testing.T, url, name, script string) {
	t.Helper()
	out, err := output(t, name, script, url)
	if err != nil || !strings.HasSuffix(out, "ok\n") {
		t.Errorf("%s %s: %v\n%s", name, script, err, out)
	}
}

func testPython(t *testing.T, url string) {
	// Debian's own Python has Debian's packages, whatever else is on the PATH.
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if _, err := output(t, python, "-c", "import psycopg2, psycopg"); err == nil {
			program(t, url, python, "python/client.py")
			return
		}
	}
	missing(t, "Python's psycopg2 and psycopg are not there: apt-get install python3-psycopg2 python3-psycopg")
}
