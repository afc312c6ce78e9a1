package postgres

import (
	"encoding/binary"
	"io"
	"math/bits"

	"github.com/weirstream/weir/internal/row"
)

// copyReader gives rows in COPY's text format, encoded as they are read, so that
// encoding and the server's work overlap and no copy of all rows is made.
type copyReader struct {
	p    *piece
	rows []ref
	skip []bool // source columns that are not delivered; nil when none
	line []byte // encoded and not yet read
	at   int
}

func newCopyReader(p *piece, b *binding, rows []ref) *copyReader {
	r := &copyReader{p: p, rows: rows}
	for i := range b.cols {
		if b.cols[i].name == "" && r.skip == nil {
			r.skip = make([]bool, len(b.cols))
		}
		if b.cols[i].name == "" {
			r.skip[i] = true
		}
	}
	return r
}

// Read implements io.Reader.
func (r *copyReader) Read(dst []byte) (int, error) {
	n := 0
	for n < len(dst) {
		if r.at == len(r.line) {
			if len(r.rows) == 0 {
				break
			}
			r.line, r.at = r.append(r.line[:0], r.p.tuple(r.rows[0].image)), 0
			r.rows = r.rows[1:]
		}
		c := copy(dst[n:], r.line[r.at:])
		r.at += c
		n += c
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (r *copyReader) append(dst []byte, t row.Tuple) []byte {
	first := true
	for c, it := 0, t.Iter(); it.Next(); c++ {
		if r.skip != nil && r.skip[c] {
			continue
		}
		if !first {
			dst = append(dst, '\t')
		}
		first = false
		if it.State == row.Present {
			dst = appendCopyText(dst, it.Value)
		} else {
			dst = append(dst, '\\', 'N')
		}
	}
	return append(dst, '\n')
}

// appendCopyText appends a value in COPY's text format. Only backslash and the
// bytes that end a column or a line need an escape; most values have none, which
// eight bytes at a time tell.
func appendCopyText(dst, v []byte) []byte {
	for len(v) > 0 {
		n := plainPrefix(v)
		dst = append(dst, v[:n]...)
		if n == len(v) {
			break
		}
		switch c := v[n]; c {
		case '\t':
			dst = append(dst, '\\', 't')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', c)
		}
		v = v[n+1:]
	}
	return dst
}

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plainPrefix counts the bytes before the first that needs an escape.
func plainPrefix(v []byte) int {
	i := 0
	for ; i+8 <= len(v); i += 8 {
		w := binary.LittleEndian.Uint64(v[i:])
		// A byte below 0x0e, or equal to a backslash, sets its high bit. A borrow may
		// also mark a byte above such a one, never below, so the lowest mark is exact
		// but for the bytes below 0x0e that need none; those are looked at one by one.
		x := w ^ lows*'\\'
		mark := ((w - lows*0x0e) &^ w & highs) | ((x - lows) &^ x & highs)
		if mark != 0 {
			if j := i + bits.TrailingZeros64(mark)/8; special(v[j]) {
				return j
			}
			break
		}
	}
	for ; i < len(v) && !special(v[i]); i++ {
	}
	return i
}

func special(c byte) bool { return c == '\\' || c == '\n' || c == '\t' || c == '\r' }
