package local

import (
	"errors"
	"io"
)

// errShort tells that the frame at the cursor is not wholly in the buffer.
var errShort = errors.New("local: the buffer ends inside a frame")

// errBad tells that there is no valid frame at the cursor.
var errBad = errors.New("local: no valid frame")

// cursor walks the frames of a file through one reusable buffer.
type cursor struct {
	r     io.ReaderAt
	salt  uint32
	limit int64 // end of what may be read
	off   int64 // of the next frame
	buf   []byte
	base  int64 // file offset of buf[0]
	n     int   // valid bytes in buf
}

// window is what the buffer holds from off on.
func (c *cursor) window() []byte {
	if c.off < c.base || c.off >= c.base+int64(c.n) {
		return nil
	}
	return c.buf[c.off-c.base : c.n]
}

// fill reads from off on, at least enough for the frame there. Frames handed out before are lost.
func (c *cursor) fill(size int) error {
	if w := c.window(); len(w) >= frameHeader && headerGood(w, c.salt, c.off) {
		size = max(size, int(frameSize(bodyLen(w))))
	}
	size = int(min(int64(size), c.limit-c.off))
	if len(c.buf) < size {
		c.buf = make([]byte, size)
	}
	n, err := c.r.ReadAt(c.buf[:size], c.off)
	c.base, c.n = c.off, n
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// next decodes the frame at off and moves behind it: io.EOF at the limit, errShort
// when it needs a fill, errBad when the frame is damaged (off stays).
func (c *cursor) next() (frame, error) {
	if c.off >= c.limit {
		return frame{off: c.off}, io.EOF
	}
	w := c.window()
	f, v := parse(w, c.salt, c.off)
	switch {
	case v == good:
		c.off = f.end()
		return f, nil
	case v == short && c.off+frameSize(bodyLen(w)) <= c.limit:
		return f, errShort
	case v == badHeader && len(w) < frameHeader && c.off+int64(len(w)) < c.limit:
		return f, errShort
	}
	return f, errBad
}

// read is next with the fills done; size is that of a fill in bytes. A second fill
// is for a frame larger than the first; a third would mean that the file ends early.
func (c *cursor) read(size int) (frame, error) {
	f, err := c.next()
	for tries := 0; err == errShort; tries++ {
		if tries == 2 {
			return f, errBad
		}
		if err := c.fill(size); err != nil {
			return f, err
		}
		f, err = c.next()
	}
	return f, err
}

// findNext is the first valid frame above from, or false. The cursor stands at it then.
func (c *cursor) findNext(from int64) (frame, bool, error) {
	for c.off = (from + 8) &^ 7; c.off < c.limit; c.off += 8 {
		w := c.window()
		if len(w) < frameHeader && c.off+int64(len(w)) < c.limit {
			if err := c.fill(1 << 20); err != nil {
				return frame{}, false, err
			}
			w = c.window()
		}
		if !headerGood(w, c.salt, c.off) {
			continue
		}
		at := c.off
		f, err := c.read(1 << 20)
		if err == nil {
			c.off = at
			return f, true, nil
		}
		if err != errBad && err != io.EOF {
			return f, false, err
		}
		c.off = at
	}
	return frame{}, false, nil
}
