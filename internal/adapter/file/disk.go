package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/weirstream/weir/internal/weirerr"
)

// disk is what the package asks of a file system; each method is about one system
// call, so that tests can stop between any two.
type disk interface {
	MkdirAll(dir string) error
	// Create makes a file that must not exist, for appending.
	Create(path string, mode fs.FileMode) (handle, error)
	OpenRead(path string) (readHandle, error)
	ReadFile(path string) ([]byte, error)
	ReadDir(dir string) ([]string, error)
	// Stat gives the size, and a number that names the file whatever it is called.
	Stat(path string) (size int64, id uint64, err error)
	Rename(from, to string) error
	Remove(path string) error
	Truncate(path string, size int64) error
	SyncDir(dir string) error
	// Lock holds the file at path against other processes, and other holders in this one.
	Lock(ctx context.Context, path string) (unlock func(), err error)
}

type handle interface {
	io.WriteCloser
	Sync() error // of data and size
	ID() (uint64, error)
}

type readHandle interface {
	io.ReaderAt
	io.Closer
}

// osDisk is the operating system's.
type osDisk struct{}

type osHandle struct{ *os.File }

func (h osHandle) Sync() error { return fdatasync(h.File) }

func (h osHandle) ID() (uint64, error) {
	var st unix.Stat_t
	err := unix.Fstat(int(h.Fd()), &st)
	return st.Ino, err
}

func (osDisk) MkdirAll(dir string) error { return os.MkdirAll(dir, 0o750) }

func (osDisk) Create(path string, mode fs.FileMode) (handle, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, mode)
	if err != nil {
		return nil, err
	}
	return osHandle{f}, nil
}

func (osDisk) OpenRead(path string) (readHandle, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (osDisk) ReadFile(path string) ([]byte, error) { return os.ReadFile(path) }

func (osDisk) ReadDir(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

func (osDisk) Stat(path string) (int64, uint64, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return 0, 0, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return st.Size, st.Ino, nil
}

func (osDisk) Rename(from, to string) error           { return os.Rename(from, to) }
func (osDisk) Remove(path string) error               { return os.Remove(path) }
func (osDisk) Truncate(path string, size int64) error { return os.Truncate(path, size) }

func (osDisk) SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// lockPatience is how long another holder may take; a commit takes milliseconds.
const lockPatience = 10 * time.Second

// Lock polls, since a blocked flock cannot be given up.
func (osDisk) Lock(ctx context.Context, path string) (func(), error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	wait := time.Millisecond
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil // closing releases
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			break
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, weirerr.New(weirerr.TargetUnreachable, "another process holds the lock of this lane").
				With("path", path).Wrap(ctx.Err()).Hint("end the other writer if it hangs")
		case <-time.After(wait):
			wait = min(2*wait, 100*time.Millisecond)
		}
	}
	f.Close()
	return nil, err
}
