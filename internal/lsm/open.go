package lsm

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weirstream/weir/internal/weirerr"
)

// Name is how a store is called.
type Name struct {
	Store     string // in errors: "metadata store"
	Component string // in the log and in front of untyped errors: "metastore"
	Restore   string // what to do when it is damaged
}

// Open locks dir and opens the database in it with opts, to which it adds file
// system, lock, format and logging. Errors: DataDirLocked, FormatTooNew,
// StoreCorrupt. The lock is released after the database is closed.
func (n Name) Open(fs vfs.FS, dir string, opts *pebble.Options, log *slog.Logger) (*pebble.DB, io.Closer, error) {
	lock, err := pebble.LockDirectory(dir, fs)
	if err != nil {
		return nil, nil, n.errLock(dir, err)
	}
	l := logger{log, n.Component}
	opts.FS, opts.Lock, opts.FormatMajorVersion = fs, lock, pebble.FormatNewest
	opts.Logger, opts.EventListener = l, l.events()
	db, err := pebble.Open(dir, opts)
	if err != nil {
		return nil, nil, errors.Join(n.errOpen(dir, err), lock.Close())
	}
	return db, lock, nil
}

// errLock types what the lock on the directory says.
func (n Name) errLock(dir string, err error) error {
	if errors.Is(err, syscall.EAGAIN) || strings.Contains(err.Error(), "held by current process") {
		return weirerr.New(weirerr.DataDirLocked, "the %s is in use", n.Store).With("path", dir).
			Hint("another weir serves this data directory; stop it first").Wrap(err)
	}
	return fmt.Errorf("%s: lock %s: %w", n.Component, dir, err)
}

// errOpen types what Pebble says when it does not open.
func (n Name) errOpen(dir string, err error) error {
	// Pebble has no type for a format of its own that is too new, only this text.
	if strings.Contains(err.Error(), "unknown format major version") {
		return weirerr.New(weirerr.FormatTooNew, "the %s was written by a newer weir", n.Store).
			With("path", dir).Hint("run the weir that wrote it, or a newer one").Wrap(err)
	}
	if pebble.IsCorruptionError(err) {
		return weirerr.New(weirerr.StoreCorrupt, "the %s is damaged", n.Store).With("path", dir).Hint("%s", n.Restore).Wrap(err)
	}
	if isFull(err) {
		return n.full(err).With("path", dir)
	}
	return fmt.Errorf("%s: open %s: %w", n.Component, dir, err)
}

// Error types an error of an open store; nil stays nil.
func (n Name) Error(err error) error {
	if err == nil {
		return nil
	}
	if pebble.IsCorruptionError(err) {
		return weirerr.New(weirerr.StoreCorrupt, "the %s is damaged", n.Store).Hint("%s", n.Restore).Wrap(err)
	}
	if isFull(err) {
		return n.full(err)
	}
	return fmt.Errorf("%s: %w", n.Component, err)
}

// isFull tells whether err says that the disk, or the owner's quota, is full.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

func (n Name) full(err error) *weirerr.Error {
	return weirerr.New(weirerr.LogFull, "no room on the disk of the %s", n.Store).
		Hint("free space on the disk of the data directory; work goes on by itself").Wrap(err)
}
