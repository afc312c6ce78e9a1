package metastore

import (
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// makeDir creates dir and makes its name durable.
func makeDir(fs vfs.FS, dir string) error {
	if err := fs.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	parent, err := fs.OpenDir(fs.PathDir(dir))
	if err != nil {
		return err
	}
	return errors.Join(parent.Sync(), parent.Close())
}

// private is the disk with files that only their owner reads.
type private struct{ vfs.FS }

func (p private) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return restrict(name)(p.FS.Create(name, category))
}

func (p private) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return restrict(name)(p.FS.OpenReadWrite(name, category, opts...))
}

func restrict(name string) func(vfs.File, error) (vfs.File, error) {
	return func(f vfs.File, err error) (vfs.File, error) {
		if err != nil {
			return nil, err
		}
		if err := os.Chmod(name, 0o600); err != nil {
			_ = f.Close()
			return nil, err
		}
		return f, nil
	}
}

// Unwrap lets Pebble find the disk below.
func (p private) Unwrap() vfs.FS { return p.FS }

// pebbleLog passes Pebble's words on.
type pebbleLog struct{ log *slog.Logger }

func (l pebbleLog) Infof(format string, args ...any) {
	l.log.Debug(fmt.Sprintf(format, args...), "component", "metastore")
}

func (l pebbleLog) Errorf(format string, args ...any) {
	l.log.Error(fmt.Sprintf(format, args...), "component", "metastore")
}

// events replaces what Pebble does about a damaged table, which is to end the
// process: the read that met it has the error.
func (l pebbleLog) events() *pebble.EventListener {
	return &pebble.EventListener{DataCorruption: func(info pebble.DataCorruptionInfo) {
		l.Errorf("%s", info)
	}}
}

// Fatalf must not return. Pebble calls it when a write to its log or manifest
// failed and it cannot know what is on the disk; only opening again can tell.
func (l pebbleLog) Fatalf(format string, args ...any) {
	l.log.Error(fmt.Sprintf(format, args...), "component", "metastore", "consequence", "exit")
	os.Exit(1)
}
