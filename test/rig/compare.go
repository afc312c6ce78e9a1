package rig

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5"
)

// pinned are the settings under which a value has one text form.
const pinned = `SET DateStyle = 'ISO, YMD'; SET TimeZone = 'UTC'; SET IntervalStyle = 'postgres';
SET extra_float_digits = 1; SET bytea_output = 'hex'; SET xmloption = 'content'`

// Difference is the outcome of comparing one table.
type Difference struct {
	Table          string
	Source, Target int64 // rows
	// Rows that one side has and the other has not, a few of them, as text.
	Differing int64
	Examples  []string
}

// Equal tells whether both sides have the same rows, counted with multiplicity.
func (d *Difference) Equal() bool { return d.Differing == 0 && d.Source == d.Target }

func (d *Difference) String() string {
	if d.Equal() {
		return fmt.Sprintf("%s: %d rows, equal", d.Table, d.Source)
	}
	return fmt.Sprintf("%s: source %d rows, target %d, %d differ:\n    %s",
		d.Table, d.Source, d.Target, d.Differing, strings.Join(d.Examples, "\n    "))
}

// Compare compares tables ("schema.name") of two databases row by row: every
// column cast to text under pinned settings, EXCEPT ALL both ways. The source's
// rows are copied into a temporary table at the target for it.
func Compare(ctx context.Context, sourceURL, targetURL string, tables ...string) ([]Difference, error) {
	src, err := connectPinned(ctx, sourceURL)
	if err != nil {
		return nil, err
	}
	defer src.Close(ctx)
	dst, err := connectPinned(ctx, targetURL)
	if err != nil {
		return nil, err
	}
	defer dst.Close(ctx)
	var diffs []Difference
	for _, table := range tables {
		d, err := compareTable(ctx, src, dst, table)
		if err != nil {
			return nil, fmt.Errorf("compare %s: %w", table, err)
		}
		diffs = append(diffs, d)
	}
	return diffs, nil
}

func connectPinned(ctx context.Context, url string) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	if _, err := conn.PgConn().Exec(ctx, pinned).ReadAll(); err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return conn, nil
}

func compareTable(ctx context.Context, src, dst *pgx.Conn, table string) (Difference, error) {
	d := Difference{Table: table}
	ident := pgx.Identifier(strings.SplitN(table, ".", 2)).Sanitize()
	columns, err := columnsOf(ctx, src, ident)
	if err != nil {
		return d, err
	}
	if len(columns) == 0 {
		return d, errors.New("the source has no such table")
	}
	asText := make([]string, len(columns))
	for i, c := range columns {
		asText[i] = c + "::text"
	}
	rows := "SELECT " + strings.Join(asText, ", ") + " FROM " + ident
	create := "DROP TABLE IF EXISTS pg_temp.rig_source; CREATE TEMP TABLE rig_source (" + strings.Join(columns, " text, ") + " text)"
	if _, err := dst.PgConn().Exec(ctx, create).ReadAll(); err != nil {
		return d, err
	}
	if d.Source, err = pump(ctx, src, "COPY ("+rows+") TO STDOUT", dst, "COPY pg_temp.rig_source FROM STDIN"); err != nil {
		return d, err
	}
	if err := dst.QueryRow(ctx, "SELECT count(*) FROM "+ident).Scan(&d.Target); err != nil {
		return d, err
	}
	return d, examples(ctx, dst, rows, &d)
}

func columnsOf(ctx context.Context, conn *pgx.Conn, ident string) ([]string, error) {
	found, err := conn.Query(ctx, `SELECT quote_ident(attname) FROM pg_attribute
		WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`, ident)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(found, pgx.RowTo[string])
}

// pump copies from one database to the other and counts the rows.
func pump(ctx context.Context, src *pgx.Conn, out string, dst *pgx.Conn, in string) (int64, error) {
	r, w := io.Pipe()
	read := make(chan error, 1)
	go func() {
		_, err := src.PgConn().CopyTo(ctx, w, out)
		w.CloseWithError(err)
		read <- err
	}()
	tag, err := dst.PgConn().CopyFrom(ctx, r, in)
	r.CloseWithError(err)
	return tag.RowsAffected(), errors.Join(<-read, err)
}

func examples(ctx context.Context, dst *pgx.Conn, rows string, d *Difference) error {
	const few = 5
	found, err := dst.Query(ctx, `SELECT side, left(r::text, 300), count(*) OVER () FROM (
		SELECT 'only at the source' AS side, s AS r FROM (TABLE pg_temp.rig_source EXCEPT ALL `+rows+`) s
		UNION ALL
		SELECT 'only at the target', t FROM (`+rows+` EXCEPT ALL TABLE pg_temp.rig_source) t) u LIMIT $1`, few)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		var side, text string
		if err := found.Scan(&side, &text, &d.Differing); err != nil {
			return err
		}
		d.Examples = append(d.Examples, side+": "+text)
	}
	return found.Err()
}
