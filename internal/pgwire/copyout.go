package pgwire

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/zset"
)

// rowWriter writes rows of a COPY TO.
type rowWriter struct {
	how     *Copy
	columns []Column
	quoted  []bool // by column
	values  pgvalue.Options
	scratch []byte
}

// copyOut sends a portal's rows as the data of a COPY, a message a row.
func (c *conn) copyOut(ctx context.Context, p *portal, how *Copy, last bool) error {
	w := newRowWriter(how, p.Columns(), c.session.Values())
	c.out.send(&pgproto3.CopyOutResponse{OverallFormat: overall(how), ColumnFormatCodes: columnFormats(how, len(w.columns))})
	if head := w.head(); head != nil {
		c.out.send(&pgproto3.CopyData{Data: head})
	}
	rows := int64(0)
	for {
		more, err := c.advance(ctx, p)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		for ; p.sent < p.chunk.N; p.sent++ {
			if err := c.copyRow(ctx, w, p); err != nil {
				return err
			}
		}
		rows += int64(p.chunk.N)
	}
	if how.Format == CopyBinary {
		c.out.send(&pgproto3.CopyData{Data: []byte{0xff, 0xff}})
	}
	c.out.send(&pgproto3.CopyDone{})
	return c.finish(ctx, p, rows, last)
}

func (c *conn) copyRow(ctx context.Context, w *rowWriter, p *portal) (err error) {
	at := c.out.begin('d')
	c.out.buf, err = w.row(c.out.buf, p.chunk.Cols, p.sent)
	if err != nil {
		c.out.buf = c.out.buf[:at-1]
		return err
	}
	if err := c.out.end(at); err != nil {
		return err
	}
	if len(c.out.buf) >= flushAt {
		if err := context.Cause(ctx); err != nil {
			return err
		}
	}
	return c.out.full()
}

func newRowWriter(how *Copy, columns []Column, values pgvalue.Options) *rowWriter {
	w := &rowWriter{how: how, columns: columns, values: values, quoted: make([]bool, len(columns))}
	for i, c := range columns {
		w.quoted[i] = how.ForceQuoteAll || contains(how.ForceQuote, c.Name)
	}
	return w
}

// head is what comes before the rows; nil: nothing.
func (w *rowWriter) head() []byte {
	switch {
	case w.how.Format == CopyBinary:
		return append([]byte(signature), 0, 0, 0, 0, 0, 0, 0, 0)
	case !w.how.Header:
		return nil
	}
	var line []byte
	for i, c := range w.columns {
		if i > 0 {
			line = append(line, w.how.Delimiter)
		}
		line = w.escape(line, []byte(c.Name), false)
	}
	return append(line, '\n')
}

// row appends row i.
func (w *rowWriter) row(dst []byte, cols []*zset.Vec, i int) ([]byte, error) {
	if w.how.Format == CopyBinary {
		return w.binaryRow(dst, cols, i)
	}
	for j, col := range w.columns {
		if j > 0 {
			dst = append(dst, w.how.Delimiter)
		}
		if cols[j].Null(i) {
			dst = append(dst, w.how.Null...)
			continue
		}
		w.scratch = pgvalue.AppendText(w.scratch[:0], cols[j], i, col.Type, w.values)
		dst = w.escape(dst, w.scratch, w.quoted[j])
	}
	return append(dst, '\n'), nil
}

func (w *rowWriter) binaryRow(dst []byte, cols []*zset.Vec, i int) (_ []byte, err error) {
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(w.columns)))
	for j, col := range w.columns {
		if cols[j].Null(i) {
			dst = append(dst, 0xff, 0xff, 0xff, 0xff)
			continue
		}
		dst = append(dst, 0, 0, 0, 0)
		at := len(dst)
		if dst, err = pgvalue.AppendBinary(dst, cols[j], i, col.Type); err != nil {
			return dst, err
		}
		putLength(dst[at-4:], len(dst)-at)
	}
	return dst, nil
}

// escape appends a value so that it is read back as it is.
func (w *rowWriter) escape(dst, text []byte, quote bool) []byte {
	if w.how.Format == CopyCSV {
		return w.csv(dst, text, quote)
	}
	for _, b := range text {
		switch b {
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\v':
			dst = append(dst, '\\', 'v')
		case '\\', w.how.Delimiter:
			dst = append(dst, '\\', b)
		default:
			dst = append(dst, b)
		}
	}
	return dst
}

// csv quotes what would be taken for something else: NULL, a delimiter, a line end,
// the end of the data.
func (w *rowWriter) csv(dst, text []byte, quote bool) []byte {
	if !quote {
		special := string([]byte{w.how.Delimiter, w.how.Quote, '\n', '\r'})
		quote = bytes.ContainsAny(text, special) || string(text) == w.how.Null || len(w.columns) == 1 && string(text) == `\.`
	}
	if !quote {
		return append(dst, text...)
	}
	dst = append(dst, w.how.Quote)
	for _, b := range text {
		if b == w.how.Quote || b == w.how.Escape {
			dst = append(dst, w.how.Escape)
		}
		dst = append(dst, b)
	}
	return append(dst, w.how.Quote)
}
