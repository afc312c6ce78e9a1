package lsm

import (
	"errors"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// MakeDir creates dir and makes its name durable.
func MakeDir(fs vfs.FS, dir string) error {
	if err := fs.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	parent, err := fs.OpenDir(fs.PathDir(dir))
	if err != nil {
		return err
	}
	return errors.Join(parent.Sync(), parent.Close())
}

// Disk makes dir on the disk, for its owner alone, and returns a file system
// whose files only their owner reads.
func Disk(dir string) (vfs.FS, error) {
	if err := errors.Join(MakeDir(vfs.Default, dir), os.Chmod(dir, 0o700)); err != nil {
		return nil, err
	}
	return private{vfs.Default}, nil
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
