package expr_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
	"github.com/weirstream/weir/internal/zset"
)

// zoneName is the session's zone in these tests: it has daylight saving time.
const zoneName = "America/New_York"

func env(t testing.TB) *expr.Env {
	zone, err := time.LoadLocation(zoneName)
	if err != nil {
		t.Fatal(err)
	}
	return &expr.Env{Zone: zone, Now: datum.Timestamp(24*365*datum.Day + 12*datum.Hour), User: "postgres", Database: "postgres"}
}

// answer is what a server says to SELECT expr.
type answer struct {
	text string // NULL without quotes
	typ  string
	err  string // SQLSTATE and message
	pos  int
}

func (a answer) String() string {
	if a.err != "" {
		return fmt.Sprintf("%s (at %d)", a.err, a.pos)
	}
	return fmt.Sprintf("%s %s", a.typ, a.text)
}

// columns answers for the columns of a chunk, if there is one.
type columns map[string]*expr.Column

func (c columns) Column(ref *sql.ColumnRef) (expr.Expr, error) {
	if col, ok := c[ref.Parts[len(ref.Parts)-1]]; ok {
		return col, nil
	}
	return nil, &sql.Error{Code: sql.UndefinedColumn, Message: fmt.Sprintf("column %q does not exist", strings.Join(ref.Parts, ".")), Pos: ref.Pos()}
}

func (c columns) Param(*sql.Param) (expr.Expr, error) { return nil, errors.New("no parameters here") }
func (c columns) Subquery(*sql.Subquery) (expr.Expr, error) {
	return nil, errors.New("no subqueries here")
}
func (c columns) Call(*sql.Call) (expr.Expr, error) { return nil, errors.New("no aggregates here") }

// ours evaluates over one row without columns.
func ours(t testing.TB, reg *expr.Registry, text string) answer {
	e, err := bind(reg, columns{}, text)
	if err != nil {
		return failure(err)
	}
	program := expr.Compile([]expr.Expr{e})
	out, errs := program.Eval(&zset.Chunk{N: 1}, env(t))
	if errs != nil {
		return failure(errs[0].Err)
	}
	return answer{text: valueText(t, out[0], 0, e.Type()), typ: typeText(e.Type())}
}

func bind(reg *expr.Registry, scope expr.Scope, text string) (expr.Expr, error) {
	tree, err := parser.ParseExpr(text)
	if err != nil {
		return nil, err
	}
	e, err := reg.Bind(tree, scope)
	if err != nil {
		return nil, err
	}
	return reg.Decided(e, -1)
}

func valueText(t testing.TB, v *zset.Vec, i int, typ datum.TypeRef) string {
	if v.Null(i) {
		return "NULL"
	}
	return "'" + string(pgvalue.AppendText(nil, v, i, typ, pgvalue.Options{Zone: env(t).Zone})) + "'"
}

func typeText(typ datum.TypeRef) string { return expr.FormatType(typ) }

func failure(err error) answer {
	e, ok := errors.AsType[*sql.Error](err)
	if !ok {
		return answer{err: "not an *sql.Error: " + err.Error(), pos: -1}
	}
	return answer{err: e.Code + " " + e.Message, pos: e.Pos}
}

// theirs asks PostgreSQL.
func theirs(conn *pgx.Conn, text string) answer {
	const before = "SELECT "
	results, err := conn.PgConn().Exec(context.Background(), before+text).ReadAll()
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return answer{err: pg.Code + " " + pg.Message, pos: max(int(pg.Position)-1-len(before), -1)}
	}
	if err != nil {
		return answer{err: err.Error()}
	}
	value := "NULL"
	if b := results[0].Rows[0][0]; b != nil {
		value = "'" + string(b) + "'"
	}
	field := results[0].FieldDescriptions[0]
	return answer{text: value, typ: typeText(datum.TypeRef{OID: field.DataTypeOID, Mod: field.TypeModifier})}
}

func connect(t testing.TB, srv *pgtest.Server) *pgx.Conn {
	url := srv.CreateDB(t, "exprs")
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	if _, err := conn.Exec(context.Background(), "SET timezone = '"+zoneName+"'"); err != nil {
		t.Fatal(err)
	}
	return conn
}

// script is the lines of a file that are neither empty nor comments.
func script(t testing.TB, path string) (lines []string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := strings.TrimSpace(s.Text()); line != "" && !strings.HasPrefix(line, "--") {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestScalarsAgreeWithTheServer compares value, type, and error with its position for every line of
// testdata/scalar. A line that begins with "near " allows another message and position, with the same SQLSTATE.
func TestScalarsAgreeWithTheServer(t *testing.T) {
	conn, reg := connect(t, pgtest.Start(t)), expr.Builtins()
	files, err := filepath.Glob("testdata/scalar/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts: ", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".sql"), func(t *testing.T) {
			for _, line := range script(t, path) {
				text, near := strings.CutPrefix(line, "near ")
				want, got := theirs(conn, text), ours(t, reg, text)
				if near {
					want.err, got.err = first5(want.err), first5(got.err)
					want.pos, got.pos = 0, 0
				}
				if got.String() != want.String() {
					t.Errorf("%s\n   got %s\n  want %s", text, got, want)
				}
			}
		})
	}
}

func first5(s string) string { return s[:min(5, len(s))] }
