package crash

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/weirstream/weir/internal/wal/local"
)

// durableHigh is the highest upstream position that the log in a data directory
// has, 0 when it has none yet. No process uses the directory. A copy is opened,
// so that the next start finds what the kill left.
func durableHigh(t *testing.T, dataDir string) (high uint64) {
	t.Helper()
	dir := filepath.Join(dataDir, "log")
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return 0
	}
	scratch, err := os.MkdirTemp("", "weir-crash-log-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(scratch)
	if out, err := exec.Command("cp", "-R", "--sparse=always", dir, scratch).CombinedOutput(); err != nil {
		t.Fatalf("copy the log: %v\n%s", err, out)
	}
	log, err := local.Open(filepath.Join(scratch, "log"), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	names, err := log.Channels()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		c, err := log.Channel(name)
		if err != nil {
			t.Fatal(err)
		}
		if position := c.Status().High; len(position) == 8 { // PostgreSQL's: an LSN, big-endian
			high = max(high, binary.BigEndian.Uint64(position))
		}
	}
	return high
}
