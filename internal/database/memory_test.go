package database

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
)

// read reads a query to its end, or to an error, and counts its rows.
func (s *stand) read(ctx context.Context, text string, stream bool) (n int, err error) {
	s.t.Helper()
	sel, err := parser.ParseQuery(text)
	check(s.t, err)
	q, err := plan.Bind(s.Catalog(), s.o.Functions, sel, plan.Options{Parse: parser.ParseQuery})
	check(s.t, err)
	rows, err := s.Query(ctx, q, QueryOptions{Env: &expr.Env{Zone: time.UTC}, Stream: stream})
	check(s.t, err)
	defer rows.Close()
	for {
		c, err := rows.Next(ctx)
		if c == nil || err != nil {
			return n, err
		}
		n += c.N
	}
}

// What asks for more memory than there is fails, whoever holds it: the result, a sort, an
// operator, a transaction. It has given all of it back then.
func TestMemoryIsBounded(t *testing.T) {
	s := open(t, t.TempDir())
	for _, query := range []string{
		"SELECT g, g::text AS t FROM generate_series(1, 100000000) g ORDER BY g DESC",
		"SELECT array_agg(g) FROM generate_series(1, 100000000) g",
		"SELECT g, count(*) FROM generate_series(1, 100000000) g GROUP BY g",
		"SELECT DISTINCT g::text FROM generate_series(1, 100000000) g",
		"SELECT a FROM generate_series(1, 3000000) a JOIN generate_series(1, 3000000) b ON a = b",
		"SELECT g FROM generate_series(1, 100000000) g EXCEPT SELECT 1",
	} {
		_, err := s.read(waitContext(t), query, true)
		var fault *sql.Error
		if !errors.As(err, &fault) || fault.Code != "53200" {
			t.Errorf("%s: %v", query, err)
		}
		if used := s.o.Memory.used.Load(); used != 0 {
			t.Errorf("%s: %d bytes are not given back", query, used)
		}
	}
	rel := s.table("CREATE TABLE t (id int8 PRIMARY KEY, n int8)")
	txn := s.Begin()
	defer txn.Rollback()
	check(t, txn.Lock(waitContext(t), rel))
	for id := int64(0); ; id += 10_000 {
		var rows []int64
		for i := range int64(10_000) {
			rows = append(rows, id+i, i, 1)
		}
		var fault *sql.Error
		if err := txn.Apply(waitContext(t), rel, delta(rows...)); errors.As(err, &fault) && fault.Code == "53200" {
			break
		} else if err != nil || id > 10_000_000 {
			t.Fatalf("after %d rows: %v", id, err)
		}
	}
	txn.Rollback()
	if used := s.o.Memory.used.Load(); used != 0 {
		t.Errorf("%d bytes of a transaction are not given back", used)
	}
}

// Rows that are final go out as they come: a result may be larger than the memory, and LIMIT
// ends what has no end. Rows that come often are held once.
func TestRowsStream(t *testing.T) {
	s := open(t, t.TempDir())
	for query, want := range map[string]int{
		"SELECT g::text || repeat('x', 100) FROM generate_series(1, 1000000) g":                                      1_000_000,
		"SELECT g FROM generate_series(1, 100000000) g WHERE g % 2 = 0 LIMIT 9000 OFFSET 10":                         9000,
		"SELECT 1 FROM generate_series(1, 30000) a, generate_series(1, 30000) b LIMIT 5000 OFFSET 899998000":         2000,
		"SELECT 1 AS x FROM generate_series(1, 30000) a, generate_series(1, 30000) b ORDER BY 1 LIMIT 5000 OFFSET 7": 5000,
		"SELECT g FROM generate_series(1, 10) g OFFSET 10":                                                           0,
		"SELECT g FROM generate_series(1, 10) g LIMIT 0":                                                             0,
	} {
		if n, err := s.read(waitContext(t), query, true); err != nil || n != want {
			t.Errorf("%s: %d rows, %v; want %d", query, n, err, want)
		}
	}
}

// A query that computes for long ends when it is cancelled.
func TestCancelEndsWhatComputes(t *testing.T) {
	s := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(waitContext(t))
	defer time.AfterFunc(50*time.Millisecond, cancel).Stop()
	if _, err := s.read(ctx, "SELECT count(*) FROM generate_series(1, 30000) g, generate_series(1, 30000) h WHERE g % 7 = h % 5", false); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}
