package reconcile

import (
	"context"
	"errors"
	"io"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// Rows calls fn with the rows of a chunk, whose outcome lies at a Ts of the side channel:
// whole changes, borrowed, in runs.
func Rows(ctx context.Context, side wal.Channel, at ts.Ts, fn func(changes []byte) error) error {
	rd, err := side.Read(at - 1)
	if err != nil {
		return err
	}
	defer rd.Close()
	for {
		in, err := rd.Next(ctx)
		if err != nil {
			return err
		}
		if len(in.Entries) == 0 && in.Resolved < at {
			continue
		}
		if len(in.Entries) == 0 || in.Entries[0].Ts != at {
			return weirerr.New(weirerr.LogCorrupt, "rows of a snapshot chunk are missing").
				With("channel", side.Name()).With("ts", at).Hint("take the snapshot again: resync what follows the source")
		}
		if e := &in.Entries[0]; e.Large == nil {
			return fn(e.Changes)
		}
		return Parts(side, in.Entries[0].Large, fn)
	}
}

// Parts calls fn with the changes of a large transaction, in the order written.
func Parts(channel wal.Channel, ref *wal.LargeRef, fn func(changes []byte) error) error {
	parts, err := channel.Parts(ref)
	if err != nil {
		return err
	}
	defer parts.Close()
	joined := wal.Joiner{Parts: parts}
	for {
		changes, err := joined.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = fn(changes)
		}
		if err != nil {
			return err
		}
	}
}
