package bench

import (
	"context"
	"path/filepath"
	"time"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/wal/local"
)

// Reopen writes a log of size bytes in 1 KiB entries below dir, and measures how long
// it takes to open it again: lock, footers, and the last segment read whole.
func Reopen(ctx context.Context, dir string, size int64) (time.Duration, error) {
	dir = filepath.Join(dir, "reopen")
	if err := fillLog(ctx, dir, size); err != nil {
		return 0, err
	}
	began := time.Now()
	l, err := local.Open(dir, local.Options{})
	if err != nil {
		return 0, err
	}
	_, err = l.Channel("bench")
	took := time.Since(began)
	if e := l.Close(); err == nil {
		err = e
	}
	return took, err
}

func fillLog(ctx context.Context, dir string, size int64) (err error) {
	l, err := local.Open(dir, local.Options{})
	if err != nil {
		return err
	}
	defer func() {
		if e := l.Close(); err == nil {
			err = e
		}
	}()
	c, err := l.Channel("bench")
	if err != nil {
		return err
	}
	w, err := c.Lead(ctx)
	if err != nil {
		return err
	}
	var last ts.Ts
	for n := int64(0); n < size; n += 1 << 10 {
		if last, err = w.Append(&wal.Entry{Kind: wal.KindTxn, Changes: make([]byte, 1<<10)}); err != nil {
			return err
		}
	}
	return w.WaitDurable(ctx, last)
}
