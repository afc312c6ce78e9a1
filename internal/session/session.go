package session

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/database"
	"github.com/weirstream/weir/internal/pgcatalog"
	"github.com/weirstream/weir/internal/pgwire"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/zset"
)

// Session is one client's conversation with a database. It implements pgwire.Session:
// its methods are called one at a time.
type Session struct {
	o          *Opener
	db         *database.Database
	who        pgwire.Startup
	client     pgwire.Client
	settings   *settings
	statements map[string]*statement
	portals    map[string]*portal
	tx         transaction
	wrote      ts.Ts // newest commit; later reads hold it
	random     *rand.Rand
	zone       *time.Location // of the setting TimeZone

	mu     sync.Mutex // for what other sessions look at
	doing  string     // the statement that runs, or ran last
	app    string     // application_name
	active bool
	state  pgwire.Status
}

// Script implements pgwire.Session.
func (s *Session) Script(_ context.Context, text string) ([]pgwire.Statement, error) {
	script, err := parser.Parse(text)
	if err != nil {
		return nil, err
	}
	list := make([]pgwire.Statement, len(script))
	for i, p := range script {
		list[i] = &statement{text: text, own: p.Text, stmt: p.Stmt}
	}
	return list, nil
}

// Prepare implements pgwire.Session.
func (s *Session) Prepare(_ context.Context, name, text string, types []uint32) error {
	script, err := parser.Parse(text)
	if err != nil {
		return err
	}
	if len(script) > 1 {
		return fail(sql.SyntaxError, "cannot insert multiple commands into a prepared statement")
	}
	st := &statement{text: text, types: types}
	if len(script) == 1 {
		st.own, st.stmt = script[0].Text, script[0].Stmt
	}
	return s.keep(name, st)
}

// keep resolves a statement and keeps it by name.
func (s *Session) keep(name string, st *statement) error {
	if _, taken := s.statements[name]; taken && name != "" {
		return fail(duplicateStatement, "prepared statement \"%s\" already exists", name)
	}
	if err := s.allowed(st.stmt); err != nil {
		return err
	}
	if err := s.resolve(st); err != nil {
		return err
	}
	st.fixed = slices.Clone(st.task.columns)
	s.statements[name] = st
	return nil
}

// Statement implements pgwire.Session.
func (s *Session) Statement(name string) (pgwire.Statement, error) {
	st, err := s.statement(name)
	if err != nil {
		return nil, err
	}
	return st, nil
}

func (s *Session) statement(name string) (*statement, error) {
	switch st := s.statements[name]; {
	case st != nil:
		return st, nil
	case name == "":
		return nil, fail(sql.InvalidStatementName, "unnamed prepared statement does not exist")
	}
	return nil, missing(sql.InvalidStatementName, "prepared statement", name)
}

// CloseStatement implements pgwire.Session.
func (s *Session) CloseStatement(name string) { delete(s.statements, name) }

// Bind implements pgwire.Session.
func (s *Session) Bind(_ context.Context, name string, st pgwire.Statement, args []*zset.Vec) (pgwire.Portal, error) {
	p, err := s.bind(name, st.(*statement), args)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (s *Session) bind(name string, st *statement, args []*zset.Vec) (*portal, error) {
	if err := s.allowed(st.stmt); err != nil {
		return nil, err
	}
	if _, taken := s.portals[name]; taken && name != "" {
		return nil, fail(duplicateCursor, "cursor \"%s\" already exists", name)
	}
	if err := s.resolve(st); err != nil {
		return nil, err
	}
	if n := len(args); n < len(st.task.params) { // the simple protocol has no values
		return nil, fail(sql.UndefinedParameter, "there is no parameter $%d", n+1)
	}
	p := &portal{s: s, st: st, task: st.task, args: args}
	s.ClosePortal(name)
	s.portals[name] = p
	return p, nil
}

// Portal implements pgwire.Session.
func (s *Session) Portal(name string) (pgwire.Portal, error) {
	if p := s.portals[name]; p != nil {
		return p, nil
	}
	return nil, missing(sql.InvalidCursorName, "portal", name)
}

// ClosePortal implements pgwire.Session.
func (s *Session) ClosePortal(name string) {
	if p := s.portals[name]; p != nil {
		p.close()
		delete(s.portals, name)
	}
}

// Status implements pgwire.Session.
func (s *Session) Status() pgwire.Status {
	switch {
	case s.tx.failed:
		return pgwire.Failed
	case s.tx.explicit:
		return pgwire.Active
	}
	return pgwire.Idle
}

// Values implements pgwire.Session.
func (s *Session) Values() pgvalue.Options {
	return pgvalue.Options{Zone: s.zone, Now: s.now()}
}

// Parameters implements pgwire.Session.
func (s *Session) Parameters() []pgwire.Parameter { return s.settings.reported() }

// Close implements pgwire.Session.
func (s *Session) Close() {
	s.rollback()
	for name := range s.portals {
		s.ClosePortal(name)
	}
	s.o.forget(s.who.Process)
}

// notice sends a message, if the client wants such.
func (s *Session) notice(severity string, n *sql.Error) {
	at := func(level string) int { return slices.Index(severities, level) }
	if at(lower(severity)) >= at(s.settings.value("client_min_messages")) {
		s.client.Notice(severity, n)
	}
}

// info is what other sessions may know of this one.
func (s *Session) info() pgcatalog.SessionInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := pgcatalog.SessionInfo{PID: int32(s.who.Process), Database: s.who.Database, User: s.who.User, Application: s.app, Query: s.doing, State: "idle"}
	if s.who.Remote != nil {
		i.Addr = s.who.Remote.String()
	}
	switch {
	case s.active:
		i.State = "active"
	case s.state == pgwire.Active:
		i.State = "idle in transaction"
	case s.state == pgwire.Failed:
		i.State = "idle in transaction (aborted)"
	}
	return i
}

// does tells other sessions that a statement runs, or with "" that it has ended.
func (s *Session) does(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active = text != ""; s.active {
		s.doing = text
	}
	s.state, s.app = s.Status(), s.settings.value("application_name")
}
