package expr_test

import (
	"errors"
	"testing"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
	"github.com/weirstream/weir/internal/zset"
)

// External functions resolve beside the built-in ones, take their place, and are casts when they say so.
func TestFunctionsFromOutside(t *testing.T) {
	names := map[int64]string{1259: "pg_class"}
	implicit, explicit := expr.Implicit, expr.Explicit
	base := expr.Builtins()
	reg, err := base.With(
		expr.External{Signature: "format_type(oid,int4) text", Lax: true, Volatility: expr.Stable, Eval: func(r *expr.Row) error {
			if r.Null(0) {
				r.SetNull()
				return nil
			}
			typ := datum.Ref(uint32(r.Int(0)))
			if !r.Null(1) {
				typ.Mod = int32(r.Int(1))
			}
			r.SetString(expr.FormatType(typ))
			return nil
		}},
		expr.External{Signature: "regclass(oid) regclass", Cast: &implicit, Eval: func(r *expr.Row) error {
			r.SetString(names[r.Int(0)])
			return nil
		}},
		expr.External{Signature: "oid(regclass) oid", Cast: &implicit, Eval: func(r *expr.Row) error {
			for oid, name := range names {
				if name == string(r.Bytes(0)) {
					r.SetInt(oid)
					return nil
				}
			}
			return &sql.Error{Code: sql.UndefinedTable, Message: "no such relation", Pos: -1}
		}},
		expr.External{Signature: "regclass(text) regclass", Cast: &explicit, Volatility: expr.Stable, Eval: func(r *expr.Row) error {
			r.SetBytes(r.Bytes(0))
			return nil
		}},
		expr.External{Signature: "version() text", Eval: func(r *expr.Row) error {
			r.SetString("weir")
			return nil
		}},
	)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"format_type(1700, 655366)":             "text 'numeric(10,2)'",
		"pg_catalog.format_type(23, NULL)":      "text 'integer'",
		"format_type(NULL, NULL)":               "text NULL",
		"1259::oid::regclass":                   "regclass 'pg_class'",
		"'pg_class'::regclass::oid":             "oid '1259'",
		"1259::oid = 'pg_class'::regclass":      "boolean 't'",
		"1259::oid = 'nowhere'::regclass":       "42P01 no such relation (at -1)",
		"'pg_class'::pg_catalog.regclass::text": "text 'pg_class'",
		"version()":                             "text 'weir'",
		"lower('A')":                            "text 'a'",
	} {
		if got := ours(t, reg, text).String(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := ours(t, base, "version()").String(); got != "42883 function version() does not exist (at 0)" {
		t.Errorf("the registry it was made from knows version(): %s", got)
	}
	if _, err := base.With(expr.External{Signature: "nonsense"}); err == nil {
		t.Error("a signature that is none is taken")
	}
}

type withParams struct {
	columns
	params []*expr.Param
}

func (w withParams) Param(p *sql.Param) (expr.Expr, error) { return w.params[p.N-1], nil }

// A parameter takes the type of the first place that has one, everywhere.
func TestParametersTakeTheirTypes(t *testing.T) {
	reg := expr.Builtins()
	scope := withParams{params: []*expr.Param{{N: 1, T: datum.Ref(expr.OIDUnknown)}, {N: 2, T: datum.Ref(expr.OIDUnknown)}}}
	tree, err := parser.ParseExpr("CASE WHEN $1 > 5::int8 THEN $2 || 'x' ELSE $1::text END")
	if err != nil {
		t.Fatal(err)
	}
	e, err := reg.Bind(tree, scope)
	if err != nil {
		t.Fatal(err)
	}
	if scope.params[0].T.OID != datum.OIDInt8 || scope.params[1].T.OID != datum.OIDText {
		t.Fatalf("parameters are %v and %v", scope.params[0].T, scope.params[1].T)
	}
	one, two := zset.NewVec(zset.Int, 1), zset.NewVec(zset.Bytes, 1)
	one.AppendInt(7)
	two.AppendString("ab")
	environment := env(t)
	environment.Params = []*zset.Vec{one, two}
	out, errs := expr.Compile([]expr.Expr{e}).Eval(&zset.Chunk{N: 3}, environment)
	if errs != nil || out[0].N != 3 || string(out[0].Bytes(2)) != "abx" {
		t.Fatal(out[0], errs)
	}
}

func TestTypeNamesAndTheirModifiers(t *testing.T) {
	for _, c := range []struct {
		name sql.TypeName
		want string
	}{
		{sql.TypeName{Names: []string{"pg_catalog", "int4"}}, "integer"},
		{sql.TypeName{Names: []string{"numeric"}, Mods: []int32{10, 2}}, "numeric(10,2)"},
		{sql.TypeName{Names: []string{"numeric"}, Mods: []int32{5, -3}}, "numeric(5,-3)"},
		{sql.TypeName{Names: []string{"varchar"}, Mods: []int32{3}, Array: 1}, "character varying(3)[]"},
		{sql.TypeName{Names: []string{"bpchar"}, Mods: []int32{1}}, "character(1)"},
		{sql.TypeName{Names: []string{"timestamptz"}, Mods: []int32{3}}, "timestamp(3) with time zone"},
		{sql.TypeName{Names: []string{"interval"}, Mods: []int32{1 << 2}}, "interval year"},
		{sql.TypeName{Names: []string{"interval"}, Mods: []int32{0x7fff, 3}}, "interval(3)"},
		{sql.TypeName{Names: []string{"int4"}, Array: 2}, "integer[]"},
		{sql.TypeName{Names: []string{"_text"}}, "text[]"},
		{sql.TypeName{Names: []string{"nope"}}, "42704"},
		{sql.TypeName{Names: []string{"other", "int4"}}, "42704"},
		{sql.TypeName{Names: []string{"numeric"}, Mods: []int32{0}}, "22023"},
		{sql.TypeName{Names: []string{"varchar"}, Mods: []int32{0}}, "22023"},
		{sql.TypeName{Names: []string{"text"}, Mods: []int32{3}}, "42601"},
	} {
		typ, err := expr.TypeByName(c.name)
		got := expr.FormatType(typ)
		if e, ok := errors.AsType[*sql.Error](err); ok {
			got = e.Code
		}
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestAggregatesHaveTheirResultTypes(t *testing.T) {
	reg := expr.Builtins()
	for _, c := range []struct{ name, arg, result string }{
		{"count", "text", "bigint"}, {"sum", "smallint", "bigint"}, {"sum", "integer", "bigint"}, {"sum", "bigint", "numeric"},
		{"sum", "real", "real"}, {"sum", "numeric(10,2)", "numeric"}, {"avg", "integer", "numeric"}, {"avg", "real", "double precision"},
		{"avg", "interval", "interval"}, {"min", "varchar(3)", "text"}, {"max", "date", "date"}, {"max", "integer[]", "integer[]"},
		{"bool_and", "boolean", "boolean"}, {"every", "boolean", "boolean"}, {"sum", "text", "42883"}, {"max", "boolean", "42883"},
	} {
		agg, args, err := reg.ResolveAggregate(c.name, []expr.Expr{&expr.Column{T: typeNamed(t, c.arg)}}, false, 0)
		got := ""
		if e, ok := errors.AsType[*sql.Error](err); ok {
			got = e.Code
		} else if got = expr.FormatType(agg.Result); args[0].Type() != agg.Arg {
			t.Errorf("%s(%s): the argument is %v, not %v", c.name, c.arg, args[0].Type(), agg.Arg)
		}
		if got != c.result {
			t.Errorf("%s(%s): %s, want %s", c.name, c.arg, got, c.result)
		}
	}
	if agg, args, err := reg.ResolveAggregate("count", nil, true, 0); err != nil || agg.Kind != expr.AggCount || args != nil {
		t.Error("count(*): ", agg, args, err)
	}
}

func typesOf(args []expr.Expr) []datum.TypeRef {
	var types []datum.TypeRef
	for _, a := range args {
		types = append(types, a.Type())
	}
	return types
}
