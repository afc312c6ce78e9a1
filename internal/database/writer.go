package database

import (
	"context"
	"errors"
	"sync"

	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// writer appends the database's own transactions to its log channel.
type writer struct {
	channel wal.Channel

	mu sync.Mutex
	w  wal.Writer // nil: to be led anew
}

// lead makes this process the channel's writer.
func (w *writer) lead(ctx context.Context) (wal.Writer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.w != nil {
		return w.w, nil
	}
	led, err := w.channel.Lead(ctx)
	if err != nil {
		return nil, err
	}
	w.w = led
	return led, nil
}

// lost forgets a writer that is of no use any more.
func (w *writer) lost(old wal.Writer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.w == old {
		w.w = nil
		_ = old.Close()
	}
}

// promise makes the channel's resolved Ts pass e.
func (w *writer) promise(ctx context.Context, e ts.Ts) error {
	led, err := w.lead(ctx)
	if err != nil {
		return err
	}
	if _, err = led.Promise(e); err != nil {
		w.lost(led)
	}
	return err
}

// append makes changes one transaction of the log, durable when it returns.
func (w *writer) append(ctx context.Context, changes []byte, ends []int) (ts.Ts, error) {
	led, err := w.lead(ctx)
	if err != nil {
		return 0, err
	}
	entry := wal.Entry{Kind: wal.KindTxn, Changes: changes}
	if len(changes) > wal.MaxChanges {
		if entry.Large, err = large(led, changes, ends); err != nil {
			return 0, err
		}
		entry.Changes = nil
	}
	at, err := led.Append(&entry)
	if err == nil {
		err = led.WaitDurable(context.WithoutCancel(ctx), at)
	}
	if err != nil {
		w.lost(led)
		return 0, unknown(err)
	}
	return at, nil
}

// large writes the parts of a transaction that is too large for one entry.
func large(w wal.Writer, changes []byte, ends []int) (*wal.LargeRef, error) {
	parts, err := w.Large()
	if err != nil {
		return nil, err
	}
	from, last := 0, 0
	put := func(to int) error {
		if to == from {
			return nil
		}
		part := changes[from:to]
		from = to
		return parts.Part(1, part)
	}
	for _, end := range ends {
		if end-from > wal.MaxChanges {
			if err = put(last); err != nil {
				break
			}
		}
		last = end
	}
	if err == nil {
		err = put(last)
	}
	if err != nil {
		return nil, errors.Join(err, parts.Abort())
	}
	ref, err := parts.Seal(nil)
	if err == nil {
		ref.Changes = int64(len(ends))
	}
	return ref, err
}

// unknown is what a client is told when the log does not say whether it has the transaction.
func unknown(err error) error {
	if code := weirerr.CodeOf(err); code != weirerr.LogUnknown && code != weirerr.LogFenced {
		return err
	}
	return &sql.Error{
		Code: "08007", Message: "the outcome of the transaction is unknown: " + err.Error(), Pos: -1,
		Hint: "Read what it wrote before you repeat it.",
	}
}

// close gives the writer back.
func (w *writer) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.w != nil {
		_ = w.w.Close()
		w.w = nil
	}
}
