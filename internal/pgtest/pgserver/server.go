package pgserver

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Options of a server. The zero value is a server fit for logical replication.
type Options struct {
	// Config holds "name=value" settings that override the defaults.
	Config []string
}

// defaults make a server that can be captured and that starts fast.
var defaults = []string{
	"wal_level=logical", "max_wal_senders=20", "max_replication_slots=20",
	"max_worker_processes=20", "max_logical_replication_workers=10", "max_connections=120",
	"wal_sender_timeout=30s", "fsync=off", "shared_buffers=64MB", "max_wal_size=4GB",
	"dynamic_shared_memory_type=mmap", "listen_addresses=127.0.0.1",
	"log_line_prefix=%m [%p] %u@%d ", "log_statement=none", "autovacuum_naptime=30s",
	"lc_messages=C", "timezone=UTC", "log_timezone=UTC", "logging_collector=off",
}

// startLimit bounds a start, crash recovery included.
const startLimit = 60 * time.Second

// Server is one private PostgreSQL with its own directory and port. Its methods
// may be called from several goroutines.
type Server struct {
	opts Options
	bin  string
	acc  account
	dir  string
	port int

	mu    sync.Mutex
	cmd   *exec.Cmd     // the postmaster, nil when down
	done  chan struct{} // closed when cmd has ended
	guard *guard
}

// Start makes a data directory and starts a server on it. The error is a
// *MissingError when the machine has no PostgreSQL.
func Start(opts Options) (*Server, error) {
	bin, err := Find()
	if err != nil {
		return nil, err
	}
	acc, err := serverAccount()
	if err != nil {
		return nil, err
	}
	tmpl, err := template(bin, acc)
	if err != nil {
		return nil, err
	}
	s := &Server{opts: opts, bin: bin, acc: acc}
	if s.dir, err = os.MkdirTemp(acc.tempRoot(), "weir-pg-"); err != nil {
		return nil, err
	}
	if err := s.prepare(tmpl); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) prepare(tmpl string) error {
	if err := errors.Join(s.acc.own(s.dir), os.Mkdir(s.sockDir(), 0o700), s.acc.own(s.sockDir())); err != nil {
		return err
	}
	var err error
	if s.guard, err = newGuard(s.DataDir(), s.dir); err != nil {
		return err
	}
	if out, err := s.acc.command(s.dir, "cp", "-R", tmpl, s.DataDir()).CombinedOutput(); err != nil {
		return fmt.Errorf("copy %s: %w\n%s", tmpl, err, out)
	}
	for try := 0; ; try++ {
		if s.port, err = freePort(); err != nil {
			return err
		}
		if err = s.launch(); err == nil || try == 4 || !strings.Contains(s.Log(), "could not bind") {
			return err
		}
	}
}

// Bin is the directory of the server's binaries.
func (s *Server) Bin() string { return s.bin }

// DataDir is the server's PGDATA.
func (s *Server) DataDir() string { return filepath.Join(s.dir, "data") }

// Port is the TCP port on 127.0.0.1; it stays over Restart.
func (s *Server) Port() int { return s.port }

// Dir is a directory of the server's account, next to its data, for key files
// and the like. Close removes it.
func (s *Server) Dir() string { return s.dir }

// Owner is the user and group id that the server runs with.
func (s *Server) Owner() (uid, gid int) { return s.acc.uid, s.acc.gid }

func (s *Server) sockDir() string { return filepath.Join(s.dir, "sock") }
func (s *Server) logPath() string { return filepath.Join(s.dir, "log") }

// URL is the superuser's URL of a database, over TCP.
func (s *Server) URL(db string) string { return s.UserURL("postgres", db) }

// UserURL is the URL of a database for another role. Every local connection is
// trusted, so no password is needed.
func (s *Server) UserURL(user, db string) string {
	u := url.URL{Scheme: "postgres", User: url.User(user), Host: fmt.Sprintf("127.0.0.1:%d", s.port), Path: "/" + db,
		RawQuery: "sslmode=disable"}
	return u.String()
}

// Pid is the postmaster's process id, 0 when the server is down.
func (s *Server) Pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return 0
	}
	return s.cmd.Process.Pid
}

// Exec runs SQL, which may be several statements, as superuser on a connection
// of its own.
func (s *Server) Exec(ctx context.Context, db, sql string) error {
	conn, err := pgx.Connect(ctx, s.URL(db))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
		return fmt.Errorf("%w in: %.200s", err, sql)
	}
	return nil
}

// CreateDB makes an empty database and returns its URL.
func (s *Server) CreateDB(ctx context.Context, name string) (string, error) {
	err := s.Exec(ctx, "postgres", "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()+" TEMPLATE template0")
	return s.URL(name), err
}

// Log is the end of the server's log, at most 8 KiB, without the chatter of
// logical decoding.
func (s *Server) Log() string {
	b, err := os.ReadFile(s.logPath())
	if err != nil {
		return err.Error()
	}
	var out strings.Builder
	quiet := false
	for line := range strings.Lines(string(b)) {
		if !strings.Contains(line, " DETAIL: ") && !strings.Contains(line, " STATEMENT: ") {
			quiet = strings.Contains(line, " LOG:  logical decoding ") || strings.Contains(line, " LOG:  starting logical decoding ")
		}
		if !quiet {
			out.WriteString(line)
		}
	}
	return out.String()[max(0, out.Len()-8<<10):]
}
