package database

import (
	"context"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

// promiseWait bounds how long a channel's writer may take to promise.
const promiseWait = 30 * time.Second

// Logs lets the worker read channels, and ask their writers for promises. Writers are
// registered by those who have them.
type Logs struct {
	wal.Log

	mu      sync.Mutex
	writers map[string]func(ctx context.Context, t ts.Ts) error
}

// NewLogs makes Logs without writers.
func NewLogs(l wal.Log) *Logs {
	return &Logs{Log: l, writers: map[string]func(context.Context, ts.Ts) error{}}
}

// Serve says who promises for a channel; nil: nobody any more.
func (l *Logs) Serve(channel string, promise func(ctx context.Context, t ts.Ts) error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if promise == nil {
		delete(l.writers, channel)
		return
	}
	l.writers[channel] = promise
}

// Promise implements worker.Logs. What fails shows in the channel's resolved Ts, which stands still.
func (l *Logs) Promise(channel string, t ts.Ts) error {
	l.mu.Lock()
	promise := l.writers[channel]
	l.mu.Unlock()
	if promise == nil {
		return weirerr.New(weirerr.NotReady, "nobody writes the channel").With("channel", channel)
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), promiseWait)
		defer cancel()
		_ = promise(ctx, t)
	}()
	return nil
}
