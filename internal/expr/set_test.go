package expr_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
	"github.com/weirstream/weir/internal/zset"
)

// setScope keeps the call of a set function.
type setScope struct {
	columns
	reg  *expr.Registry
	call *expr.SetCall
}

func (s *setScope) Call(c *sql.Call) (expr.Expr, error) {
	var args []expr.Expr
	for _, a := range c.Args {
		e, err := s.reg.Bind(a, s)
		if err != nil {
			return nil, err
		}
		args = append(args, e)
	}
	call, err := s.reg.ResolveSet(c.Name[len(c.Name)-1], args, c.Pos())
	if err != nil {
		return nil, err
	}
	s.call = call
	return &expr.Column{T: call.T}, nil
}

// expand is the rows of a set function as texts, or its error.
func expand(t *testing.T, reg *expr.Registry, text string) []string {
	tree, err := parser.ParseExpr(text)
	if err != nil {
		t.Fatal(err)
	}
	scope := &setScope{reg: reg}
	if _, err := reg.Bind(tree, scope); err != nil {
		return []string{failure(err).err[:5]}
	}
	args, errs := expr.Compile(scope.call.Args).Eval(&zset.Chunk{N: 1}, env(t))
	if errs != nil {
		return []string{errs[0].Err.Code}
	}
	x := scope.call.Fn.NewExpander(typesOf(scope.call.Args))
	out := zset.NewVec(zset.KindOf(scope.call.T.OID), 0)
	n := 0
	for more := true; more; { // a series comes in pieces
		var k int
		var fault *sql.Error
		if k, more, fault = x.Expand(env(t), args, 0, n, 2, out); fault != nil {
			return []string{fault.Code}
		}
		n += k
	}
	if n != out.N {
		t.Errorf("%s: %d rows, it says %d", text, out.N, n)
	}
	rows := []string{}
	for i := range out.N {
		if out.Null(i) {
			rows = append(rows, "NULL")
		} else {
			rows = append(rows, string(pgvalue.AppendText(nil, out, i, scope.call.T, pgvalue.Options{Zone: env(t).Zone})))
		}
	}
	return rows
}

func TestSetsAgreeWithTheServer(t *testing.T) {
	conn, reg := connect(t, pgtest.Start(t)), expr.Builtins()
	for _, line := range script(t, "testdata/sets.sql") {
		want := []string{}
		rows, err := conn.Query(context.Background(), fmt.Sprintf("SELECT CASE WHEN x IS NULL THEN 'NULL' ELSE format('%%s', x) END FROM (SELECT %s AS x) s", line))
		if err == nil {
			want, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		if err != nil {
			want = []string{theirs(conn, line).err[:5]}
		}
		if got := expand(t, reg, line); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s\n   got %q\n  want %q", line, got, want)
		}
	}
}
