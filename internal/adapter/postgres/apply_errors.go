package postgres

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// refused tells an error that is about rows: a constraint, a value that the
// column's type does not take, or what a trigger of the target raised.
func refused(err error) bool {
	state := sqlState(err)
	return strings.HasPrefix(state, "22") || strings.HasPrefix(state, "23") || strings.HasPrefix(state, "P0")
}

// refusal names what the server's error says it is about.
func (a *applier) refusal(code weirerr.Code, what string, err error) *weirerr.Error {
	e := weirerr.New(code, "%s", what).With("changefeed", a.lane.Changefeed).Wrap(err)
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		if pg.TableName != "" {
			e.With("table", pg.SchemaName+"."+pg.TableName)
		}
		e.With("column", pg.ColumnName).With("constraint", pg.ConstraintName)
	}
	return e.Hint("%s", hintOf(sqlState(err)))
}

func hintOf(state string) string {
	switch state {
	case "23503":
		return "make the target's foreign key DEFERRABLE, drop it, or let the role set session_replication_role"
	case "23505":
		return "the target holds another row with these values: remove it, or drop the constraint, and resume"
	case "23502", "23514", "23P01":
		return "correct the row upstream or drop the target's constraint, and resume"
	case "42P01", "42703", "3F000":
		return "restore it at the target, or resync"
	}
	return "correct the row upstream or the target's column, and resume"
}

// badRow names a row that the target refuses. The transaction is over.
func (a *applier) badRow(ctx context.Context, p *piece, o *op, err error) error {
	s := p.tables[o.table].shape
	b := a.bound[s]
	e := weirerr.New(weirerr.BadRow, "the target refuses a row").With("changefeed", a.lane.Changefeed).
		With("table", b.table.namespace+"."+b.table.name).With("key", a.keyText(p, o))
	var pg *pgconn.PgError
	column := ""
	if errors.As(err, &pg) {
		column = pg.ColumnName
		e.With("constraint", pg.ConstraintName)
	}
	if column == "" && strings.HasPrefix(sqlState(err), "22") {
		column = a.badColumn(ctx, p, o, b)
	}
	return e.With("column", column).Wrap(err).Hint("%s", hintOf(sqlState(err)))
}

// badColumn finds the column whose type refuses the row's value, by trying one
// after the other.
func (a *applier) badColumn(ctx context.Context, p *piece, o *op, b *binding) string {
	if _, err := a.conn.Exec(ctx, `ROLLBACK`); err != nil || o.new.n == 0 {
		return ""
	}
	a.inTx = false
	c := 0
	for it := p.tuple(o.new).Iter(); it.Next(); c++ {
		if it.State != row.Present || b.cols[c].name == "" {
			continue
		}
		to := b.cols[c].sum
		result := a.conn.PgConn().ExecParams(ctx, `SELECT $1::text::`+to.declared, [][]byte{it.Value}, nil, nil, nil)
		if _, err := result.Close(); err != nil && refused(err) || tooLong(to, it.Value) {
			return strings.Trim(b.cols[c].name, `"`)
		}
	}
	return ""
}

// tooLong tells a value longer than a varchar(n), char(n), bit(n) or varbit(n)
// takes: an explicit cast would cut it.
func tooLong(c targetColumn, v []byte) bool {
	if c.typmod < 0 {
		return false
	}
	switch c.cast {
	case `pg_catalog."varchar"`, `pg_catalog.bpchar`, `pg_catalog."char"`:
		return utf8.RuneCount(v) > int(c.typmod)-4
	case `pg_catalog."bit"`:
		return len(v) != int(c.typmod)
	case `pg_catalog.varbit`:
		return len(v) > int(c.typmod)
	}
	return false
}

// missingRow names a row that the target must have and has not.
func (a *applier) missingRow(p *piece, o *op) error {
	t := a.bound[p.tables[o.table].shape].table
	return weirerr.New(weirerr.TargetConflict, "the target lacks a row that an update changes in part").
		With("changefeed", a.lane.Changefeed).With("table", t.namespace+"."+t.name).With("key", a.keyText(p, o)).
		Hint("the update leaves out large values that it did not touch, so the row cannot be made whole: resync")
}

// noKey names a change that does not say which row it is about.
func (a *applier) noKey(p *piece, o *op) error {
	t := a.bound[p.tables[o.table].shape].table
	return weirerr.New(weirerr.BadRow, "a change without its key").
		With("changefeed", a.lane.Changefeed).With("table", t.namespace+"."+t.name).With("op", string(o.kind)).
		Hint("the table's key changed upstream while it was captured: resync")
}

// keyText is a row's key for people: id=5. Of a keyless row, its first columns.
func (a *applier) keyText(p *piece, o *op) string {
	s := p.tables[o.table].shape
	cols := s.keyCols
	if s.keyless() {
		for i := range min(3, len(s.Columns)) {
			cols = append(cols, i)
		}
	}
	image := o.new
	if o.kind == row.Delete {
		image = o.old
	}
	var out []string
	for _, c := range cols {
		v, state := p.column(image, c)
		if state == row.Unchanged {
			v, state = p.column(o.old, c)
		}
		text := "NULL"
		if state == row.Present {
			text = shorten(string(p.bytes(v)))
		}
		out = append(out, s.Columns[c].Name+"="+text)
	}
	return strings.Join(out, ", ")
}

func shorten(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	cut := most
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
