package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/pgtest/pgserver"
)

// loadTable is what is written and compared; a row takes about 100 bytes.
const loadTable = `CREATE TABLE load (id bigint PRIMARY KEY, a integer NOT NULL, b text NOT NULL, c timestamptz NOT NULL, d numeric(10,2))`

// rowsOf is the SELECT of rows from to up.
const rowsOf = `SELECT i, i %% 1000, 'row ' || i || repeat('x', 40), now(), (i %% 100000) / 100.0 FROM generate_series(%s, %s) i`

// load is a backlog to be drained.
type load struct {
	name string
	rows int
	// write writes the backlog.
	write func(ctx context.Context, url string, rows int) error
}

func bulk(ctx context.Context, url string, rows int) error {
	return execSQL(ctx, url, fmt.Sprintf(`DO $$ BEGIN FOR t IN 0..%d LOOP
		INSERT INTO load `+rowsOf+`; COMMIT; END LOOP; END $$`, rows/1000-1, "t * 1000 + 1", "t * 1000 + 1000"))
}

func single(ctx context.Context, url string, rows int) error {
	return execSQL(ctx, url, fmt.Sprintf(`DO $$ BEGIN FOR t IN 1..%d LOOP
		INSERT INTO load `+rowsOf+`; COMMIT; END LOOP; END $$`, rows, "t", "t"))
}

func large(ctx context.Context, url string, rows int) error {
	return execSQL(ctx, url, fmt.Sprintf("INSERT INTO load "+rowsOf, "1", fmt.Sprint(rows)))
}

// execSQL runs SQL that does not wait for the disk.
func execSQL(ctx context.Context, url, sql string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, s := range []string{"SET synchronous_commit = off", sql} {
		if _, err := conn.PgConn().Exec(ctx, s).ReadAll(); err != nil {
			return fmt.Errorf("%w in %.100s", err, s)
		}
	}
	return nil
}

// markerID is the id of the row that follows a backlog.
const markerID = -1

// finish ends a backlog with a marker row. It returns a position that lies
// behind all of the backlog and not behind the marker's commit.
func finish(ctx context.Context, url string) (lsn string, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := conn.QueryRow(ctx, "SELECT pg_current_wal_insert_lsn()::text").Scan(&lsn); err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, fmt.Sprintf("INSERT INTO load "+rowsOf, fmt.Sprint(markerID), fmt.Sprint(markerID)))
	return lsn, err
}

// awaitMarker returns when the marker row is at the target.
func awaitMarker(ctx context.Context, url string) error {
	return awaitQuery(ctx, url, fmt.Sprintf("SELECT EXISTS (SELECT FROM load WHERE id = %d)", markerID))
}

// drainLimit bounds one measurement.
const drainLimit = 20 * time.Minute

// awaitQuery polls until a query says true.
func awaitQuery(ctx context.Context, url, sql string) error {
	ctx, cancel := context.WithTimeout(ctx, drainLimit)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for {
		var ok bool
		if err := conn.QueryRow(ctx, sql).Scan(&ok); err != nil {
			return fmt.Errorf("%w in %.100s", err, sql)
		}
		if ok {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// freshPair makes a database of that name on both servers, each with the table.
func (l *lab) freshPair(ctx context.Context, name string) (source, target string, err error) {
	if err := l.servers(); err != nil {
		return "", "", err
	}
	for _, s := range []*pgserver.Server{l.src, l.dst} {
		if _, err := s.CreateDB(ctx, name); err != nil {
			return "", "", err
		}
		if err := s.Exec(ctx, name, loadTable); err != nil {
			return "", "", err
		}
	}
	return l.src.URL(name), l.dst.URL(name), nil
}
