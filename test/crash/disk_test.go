package crash

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestG1G6LogDiskFull fills the disk under the data directory while much is
// written, waits until weir says so, and gives the room back: it goes on by
// itself and nothing is lost.
func TestG1G6LogDiskFull(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "192m")
	w := newWorld(t, disk, "[log]\nsegment_bytes = \"1MiB\"\nreserve_free_bytes = 0\n")
	config := filepath.Join(t.TempDir(), "cf.toml")
	if err := os.WriteFile(config, []byte("on_full = \"block\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.src.Exec(t, "bank", "CREATE TABLE bulk (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, filler text)")
	w.start(t, "--config", config)
	w.awaitConsistent(t)

	ballast := filepath.Join(disk, "ballast")
	fill(t, ballast)
	deadline := time.Now().Add(time.Minute)
	for said := ""; !strings.Contains(said, "LogFull"); {
		if time.Now().After(deadline) {
			t.Fatalf("G6: the disk is full for a minute and weir does not say LogFull; source query: %s", said)
		}
		w.src.Exec(t, "bank", "INSERT INTO bulk (filler) SELECT repeat(md5(i::text), 10) FROM generate_series(1, 2000) i")
		fill(t, ballast)
		select {
		case <-w.weir.Ended():
			t.Fatal("weir ended because its disk is full")
		case <-time.After(200 * time.Millisecond):
		}
		said = w.cli(t, "source", "query", source, "-o", "json")
	}
	pause(pick(3*time.Second, 20*time.Second))
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	w.judge(t)
	w.compare(t, "public.bulk")
}

// smallDisk mounts a file system of a few megabytes.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
			t.Skipf("mounting a small tmpfs needs root: %v", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}

// fill lets path grow until the disk has no room.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err != nil {
		return
	}
	defer f.Close()
	block := make([]byte, 64<<10)
	for len(block) > 0 {
		if _, err := f.Write(block); errors.Is(err, syscall.ENOSPC) {
			block = block[:len(block)/2]
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
