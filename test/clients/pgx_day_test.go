package clients

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// testPgxDay is the rest of what programs do: results in binary, an end by the context, errors.
func testPgxDay(t *testing.T, url string) {
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, url)
	check(t, err)
	defer conn.Close(ctx)
	t.Run("types", func(t *testing.T) { binary(t, conn) })
	t.Run("cancel", func(t *testing.T) {
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		began := time.Now()
		mine, err := pgx.Connect(ctx, url)
		check(t, err)
		defer mine.Close(ctx)
		var n int64
		err = mine.QueryRow(short, `SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b WHERE (a + b) % 7 = 3`).Scan(&n)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 20*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		check(t, conn.Ping(ctx))
	})
	t.Run("errors", func(t *testing.T) {
		for query, code := range map[string]string{
			"LISTEN x": "0A000", "SELECT 1/0": "22012", "SELECT * FROM nothing": "42P01", "SELEC 1": "42601", "SELECT nofunc(1)": "42883",
		} {
			var e *pgconn.PgError
			if _, err := conn.Exec(ctx, query); !errors.As(err, &e) || e.Code != code {
				t.Errorf("%s: %v, want %s", query, err, code)
			}
		}
	})
	t.Run("a transaction that failed", func(t *testing.T) {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SELECT 1/0")
			var e *pgconn.PgError
			if _, again := tx.Exec(ctx, "SELECT 1"); !errors.As(again, &e) || e.Code != "25P02" {
				t.Error(again)
			}
			return err
		})
		if err == nil {
			t.Error("it is committed")
		}
	})
	t.Run("a prepared statement", func(t *testing.T) {
		_, err := conn.Prepare(ctx, "add", "SELECT $1::int + $2::int")
		check(t, err)
		for i := range 3 {
			var sum int
			if err := conn.QueryRow(ctx, "add", i, 10).Scan(&sum); err != nil || sum != i+10 {
				t.Errorf("%d and 10 are %d, %v", i, sum, err)
			}
		}
		check(t, conn.Deallocate(ctx, "add"))
	})
}

// binary reads a value of every type in pgx's own formats, binary where it knows one, and
// compares what comes with the same value as text.
func binary(t *testing.T, conn *pgx.Conn) {
	for typ, text := range map[string]string{
		"bool": "true", "smallint": "-2", "int": "-70000", "bigint": "9007199254740993", "real": "1.5", "double precision": "-0.1",
		"numeric": "-12345.678900", "text": "it's ä", "varchar(5)": "five", "char(3)": "ab ", "bytea": `\x00ff`, "date": "2024-02-29",
		"time": "12:34:56.789", "timestamp": "2024-02-29 12:34:56.789", "timestamptz": "2024-02-29 12:34:56.789+00", "interval": "1 mon 2 days 03:04:05",
		"uuid": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "jsonb": `{"a": [1, null]}`, "int[]": "{1,NULL,3}", "text[]": `{"a b",NULL}`,
	} {
		query := fmt.Sprintf("SELECT x, x::text FROM (SELECT '%s'::%s AS x) s", pgxQuote(text), typ)
		rows, err := conn.Query(t.Context(), query)
		check(t, err)
		values, err := pgx.CollectOneRow(rows, func(r pgx.CollectableRow) ([]any, error) { return r.Values() })
		if err != nil {
			t.Errorf("%s: %v", typ, err)
			continue
		}
		var same bool // and as a parameter, in its binary form
		if err := conn.QueryRow(t.Context(), fmt.Sprintf("SELECT $1::%s::text = $2", typ), values[0], values[1]).Scan(&same); err != nil || !same {
			t.Errorf("%s: %v comes back otherwise than %v: %v", typ, values[0], values[1], err)
		}
	}
}

func pgxQuote(s string) string {
	out := ""
	for _, r := range s {
		if out += string(r); r == '\'' {
			out += "'"
		}
	}
	return out
}
