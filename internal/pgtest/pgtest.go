package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/pgtest/pgserver"
)

// Server is a private server; see pgserver.Server for Stop and the accessors.
type Server struct{ *pgserver.Server }

// Option changes how a server is started.
type Option func(*pgserver.Options)

// Config sets server settings, each "name=value".
func Config(settings ...string) Option {
	return func(o *pgserver.Options) { o.Config = append(o.Config, settings...) }
}

// Start starts a server that ends with the test.
func Start(t testing.TB, opts ...Option) *Server {
	t.Helper()
	srv, err := start(opts)
	var missing *pgserver.MissingError
	if errors.As(err, &missing) && !inCI() {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal("pgtest: ", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of the PostgreSQL on port %d:\n%s", srv.Port(), srv.Log())
		}
		if err := srv.Close(); err != nil {
			t.Error("pgtest: ", err)
		}
	})
	return srv
}

// Main runs a test package with one server shared by its tests:
//
//	var srv *pgtest.Server
//	func TestMain(m *testing.M) { pgtest.Main(m, &srv) }
func Main(m interface{ Run() int }, srv **Server, opts ...Option) {
	s, err := start(opts)
	var missing *pgserver.MissingError
	if errors.As(err, &missing) && !inCI() {
		fmt.Println("skipped:", err)
		os.Exit(0)
	}
	if err != nil {
		fmt.Println("pgtest:", err)
		os.Exit(1)
	}
	*srv = s
	code := m.Run()
	if code != 0 {
		fmt.Printf("log of the PostgreSQL on port %d:\n%s", s.Port(), s.Log())
	}
	if err := s.Close(); err != nil {
		fmt.Println("pgtest:", err)
		code = 1
	}
	os.Exit(code)
}

func start(opts []Option) (*Server, error) {
	var o pgserver.Options
	for _, opt := range opts {
		opt(&o)
	}
	s, err := pgserver.Start(o)
	return &Server{s}, err
}

func inCI() bool { return os.Getenv("CI") == "true" }

// callLimit bounds one helper call; a server that hangs fails the test by name.
const callLimit = 2 * time.Minute

// CreateDB makes an empty database and returns its URL.
func (s *Server) CreateDB(t testing.TB, name string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	url, err := s.Server.CreateDB(ctx, name)
	if err != nil {
		t.Fatal("pgtest: ", err)
	}
	return url
}

// Exec runs SQL, which may be several statements, as superuser.
func (s *Server) Exec(t testing.TB, db, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	if err := s.Server.Exec(ctx, db, sql); err != nil {
		t.Fatal("pgtest: ", err)
	}
}

// Restart restarts the server, after Kill too, on the same data and port.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	if err := s.Server.Restart(); err != nil {
		t.Fatal("pgtest: ", err)
	}
}

// Kill ends the server's processes with SIGKILL; Restart brings it back.
func (s *Server) Kill() {
	if err := s.Server.Kill(); err != nil {
		panic(fmt.Sprintf("pgtest: kill: %v", err))
	}
}

// Conn is a superuser connection that ends with the test.
func (s *Server) Conn(t testing.TB, db string) *pgx.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL(db))
	if err != nil {
		t.Fatal("pgtest: ", err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}
