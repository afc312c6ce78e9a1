package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// CLI runs a client command and returns what it printed.
func (w *Weir) CLI(ctx context.Context, args ...string) ([]byte, error) {
	return w.Run(ctx, append(args, "--server", w.Server())...)
}

// Run runs a command that asks no server, such as check, and returns what it
// printed.
func (w *Weir) Run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, w.opts.Bin, args...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("weir %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(errOut.String()+out.String()))
	}
	return out.Bytes(), nil
}

// JSON runs a client command with -o json and decodes its answer.
func (w *Weir) JSON(ctx context.Context, into any, args ...string) error {
	out, err := w.CLI(ctx, append(args, "-o", "json")...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, into); err != nil {
		return fmt.Errorf("weir %s: %w in %.300s", strings.Join(args, " "), err, out)
	}
	return nil
}

// Ts is a point on weir's clock as the API prints it, a number or a string.
type Ts uint64

// UnmarshalJSON takes a number, a string or null.
func (t *Ts) UnmarshalJSON(b []byte) error {
	s := strings.Trim(string(b), `"`)
	if s == "null" || s == "" {
		*t = 0
		return nil
	}
	_, err := fmt.Sscan(s, (*uint64)(t))
	return err
}

// Time is the wall time of a Ts, whose upper 46 bits are unix milliseconds.
func (t Ts) Time() time.Time { return time.UnixMilli(int64(t >> 18)) }

// Feed is the answer of "weir changefeed query -o json", as far as it is used here.
type Feed struct {
	State          string   `json:"state"`
	CheckpointTs   Ts       `json:"checkpoint_ts"`
	ResolvedTs     Ts       `json:"resolved_ts"`
	ConsistentFrom Ts       `json:"consistent_from"`
	Error          *Failure `json:"error"`
	Holder         *struct {
		Table string    `json:"table"`
		Stage string    `json:"stage"`
		Since time.Time `json:"since"`
	} `json:"holder"`
	Snapshot *struct {
		RowsDone  int64 `json:"rows_done"`
		RowsTotal int64 `json:"rows_total"`
	} `json:"snapshot"`
}

// Failure is an error as the API shows it.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Is tells whether it has that code, with or without weir's prefix.
func (f *Failure) Is(code string) bool {
	return f != nil && strings.TrimPrefix(f.Code, "WEIR:") == code
}

// Feed asks how a changefeed is.
func (w *Weir) Feed(ctx context.Context, name string) (Feed, error) {
	var f Feed
	return f, w.JSON(ctx, &f, "changefeed", "query", name)
}

// Consistent tells whether the target shows whole transactions: it has been
// delivered past the end of the initial snapshot.
func (f *Feed) Consistent() bool { return f.ConsistentFrom != 0 && f.CheckpointTs >= f.ConsistentFrom }

// AwaitFeed asks until ok says yes.
func (w *Weir) AwaitFeed(ctx context.Context, name string, limit time.Duration, ok func(Feed) bool) (Feed, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var last Feed
	for {
		f, err := w.Feed(ctx, name)
		if err == nil {
			if last = f; ok(f) {
				return f, nil
			}
		}
		select {
		case <-ctx.Done():
			b, _ := json.Marshal(last) // a struct of plain fields always encodes
			return last, fmt.Errorf("changefeed %s, after %v: %s (last error: %v)", name, limit, b, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Wait is "weir changefeed wait": all that was committed upstream before the
// call is delivered when it returns.
func (w *Weir) Wait(ctx context.Context, name string, limit time.Duration) error {
	_, err := w.CLI(ctx, "changefeed", "wait", name, "--timeout", limit.String())
	return err
}
