package pgwire

import (
	"encoding/binary"
	"errors"
	"math"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// flushAt is how much output gathers before it is written, in bytes.
const flushAt = 32 << 10

// writer gathers messages. Its first error stays: the connection is of no use then.
type writer struct {
	conn    net.Conn
	timeout time.Duration // longest time that one write may take; 0: no limit
	buf     []byte
	err     error
}

// send adds a message. A message that cannot be encoded is a mistake of ours.
func (w *writer) send(msg pgproto3.BackendMessage) {
	if w.err != nil {
		return
	}
	if w.buf, w.err = msg.Encode(w.buf); w.err != nil {
		w.buf = nil
	}
}

// begin starts a message by hand and gives where it begins.
func (w *writer) begin(kind byte) int {
	w.buf = append(w.buf, kind, 0, 0, 0, 0)
	return len(w.buf) - 4
}

var errTooLong = errors.New("a message is longer than the protocol allows")

// end writes the length of the message that began at.
func (w *writer) end(at int) error {
	n := len(w.buf) - at
	if n > math.MaxInt32 {
		w.buf = w.buf[:at-1]
		return errTooLong
	}
	binary.BigEndian.PutUint32(w.buf[at:], uint32(n))
	return nil
}

// full writes what has gathered if that is much.
func (w *writer) full() error {
	if len(w.buf) < flushAt {
		return w.err
	}
	return w.flush()
}

// flush writes what has gathered.
func (w *writer) flush() error {
	if w.err != nil || len(w.buf) == 0 {
		return w.err
	}
	if w.timeout > 0 {
		_ = w.conn.SetWriteDeadline(time.Now().Add(w.timeout))
	}
	_, w.err = w.conn.Write(w.buf)
	const keep = 4 * flushAt
	if cap(w.buf) > keep {
		w.buf = nil
	}
	w.buf = w.buf[:0]
	return w.err
}
