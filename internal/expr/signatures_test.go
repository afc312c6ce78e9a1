package expr_test

import (
	"context"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/pgtest"
)

// ourOwn are functions that PostgreSQL has in another form, or in its grammar.
var ourOwn = []string{"pg_typeof"}

// TestSignaturesAreTheServers compares every function, operator and cast with the server's catalog: types,
// strictness and volatility decide how calls resolve and where they may stand.
func TestSignaturesAreTheServers(t *testing.T) {
	srv, reg := pgtest.Start(t), expr.Builtins()
	conn := srv.Conn(t, "postgres")
	procs := rows[proc](t, conn, `SELECT proname::text AS name, proargtypes::oid[] AS args, prorettype AS result, proisstrict AS strict,
		provolatile::text AS volatile, provariadic AS variadic FROM pg_proc WHERE prokind IN ('f', 'a', 'w')`)
	for _, f := range reg.Functions() {
		if !slices.Contains(ourOwn, f.Name) {
			checkProc(t, f, procs)
		}
	}
	checkOperators(t, conn, reg)
	checkCasts(t, conn, reg)
}

type proc struct {
	Name     string
	Args     []uint32
	Result   uint32
	Strict   bool
	Volatile string
	Variadic uint32
}

func checkProc(t *testing.T, f *expr.Func, procs []proc) {
	args := slices.Clone(f.Args)
	if f.Variadic && args[len(args)-1] != 2276 {
		args[len(args)-1], _ = expr.ArrayOf(args[len(args)-1])
	}
	i := slices.IndexFunc(procs, func(p proc) bool { return p.Name == f.Name && slices.Equal(p.Args, args) })
	if i < 0 {
		t.Errorf("%s: the server has no such function", f.Signature())
		return
	}
	p := procs[i]
	if p.Result != f.Result || p.Strict != f.Strict || (p.Variadic != 0) != f.Variadic {
		t.Errorf("%s strict %t variadic %t: the server has result %s, strict %t, variadic %d",
			f.Signature(), f.Strict, f.Variadic, expr.FormatType(datum.Ref(p.Result)), p.Strict, p.Variadic)
	}
	if ours := map[expr.Volatility]string{expr.Immutable: "i", expr.Stable: "s", expr.Volatile: "v"}[f.Volatility]; ours != p.Volatile {
		t.Errorf("%s is %s, the server's %s", f.Signature(), ours, p.Volatile)
	}
}

func checkOperators(t *testing.T, conn *pgx.Conn, reg *expr.Registry) {
	type oper struct {
		Name        string
		Left, Right uint32
		Fn          string
	}
	opers := rows[oper](t, conn, `SELECT oprname::text AS name, oprleft AS left, oprright AS right, proname::text AS fn
		FROM pg_operator o JOIN pg_proc p ON p.oid = o.oprcode`)
	for _, op := range reg.Operators() {
		want := oper{Name: op.Symbol, Right: op.Fn.Args[len(op.Fn.Args)-1], Fn: op.Fn.Name}
		if len(op.Fn.Args) == 2 {
			want.Left = op.Fn.Args[0]
		}
		if !slices.Contains(opers, want) {
			t.Errorf("operator %s by %s: the server has no such operator", op.Symbol, op.Fn.Signature())
		}
	}
}

func checkCasts(t *testing.T, conn *pgx.Conn, reg *expr.Registry) {
	type cast struct {
		From, To uint32
		How      string
	}
	casts := rows[cast](t, conn, `SELECT castsource AS from, casttarget AS to, castcontext::text AS how FROM pg_cast`)
	for _, c := range reg.Casts() {
		how := map[expr.How]string{expr.Implicit: "i", expr.Assignment: "a", expr.Explicit: "e"}[c.How]
		if !slices.Contains(casts, cast{c.From, c.To, how}) {
			t.Errorf("cast %s to %s (%s): the server has none like it",
				expr.FormatType(datum.Ref(c.From)), expr.FormatType(datum.Ref(c.To)), how)
		}
	}
}

func rows[T any](t *testing.T, conn *pgx.Conn, query string) []T {
	r, err := conn.Query(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	list, err := pgx.CollectRows(r, pgx.RowToStructByName[T])
	if err != nil {
		t.Fatal(err)
	}
	return list
}
