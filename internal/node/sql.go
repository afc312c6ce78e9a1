package node

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/config"
	"github.com/weirstream/weir/internal/control"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/pgwire"
	"github.com/weirstream/weir/internal/session"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/weirerr"
)

// sqlServer is what sessions need of the node: it implements session.Server.
type sqlServer struct {
	*engine
	control *control.Control
	wire    *pgwire.Server
}

var _ session.Server = (*sqlServer)(nil)

// listenSQL opens the SQL port. Clients wait until startSQL serves them.
func (n *node) listenSQL() (net.Listener, error) {
	if n.cfg.SQLAddr == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", n.cfg.SQLAddr)
	if err != nil {
		return nil, fmt.Errorf("listen for SQL on %s: %w", n.cfg.SQLAddr, err)
	}
	return l, nil
}

// addressOf is where a listener listens; empty when there is none.
func addressOf(l net.Listener) string {
	if l == nil {
		return ""
	}
	return l.Addr().String()
}

// startSQL opens the engine with its databases, and serves the SQL port.
func (n *node) startSQL(ctx context.Context, l net.Listener) error {
	if l == nil {
		return nil
	}
	e, err := openEngine(ctx, n.cfg, n.store, n.logs, n.log, n.registry, n.sources, n.pins)
	n.mu.Lock()
	n.engine = e
	n.mu.Unlock()
	if err != nil {
		return err
	}
	if err := ensureRoot(n.store); err != nil {
		return err
	}
	s := &sqlServer{engine: e, control: n.control}
	opener := session.NewOpener(session.Options{
		Server: s, Functions: e.functions, Catalogs: e.catalogs, Version: serverVersion(n.version), Log: n.log, Now: time.Now,
	})
	cfg := pgwire.Config{
		Opener: opener, Users: opener, Version: serverVersion(n.version), Insecure: n.cfg.Insecure, MaxConnections: n.cfg.SQL.MaxConnections,
		Log: n.log, Metrics: n.registry,
	}
	if cfg.TLS, err = n.certificate(); err != nil {
		return err
	}
	if cfg.TLS == nil && !n.cfg.Insecure && !config.Loopback(n.cfg.SQLAddr) {
		n.log.Warn("the SQL port has no TLS: only clients on this machine are let in", "address", addressOf(l))
	}
	s.wire = pgwire.New(cfg)
	n.mu.Lock()
	n.sql = s
	n.mu.Unlock()
	n.helpers.Go(func() {
		if err := s.wire.Serve(l); err != nil && ctx.Err() == nil {
			n.log.Error("serving the SQL port", "error", err)
		}
	})
	return e.ready(ctx)
}

// serverVersion is what drivers ask for: PostgreSQL's number, then ours.
func serverVersion(version string) string { return "15.0 (weir " + version + ")" }

// certificate is the SQL port's; nil: no TLS.
func (n *node) certificate() (*tls.Config, error) {
	if n.cfg.SQL.TLSCert == "" {
		return nil, nil
	}
	cert, err := tls.LoadX509KeyPair(n.cfg.SQL.TLSCert, n.cfg.SQL.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("read the certificate of the SQL port: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}, nil
}

// stopSQL ends sessions, then the engine.
func (n *node) stopSQL(ctx context.Context, note func(what string, err error)) {
	n.mu.Lock()
	s, e := n.sql, n.engine
	n.mu.Unlock()
	if s != nil {
		s.wire.Shutdown(ctx)
	}
	if e != nil {
		note("stopping the changefeeds of databases", n.changefeeds.detach(ctx))
		note("stopping the databases", e.close())
	}
}

// CreateSource implements session.Server: the capture is the same that the command line makes.
func (s *sqlServer) CreateSource(ctx context.Context, _, name string, options map[string]string) error {
	to, err := upstreamURL(options)
	if err != nil {
		return err
	}
	req := control.CreateSource{Name: name, URL: to}
	if t := options["table.name"]; t != "" {
		schema := options["schema.name"]
		if schema == "" {
			schema = "public"
		}
		req.Tables = []string{schema + "." + t}
	}
	_, err = s.control.CreateSource(ctx, req)
	return err
}

// upstreamURL is the address of an upstream, given whole or in RisingWave's options.
func upstreamURL(options map[string]string) (string, error) {
	if u := options["url"]; u != "" {
		return u, nil
	}
	for _, name := range []string{"hostname", "username", "database.name"} {
		if options[name] == "" {
			return "", &sql.Error{Code: sql.InvalidParameter, Message: "option \"" + name + "\" is missing", Pos: -1, Hint: "Or give all of it as url = 'postgres://…'."}
		}
	}
	port := options["port"]
	if port == "" {
		port = "5432"
	}
	u := url.URL{Scheme: "postgres", Host: net.JoinHostPort(options["hostname"], port), Path: options["database.name"]}
	u.User = url.UserPassword(options["username"], options["password"])
	if m := options["ssl.mode"]; m != "" {
		u.RawQuery = "sslmode=" + url.QueryEscape(m)
	}
	return u.String(), nil
}

// DropSource implements session.Server.
func (s *sqlServer) DropSource(ctx context.Context, _, name string) error {
	err := s.control.DropSource(ctx, name, control.DropSource{})
	if weirerr.CodeOf(err) == weirerr.NotFound {
		return nil
	}
	return err
}

// Names of the parameters of barriers.
const (
	intervalParameter  = "barrier_interval_ms"
	frequencyParameter = "checkpoint_frequency"
)

// Parameters implements session.Server.
func (s *sqlServer) Parameters(name string) []session.Parameter {
	s.mu.Lock()
	cfg := s.config
	s.mu.Unlock()
	if db := s.Database(name); db != nil {
		own := db.Barriers()
		if own.Interval > 0 {
			cfg.Interval = own.Interval
		}
		if own.Frequency > 0 {
			cfg.Frequency = own.Frequency
		}
	}
	return []session.Parameter{
		{Name: intervalParameter, Value: strconv.FormatInt(cfg.Interval.Milliseconds(), 10), Description: "Milliseconds between barriers."},
		{Name: frequencyParameter, Value: strconv.Itoa(cfg.Frequency), Description: "Every nth barrier is a checkpoint, which readers see."},
	}
}

// SetParameter implements session.Server.
func (s *sqlServer) SetParameter(_ context.Context, name, parameter, value string) error {
	n := 0
	if value != "" {
		var err error
		if n, err = strconv.Atoi(value); err != nil || n < 1 {
			return &sql.Error{Code: sql.InvalidParameter, Message: fmt.Sprintf("invalid value for parameter %q: %q", parameter, value), Pos: -1, Hint: "It is a whole number, 1 or more."}
		}
	}
	set := func(c barrier.Config) (barrier.Config, error) {
		switch parameter {
		case intervalParameter:
			c.Interval = time.Duration(n) * time.Millisecond
		case frequencyParameter:
			c.Frequency = n
		default:
			return c, &sql.Error{Code: sql.UndefinedObject, Message: fmt.Sprintf("unrecognized parameter %q", parameter), Pos: -1}
		}
		return c, nil
	}
	if name != "" {
		db := s.Database(name)
		if db == nil {
			return &sql.Error{Code: sql.UndefinedDatabase, Message: "database \"" + name + "\" does not exist", Pos: -1}
		}
		c, err := set(db.Barriers())
		if err != nil {
			return err
		}
		return db.Configure(c)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := set(s.config)
	if err != nil {
		return err
	}
	if err := s.meta.Update(func(tx *metastore.Tx) error { return tx.Put(keyBarriers, c) }); err != nil {
		return err
	}
	s.config = c
	s.coordinator.Configure(barrier.Configure{System: true, Config: c})
	return nil
}

// Bytes implements session.Server.
func (s *sqlServer) Bytes(name string, id catalog.ID) int64 {
	if db := s.Database(name); db != nil {
		return db.Bytes(id)
	}
	return 0
}

// Signal implements session.Server.
func (s *sqlServer) Signal(process uint32, end bool) bool { return !end && s.wire.Cancel(process) }

// Upstream implements session.Server.
func (s *sqlServer) Upstream(ctx context.Context, _, source, table string) (*catalog.Relation, error) {
	return s.sources.describe(ctx, source, table)
}
