package play

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/test/slt/script"
)

// Conn is a connection to any server of the PostgreSQL protocol.
type Conn struct {
	pg *pgconn.PgConn
	// Label is what skipif and onlyif know the server by.
	Label string
}

// Column is what a server says of a column of its result.
type Column struct {
	Name string
	OID  uint32
}

// Result is the answer to the last statement of a message.
type Result struct {
	Columns  []Column
	Rows     script.Rows
	Affected int64
}

// limit bounds connecting and one message.
const limit = time.Minute

// Dial connects to url as the engine named label.
func Dial(ctx context.Context, url, label string) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	pg, err := pgconn.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	return &Conn{pg: pg, Label: label}, nil
}

// Close ends the session.
func (c *Conn) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = c.pg.Close(ctx)
}

// Exec sends SQL by the simple protocol. An error of the server ends in
// "(SQLSTATE …)"; Lost says whether the connection is gone.
func (c *Conn) Exec(ctx context.Context, sql string) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var r Result
	results := c.pg.Exec(ctx, sql)
	for results.NextResult() {
		last, err := read(results.ResultReader())
		if err != nil {
			return Result{}, errors.Join(err, results.Close())
		}
		r = last
	}
	if err := results.Close(); err != nil {
		return Result{}, err
	}
	return r, nil
}

func read(from *pgconn.ResultReader) (Result, error) {
	r := Result{Rows: script.Rows{}}
	for _, f := range from.FieldDescriptions() {
		if f.Format != 0 {
			return Result{}, fmt.Errorf("column %q came in format %d, not as text", f.Name, f.Format)
		}
		r.Columns = append(r.Columns, Column{f.Name, f.DataTypeOID})
	}
	for from.NextRow() {
		row := make([]script.Value, len(from.Values()))
		for j, v := range from.Values() {
			row[j] = script.Value{Text: string(v), Null: v == nil}
		}
		r.Rows = append(r.Rows, row)
	}
	// The error of a result is the error of the message, which Exec returns.
	tag, _ := from.Close()
	r.Affected = tag.RowsAffected()
	return r, nil
}

// Lost says that the server closed the connection or stopped answering.
func (c *Conn) Lost() bool { return c.pg.IsClosed() }
