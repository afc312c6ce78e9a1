package pgtest_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/internal/pgtest/pgserver"
)

func TestServerIsFitForLogicalReplication(t *testing.T) {
	t.Parallel()
	srv := pgtest.Start(t, pgtest.Config("logical_decoding_work_mem=128kB", "fsync=on"))
	srv.CreateDB(t, "shop")
	conn := srv.Conn(t, "shop")
	for name, want := range map[string]string{
		"wal_level": "logical", "max_wal_senders": "20", "max_replication_slots": "20",
		"logical_decoding_work_mem": "128kB", "fsync": "on", "server_encoding": "UTF8",
	} {
		var got string
		if err := conn.QueryRow(t.Context(), "SELECT current_setting($1)", name).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %q (%v), want %q", name, got, err, want)
		}
	}
}

func TestCommittedRowsSurviveKillAndRestart(t *testing.T) {
	t.Parallel()
	srv := pgtest.Start(t)
	srv.CreateDB(t, "shop")
	srv.Exec(t, "shop", "CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2)")
	port, pid := srv.Port(), srv.Pid()

	srv.Kill()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Fatalf("postmaster %d is still there: %v", pid, err)
	}
	if err := srv.Server.Exec(t.Context(), "shop", "SELECT 1"); err == nil {
		t.Fatal("a killed server answers")
	}
	srv.Restart(t)
	if srv.Port() != port {
		t.Errorf("port %d became %d", port, srv.Port())
	}
	var n int
	if err := srv.Conn(t, "shop").QueryRow(t.Context(), "SELECT count(*) FROM t").Scan(&n); err != nil || n != 2 {
		t.Errorf("%d rows (%v), want 2", n, err)
	}
}

func TestServersDoNotShareAnything(t *testing.T) {
	t.Parallel()
	a, b := pgtest.Start(t), pgtest.Start(t)
	if a.Port() == b.Port() || a.DataDir() == b.DataDir() {
		t.Fatalf("%d %s, %d %s", a.Port(), a.DataDir(), b.Port(), b.DataDir())
	}
	a.CreateDB(t, "only_a")
	if err := b.Server.Exec(t.Context(), "only_a", "SELECT 1"); err == nil {
		t.Error("b has a's database")
	}
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	srv, err := pgserver.Start(pgserver.Options{})
	if err != nil {
		t.Skip(err)
	}
	pid, dir := srv.Pid(), srv.Dir()
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	assertGone(t, pid, dir)
}

// The test binary runs itself as a process that starts a server and is killed.
func TestServerEndsWithAProcessThatIsKilled(t *testing.T) {
	t.Parallel()
	if os.Getenv("PGTEST_ORPHAN") == "1" {
		srv := pgtest.Start(t)
		if err := os.WriteFile(os.Getenv("PGTEST_ORPHAN_DIR"), []byte(srv.Dir()), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		select {}
	}
	note := t.TempDir() + "/dir"
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "PGTEST_ORPHAN=1", "PGTEST_ORPHAN_DIR="+note)
	out, err := cmd.CombinedOutput()
	dir, readErr := os.ReadFile(note)
	if readErr != nil {
		t.Skipf("the child started no server: %v\n%s", err, out)
	}
	assertGone(t, 0, string(dir))
}

func assertGone(t *testing.T, pid int, dir string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		_, statErr := os.Stat(dir)
		running := pid != 0 && syscall.Kill(pid, 0) == nil
		if os.IsNotExist(statErr) && !running {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("after 20s: directory %s: %v, postmaster runs: %v", dir, statErr, running)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
