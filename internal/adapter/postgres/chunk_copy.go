package postgres

import (
	"bytes"
	"encoding/binary"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// chunkRows turns COPY's text format into row changes. It is given what COPY
// sends, cut anywhere, mostly a row at a time, and allocates nothing per row.
type chunkRows struct {
	head    []byte // op, table and version, as each change begins
	columns int
	emit    func(changes []byte, rows int) error

	buf     []byte // changes not emitted yet
	rows    int    // in buf
	part    []byte // of a row whose end is still to come
	scratch []byte
}

// Write takes what COPY sends.
func (r *chunkRows) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n') // within values it is escaped
		if end < 0 {
			r.part = append(r.part, p...)
			break
		}
		line := p[:end]
		p = p[end+1:]
		if len(r.part) > 0 {
			line = append(r.part, line...)
			r.part = line[:0]
		}
		if err := r.line(line); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// line appends one row.
func (r *chunkRows) line(line []byte) error {
	start := len(r.buf) + len(r.head)
	buf := append(append(r.buf, r.head...), 0) // one byte for the length, mostly enough
	buf = binary.AppendUvarint(buf, uint64(r.columns))
	escaped := bytes.IndexByte(line, '\\') >= 0
	fields := 0
	for rest, more := line, r.columns > 0; more; fields++ {
		field := rest
		if tab := bytes.IndexByte(rest, '\t'); tab >= 0 {
			field, rest = rest[:tab], rest[tab+1:]
		} else {
			more = false
		}
		switch {
		case !escaped:
			buf = row.AppendValue(buf, field)
		case len(field) == 2 && field[0] == '\\' && field[1] == 'N':
			buf = row.AppendNull(buf)
		default:
			r.scratch = unescape(r.scratch[:0], field)
			buf = row.AppendValue(buf, r.scratch)
		}
	}
	if fields != r.columns {
		return weirerr.New(weirerr.UpstreamProtocol, "COPY sent a row of %d columns, expected %d", fields, r.columns)
	}
	r.buf = prefixLength(buf, start)
	if r.rows++; len(r.buf) >= flushAt {
		return r.flush()
	}
	return nil
}

func (r *chunkRows) flush() error {
	if r.rows == 0 {
		return nil
	}
	err := r.emit(r.buf, r.rows)
	r.buf, r.rows = r.buf[:0], 0
	return err
}

// finish emits the rest.
func (r *chunkRows) finish() error {
	if len(r.part) > 0 {
		return weirerr.New(weirerr.UpstreamProtocol, "COPY ended within a row")
	}
	return r.flush()
}

// unescape appends a field of COPY's text format as the value it stands for.
func unescape(dst, field []byte) []byte {
	for {
		at := bytes.IndexByte(field, '\\')
		if at < 0 || at == len(field)-1 {
			return append(dst, field...)
		}
		dst = append(dst, field[:at]...)
		c := field[at+1]
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'v':
			c = '\v'
		}
		dst = append(dst, c)
		field = field[at+2:]
	}
}
