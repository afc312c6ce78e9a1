package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/pgtest/pgserver"
)

// The tests of this package share one server, started by the first that needs it
// (the decoder's, and what fuzzing starts, need none), with a database for each test.
var shared struct {
	once  sync.Once
	srv   *pgserver.Server
	err   error
	names atomic.Int64
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.srv != nil {
		if code != 0 && os.Getenv("WEIR_TEST_SERVER_LOG") != "" {
			fmt.Printf("log of the shared PostgreSQL:\n%s", shared.srv.Log())
		}
		if err := shared.srv.Close(); err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	os.Exit(code)
}

// sharedServer is the package's server.
func sharedServer(t testing.TB) *pgserver.Server {
	t.Helper()
	shared.once.Do(func() {
		shared.srv, shared.err = pgserver.Start(pgserver.Options{Config: []string{
			"logical_decoding_work_mem=64kB", "max_replication_slots=40", "max_wal_senders=40"}})
	})
	var missing *pgserver.MissingError
	if errors.As(shared.err, &missing) && os.Getenv("CI") != "true" {
		t.Skip(missing)
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.srv
}

// newDB makes a database on the shared server; it returns its URL as superuser.
func newDB(t testing.TB) string {
	t.Helper()
	url, err := sharedServer(t).CreateDB(t.Context(), fmt.Sprintf("t%d_%d", os.Getpid(), shared.names.Add(1)))
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// dial opens a plain session, without our pinned settings, that ends with the test.
func dial(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url) // in a cleanup the test's context has ended
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// exec runs statements, each on its own unless sql holds several.
func exec(t testing.TB, conn *pgx.Conn, sql ...string) {
	t.Helper()
	for _, q := range sql {
		if _, err := conn.PgConn().Exec(context.Background(), q).ReadAll(); err != nil {
			t.Fatalf("%v in:\n%s", err, q)
		}
	}
}

// await polls until ok holds; it fails the test with what after a generous time.
func await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("gave up waiting for %s", what)
		}
	}
}
