package pgwire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// A chunk of COPY goes to the Session when it has so many rows or bytes of text.
const (
	loadRows  = 4096
	loadBytes = 1 << 20
)

// loader gathers the rows of a COPY FROM in columns.
type loader struct {
	how     *Copy
	portal  Portal
	columns []Column
	values  pgvalue.Options
	chunk   *zset.Chunk
	bytes   int
	line    int64 // of the data, from 1
	loaded  int64
}

func newLoader(p Portal, how *Copy, values pgvalue.Options) *loader {
	l := &loader{how: how, portal: p, columns: p.Columns(), values: values}
	l.reset()
	return l
}

// reset begins a chunk; the one before is the Session's.
func (l *loader) reset() {
	kinds := make([]zset.Kind, len(l.columns))
	for i, c := range l.columns {
		kinds[i] = zset.KindOf(c.Type.OID)
	}
	l.chunk, l.bytes = zset.NewChunk(kinds, 0), 0
}

// full hands the chunk over when it is large enough.
func (l *loader) full(ctx context.Context) error {
	if l.chunk.N < loadRows && l.bytes < loadBytes {
		return nil
	}
	return l.hand(ctx)
}

// hand gives the chunk to the Session.
func (l *loader) hand(ctx context.Context) error {
	if l.chunk.N == 0 {
		return nil
	}
	chunk := l.chunk
	l.loaded += int64(chunk.N)
	l.reset()
	return l.portal.Load(ctx, chunk)
}

// textRow takes the fields of a line.
func (l *loader) textRow(line []byte, list []field) error {
	switch {
	case len(list) < len(l.columns):
		e := fail(sql.BadCopyFormat, "missing data for column \"%s\"", l.columns[len(list)].Name)
		return l.at(e, "", line)
	case len(list) > len(l.columns) && !(len(l.columns) == 0 && len(line) == 0):
		return l.at(fail(sql.BadCopyFormat, "extra data after last expected column"), "", line)
	}
	if err := pgvalue.CheckUTF8(line); err != nil {
		return l.at(err, "", nil)
	}
	for i, col := range l.columns {
		v := l.chunk.Cols[i]
		if list[i].null {
			v.AppendNull()
			continue
		}
		if err := l.value(v, col, list[i]); err != nil {
			return l.at(err, col.Name, list[i].text)
		}
	}
	l.chunk.N++
	l.bytes += len(line)
	return nil
}

func (l *loader) value(v *zset.Vec, col Column, f field) error {
	if f.escaped {
		if err := pgvalue.CheckUTF8(f.text); err != nil {
			return err
		}
	}
	return pgvalue.AppendValue(v, col.Type, f.text, l.values)
}

// header checks the first line against the columns, if that is asked for.
func (l *loader) header(list []field) error {
	if !l.how.Match {
		return nil
	}
	if len(list) != len(l.columns) {
		e := fail(sql.BadCopyFormat, "wrong number of fields in header line: got %d, expected %d", len(list), len(l.columns))
		return l.at(e, "", nil)
	}
	for i, f := range list {
		if f.null || !bytes.Equal(f.text, []byte(l.columns[i].Name)) {
			e := fail(sql.BadCopyFormat, "column name mismatch in header line field %d: got \"%s\", expected \"%s\"", i+1, f.text, l.columns[i].Name)
			return l.at(e, "", nil)
		}
	}
	return nil
}

// at says in which line, column and value something went wrong.
func (l *loader) at(err error, column string, value []byte) error {
	e := *toSQL(context.Background(), err)
	e.Where = fmt.Sprintf("COPY %s, line %d", l.how.Target, l.line)
	if column != "" {
		e.Where += ", column " + column
	}
	if value != nil {
		e.Where += ": \"" + shorten(value) + "\""
	}
	return &e
}

// shorten keeps the beginning of a value, for a message.
func shorten(b []byte) string {
	const most = 100
	if len(b) <= most {
		return string(bytes.ToValidUTF8(b, []byte("?")))
	}
	n := most
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return string(bytes.ToValidUTF8(b[:n], []byte("?"))) + "..."
}

// copyText reads text and CSV, in pieces.
type copyText struct {
	*loader
	lines  *lines
	fields *fields
}

func newCopyText(l *loader, limit int) *copyText {
	return &copyText{loader: l, lines: newLines(l.how, limit), fields: newFields(l.how, l.columns)}
}

func (t *copyText) feed(ctx context.Context, data []byte) error {
	t.lines.feed(data)
	for {
		line, ok, err := t.lines.next()
		if err != nil {
			t.line++
			return t.at(err, "", nil)
		}
		if !ok {
			return nil
		}
		if err := t.take(ctx, line); err != nil {
			return err
		}
	}
}

func (t *copyText) take(ctx context.Context, line []byte) error {
	t.line++
	list, err := t.fields.split(line)
	if err != nil {
		return t.at(err, "", line)
	}
	if t.line == 1 && t.how.Header {
		return t.header(list)
	}
	if err := t.textRow(line, list); err != nil {
		return err
	}
	return t.full(ctx)
}

func (t *copyText) end(ctx context.Context) error {
	line, ok, err := t.lines.last()
	if err != nil {
		t.line++
		return t.at(err, "", nil)
	}
	if ok {
		if err := t.take(ctx, line); err != nil {
			return err
		}
	}
	return t.hand(ctx)
}

// errShort asks for more data.
var errShort = errors.New("more data is needed")
