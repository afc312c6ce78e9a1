package local

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// file is what the log needs of one file. Tests put faults behind it.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	// Sync makes data and size durable.
	Sync() error
	// Allocate reserves disk blocks up to size; new bytes read as zero. A large
	// file leaves the disk some headroom.
	Allocate(size int64) error
	Truncate(size int64) error
	Size() (int64, error)
	// NextData is the first offset >= off that may hold other bytes than zero; io.EOF when none.
	NextData(off int64) (int64, error)
	// StartWriteback asks the kernel to begin writing a range. It promises nothing.
	StartWriteback(off, n int64)
}

// fsys is what the log needs of a file system.
type fsys interface {
	Open(path string, flag int) (file, error)
	Rename(from, to string) error
	Remove(path string) error
	SyncDir(dir string) error
}

// osFS is the operating system's file system.
type osFS struct{}

func (osFS) Open(path string, flag int) (file, error) {
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (osFS) Rename(from, to string) error { return os.Rename(from, to) }

func (osFS) Remove(path string) error { return os.Remove(path) }

func (osFS) SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

type osFile struct{ *os.File }

func (f osFile) Sync() error {
	return retryInterrupted(func() error { return unix.Fdatasync(int(f.Fd())) })
}

func (f osFile) Allocate(size int64) error {
	if size >= headroom {
		if err := f.Room(size); err != nil {
			return err
		}
	}
	err := retryInterrupted(func() error { return unix.Fallocate(int(f.Fd()), 0, 0, size) })
	if errors.Is(err, unix.EOPNOTSUPP) {
		return f.Truncate(size)
	}
	return err
}

// headroom is what segments and parts leave free of the disk, in bytes: the
// metadata store, which saves the checkpoints that make room, may be on it.
const headroom = 32 << 20

// roomy is a file that knows its disk.
type roomy interface{ Room(n int64) error }

// Room is ENOSPC when n more bytes would not leave the headroom.
func (f osFile) Room(n int64) error {
	var fs unix.Statfs_t
	if err := retryInterrupted(func() error { return unix.Fstatfs(int(f.Fd()), &fs) }); err != nil {
		return nil // not supported: the write itself will tell
	}
	if int64(fs.Bavail)*fs.Bsize < n+headroom {
		return unix.ENOSPC
	}
	return nil
}

func (f osFile) Size() (int64, error) {
	st, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return st.Size(), nil
}

func (f osFile) NextData(off int64) (int64, error) {
	at, err := unix.Seek(int(f.Fd()), off, unix.SEEK_DATA)
	switch {
	case errors.Is(err, unix.ENXIO):
		return 0, io.EOF
	case err != nil: // not supported: everything may be data
		return off, nil
	}
	return at, nil
}

func (f osFile) StartWriteback(off, n int64) {
	_ = unix.SyncFileRange(int(f.Fd()), off, n, unix.SYNC_FILE_RANGE_WRITE)
}

func retryInterrupted(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// isFull tells whether err says that the disk, or the owner's quota, is full.
func isFull(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)
}
