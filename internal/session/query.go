package session

import (
	"context"
	"slices"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/database"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/pgcatalog"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/zset"
)

// planOptions are those of a statement of this session.
func planOptions(st *statement) plan.Options {
	return plan.Options{ParamTypes: st.declared(), Parse: parser.ParseQuery, ParseExpr: parser.ParseExpr}
}

func (s *Session) selectTask(st *statement, x *sql.Query) (*task, error) {
	if call, args, ok := waiting(x.Select); ok {
		return s.waitingTask(st, call, args)
	}
	q, err := plan.Bind(s.db.Catalog(), s.o.o.Functions, x.Select, planOptions(st))
	if err != nil {
		return nil, err
	}
	t := &task{tag: counts("SELECT"), params: q.Params, columns: origins(columnsOf(q.Columns), q)}
	t.run = func(ctx context.Context, p *portal) (source, error) { return s.query(ctx, q, p.args) }
	return t, nil
}

// env is what the expressions of a statement depend on.
func (s *Session) env(args []*zset.Vec) *expr.Env {
	return &expr.Env{
		Now: s.now(), Zone: s.zone, Params: args, User: s.who.User, Database: s.who.Database, Random: s.random.Uint64, Session: s.context(),
	}
}

// context is what the functions of pgcatalog tell of.
func (s *Session) context() *pgcatalog.Context {
	server, name := s.o.o.Server, s.db.Name()
	return &pgcatalog.Context{
		Catalog: s.db.Catalog(), PID: int32(s.who.Process), SearchPath: []string{catalog.Public}, Started: s.o.started,
		Version: "PostgreSQL " + s.o.o.Version, Users: server.Users(), Setting: s.settings.get,
		SetSetting: s.put,
		Bytes:      func(id catalog.ID) int64 { return server.Bytes(name, id) },
		Signal:     func(pid int32, end bool) bool { return server.Signal(uint32(pid), end) },
	}
}

// system gives the rows of a system relation.
func (s *Session) system(rel *catalog.Relation) (*zset.Chunk, error) {
	c := s.context()
	c.Databases, c.Sessions = s.o.o.Server.Databases(), s.o.list()
	for _, p := range s.settings.list() {
		about := s.settings.known[lower(p.Name)].about
		c.Settings = append(c.Settings, pgcatalog.Setting{Name: p.Name, Value: p.Value, Description: about})
	}
	if rows, ok := s.o.o.Catalogs.Rows(rel, c); ok {
		return rows, nil
	}
	return nil, missing(sql.UndefinedTable, "relation", rel.Name)
}

// query begins to read a plan's rows for the client, as they come.
func (s *Session) query(ctx context.Context, q *plan.Query, args []*zset.Vec) (source, error) {
	o := s.queryOptions(q, args)
	o.Stream = len(s.tx.locked) == 0 // a cursor is read while its transaction writes
	r, err := s.db.Query(ctx, q, o)
	if err != nil {
		return nil, err
	}
	return &rowsSource{s, r}, nil
}

// rows begins to read a plan's rows, all of which are computed before the first one comes.
func (s *Session) rows(ctx context.Context, q *plan.Query, args []*zset.Vec) (*database.Rows, error) {
	return s.db.Query(ctx, q, s.queryOptions(q, args))
}

// rowsFor is rows for an INSERT, which takes them as they come unless they are the table's own.
func (s *Session) rowsFor(ctx context.Context, ch *plan.Change, args []*zset.Vec) (*database.Rows, error) {
	o := s.queryOptions(ch.Rows, args)
	o.Stream = ch.Kind == plan.Insert && !slices.Contains(ch.Rows.DependsOn, ch.Relation.ID)
	return s.db.Query(ctx, ch.Rows, o)
}

func (s *Session) queryOptions(q *plan.Query, args []*zset.Vec) database.QueryOptions {
	return database.QueryOptions{Env: s.env(args), AfterTs: s.after(q), Txn: s.tx.txn, System: s.system}
}

// after is what the rows have to hold: everything that the session wrote. Tables that the
// transaction has locked are read with that anyway.
func (s *Session) after(q *plan.Query) ts.Ts {
	if slices.ContainsFunc(q.DependsOn, func(id catalog.ID) bool { return !s.tx.locked[id] }) {
		return s.wrote
	}
	return 0
}

// rowsSource is a query's result.
type rowsSource struct {
	s    *Session
	rows *database.Rows
}

func (r *rowsSource) next(ctx context.Context) (*zset.Chunk, error) { return r.rows.Next(ctx) }

func (r *rowsSource) close() { r.rows.Close() }

// all reads a query's rows to the end.
func (s *Session) all(ctx context.Context, q *plan.Query, args []*zset.Vec) (*zset.Chunk, error) {
	rows, err := s.rows(ctx, q, args)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []*zset.Chunk
	for {
		c, err := rows.Next(ctx)
		if err != nil {
			return nil, err
		}
		if c == nil {
			return zset.Concat(list), nil
		}
		if c.N > 0 {
			list = append(list, c)
		}
	}
}
