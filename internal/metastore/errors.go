package metastore

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weirstream/weir/internal/weirerr"
)

// errLock types what the lock on the directory says.
func errLock(dir string, err error) error {
	if errors.Is(err, syscall.EAGAIN) || strings.Contains(err.Error(), "held by current process") {
		return weirerr.New(weirerr.DataDirLocked, "the metadata store is in use").With("path", dir).
			Hint("another weir serves this data directory; stop it first").Wrap(err)
	}
	return fmt.Errorf("metastore: lock %s: %w", dir, err)
}

// errOpen types what Pebble says when it does not open.
func errOpen(dir string, err error) error {
	// Pebble has no type for a format of its own that is too new, only this text.
	if strings.Contains(err.Error(), "unknown format major version") {
		return weirerr.New(weirerr.FormatTooNew, "the metadata store was written by a newer weir").
			With("path", dir).Hint("run the weir that wrote it, or a newer one").Wrap(err)
	}
	if pebble.IsCorruptionError(err) {
		return weirerr.New(weirerr.StoreCorrupt, "the metadata store is damaged").
			With("path", dir).Hint("restore the whole data directory from a copy, or start over with source resync").Wrap(err)
	}
	return fmt.Errorf("metastore: open %s: %w", dir, err)
}

// errRead types an error of an open store; nil stays nil.
func errRead(err error) error {
	if err == nil {
		return nil
	}
	if pebble.IsCorruptionError(err) {
		return weirerr.New(weirerr.StoreCorrupt, "the metadata store is damaged").
			Hint("restore the whole data directory from a copy, or start over with source resync").Wrap(err)
	}
	return fmt.Errorf("metastore: %w", err)
}
