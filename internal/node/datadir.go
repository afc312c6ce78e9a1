package node

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/weirstream/weir/internal/weirerr"
)

// formatVersion is the layout of the data directory that this program writes.
const formatVersion = 1

// format is the content of the file FORMAT.
type format struct {
	Version int    `json:"version"`
	Cluster string `json:"cluster"` // random, names this installation at its targets
}

// LogDir is the log's directory within a data directory.
func LogDir(dataDir string) string { return filepath.Join(dataDir, "log") }

func metaDir(dataDir string) string { return filepath.Join(dataDir, "meta") }

// openDataDir creates the directory, or checks that it is one we can read.
func openDataDir(dir string) (format, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return format{}, fmt.Errorf("create the data directory: %w", err)
	}
	path := filepath.Join(dir, "FORMAT")
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return createFormat(dir, path)
	}
	if err != nil {
		return format{}, fmt.Errorf("read the data directory's format: %w", err)
	}
	var f format
	if err := json.Unmarshal(raw, &f); err != nil || f.Version < 1 || f.Cluster == "" {
		return f, weirerr.New(weirerr.LogCorrupt, "the file %s is damaged", path).
			Hint("it holds {\"version\":1,\"cluster\":\"…\"}; the cluster's id is also in the targets' table weir.positions")
	}
	if f.Version > formatVersion {
		return f, weirerr.New(weirerr.FormatTooNew, "the data directory has format %d, this program knows up to %d", f.Version, formatVersion).
			With("data directory", dir).Hint("run the newer weir that wrote it")
	}
	return f, nil
}

// createFormat writes FORMAT into an empty directory, atomically.
func createFormat(dir, path string) (format, error) {
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		return format{}, errors.Join(err, weirerr.New(weirerr.InvalidArgument, "the directory is neither empty nor a data directory of weir").
			With("data directory", dir).Hint("give an empty directory, or one that weir made"))
	}
	id := make([]byte, 8)
	if _, err := rand.Read(id); err != nil {
		return format{}, err
	}
	f := format{Version: formatVersion, Cluster: hex.EncodeToString(id)}
	raw, err := json.Marshal(f)
	if err != nil {
		return f, err
	}
	if err := writeSynced(path+".new", raw); err != nil {
		return f, err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return f, err
	}
	return f, syncDir(dir)
}

func writeSynced(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = file.Write(content); err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
