package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"
)

// wantCode checks an error's SQLSTATE.
func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("got %v, want SQLSTATE %s", err, code)
	}
}

func TestExtendedProtocol(t *testing.T) {
	s := open(t)
	ctx := waitContext(t)
	c := s.conn()
	exec := func(query string, args ...any) pgconn.CommandTag {
		t.Helper()
		tag, err := c.Exec(ctx, query, args...)
		check(t, err)
		return tag
	}
	exec(`CREATE TABLE t (id int PRIMARY KEY, big bigint, f float8, n numeric(10,2), b bool, s text, at timestamptz, d date, raw bytea, ids int[], u uuid, j jsonb)`)
	at := time.Date(2026, 2, 3, 4, 5, 6, 7000, time.UTC)
	if tag := exec(`INSERT INTO t VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12)`, 1, int64(1)<<40, 1.5, "12.345", true, "ä", at, at, []byte{0, 255},
		[]int32{1, 2}, "8c3a0f9e-0000-4000-8000-000000000001", map[string]any{"a": 1}); tag.String() != "INSERT 0 1" {
		t.Error(tag)
	}
	var big int64
	var f float64
	var n pgtype.Numeric
	var b bool
	var text string
	var back, day time.Time
	var raw []byte
	var ids []int32
	var u pgtype.UUID
	var j map[string]any
	check(t, c.QueryRow(ctx, `SELECT big, f, n, b, s, at, d, raw, ids, u, j FROM t WHERE id = $1`, 1).Scan(&big, &f, &n, &b, &text, &back, &day, &raw, &ids, &u, &j))
	if num, _ := n.Value(); big != 1<<40 || f != 1.5 || num != "12.35" || !b || text != "ä" || !back.Equal(at) || day.Day() != 3 || len(raw) != 2 || len(ids) != 2 || j["a"] != 1.0 {
		t.Error(big, f, num, b, text, back, day, raw, ids, u, j)
	}
	// Descriptions: types, the relation and its column, parameters.
	st, err := c.Prepare(ctx, "st", `SELECT s, id + $1 AS more FROM t WHERE n > $2 AND s LIKE $3`)
	check(t, err)
	if fmt.Sprint(st.ParamOIDs) != "[23 1700 25]" || st.Fields[0].DataTypeOID != 25 || st.Fields[0].TableAttributeNumber != 6 || st.Fields[0].TableOID == 0 ||
		st.Fields[1].Name != "more" || st.Fields[1].TableOID != 0 {
		t.Error(st.ParamOIDs, st.Fields)
	}
	_, err = c.Prepare(ctx, "none", `SELECT $1`)
	check(t, err)
	_, err = c.Exec(ctx, `SELECT * FROM t WHERE id = $1 AND s = $1`, 1)
	wantCode(t, err, "42883")
	// A statement that a definition has changed since is planned again, or refused.
	exec(`CREATE VIEW v AS SELECT id FROM t`)
	_, err = c.Prepare(ctx, "view", `SELECT * FROM v`)
	check(t, err)
	exec(`CREATE OR REPLACE VIEW v AS SELECT id, s FROM t`)
	_, err = c.Exec(ctx, "view")
	wantCode(t, err, "0A000")
}

func TestBatchIsOneTransaction(t *testing.T) {
	s := open(t)
	ctx := waitContext(t)
	c := s.conn()
	_, err := c.Exec(ctx, `CREATE TABLE t (id int PRIMARY KEY)`)
	check(t, err)
	b := &pgx.Batch{}
	b.Queue(`INSERT INTO t VALUES (1)`)
	b.Queue(`INSERT INTO t SELECT id + 1 FROM t RETURNING id`)
	b.Queue(`SELECT count(*) FROM t`)
	r := c.SendBatch(ctx, b)
	_, err = r.Exec()
	check(t, err)
	var id, n int
	check(t, r.QueryRow().Scan(&id))
	check(t, r.QueryRow().Scan(&n))
	check(t, r.Close())
	if id != 2 || n != 2 {
		t.Error(id, n)
	}
	b = &pgx.Batch{}
	b.Queue(`INSERT INTO t VALUES (3)`)
	b.Queue(`INSERT INTO t VALUES (3)`)
	wantCode(t, c.SendBatch(ctx, b).Close(), "23505")
	check(t, c.QueryRow(ctx, `SELECT count(*) FROM t`).Scan(&n))
	if n != 2 {
		t.Errorf("%d rows: half of a batch is there", n)
	}
}

// Concurrent increments lose nothing; readers in their session see their own writes.
func TestIncrementsAreSerial(t *testing.T) {
	s := open(t)
	ctx := waitContext(t)
	main := s.conn()
	_, err := main.Exec(ctx, `CREATE TABLE t (id int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 0)`, pgx.QueryExecModeSimpleProtocol)
	check(t, err)
	const clients, times = 4, 25
	var wg sync.WaitGroup
	for range clients {
		c := s.conn()
		wg.Go(func() {
			last := 0
			for range times {
				var n int
				if err := c.QueryRow(ctx, `UPDATE t SET n = n + 1 WHERE id = 1 RETURNING n`).Scan(&n); err != nil || n <= last {
					t.Errorf("%d after %d, %v", n, last, err)
					return
				}
				last = n
			}
			var n int
			if err := c.QueryRow(ctx, `SELECT n FROM t`).Scan(&n); err != nil || n < last {
				t.Errorf("a session reads %d after it wrote %d, %v", n, last, err)
			}
		})
	}
	wg.Wait()
	_, err = main.Exec(ctx, `FLUSH`)
	check(t, err)
	var n int
	check(t, main.QueryRow(ctx, `SELECT n FROM t`).Scan(&n))
	if n != clients*times {
		t.Errorf("%d, want %d", n, clients*times)
	}
}

func TestCursorOfTheProtocol(t *testing.T) {
	c := open(t).conn().PgConn()
	// Execute with a row limit, three times: 2, 2 and the last one.
	f := c.Frontend()
	f.SendParse(&pgproto3.Parse{Query: `SELECT g FROM generate_series(1, 5) g`})
	f.SendBind(&pgproto3.Bind{})
	for range 3 {
		f.SendExecute(&pgproto3.Execute{MaxRows: 2})
	}
	f.SendSync(&pgproto3.Sync{})
	check(t, f.Flush())
	var got []string
	for {
		m, err := f.Receive()
		check(t, err)
		name := strings.TrimPrefix(fmt.Sprintf("%T", m), "*pgproto3.")
		got = append(got, name)
		if name == "ReadyForQuery" {
			break
		}
	}
	want := "ParseComplete BindComplete DataRow DataRow PortalSuspended DataRow DataRow PortalSuspended DataRow CommandComplete ReadyForQuery"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestCancel(t *testing.T) {
	s := open(t)
	c, killer := s.conn(), s.conn()
	ctx, cancel := context.WithCancel(waitContext(t))
	done := make(chan error, 1)
	go func() {
		_, err := c.Exec(context.Background(), `SELECT pg_sleep(600)`)
		done <- err
	}()
	var pid int
	for pid == 0 { // until it runs
		_ = killer.QueryRow(ctx, `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%sleep(600)%' AND pid <> pg_backend_pid()`).Scan(&pid)
	}
	var ok bool
	check(t, killer.QueryRow(ctx, `SELECT pg_cancel_backend($1)`, pid).Scan(&ok))
	wantCode(t, <-done, "57014")
	cancel()
	var one int
	check(t, c.QueryRow(waitContext(t), `SELECT 1`).Scan(&one))
}

func TestCopyThroughPgx(t *testing.T) {
	s := open(t)
	ctx := waitContext(t)
	c := s.conn()
	_, err := c.Exec(ctx, `CREATE TABLE t (id int PRIMARY KEY, s text, n numeric)`)
	check(t, err)
	rows := make([][]any, 10_000)
	for i := range rows {
		rows[i] = []any{i, fmt.Sprint("row ", i), nil}
	}
	n, err := c.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"id", "s", "n"}, pgx.CopyFromRows(rows)) // binary
	check(t, err)
	var count, sum int64
	check(t, c.QueryRow(ctx, `SELECT count(*), sum(id) FROM t WHERE s = 'row ' || id`).Scan(&count, &sum))
	if n != 10_000 || count != n || sum != 49_995_000 {
		t.Error(n, count, sum)
	}
	_, err = c.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"id", "s", "n"}, pgx.CopyFromRows(rows[:1]))
	wantCode(t, err, "23505")
}

func TestPasswords(t *testing.T) {
	s := open(t)
	ctx := waitContext(t)
	c := s.conn()
	_, err := c.Exec(ctx, `CREATE USER alice WITH PASSWORD 'secret'`)
	check(t, err)
	as := func(password string) error {
		cfg, err := pgx.ParseConfig(s.url())
		check(t, err)
		cfg.User, cfg.Password = "alice", password
		a, err := pgx.ConnectConfig(ctx, cfg)
		if err == nil {
			defer a.Close(ctx)
			var who string
			check(t, a.QueryRow(ctx, `SELECT current_user`).Scan(&who))
			if who != "alice" {
				t.Error(who)
			}
		}
		return err
	}
	check(t, as("secret"))
	wantCode(t, as("wrong"), "28P01")
	_, err = c.Exec(ctx, `ALTER USER alice WITH PASSWORD 'other'`)
	check(t, err)
	wantCode(t, as("secret"), "28P01")
	check(t, as("other"))
	cfg, err := pgx.ParseConfig(s.url())
	check(t, err)
	cfg.Database = "elsewhere"
	_, err = pgx.ConnectConfig(ctx, cfg)
	wantCode(t, err, "3D000")
}
