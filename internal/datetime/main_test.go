package datetime

import (
	"context"
	"testing"

	"github.com/weirstream/weir/internal/pgtest"
)

var srv *pgtest.Server

func TestMain(m *testing.M) { pgtest.Main(m, &srv) }

// ask runs a query of one text column on the server and gives its rows; NULL is "NULL".
func ask(t testing.TB, zone, sql string, args ...any) (rows []string) {
	t.Helper()
	conn := srv.Conn(t, "postgres")
	ctx := context.Background()
	for _, set := range []string{"SET DateStyle = 'ISO'", "SET IntervalStyle = 'postgres'", "SET extra_float_digits = 1", "SET TimeZone = '" + zone + "'"} {
		if _, err := conn.Exec(ctx, set); err != nil {
			t.Fatal(err)
		}
	}
	found, err := conn.Query(ctx, sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	for found.Next() {
		var s *string
		if err := found.Scan(&s); err != nil {
			t.Fatal(err)
		}
		if s == nil {
			rows = append(rows, "NULL")
		} else {
			rows = append(rows, *s)
		}
	}
	if found.Err() != nil {
		t.Fatalf("%s: %v", sql, found.Err())
	}
	return rows
}
