package pgwire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/pgwire"
	"github.com/weirstream/weir/internal/zset"
)

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

func appendText(v *zset.Vec, t datum.TypeRef, text string, s *calc) error {
	o := s.Values()
	o.Cast = true
	return pgvalue.AppendValue(v, t, []byte(text), o)
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// serve starts a server over the calculator.
func serve(t testing.TB, w *world, change func(*pgwire.Config)) (*pgwire.Server, string) {
	t.Helper()
	cfg := pgwire.Config{Opener: w, Users: w, Version: "15.0 (test)", Log: quiet()}
	if change != nil {
		change(&cfg)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := pgwire.New(cfg)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		s.Shutdown(ctx)
		if err := <-ended; err != nil {
			t.Errorf("Serve ended with %v", err)
		}
		if w.mu.Lock(); w.open != 0 {
			t.Errorf("%d sessions are left open", w.open)
		}
		w.mu.Unlock()
	})
	return s, l.Addr().String()
}

func url(addr string) string { return "postgres://root@" + addr + "/dev?sslmode=disable" }

func connect(t testing.TB, addr string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(within(t), url(addr))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// state is the SQLSTATE of an error.
func state(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return fmt.Sprint(err)
}

func TestAValueComesBackInBothFormats(t *testing.T) {
	_, addr := serve(t, newWorld(), nil)
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		conn := connect(t, addr)
		var i int32
		var f float64
		var s, uuid string
		var at time.Time
		var list []int64
		var none *string
		var yes bool
		err := conn.QueryRow(within(t), "select 7, '1.5'::float8, 'a b'::text, '2024-02-29 12:00:00'::timestamp, '{1 2}'::text, null, 't'::bool, "+
			"'6ecd8c99-4036-403d-bf84-cf8400f67836'::uuid", mode).Scan(&i, &f, &s, &at, new(string), &none, &yes, &uuid)
		if err != nil || i != 7 || f != 1.5 || s != "a b" || at.Format(time.DateOnly) != "2024-02-29" || none != nil || !yes || uuid[:4] != "6ecd" {
			t.Error(mode, i, f, s, at, none, yes, uuid, err)
		}
		if mode == pgx.QueryExecModeSimpleProtocol {
			continue
		}
		err = conn.QueryRow(within(t), "select $1::int4, $2::text, $3::timestamptz, $4::int8[], $5::numeric", mode, 41, "it's", time.Unix(1e9, 0), []int64{3, 4}, "1.50").
			Scan(&i, &s, &at, &list, &f)
		if err != nil || i != 41 || s != "it's" || at.Unix() != 1e9 || len(list) != 2 || f != 1.5 {
			t.Error(mode, i, s, at, list, f, err)
		}
	}
}

func TestErrorsCarryTheirFields(t *testing.T) {
	_, addr := serve(t, newWorld(), nil)
	conn := connect(t, addr)
	_, err := conn.Exec(within(t), "select 'ä'::text; fail 22012 division by zero", pgx.QueryExecModeSimpleProtocol)
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != "22012" || e.Message != "division by zero" || e.Hint != "do not" || e.Detail != "as asked" || e.Severity != "ERROR" {
		t.Fatalf("%#v", err)
	}
	if want := int32(len([]rune("select 'ä'::text; "))) + 1; e.Position != want {
		t.Errorf("it points at character %d, want %d", e.Position, want)
	}
	for text, want := range map[string]string{"selekt 1": "42601", "select 'x'::int4": "22P02", "select $1": "42P02", "select 1::nothing": "42704"} {
		if _, err := conn.Exec(within(t), text, pgx.QueryExecModeSimpleProtocol); state(err) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := conn.Exec(within(t), "select $1::int4", pgx.QueryExecModeExec, "x"); state(err) != "22P02" {
		t.Error(err)
	}
	if _, err := conn.Exec(within(t), "select 1"); err != nil {
		t.Error(err)
	}
}

func count(t testing.TB, conn *pgx.Conn) (n int) {
	t.Helper()
	if err := conn.QueryRow(within(t), "count").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTransactions(t *testing.T) {
	w := newWorld()
	_, addr := serve(t, w, nil)
	conn, other := connect(t, addr), connect(t, addr)
	run := func(text, want string) {
		t.Helper()
		if _, err := conn.Exec(within(t), text, pgx.QueryExecModeSimpleProtocol); state(err) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	run("insert 1 a; insert 2 b", "<nil>")
	run("insert 3 c; fail 22012 no", "22012") // the script is one transaction
	if n := count(t, other); n != 2 {
		t.Errorf("%d rows", n)
	}
	run("begin; insert 3 c", "<nil>")
	if conn.PgConn().TxStatus() != 'T' || count(t, other) != 2 {
		t.Error("the transaction is not open")
	}
	run("fail 22012 no", "22012")
	if conn.PgConn().TxStatus() != 'E' {
		t.Error("the transaction has not failed")
	}
	run("count", "25P02")
	if _, err := conn.Exec(within(t), "count"); state(err) != "25P02" {
		t.Error(err)
	}
	run("commit", "<nil>")
	if conn.PgConn().TxStatus() != 'I' || count(t, conn) != 2 {
		t.Error("a failed transaction was committed")
	}
	run("begin; insert 3 c; commit; insert 4 d", "<nil>")
	if n := count(t, other); n != 4 {
		t.Errorf("%d rows", n)
	}
}

func TestASuccessIsToldWhenItIsDurable(t *testing.T) {
	w := newWorld()
	_, addr := serve(t, w, nil)
	conn := connect(t, addr)
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeSimpleProtocol, pgx.QueryExecModeExec, pgx.QueryExecModeCacheStatement} {
		w.mu.Lock()
		w.refuse = errors.New("the disk is full")
		w.mu.Unlock()
		if tag, err := conn.Exec(within(t), "insert 1 a", mode); state(err) != "XX000" {
			t.Errorf("%v: %v %v", mode, tag, err)
		}
		if tag, err := conn.Exec(within(t), "insert 1 a", mode); err != nil || tag.String() != "INSERT 0 1" {
			t.Errorf("%v: %v %v", mode, tag, err)
		}
	}
	if n := count(t, conn); n != 3 {
		t.Errorf("%d rows", n)
	}
}

func TestPipelinesAndBatches(t *testing.T) {
	_, addr := serve(t, newWorld(), nil)
	conn := connect(t, addr)
	batch := &pgx.Batch{}
	for i := range 50 {
		batch.Queue("select $1::int4", i)
	}
	batch.Queue("fail 22012 no")
	batch.Queue("insert 1 a")
	results := conn.SendBatch(within(t), batch)
	for i := range 50 {
		var got int
		if err := results.QueryRow().Scan(&got); err != nil || got != i {
			t.Fatal(i, got, err)
		}
	}
	if _, err := results.Exec(); state(err) != "22012" {
		t.Error(err)
	}
	if err := results.Close(); state(err) != "22012" {
		t.Error(err)
	}
	if n := count(t, conn); n != 0 {
		t.Error("what came after the error was done")
	}
}

func TestNoticesAndParameters(t *testing.T) {
	_, addr := serve(t, newWorld(), nil)
	cfg, err := pgx.ParseConfig(url(addr) + "&application_name=tester&options=-c%20a.b%3Dc")
	if err != nil {
		t.Fatal(err)
	}
	var notices []string
	cfg.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { notices = append(notices, n.Severity+" "+n.Message) }
	conn, err := pgx.ConnectConfig(within(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(within(t), "notice mind the gap"); err != nil || strings.Join(notices, ";") != "NOTICE mind the gap" {
		t.Error(notices, err)
	}
	for name, want := range map[string]string{"server_version": "15.0 (test)", "client_encoding": "UTF8", "server_encoding": "UTF8", "DateStyle": "ISO, MDY",
		"IntervalStyle": "postgres", "TimeZone": "UTC", "integer_datetimes": "on", "standard_conforming_strings": "on", "application_name": "tester"} {
		if got := conn.PgConn().ParameterStatus(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if _, err := conn.Exec(within(t), "set TimeZone Asia/Tokyo"); err != nil || conn.PgConn().ParameterStatus("TimeZone") != "Asia/Tokyo" {
		t.Error(err)
	}
}

func TestDescriptions(t *testing.T) {
	_, addr := serve(t, newWorld(), nil)
	conn := connect(t, addr)
	d, err := conn.Prepare(within(t), "p", "select $1::int4, 'a'::name, $2::numeric, null::int4[]")
	if err != nil {
		t.Fatal(err)
	}
	if len(d.ParamOIDs) != 2 || d.ParamOIDs[0] != 23 || d.ParamOIDs[1] != 1700 {
		t.Error(d.ParamOIDs)
	}
	var got []string
	for _, f := range d.Fields {
		got = append(got, fmt.Sprintf("%s %d %d %d", f.Name, f.DataTypeOID, f.DataTypeSize, f.TypeModifier))
	}
	if s := strings.Join(got, " "); s != "c1 23 4 -1 c2 19 64 -1 c3 1700 -1 -1 c4 1007 -1 -1" {
		t.Error(s)
	}
	if d, err = conn.Prepare(within(t), "q", "rows 1"); err != nil || d.Fields[0].TableOID != 16400 || d.Fields[0].TableAttributeNumber != 1 {
		t.Error(d, err)
	}
	if d, err = conn.Prepare(within(t), "r", "insert 1 a"); err != nil || len(d.Fields) != 0 {
		t.Error(d, err)
	}
}
