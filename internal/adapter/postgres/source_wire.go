package postgres

import (
	"bufio"
	"io"
	"sync/atomic"
	"time"
)

// wireBuffer holds what the server sent while we were busy: one system call for many
// messages, since the server makes one for each.
const wireBuffer = 256 << 10

// wire is the receiving end of a replication connection. It knows for how long a
// read has been waiting.
type wire struct {
	*bufio.Reader
	since atomic.Int64 // unix nanoseconds since when the current read waits; 0: none
}

func newWire(r io.Reader) *wire {
	w := &wire{}
	w.Reader = bufio.NewReaderSize(watched{w, r}, wireBuffer)
	return w
}

// waiting is for how long the current read has been waiting, 0 when none is.
func (w *wire) waiting(now time.Time) time.Duration {
	since := w.since.Load()
	if since == 0 {
		return 0
	}
	return now.Sub(time.Unix(0, since))
}

type watched struct {
	w *wire
	r io.Reader
}

func (r watched) Read(b []byte) (int, error) {
	r.w.since.Store(time.Now().UnixNano())
	n, err := r.r.Read(b)
	r.w.since.Store(0)
	return n, err
}
