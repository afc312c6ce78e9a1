package file

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/weirstream/weir/internal/weirerr"
)

// failed types an error of the file system: full and failing disks are retried, a
// missing right is not.
func failed(what, path string, err error) error {
	var typed *weirerr.Error
	if err == nil || errors.As(err, &typed) {
		return err
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return weirerr.New(weirerr.TargetFull, "no room to %s", what).With("path", path).Wrap(err).
			Hint("free disk space; delivery goes on by itself")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return weirerr.New(weirerr.TargetRights, "no right to %s", what).With("path", path).Wrap(err).
			Hint("let the user that runs weir write there, then resume the changefeed")
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EISDIR):
		return weirerr.New(weirerr.TargetConfig, "cannot %s", what).With("path", path).Wrap(err).
			Hint("choose another directory")
	}
	return weirerr.New(weirerr.TargetUnreachable, "cannot %s", what).With("path", path).Wrap(err).
		Hint("check the disk; delivery goes on by itself when it works again")
}

// fenced tells that a newer owner delivers this lane.
func fenced(path string, ours, theirs uint64) error {
	return weirerr.New(weirerr.TargetFenced, "a newer owner writes this lane").
		With("path", path).With("our_term", ours).With("their_term", theirs).
		Hint("nothing to do when another weir has taken over; else stop the other writer")
}

// damaged tells that the target is not as it was left.
func damaged(path, format string, args ...any) *weirerr.Error {
	return weirerr.New(weirerr.TargetConflict, format, args...).With("path", path).
		Hint("resync the changefeed: it then writes a new incarnation beside this one")
}
