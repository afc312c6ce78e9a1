package pgwire_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/pgwire"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// The sessions of these tests are of a calculator with one table. Its statements:
//
//	select 1, 'a'::text, $1::int4, null      constants, with their types
//	rows 10                                  10 rows (i int4, t text), three a chunk
//	insert 1 one · count · clear             of the table (a int4, b text), in transactions
//	copy from text|csv|binary … · copy to …  the table; options as name=value
//	begin · commit · rollback                as in PostgreSQL, a failed one refuses (25P02)
//	fail 22012 words · wait · live 3 · notice words · set name value · panic

// world is what all sessions share.
type world struct {
	mu      sync.Mutex
	rows    []line // committed
	open    int    // sessions
	waiting chan string
	// refuse makes the next commit fail.
	refuse error
	users  map[string]string
	given  atomic.Int64 // rows of all cursors
}

type line struct {
	a int64
	b string
	z bool // b is NULL
}

func newWorld() *world {
	return &world{waiting: make(chan string, 100), users: map[string]string{"root": ""}}
}

func (w *world) Verifier(_ context.Context, user string) (string, bool, error) {
	v, ok := w.users[user]
	return v, ok, nil
}

func (w *world) Open(_ context.Context, s pgwire.Startup, c pgwire.Client) (pgwire.Session, error) {
	if s.Database != "dev" && s.Database != "root" {
		return nil, &sql.Error{Code: sql.UndefinedDatabase, Message: fmt.Sprintf("database %q does not exist", s.Database), Pos: -1}
	}
	w.mu.Lock()
	w.open++
	w.mu.Unlock()
	return &calc{w: w, who: s, client: c, statements: map[string]*statement{}, portals: map[string]*cursor{}}, nil
}

// calc is a session.
type calc struct {
	w          *world
	who        pgwire.Startup
	client     pgwire.Client
	statements map[string]*statement
	portals    map[string]*cursor
	explicit   bool
	failed     bool
	pending    []line // of the open transaction
	clear      bool   // of it, before pending
}

func (s *calc) Values() pgvalue.Options { return pgvalue.Options{Zone: time.UTC} }
func (s *calc) Parameters() []pgwire.Parameter {
	return []pgwire.Parameter{{Name: "TimeZone", Value: "UTC"}, {Name: "application_name", Value: s.who.Settings["application_name"]}}
}

func (s *calc) Status() pgwire.Status {
	switch {
	case s.failed:
		return pgwire.Failed
	case s.explicit:
		return pgwire.Active
	}
	return pgwire.Idle
}

func (s *calc) Fail() {
	s.pending, s.clear = nil, false
	s.failed = s.explicit
}

func (s *calc) Sync(context.Context) error {
	if s.explicit {
		return nil
	}
	return s.commit()
}

func (s *calc) commit() error {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if err := s.w.refuse; err != nil {
		s.w.refuse = nil
		s.pending, s.clear = nil, false
		return err
	}
	if s.clear {
		s.w.rows = nil
	}
	s.w.rows = append(s.w.rows, s.pending...)
	s.pending, s.clear, s.portals = nil, false, map[string]*cursor{}
	return nil
}

func (s *calc) Close() {
	s.w.mu.Lock()
	s.w.open--
	s.w.mu.Unlock()
}

// visible are the rows that the session sees.
func (s *calc) visible() []line {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if s.clear {
		return slices.Clone(s.pending)
	}
	return append(slices.Clone(s.w.rows), s.pending...)
}

func (s *calc) Script(_ context.Context, text string) (list []pgwire.Statement, err error) {
	at := 0
	for part := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(part) != "" {
			st, err := s.read(text, part, at, nil)
			if err != nil {
				return nil, err
			}
			list = append(list, st)
		}
		at += len(part) + 1
	}
	return list, nil
}

func (s *calc) Prepare(_ context.Context, name, text string, types []uint32) error {
	if _, taken := s.statements[name]; taken && name != "" {
		return &sql.Error{Code: "42P05", Message: fmt.Sprintf("prepared statement %q already exists", name), Pos: -1}
	}
	st, err := s.read(text, text, 0, types)
	if err == nil {
		err = s.allowed(st)
	}
	if err != nil {
		return err
	}
	s.statements[name] = st
	return nil
}

func (s *calc) Statement(name string) (pgwire.Statement, error) {
	if st := s.statements[name]; st != nil {
		return st, nil
	}
	return nil, &sql.Error{Code: sql.InvalidStatementName, Message: fmt.Sprintf("prepared statement %q does not exist", name), Pos: -1}
}

func (s *calc) CloseStatement(name string) { delete(s.statements, name) }
func (s *calc) ClosePortal(name string)    { delete(s.portals, name) }

func (s *calc) Portal(name string) (pgwire.Portal, error) {
	if p := s.portals[name]; p != nil {
		return p, nil
	}
	return nil, &sql.Error{Code: sql.InvalidCursorName, Message: fmt.Sprintf("portal %q does not exist", name), Pos: -1}
}

// allowed: a failed transaction only ends.
func (s *calc) allowed(st *statement) error {
	if s.failed && st.verb() != "commit" && st.verb() != "rollback" {
		return &sql.Error{Code: sql.InFailedTransaction, Pos: -1,
			Message: "current transaction is aborted, commands ignored until end of transaction block"}
	}
	return nil
}

func (s *calc) Bind(_ context.Context, portal string, st pgwire.Statement, args []*zset.Vec) (pgwire.Portal, error) {
	c := &cursor{calc: s, statement: st.(*statement), args: args}
	if err := s.allowed(c.statement); err != nil {
		return nil, err
	}
	if c.verb() == "copy" {
		how, err := copyOptions(c.words[1:])
		if err != nil {
			return nil, err
		}
		c.how = how
	}
	if portal != "" || args != nil || len(c.params) == 0 {
		s.portals[portal] = c
	}
	return c, nil
}

// copyOptions reads "from csv header=true": a name without value is the format.
func copyOptions(words []string) (*pgwire.Copy, error) {
	var options []sql.Option
	for _, w := range words[1:] {
		name, value, ok := strings.Cut(w, "=")
		if !ok {
			name, value = "format", w
		}
		options = append(options, sql.Option{Name: name, Value: value})
	}
	return pgwire.NewCopy("lines", words[0] == "from", options)
}

// statement is one that was read.
type statement struct {
	text    string
	words   []string
	items   []item // of select
	params  []datum.TypeRef
	columns []pgwire.Column
}

// item is a constant or a parameter of a select.
type item struct {
	t     datum.TypeRef
	text  string
	null  bool
	param int // from 1; 0: a constant
}

func (st *statement) Text() string             { return st.text }
func (st *statement) Params() []datum.TypeRef  { return st.params }
func (st *statement) Columns() []pgwire.Column { return st.columns }

func (st *statement) verb() string {
	if len(st.words) == 0 {
		return ""
	}
	return st.words[0]
}

func column(name string, oid uint32) pgwire.Column {
	return pgwire.Column{Name: name, Type: datum.Ref(oid)}
}

// read reads one statement, which begins at byte at of text.
func (s *calc) read(text, part string, at int, types []uint32) (*statement, error) {
	st := &statement{text: text, words: strings.Fields(part)}
	switch st.verb() {
	case "select":
		return st, st.readSelect(part, types)
	case "rows", "live":
		st.columns = []pgwire.Column{{Name: "i", Type: datum.Ref(datum.OIDInt4), Table: 16400, Attr: 1}, column("t", datum.OIDText)}
	case "count":
		st.columns = []pgwire.Column{column("count", datum.OIDInt8)}
	case "", "insert", "clear", "begin", "commit", "rollback", "fail", "wait", "notice", "set", "copy", "panic":
	default:
		return nil, &sql.Error{Code: sql.SyntaxError, Message: fmt.Sprintf("syntax error at or near %q", st.verb()), Pos: at + strings.Index(part, st.verb())}
	}
	return st, nil
}

func (st *statement) readSelect(part string, types []uint32) error {
	_, list, _ := strings.Cut(part, "select")
	for i, x := range strings.Split(list, ",") {
		x, typ, cast := strings.Cut(strings.TrimSpace(x), "::")
		it := item{text: strings.Trim(x, "'"), null: x == "null", t: datum.Ref(datum.OIDText)}
		if _, err := strconv.ParseInt(x, 10, 32); err == nil {
			it.t = datum.Ref(datum.OIDInt4)
		}
		if cast {
			oid, ok := typeNamed(typ)
			if !ok {
				return &sql.Error{Code: sql.UndefinedObject, Message: fmt.Sprintf("type %q does not exist", typ), Pos: strings.Index(st.text, typ)}
			}
			it.t = datum.Ref(oid)
		}
		if n, isParam := strings.CutPrefix(x, "$"); isParam {
			it.param, _ = strconv.Atoi(n)
			if it.param < 1 {
				return &sql.Error{Code: sql.UndefinedParameter, Message: "there is no parameter " + x, Pos: strings.Index(st.text, x)}
			}
			for len(st.params) < it.param {
				st.params = append(st.params, datum.Ref(datum.OIDText))
			}
			if !cast && it.param <= len(types) && types[it.param-1] != 0 {
				it.t = datum.Ref(types[it.param-1])
			}
			st.params[it.param-1] = it.t
		}
		st.items = append(st.items, it)
		st.columns = append(st.columns, pgwire.Column{Name: fmt.Sprintf("c%d", i+1), Type: it.t})
	}
	return nil
}

func typeNamed(name string) (uint32, bool) {
	base, array := strings.CutSuffix(name, "[]")
	for _, b := range datum.Builtins() {
		if b.Name == base && array {
			return b.Array, true
		} else if b.Name == base {
			return b.OID, true
		}
	}
	return 0, false
}
