package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// Rows is the source of a comparison whose rows come from elsewhere than a PostgreSQL. They lie
// in temporary tables at the target, in the types of its tables: one server then orders and
// prints both sides, and memory here does not grow with them.
type Rows struct{ *Snapshot }

// tempSchema is what a session calls the schema of its temporary tables.
const tempSchema = "pg_temp"

// OpenRows begins with no rows. They are gone with Close.
func OpenRows(ctx context.Context, targetURL string) (*Rows, error) {
	conn, err := connect(ctx, targetURL, "weir verify", target)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, `SET work_mem = '64MB'`); err != nil {
		quietly(conn)
		return nil, target.wrap(err, "cannot prepare a comparison")
	}
	return &Rows{&Snapshot{conn: conn, side: target}}, nil
}

// Add takes the rows of one table, which each gives one by one, in the shape that t has. What it
// returns is t with these rows for its source.
func (r *Rows) Add(ctx context.Context, t Compared, each func(fn func(row.Tuple) error) error) (Compared, error) {
	table, err := loadTable(ctx, r.conn, t.Namespace, t.Name)
	if err != nil {
		return t, err
	}
	if table == nil {
		return t, weirerr.New(weirerr.TargetMissing, "the target lacks a table").With("table", t.Namespace+"."+t.Name)
	}
	var names []string
	has := make([]bool, len(t.Schema.Columns))
	for i := range t.Schema.Columns {
		if _, has[i] = table.columns[t.Schema.Columns[i].Name]; has[i] {
			names = append(names, quoteIdent(t.Schema.Columns[i].Name))
		}
	}
	cols := strings.Join(names, ", ")
	shape := *t.Schema
	shape.Namespace, shape.Name = tempSchema, fmt.Sprintf("weir_verify_%d", shape.Table) // names alone may be in two schemas
	temp := quoteTable(shape.Namespace, shape.Name)
	create := `CREATE TEMPORARY TABLE ` + temp + ` AS SELECT ` + cols + ` FROM ` + table.sql() + ` WITH NO DATA`
	if _, err := r.conn.Exec(ctx, create); err != nil {
		return t, target.wrap(err, "cannot make a temporary table to compare with").With("table", t.Namespace+"."+t.Name)
	}
	if err := r.fill(ctx, `COPY `+temp+` (`+cols+`) FROM STDIN`, has, each); err != nil {
		return t, target.wrap(err, "cannot put rows to compare into a temporary table").With("table", t.Namespace+"."+t.Name)
	}
	t.Schema = &shape
	return t, nil
}

// fill copies rows, of which it takes the columns in has.
func (r *Rows) fill(ctx context.Context, sql string, has []bool, each func(fn func(row.Tuple) error) error) error {
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() {
		w := bufio.NewWriterSize(in, lineBuffer)
		var line []byte
		err := each(func(t row.Tuple) error {
			line = appendCopyLine(line[:0], t, has)
			_, err := w.Write(line)
			return err
		})
		if err == nil {
			err = w.Flush()
		}
		_ = in.CloseWithError(err) // nil is EOF
		done <- err
	}()
	_, err := r.conn.PgConn().CopyFrom(ctx, out, sql)
	_ = out.CloseWithError(io.ErrClosedPipe) // a failed copy reads no more
	if e := <-done; e != nil && !errors.Is(e, io.ErrClosedPipe) {
		return e // why the server was told to fail
	}
	return err
}

// appendCopyLine appends a row in COPY's text format, with the columns in has.
func appendCopyLine(dst []byte, t row.Tuple, has []bool) []byte {
	first := true
	it := t.Iter()
	for i := 0; it.Next(); i++ {
		if i >= len(has) || !has[i] {
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
