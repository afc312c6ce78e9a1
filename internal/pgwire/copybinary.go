package pgwire

import (
	"context"
	"encoding/binary"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/sql"
)

// signature begins a binary COPY.
const signature = "PGCOPY\n\xff\r\n\x00"

// copyBinary reads binary rows, in pieces.
//
//	signature | flags int32 | extension: length int32, bytes | rows | -1 int16
//	a row: number of fields int16, then of each its length int32 (-1: NULL) and bytes
type copyBinary struct {
	*loader
	buf   []byte
	start bool // the header has been read
	over  bool // the trailer has been read
	limit int  // longest row in bytes
}

func (b *copyBinary) feed(ctx context.Context, data []byte) error {
	b.buf = append(b.buf, data...)
	at := 0
	for !b.over {
		n, err := b.step(b.buf[at:])
		if err == errShort { //nolint:errorlint // a sign, not a failure
			break
		}
		if err != nil {
			return err
		}
		at += n
		if err := b.full(ctx); err != nil {
			return err
		}
	}
	if b.over && at < len(b.buf) {
		return b.at(fail(sql.BadCopyFormat, "received copy data after EOF marker"), "", nil)
	}
	b.buf = append(b.buf[:0], b.buf[at:]...)
	if len(b.buf) > b.limit {
		return fail(sql.ProgramLimitExceeded, "a row of COPY is longer than %d bytes", b.limit)
	}
	return nil
}

func (b *copyBinary) end(ctx context.Context) error {
	if !b.start || len(b.buf) > 0 {
		return b.at(fail(sql.BadCopyFormat, "unexpected EOF in COPY data"), "", nil)
	}
	return b.hand(ctx)
}

// step reads the header, a row or the trailer and gives its length.
func (b *copyBinary) step(data []byte) (int, error) {
	if !b.start {
		return b.header(data)
	}
	if len(data) < 2 {
		return 0, errShort
	}
	n := int(int16(binary.BigEndian.Uint16(data)))
	if n == -1 {
		b.over = true
		return 2, nil
	}
	b.line++
	used, err := b.row(data, n)
	if err != nil {
		b.line--
	}
	return used, err
}

func (b *copyBinary) header(data []byte) (int, error) {
	const fixed = len(signature) + 8
	if len(data) < fixed {
		return 0, errShort
	}
	if string(data[:len(signature)]) != signature {
		return 0, fail(sql.BadCopyFormat, "COPY file signature not recognized")
	}
	if flags := binary.BigEndian.Uint32(data[len(signature):]); flags>>16 != 0 {
		return 0, fail(sql.BadCopyFormat, "unrecognized critical flags in COPY file header")
	}
	extension := int(int32(binary.BigEndian.Uint32(data[len(signature)+4:])))
	if extension < 0 || extension > b.limit {
		return 0, fail(sql.BadCopyFormat, "invalid COPY file header (wrong length)")
	}
	if len(data) < fixed+extension {
		return 0, errShort
	}
	b.start = true
	return fixed + extension, nil
}

// row reads one row, when all of it is there.
func (b *copyBinary) row(data []byte, n int) (int, error) {
	if n != len(b.columns) {
		return 0, b.at(fail(sql.BadCopyFormat, "row field count is %d, expected %d", n, len(b.columns)), "", nil)
	}
	total, err := b.measure(data, n)
	if err != nil {
		return 0, err
	}
	at := 2
	for i, col := range b.columns {
		size := int(int32(binary.BigEndian.Uint32(data[at:])))
		at += 4
		if size < 0 {
			b.chunk.Cols[i].AppendNull()
			continue
		}
		if err := pgvalue.ParseBinary(b.chunk.Cols[i], col.Type, data[at:at+size]); err != nil {
			return 0, b.at(err, col.Name, nil)
		}
		at += size
	}
	b.chunk.N++
	b.bytes += total
	return total, nil
}

// measure gives the length of a row, without taking any of it.
func (b *copyBinary) measure(data []byte, n int) (int, error) {
	at := 2
	for i := range n {
		if len(data) < at+4 {
			return 0, errShort
		}
		size := int(int32(binary.BigEndian.Uint32(data[at:])))
		at += 4
		switch {
		case size < -1 || size > b.limit:
			return 0, b.at(fail(sql.BadCopyFormat, "invalid field size"), b.columns[i].Name, nil)
		case size > 0:
			at += size
		}
	}
	if len(data) < at {
		return 0, errShort
	}
	return at, nil
}
