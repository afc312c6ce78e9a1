package expr_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// Order keys are in the order of < and equal where = says so, which are compared with a
// PostgreSQL's elsewhere.
func TestOrderKeysAgreeWithOperators(t *testing.T) {
	reg := expr.Builtins()
	for typ, values := range map[string][]string{
		"jsonb": {
			"null", "true", "false", "1", "1.0", "-2", "1e3", "1000", `""`, `"a"`, `"ab"`, `"A"`, `"é"`, "[]", "[[]]", "[null]", "[1]", "[1.00]", "[1,2]", `["a"]`,
			"{}", `{"a":1}`, `{"a":1.0}`, `{"b":1}`, `{"a":2}`, `{"a":1,"b":[]}`, `{"aa":1}`, "[{}]", `[{"a":null}]`,
		},
		"int4[]":    {"{}", "{1}", "{1,2}", "{2}", "{NULL}", "{1,NULL}", "{-5,9}", "{{1,2}}", "{{1},{2}}", "[2:3]={1,2}"},
		"numeric[]": {"{1,2}", "{1.0,2.00}", "{1}", "{NaN}", "{-1e100}"},
		"text[]":    {"{a}", `{"a b",c}`, `{""}`, "{b}", "{NULL,a}", "{ab}", "{A}"},
		"float8[]":  {"{0}", "{-0}", "{NaN}", "{Infinity,1}"},
	} {
		ref, err := expr.TypeByName(sql.TypeName{Names: []string{strings.TrimSuffix(typ, "[]")}, Array: strings.Count(typ, "[]")})
		if err != nil {
			t.Fatal(err)
		}
		v := zset.NewVec(zset.Bytes, len(values))
		for _, text := range values {
			if err := pgvalue.AppendValue(v, ref, []byte(text), pgvalue.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		keys, errs := expr.Compile([]expr.Expr{reg.OrderKey(&expr.Column{T: ref})}).Eval(&zset.Chunk{N: v.N, Cols: []*zset.Vec{v}}, env(t))
		if errs != nil {
			t.Fatal(errs)
		}
		for i := range v.N {
			for j := range v.N {
				got := bytes.Compare(keys[0].Bytes(i), keys[0].Bytes(j))
				if want := operators(t, reg, ref, v, i, j); got != want {
					t.Errorf("%s: %s and %s: %d, want %d", typ, values[i], values[j], got, want)
				}
			}
		}
	}
}

// operators asks = and <.
func operators(t *testing.T, reg *expr.Registry, ref datum.TypeRef, v *zset.Vec, i, j int) int {
	t.Helper()
	var ask []expr.Expr
	for _, op := range []string{"=", "<"} {
		x, err := reg.ResolveOperator(op, []expr.Expr{&expr.Column{Index: 0, T: ref}, &expr.Column{Index: 1, T: ref}}, -1)
		if err != nil {
			t.Fatal(err)
		}
		ask = append(ask, x)
	}
	out, errs := expr.Compile(ask).Eval(&zset.Chunk{N: 1, Cols: []*zset.Vec{v.Slice(i, i+1), v.Slice(j, j+1)}}, env(t))
	switch {
	case errs != nil:
		t.Fatal(errs)
	case out[0].Bool(0):
		return 0
	case out[1].Bool(0):
		return -1
	}
	return 1
}
