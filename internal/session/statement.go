package session

import (
	"context"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/pgwire"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// statement is one that was read, and once it is resolved what to do. It implements pgwire.Statement.
type statement struct {
	text  string        // that positions count in
	own   string        // the part of it that is this statement
	stmt  sql.Statement // nil: the text was empty
	types []uint32      // of parameters, as the client declared them; 0: to find out
	// task was resolved with this catalog; a newer one may ask for another.
	task *task
	cat  *catalog.Catalog
	// fixed are the columns that the client was told of a prepared statement.
	fixed []pgwire.Column
}

// Text implements pgwire.Statement.
func (st *statement) Text() string { return st.text }

// Params implements pgwire.Statement.
func (st *statement) Params() []datum.TypeRef {
	if st.task == nil {
		return nil
	}
	return st.task.params
}

// Columns implements pgwire.Statement. Rows of a COPY are no result.
func (st *statement) Columns() []pgwire.Column {
	if st.task == nil || st.task.copy != nil {
		return nil
	}
	return st.task.columns
}

// task is what a statement does, resolved: it may run several times.
type task struct {
	tag     func(rows int64) string // rows that went out, or were changed
	params  []datum.TypeRef
	columns []pgwire.Column // of its rows; nil: it gives none
	copy    *pgwire.Copy
	live    bool // rows come as time goes by
	// run does it. Rows come from the source; nil: there are none, and it is done.
	run func(ctx context.Context, p *portal) (source, error)
	// load takes rows of COPY FROM.
	load func(ctx context.Context, p *portal, rows *zset.Chunk) error
}

// source gives the rows of a running statement.
type source interface {
	// next gives more rows, nil at the end. The chunk is read until the next call.
	next(ctx context.Context) (*zset.Chunk, error)
	close()
}

// says is the tag of a statement that counts nothing.
func says(tag string) func(int64) string { return func(int64) string { return tag } }

// counts is the tag of a statement that counts rows.
func counts(tag string) func(int64) string {
	return func(n int64) string { return tag + " " + strconv.FormatInt(n, 10) }
}

// resolve finds out what a statement does, unless that is known and still so.
func (s *Session) resolve(st *statement) error {
	cat := s.db.Catalog()
	if st.task != nil && st.cat == cat {
		return nil
	}
	t, err := s.task(st)
	if err != nil {
		return err
	}
	if st.fixed != nil && !sameTypes(st.fixed, t.columns) {
		return fail(planChanged, "cached plan must not change result type")
	}
	st.task, st.cat = t, cat
	return nil
}

func sameTypes(a, b []pgwire.Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Type != b[i].Type || a[i].Name != b[i].Name {
			return false
		}
	}
	return true
}

// declared are the client's types of parameters.
func (st *statement) declared() []datum.TypeRef {
	types := make([]datum.TypeRef, len(st.types))
	for i, oid := range st.types {
		types[i] = datum.Ref(oid)
	}
	return types
}

// task finds out what a statement does.
func (s *Session) task(st *statement) (*task, error) {
	switch x := st.stmt.(type) {
	case nil:
		return &task{tag: says(""), run: nothing}, nil
	case *sql.Query:
		return s.selectTask(st, x)
	case *sql.Insert, *sql.Update, *sql.Delete:
		return s.changeTask(st)
	case *sql.Truncate:
		return s.truncateTask(x)
	case *sql.Copy:
		return s.copyTask(st, x)
	case *sql.Subscribe:
		return s.subscribeTask(st, x)
	case *sql.Explain:
		return s.explainTask(st, x)
	case *sql.Show:
		return s.showTask(x)
	}
	if t, err := s.controlTask(st); t != nil || err != nil {
		return t, err
	}
	return s.definitionTask(st)
}

// controlTask is for statements about the session itself.
func (s *Session) controlTask(st *statement) (*task, error) {
	switch x := st.stmt.(type) {
	case *sql.Begin:
		return does("BEGIN", func(context.Context, *portal) error { return s.beginBlock(x) }), nil
	case *sql.Commit:
		return s.commitTask(), nil
	case *sql.Rollback:
		return does("ROLLBACK", func(context.Context, *portal) error { s.rollbackBlock(); return nil }), nil
	case *sql.Savepoint:
		return s.savepointTask(x), nil
	case *sql.Set:
		return s.setTask(st, x), nil
	case *sql.Discard:
		return s.discardTask(x), nil
	case *sql.Prepare:
		return does("PREPARE", func(context.Context, *portal) error { return s.prepare(st, x) }), nil
	case *sql.Execute:
		return s.executeTask(st, x)
	case *sql.Deallocate:
		return s.deallocateTask(x), nil
	case *sql.Declare:
		return s.declareTask(st, x)
	case *sql.Fetch:
		return s.fetchTask(x)
	case *sql.Close:
		return s.closeTask(x), nil
	case *sql.Flush:
		return s.flushTask(), nil
	case *sql.Wait:
		return s.waitTask(x), nil
	case *sql.Ignored:
		return &task{tag: says(x.Tag), run: nothing}, nil
	}
	return nil, nil
}

// definitionTask is for statements that change names.
func (s *Session) definitionTask(st *statement) (*task, error) {
	switch x := st.stmt.(type) {
	case *sql.CreateTable:
		return s.createTableTask(st, x), nil
	case *sql.CreateSource:
		return s.defines("CREATE SOURCE", func(ctx context.Context) error { return s.createSource(ctx, x) }), nil
	case *sql.CreateView:
		return s.createViewTask(st, x), nil
	case *sql.CreateChangefeed:
		return s.defines("CREATE CHANGEFEED", func(ctx context.Context) error { return s.createChangefeed(ctx, x) }), nil
	case *sql.Drop:
		return s.defines("DROP "+strings.ToUpper(x.Kind), func(ctx context.Context) error { return s.drop(ctx, x) }), nil
	case *sql.AlterTable:
		return s.defines("ALTER "+strings.ToUpper(x.Kind), func(ctx context.Context) error { return s.alter(ctx, x) }), nil
	case *sql.AlterSet:
		return s.alterSetTask(x), nil
	case *sql.CreateUser:
		return s.createUserTask(x), nil
	case *sql.CreateDatabase:
		return s.defines("CREATE DATABASE", func(ctx context.Context) error { return s.createDatabase(ctx, x) }), nil
	case *sql.CreateSchema:
		return s.defines("CREATE SCHEMA", func(ctx context.Context) error { return s.createSchema(ctx, x) }), nil
	case *sql.Recover:
		return nil, unsupported("RECOVER", -1)
	}
	return nil, fail(sql.FeatureNotSupported, "this statement is not supported")
}

func nothing(context.Context, *portal) (source, error) { return nil, nil }

// does is a task without rows.
func does(tag string, act func(ctx context.Context, p *portal) error) *task {
	return &task{tag: says(tag), run: func(ctx context.Context, p *portal) (source, error) { return nil, act(ctx, p) }}
}

// columnsOf are a plan's columns as clients see them.
func columnsOf(cols []plan.Column) []pgwire.Column {
	out := make([]pgwire.Column, len(cols))
	for i, c := range cols {
		out[i] = pgwire.Column{Name: c.Name, Type: c.Type}
	}
	return out
}

func lower(s string) string { return strings.ToLower(s) }
