package pgcatalog_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/pgcatalog"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/plan/planrun"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
)

// world is a catalog with some relations, and the system's.
type world struct {
	catalogs *pgcatalog.Catalogs
	context  *pgcatalog.Context
	registry *expr.Registry
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{catalogs: pgcatalog.New()}
	cat, err := catalog.New("dev", w.catalogs.Relations()...)
	check(t, err)
	for _, r := range []catalog.Relation{
		{Kind: catalog.KindTable, Name: "t", Key: []int{0}, Columns: []catalog.Column{
			{Name: "id", Type: datum.Ref(datum.OIDInt4), NotNull: true}, {Name: "body", Type: datum.Ref(datum.OIDText), NotNull: true, Default: "'x'::text"},
			{Name: "n", Type: datum.TypeRef{OID: datum.OIDNumeric, Mod: 10<<16 + 2 + 4}}}},
		{Kind: catalog.KindView, Name: "v", Query: "SELECT id, body FROM t", DependsOn: []catalog.ID{16384}, Columns: []catalog.Column{
			{Name: "id", Type: datum.Ref(datum.OIDInt4)}, {Name: "body", Type: datum.Ref(datum.OIDText)}}},
		{Kind: catalog.KindMatView, Name: "m", Query: "SELECT n, count(*) FROM t GROUP BY n", DependsOn: []catalog.ID{16384}, Columns: []catalog.Column{
			{Name: "n", Type: datum.Ref(datum.OIDNumeric)}, {Name: "count", Type: datum.Ref(datum.OIDInt8)}}},
		{Kind: catalog.KindSource, Name: "src"},
		{Kind: catalog.KindTable, Name: "Odd Name", Key: []int{0}, Columns: []catalog.Column{{Name: "_row_id", Type: datum.Ref(datum.OIDInt8), Hidden: true}, {Name: "a", Type: datum.Ref(1009)}}},
	} {
		r.Schema = "public"
		cat, _, err = cat.With(r)
		check(t, err)
	}
	cat, err = cat.WithSchema("s")
	check(t, err)
	w.context = &pgcatalog.Context{
		Catalog: cat, PID: 42, SearchPath: []string{"public"}, Version: "PostgreSQL 15.0", Databases: []string{"dev"}, Users: []string{"alice", "root"},
		Settings: []pgcatalog.Setting{{Name: "TimeZone", Value: "UTC"}}, Sessions: []pgcatalog.SessionInfo{{PID: 42, Database: "dev", User: "root"}},
		Setting: func(name string) (string, bool) { return "UTC", strings.EqualFold(name, "timezone") },
		Bytes:   func(id catalog.ID) int64 { return 8192 },
	}
	w.registry, err = expr.Builtins().With(pgcatalog.Functions()...)
	check(t, err)
	return w
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run gives a query's rows, values parted by bars.
func (w *world) run(text string) (string, error) {
	q, err := parser.ParseQuery(text)
	if err != nil {
		return "", err
	}
	p, err := plan.Bind(w.context.Catalog, w.registry, q, plan.Options{Parse: parser.ParseQuery, ParseExpr: parser.ParseExpr})
	if err != nil {
		return "", err
	}
	tables := planrun.Tables{}
	for _, id := range p.DependsOn {
		rows, ok := w.catalogs.Rows(w.context.Catalog.Get(id), w.context)
		if !ok {
			return "", fmt.Errorf("no rows for %s", w.context.Catalog.Get(id).Name)
		}
		tables[id] = rows
	}
	c, err := planrun.Run(p, tables, &expr.Env{Zone: time.UTC, Now: 1, User: "root", Database: "dev", Session: w.context})
	if err != nil {
		return "", err
	}
	var lines []string
	for _, row := range planrun.Text(c, p.Columns, pgvalue.Options{}) {
		cells := make([]string, len(row))
		for i, s := range row {
			if s != nil {
				cells[i] = *s
			}
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return strings.Join(lines, "\n"), nil
}

var update = flag.Bool("update", false, "rewrite testdata/psql.want")

// Everything that psql's commands ask is answered, as it was when a person last looked.
func TestQueriesOfPsql(t *testing.T) {
	w := newWorld(t)
	text, err := os.ReadFile("testdata/psql.sql")
	check(t, err)
	var got strings.Builder
	for _, part := range strings.Split("\n"+string(text), "\n-- ")[1:] {
		command, query, _ := strings.Cut(part, "\n")
		answer, err := w.run(strings.TrimSuffix(strings.TrimSpace(query), ";"))
		if err != nil {
			t.Errorf("%s: %v\n%s", command, err, query)
		}
		fmt.Fprintf(&got, "-- %s\n%s\n", command, answer)
	}
	if *update {
		check(t, os.WriteFile("testdata/psql.want", []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile("testdata/psql.want")
	check(t, err)
	if got.String() != string(want) {
		t.Errorf("the answers have changed (-update accepts them):\n%s", got.String())
	}
}

// What functions say of this world.
func TestFunctions(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ expr, want string }{
		{"'t'::regclass", "t"}, {"'public.t'::regclass", "t"}, {"'16384'::regclass", "t"}, {"16384::regclass", "t"}, {"99::regclass", "99"},
		{"'\"Odd Name\"'::regclass", `"Odd Name"`}, {"'t'::regclass::oid", "16384"}, {"'pg_class'::regclass::text", "pg_class"},
		{"'t_pkey'::regclass::oid = (SELECT indexrelid FROM pg_index WHERE indrelid = 't'::regclass)", "t"},
		{"to_regclass('nothing') IS NULL", "t"}, {"to_regclass('t')", "t"}, {"to_regtype('int4')", "integer"}, {"to_regtype('zzz') IS NULL", "t"},
		{"'int4'::regtype", "integer"}, {"'timestamptz'::regtype::oid", "1184"}, {"25::regtype", "text"}, {"2200::regnamespace", "public"},
		{"'root'::regrole::oid", "10"}, {"pg_get_userbyid(10)", "root"}, {"pg_get_userbyid(77)", "unknown (OID=77)"},
		{"current_schema()", "public"}, {"current_schemas(true)", "{pg_catalog,public}"}, {"current_schemas(false)", "{public}"},
		{"pg_backend_pid()", "42"}, {"current_setting('TimeZone')", "UTC"}, {"current_setting('nope', true) IS NULL", "t"},
		{"pg_get_viewdef('v')", " SELECT id, body FROM t;"}, {"pg_get_viewdef('v'::regclass)", " SELECT id, body FROM t;"},
		{"has_table_privilege('t', 'SELECT')", "t"}, {"has_table_privilege(99, 'SELECT') IS NULL", "t"}, {"has_schema_privilege('s', 'CREATE')", "t"},
		{"pg_size_pretty(pg_total_relation_size('t'))", "8192 bytes"}, {"pg_encoding_to_char(6)", "UTF8"}, {"pg_table_is_visible('t'::regclass)", "t"},
		{"version()", "PostgreSQL 15.0"}, {"pg_is_in_recovery()", "f"}, {"obj_description('t'::regclass, 'pg_class') IS NULL", "t"},
	} {
		if got, err := w.run("SELECT " + c.expr); err != nil || got != c.want {
			t.Errorf("%s is %q, %v; want %q", c.expr, got, err, c.want)
		}
	}
	for _, c := range []struct{ expr, code string }{
		{"'nothing'::regclass", sql.UndefinedTable}, {"'zzz'::regtype", sql.UndefinedObject}, {"has_table_privilege('nothing', 'SELECT')", sql.UndefinedTable},
		{"current_setting('nope')", sql.UndefinedObject}, {"'a.b.c.d'::regclass", "42602"}, {"'\"a'::regclass", "42602"}, {"''::regclass", "42602"},
	} {
		_, err := w.run("SELECT " + c.expr)
		var e *sql.Error
		if !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s: %v, want %s", c.expr, err, c.code)
		}
	}
}
