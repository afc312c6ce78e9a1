package zset

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/numeric"
	"github.com/weirstream/weir/internal/pgtest"
)

// orderCase has the server make and sort values; read appends a value's text.
type orderCase struct {
	typ, values string
	kind        Kind
	read        func(v *Vec, text []byte) error
}

var orderCases = []orderCase{
	{"bigint", "((random() - 0.5) * 10 ^ (random() * 19))::bigint", Int, func(v *Vec, b []byte) error {
		x, err := datum.ParseInt64(b)
		v.AppendInt(x)
		return err
	}},
	{"date", "CASE n % 40 WHEN 0 THEN 'infinity' WHEN 1 THEN '-infinity' ELSE (date '2000-01-01' + ((random() - 0.5) * 1e6)::int)::text END", Int, func(v *Vec, b []byte) error {
		x, err := datum.ParseDate(b)
		v.AppendInt(int64(x))
		return err
	}},
	{"timestamp", "CASE n % 40 WHEN 0 THEN 'infinity' WHEN 1 THEN '-infinity' ELSE (timestamp '2000-01-01' + random() * interval '1000 years')::text END", Int, func(v *Vec, b []byte) error {
		x, err := datum.ParseTimestamp(b)
		v.AppendInt(int64(x))
		return err
	}},
	{"float8", "CASE WHEN n % 30 BETWEEN 1 AND 5 THEN (ARRAY['NaN','-0','0','Infinity','-Infinity']::float8[])[n % 30] ELSE (random() - 0.5) * 10 ^ (random() * 600 - 300) END", Float, func(v *Vec, b []byte) error {
		x, err := datum.ParseFloat64(b)
		v.AppendFloat(x)
		return err
	}},
	{"numeric", "CASE WHEN n % 30 BETWEEN 1 AND 9 THEN (ARRAY['NaN','0','0.00','Infinity','-Infinity','1.1','1.10','1e50','-1e-50']::numeric[])[n % 30] ELSE round(((random() - 0.5) * 10 ^ (random() * 60 - 30))::numeric, (random() * 40)::int) END", Numeric, func(v *Vec, b []byte) error {
		n, arena, err := numeric.FromText(v.Data, b)
		v.Data = arena
		v.AppendNumHere(n)
		return err
	}},
	{"interval", "make_interval(months => (random() * 5 - 2)::int, days => (random() * 100 - 50)::int, secs => round(((random() - 0.5) * 10 ^ (random() * 7))::numeric, 2)::float8)", Interval, func(v *Vec, b []byte) error {
		x, err := datum.ParseInterval(b)
		v.AppendInterval(x)
		return err
	}},
	{`text COLLATE "C"`, "left(chr(1 + (random() * 10 ^ (1 + n % 4))::int) || chr(1 + n % 3) || chr(98 + (random() * 3)::int) || n, n % 5)", Bytes, func(v *Vec, b []byte) error {
		v.AppendBytes(b)
		return nil
	}},
	{"bytea", `decode(repeat(to_hex(n % 3) || to_hex(n % 16), n % 4), 'hex')`, Bytes, func(v *Vec, b []byte) error {
		x, err := datum.AppendBytea(nil, b)
		v.AppendBytes(x)
		return err
	}},
	{"uuid", "gen_random_uuid()", Bytes, func(v *Vec, b []byte) error {
		x, err := datum.ParseUUID(b)
		v.AppendBytes(x[:])
		return err
	}},
}

// Keys rise where the server says that values do, and are equal where it says so.
func TestKeysSortAsTheServer(t *testing.T) {
	srv := pgtest.Start(t)
	conn := srv.Conn(t, "postgres")
	ctx := context.Background()
	if _, err := conn.Exec(ctx, "SET bytea_output = hex; SELECT setseed(0.5)"); err != nil {
		t.Fatal(err)
	}
	for _, c := range orderCases {
		for _, dir := range []struct {
			sql string
			o   Order
		}{{"ASC", Order{}}, {"DESC", Descending}, {"ASC NULLS FIRST", Order{NullsFirst: true}}, {"DESC NULLS LAST", Order{Desc: true}}} {
			sql := fmt.Sprintf(`WITH v(x) AS MATERIALIZED (SELECT (%[2]s)::%[1]s FROM generate_series(1, 400) n UNION ALL SELECT NULL UNION ALL SELECT NULL)
				SELECT v.x::text AS shown, dense_rank() OVER (ORDER BY v.x %[3]s) FROM v ORDER BY v.x %[3]s`, c.typ, c.values, dir.sql)
			rows, err := conn.Query(ctx, sql)
			if err != nil {
				t.Fatal(c.typ, err)
			}
			v := NewVec(c.kind, 400)
			var ranks []int64
			for rows.Next() {
				var text []byte
				var rank int64
				if err := rows.Scan(&text, &rank); err != nil {
					t.Fatal(err)
				}
				ranks = append(ranks, rank)
				if text == nil {
					v.AppendNull()
				} else if err := c.read(v, text); err != nil {
					t.Fatal(c.typ, string(text), err)
				}
			}
			if rows.Err() != nil || len(ranks) < 400 {
				t.Fatalf("%s: %d rows, %v", c.typ, len(ranks), rows.Err())
			}
			checkRanks(t, c.typ+" "+dir.sql, v, ranks, dir.o)
		}
	}
}

func checkRanks(t *testing.T, what string, v *Vec, ranks []int64, o Order) {
	t.Helper()
	var r Rows
	r.EncodeKeys([]*Vec{v}, v.N, []Order{o})
	for i := 1; i < v.N; i++ {
		want := 0
		if ranks[i-1] < ranks[i] {
			want = -1
		}
		if got := bytes.Compare(r.At(i-1), r.At(i)); got != want {
			t.Errorf("%s: the keys of values %d and %d, %x and %x, compare %d, want %d", what, i-1, i, r.At(i-1), r.At(i), got, want)
		}
	}
	if slices.Max(ranks) < 10 {
		t.Errorf("%s: only %d different values", what, slices.Max(ranks))
	}
}
