package postgres

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/weirstream/weir/internal/weirerr"
)

// cursor reads the fields of a message. Reading past the end sets bad and gives
// zeros, so a message is checked once, after its last field.
type cursor struct {
	b   []byte
	bad bool
}

func (c *cursor) u8() byte {
	if len(c.b) < 1 {
		c.bad = true
		return 0
	}
	v := c.b[0]
	c.b = c.b[1:]
	return v
}

func (c *cursor) u16() uint16 {
	if len(c.b) < 2 {
		c.bad = true
		return 0
	}
	v := binary.BigEndian.Uint16(c.b)
	c.b = c.b[2:]
	return v
}

func (c *cursor) u32() uint32 {
	if len(c.b) < 4 {
		c.bad = true
		return 0
	}
	v := binary.BigEndian.Uint32(c.b)
	c.b = c.b[4:]
	return v
}

func (c *cursor) u64() uint64 {
	if len(c.b) < 8 {
		c.bad = true
		return 0
	}
	v := binary.BigEndian.Uint64(c.b)
	c.b = c.b[8:]
	return v
}

// text reads a string that ends with a zero byte.
func (c *cursor) text() string {
	n := bytes.IndexByte(c.b, 0)
	if n < 0 {
		c.bad = true
		return ""
	}
	s := string(c.b[:n])
	c.b = c.b[n+1:]
	return s
}

// take borrows the next n bytes.
func (c *cursor) take(n uint32) []byte {
	if uint64(n) > uint64(len(c.b)) {
		c.bad = true
		return nil
	}
	v := c.b[:n:n]
	c.b = c.b[n:]
	return v
}

// malformed is the error for a message that cannot be read. It shows the first
// bytes, never values further in.
func malformed(msg []byte, format string, args ...any) *weirerr.Error {
	return weirerr.New(weirerr.UpstreamProtocol, "cannot read a message of the replication stream: "+format, args...).
		With("message", fmt.Sprintf("% x", msg[:min(len(msg), 24)])).With("length", len(msg)).
		Hint("report this with the server's version; nothing was skipped, the stream stands at this transaction")
}
