package captures

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/test/rig"
)

// weirBin is the weir under test, built once.
var weirBin string

func TestMain(m *testing.M) { os.Exit(rig.Built(m, &weirBin).Run()) }

// config lets the log be truncated in small pieces, soon.
const config = "[log]\nsegment_bytes = \"1MiB\"\nside_bytes = \"4MiB\"\ncheckpoint_every = \"100ms\"\n"

// limit bounds everything that is waited for.
const limit = time.Minute

// stand is an upstream and a weir that captures it.
type stand struct {
	t    *testing.T
	up   *pgtest.Server
	weir *rig.Weir
	conn *pgx.Conn // to weir
}

// newStand starts both; schema is what the upstream has.
func newStand(t *testing.T, schema string) *stand {
	t.Helper()
	s := &stand{t: t, up: pgtest.Start(t)}
	s.up.CreateDB(t, "shop")
	s.up.Exec(t, "shop", schema)
	var err error
	s.weir, err = rig.New(rig.Options{Bin: weirBin, DataDir: filepath.Join(t.TempDir(), "data"), Config: config})
	s.check(err)
	t.Cleanup(func() {
		if s.conn != nil {
			_ = s.conn.Close(context.Background())
		}
		if err := s.weir.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the end of weir's log:\n%s", s.weir.Log())
		}
	})
	s.serve()
	u, err := url.Parse(s.up.URL("shop"))
	s.check(err)
	password, _ := u.User.Password()
	s.exec(fmt.Sprintf(`CREATE SOURCE shop WITH (connector = 'postgres-cdc', hostname = '%s', port = '%s', username = '%s', password = '%s',
		database.name = 'shop')`, u.Hostname(), u.Port(), u.User.Username(), password))
	return s
}

// serve starts weir, again after an end, and connects.
func (s *stand) serve() {
	s.t.Helper()
	s.check(s.weir.Start(s.t.Context()))
	var err error
	s.conn, err = pgx.Connect(s.t.Context(), "postgres://root@"+s.weir.SQLAddr()+"/dev?sslmode=disable")
	s.check(err)
}

func (s *stand) check(err error) {
	s.t.Helper()
	if err != nil {
		var e *pgconn.PgError
		if errors.As(err, &e) {
			s.t.Fatalf("%v (%s; %s)", err, e.Detail, e.Hint)
		}
		s.t.Fatal(err)
	}
}

func (s *stand) within() context.Context {
	ctx, cancel := context.WithTimeout(s.t.Context(), limit)
	s.t.Cleanup(cancel)
	return ctx
}

// exec runs a statement at weir.
func (s *stand) exec(text string) {
	s.t.Helper()
	if _, err := s.conn.Exec(s.within(), text, pgx.QueryExecModeSimpleProtocol); err != nil {
		s.t.Log(text)
		s.check(err)
	}
}

// upstream runs statements upstream, and has weir follow them.
func (s *stand) upstream(text string) {
	s.t.Helper()
	s.up.Exec(s.t, "shop", text)
	s.wait()
}

// wait returns when weir shows what is committed upstream now.
func (s *stand) wait() {
	s.t.Helper()
	var lsn string
	s.check(s.up.Conn(s.t, "shop").QueryRow(s.within(), "SELECT pg_current_wal_lsn()::text").Scan(&lsn))
	s.exec("SELECT weir_wait('shop', '" + lsn + "')")
}

// rows reads a query's rows as text, a line each.
func rows(ctx context.Context, conn *pgx.Conn, query string) ([]string, error) {
	all, err := conn.Query(ctx, query, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(all, func(r pgx.CollectableRow) (string, error) {
		var parts []string
		for _, raw := range r.RawValues() {
			if raw == nil {
				parts = append(parts, "NULL")
				continue
			}
			parts = append(parts, string(raw))
		}
		return strings.Join(parts, "|"), nil
	})
}

// query reads at weir.
func (s *stand) query(query string) string {
	s.t.Helper()
	got, err := rows(s.within(), s.conn, query)
	s.check(err)
	return strings.Join(got, "\n")
}

// want compares a query's rows with what is expected.
func (s *stand) want(query, expected string) {
	s.t.Helper()
	if got := s.query(query); got != expected {
		s.t.Errorf("%s\ngives\n%s\nwant\n%s", query, got, expected)
	}
}

// same compares a query here and upstream; there may be another text for it there.
func (s *stand) same(query string, there ...string) {
	s.t.Helper()
	other := query
	if len(there) > 0 {
		other = there[0]
	}
	up, err := rows(s.within(), s.up.Conn(s.t, "shop"), other)
	s.check(err)
	s.want(query, strings.Join(up, "\n"))
}

// until waits for something that comes by itself.
func (s *stand) until(what string, there func() bool) {
	s.t.Helper()
	deadline := time.Now().Add(limit)
	for !there() {
		if time.Now().After(deadline) {
			s.t.Fatalf("after %v: not %s", limit, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// fails runs a statement that must fail, and gives its error.
func (s *stand) fails(text string) *pgconn.PgError {
	s.t.Helper()
	_, err := s.conn.Exec(s.within(), text, pgx.QueryExecModeSimpleProtocol)
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		s.t.Fatalf("%s: %v, want an error", text, err)
	}
	return e
}
