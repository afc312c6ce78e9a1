package postgres

import (
	"context"
	"errors"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// The server makes a send of every message, so a reader that keeps up is woken for
// each: that costs the walsender and us more than all decoding. While messages come
// thick, batching asks the kernel to wake us only when batchBytes are there, or
// after batchWait: up to a hundred messages a system call, and 1 ms of delay.
const (
	batchBytes = 64 << 10
	batchWait  = time.Millisecond
	thick      = 16  // reads in batchWait that begin batching
	thin       = 512 // bytes in batchWait that end it
)

// batching is a connection that reads in batches while that pays. Only its reader
// may call Read; interrupt may come from anywhere.
type batching struct {
	net.Conn
	raw     syscall.RawConn
	enabled atomic.Bool // not before replication began: pgconn sets deadlines itself
	ended   atomic.Bool

	busy  bool
	since time.Time // the window in which reads are counted
	reads int
}

// dialBatching wraps dial's TCP connections.
func dialBatching(dial func(ctx context.Context, network, addr string) (net.Conn, error), made func(*batching)) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		tcp, ok := conn.(*net.TCPConn)
		if err != nil || !ok {
			return conn, err
		}
		raw, err := tcp.SyscallConn()
		if err != nil {
			return conn, nil //nolint:nilerr // without it, it is a plain connection
		}
		b := &batching{Conn: conn, raw: raw}
		made(b)
		return b, nil
	}
}

// interrupt ends the read under way and all later ones.
func (b *batching) interrupt() {
	b.ended.Store(true)
	_ = b.Conn.SetReadDeadline(time.Unix(1, 0))
}

// Read implements net.Conn.
func (b *batching) Read(p []byte) (int, error) {
	if !b.enabled.Load() {
		return b.Conn.Read(p)
	}
	if b.busy {
		n, err := b.batch(p)
		if err != nil || n > 0 {
			return n, err
		}
	}
	n, err := b.Conn.Read(p)
	now := time.Now()
	if b.reads++; now.Sub(b.since) > batchWait {
		b.since, b.reads = now, 0
	} else if b.reads >= thick {
		b.mark(batchBytes)
	}
	return n, err
}

// batch waits until a batch is there, at most batchWait, and reads what is. Nothing
// without an error: the stream has become thin.
func (b *batching) batch(p []byte) (n int, err error) {
	_ = b.Conn.SetReadDeadline(time.Now().Add(batchWait))
	if b.ended.Load() {
		return 0, os.ErrDeadlineExceeded
	}
	waited := false
	err = b.raw.Read(func(fd uintptr) bool {
		if !waited {
			waited = true
			return false // wait for the kernel's word first
		}
		n, err = readFD(fd, p)
		return true
	})
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = b.raw.Control(func(fd uintptr) { n, _ = readFD(fd, p) })
	}
	if n < thin {
		b.mark(1)
		_ = b.Conn.SetReadDeadline(time.Time{})
		if b.ended.Load() {
			return 0, os.ErrDeadlineExceeded
		}
	}
	return n, err
}

// readFD reads without waiting. An error or the end is left to the plain read that
// follows an empty one.
func readFD(fd uintptr, p []byte) (int, error) {
	n, err := syscall.Read(int(fd), p)
	if err != nil || n < 0 {
		return 0, nil //nolint:nilerr // see above
	}
	return n, nil
}

// mark sets how many bytes wake a reader, and with that the mode.
func (b *batching) mark(bytes int) {
	b.busy = bytes > 1
	b.since, b.reads = time.Time{}, 0
	_ = b.raw.Control(func(fd uintptr) {
		if syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT, bytes) != nil {
			b.busy = false
		}
	})
}
