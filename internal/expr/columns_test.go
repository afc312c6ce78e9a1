package expr_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// sample is a column of the table that expressions are evaluated over: values that are drawn at random, NULL beside them.
type sample struct {
	name, typ string
	values    []string
}

var samples = []sample{
	{"b", "bool", []string{"t", "f"}},
	{"i2", "int2", []string{"0", "1", "-1", "7", "32767", "-32768"}},
	{"i4", "int4", []string{"0", "1", "-1", "2", "100", "2147483647", "-2147483648"}},
	{"i8", "int8", []string{"0", "1", "-1", "5", "1000000", "3037000500", "9223372036854775807", "-9223372036854775808"}},
	{"f4", "float4", []string{"0", "1.5", "-2.25", "3e38", "1e-40", "NaN", "Infinity"}},
	{"f8", "float8", []string{"0", "-0", "1.5", "2", "-7.75", "1e308", "1e-308", "NaN", "-Infinity"}},
	{"n", "numeric", []string{"0", "1", "1.10", "-2.5", "0.0001", "99999999999999999999999999999999999999999.5", "NaN", "Infinity"}},
	{"m", "numeric(10,2)", []string{"0.00", "12.34", "-0.01", "99999999.99"}},
	{"s", "text", []string{"", "a", "abc", "hello world", "ÄÖü", "it's", "a,b,c", "123", "x_y%z", "aaa"}},
	{"v", "varchar(20)", []string{"", "abc", "foo bar", "12", "äx"}},
	{"c", "bpchar(6)", []string{"abc", "", "ab cd", "äb"}},
	{"d", "date", []string{"2024-02-29", "1999-12-31", "0044-03-15 BC", "infinity", "2000-01-01"}},
	{"t", "time", []string{"00:00:00", "12:34:56.789", "23:59:59", "24:00:00"}},
	{"ts", "timestamp", []string{"2024-02-29 12:34:56.789", "1970-01-01 00:00:00", "infinity", "2024-03-10 02:30:00"}},
	{"tz", "timestamptz", []string{"2024-07-01 12:00:00+00", "2024-11-03 05:30:00+00", "2024-03-10 07:00:00+00", "-infinity"}},
	{"iv", "interval", []string{"1 day", "1 mon -3 days 04:05:06", "00:00:00", "-1 years", "24:00:00", "30 days"}},
	{"j", "jsonb", []string{`{"a": 1, "b": [1, 2]}`, `[]`, `"x"`, `{"a": {"c": null}}`, `5`}},
	{"a", "int4[]", []string{"{}", "{1,2,3}", "{NULL,5}", "{{1,2},{3,4}}"}},
	{"ta", "text[]", []string{"{}", "{a,b}", `{"x y",NULL}`}},
	{"u", "uuid", []string{"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "00000000-0000-0000-0000-000000000000"}},
	{"o", "bytea", []string{`\x`, `\x0102ff`, `\x616263`}},
}

const sampleRows = 140

// table draws the rows, and gives them as text and as a chunk.
func table(t testing.TB) (text [][]*string, chunk *zset.Chunk, cols columns) {
	rng := rand.New(rand.NewPCG(7, 11))
	text = make([][]*string, sampleRows)
	for i := range text {
		text[i] = make([]*string, len(samples))
		for k, s := range samples {
			if rng.IntN(6) > 0 {
				text[i][k] = &s.values[rng.IntN(len(s.values))]
			}
		}
	}
	chunk, cols = &zset.Chunk{N: sampleRows}, columns{}
	for k, s := range samples {
		typ := typeNamed(t, s.typ)
		v := zset.NewVec(zset.KindOf(typ.OID), sampleRows)
		for i := range text {
			if text[i][k] == nil {
				v.AppendNull()
			} else if err := pgvalue.AppendValue(v, typ, []byte(*text[i][k]), pgvalue.Options{}); err != nil {
				t.Fatal(s.name, ": ", err)
			}
		}
		chunk.Cols = append(chunk.Cols, v)
		cols[s.name] = &expr.Column{Index: k, T: typ}
	}
	return text, chunk, cols
}

func typeNamed(t testing.TB, name string) datum.TypeRef {
	base, rest, _ := strings.Cut(name, "(")
	n := sql.TypeName{Names: []string{strings.TrimSuffix(base, "[]")}}
	if strings.HasSuffix(base, "[]") {
		n.Array = 1
	}
	for word := range strings.SplitSeq(strings.TrimSuffix(rest, ")"), ",") {
		var mod int32
		if _, err := fmt.Sscan(word, &mod); err == nil {
			n.Mods = append(n.Mods, mod)
		}
	}
	typ, err := expr.TypeByName(n)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// create makes the table on the server, and a function that evaluates an expression for every row.
func create(t testing.TB, conn *pgx.Conn, text [][]*string) {
	var defs []string
	for _, s := range samples {
		defs = append(defs, s.name+" "+s.typ)
	}
	exec := func(query string, args ...any) {
		if _, err := conn.Exec(context.Background(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE TABLE t (id int PRIMARY KEY, " + strings.Join(defs, ", ") + ")")
	for i, row := range text {
		words := []string{fmt.Sprint(i)}
		for _, value := range row {
			if value == nil {
				words = append(words, "NULL")
			} else {
				words = append(words, sql.QuoteString(*value))
			}
		}
		exec("INSERT INTO t VALUES (" + strings.Join(words, ", ") + ")")
	}
	exec(`CREATE FUNCTION each(e text) RETURNS SETOF text LANGUAGE plpgsql AS $$
		DECLARE v text; i int;
		BEGIN
			FOR i IN SELECT id FROM t ORDER BY id LOOP
				BEGIN
					EXECUTE 'SELECT CASE WHEN x IS NULL THEN ''NULL'' ELSE format(''%s'', x) END FROM (SELECT ' || e || ' AS x FROM t WHERE id = $1) s' INTO v USING i;
				EXCEPTION WHEN OTHERS THEN v := 'ERROR ' || sqlstate || ' ' || sqlerrm;
				END;
				RETURN NEXT v;
			END LOOP;
		END $$`)
}

// evaluate is what an expression gives for every row of a chunk, as each gives it.
func evaluate(t testing.TB, reg *expr.Registry, cols columns, chunk *zset.Chunk, text string) []string {
	e, err := bind(reg, cols, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	out, errs := expr.Compile([]expr.Expr{e}).Eval(chunk, env(t))
	return shown(t, out[0], errs, e.Type())
}

func shown(t testing.TB, v *zset.Vec, errs []expr.RowError, typ datum.TypeRef) []string {
	rows := make([]string, v.N)
	for i := range rows {
		if rows[i] = "NULL"; !v.Null(i) {
			rows[i] = string(pgvalue.AppendText(nil, v, i, typ, pgvalue.Options{Zone: env(t).Zone}))
		}
	}
	for _, e := range errs {
		rows[e.Row] = "ERROR " + e.Err.Code + " " + e.Err.Message
	}
	return rows
}

func TestColumnsAgreeWithTheServer(t *testing.T) {
	conn, reg := connect(t, pgtest.Start(t)), expr.Builtins()
	text, chunk, cols := table(t)
	create(t, conn, text)
	for _, line := range columnScripts(t) {
		want := serverRows(t, conn, line)
		got := evaluate(t, reg, cols, chunk, line)
		bad := 0
		for i := range want {
			if got[i] != want[i] && bad < 3 {
				bad++
				t.Errorf("%s, row %s\n   got %s\n  want %s", line, rowText(text[i], line), got[i], want[i])
			}
		}
	}
}

// serverRows is what the server gives: in one query, or row by row when one of them fails.
func serverRows(t *testing.T, conn *pgx.Conn, line string) []string {
	const all = "SELECT CASE WHEN x IS NULL THEN 'NULL' ELSE format('%%s', x) END FROM (SELECT %s AS x FROM t ORDER BY id) s"
	for _, query := range []string{fmt.Sprintf(all, line), "SELECT each(" + sql.QuoteString(line) + ")"} {
		rows, err := conn.Query(context.Background(), query)
		if err != nil {
			continue
		}
		if texts, err := pgx.CollectRows(rows, pgx.RowTo[string]); err == nil {
			return texts
		}
	}
	t.Fatalf("%s: the server refuses it", line)
	return nil
}

// rowText is the values of the columns that an expression names.
func rowText(row []*string, line string) string {
	var parts []string
	for k, s := range samples {
		if strings.Contains(line, s.name) {
			value := "NULL"
			if row[k] != nil {
				value = *row[k]
			}
			parts = append(parts, s.name+"="+value)
		}
	}
	return strings.Join(parts, " ")
}

func columnScripts(t testing.TB) (lines []string) {
	files, err := filepath.Glob("testdata/columns/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts: ", err)
	}
	for _, path := range files {
		lines = append(lines, script(t, path)...)
	}
	return lines
}

// A column's values do not depend on what is around them: any part of a chunk, down to one row, gives the same, so do
// several expressions in one program, and so does a program that has run before.
func TestPartsOfAChunkGiveTheSame(t *testing.T) {
	reg := expr.Builtins()
	_, chunk, cols := table(t)
	lines := columnScripts(t)
	whole := make([][]string, len(lines))
	for i, line := range lines {
		whole[i] = evaluate(t, reg, cols, chunk, line)
	}
	rapid.Check(t, func(rt *rapid.T) {
		lo := rapid.IntRange(0, sampleRows-1).Draw(rt, "lo")
		hi := rapid.IntRange(lo+1, min(sampleRows, lo+80)).Draw(rt, "hi")
		some := rapid.SliceOfN(rapid.IntRange(0, len(lines)-1), 1, 6).Draw(rt, "lines")
		var exprs []expr.Expr
		for _, k := range some {
			e, err := bind(reg, cols, lines[k])
			if err != nil {
				rt.Fatal(err)
			}
			exprs = append(exprs, e)
		}
		program := expr.Compile(exprs)
		program.Eval(chunk, env(t)) // what it leaves behind has no effect
		out, errs := program.Eval(chunk.Slice(lo, hi), env(t))
		failed := map[int]bool{}
		for i, e := range errs {
			if failed[e.Row] = true; i > 0 && e.Row <= errs[i-1].Row {
				rt.Fatalf("errors of rows %d and %d: not ascending", errs[i-1].Row, e.Row)
			}
		}
		for k, line := range some {
			for i, got := range shown(t, out[k], errs, exprs[k].Type()) {
				if want := whole[line][lo+i]; got != want && !failed[i] {
					rt.Fatalf("%s, row %d: %s, in the whole chunk %s", lines[line], lo+i, got, want)
				}
			}
		}
	})
}

// A filter passes the rows where its condition is true in PostgreSQL's sense.
func TestFiltersPassTrueRows(t *testing.T) {
	reg := expr.Builtins()
	_, chunk, cols := table(t)
	for _, line := range columnScripts(t) {
		e, err := bind(reg, cols, line)
		if err != nil || e.Type().OID != datum.OIDBool {
			continue
		}
		sel, errs := expr.CompileFilter(e).EvalFilter(chunk, env(t))
		passed := make([]bool, sampleRows)
		for _, i := range sel {
			passed[i] = true
		}
		failed := map[int]bool{}
		for _, e := range errs {
			failed[e.Row] = true
		}
		for i, value := range evaluate(t, reg, cols, chunk, line) {
			if want := value == "t"; passed[i] != want || failed[i] && !strings.HasPrefix(value, "ERROR") {
				t.Errorf("%s, row %d is %s: passed %t, failed %t", line, i, value, passed[i], failed[i])
			}
		}
	}
}
