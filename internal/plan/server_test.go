package plan_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/plan/planrun"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

const schema = `
CREATE TABLE t (id int PRIMARY KEY, a int, b int, c text, n numeric);
CREATE TABLE u (id int PRIMARY KEY, a int, b int, c text, n numeric);
CREATE TABLE v (a int, b int);
`

// Every query of testdata/queries gives what PostgreSQL gives, as a SELECT and as a view's query, over
// small random tables with many NULLs and duplicates. Where PostgreSQL fails, it fails with the same SQLSTATE.
func TestQueriesAgreeWithPostgres(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/queries/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no queries", err)
	}
	rounds := 8
	if testing.Short() {
		rounds = 2
	}
	w := newWorld(t)
	for round := range rounds {
		w.fill(t, rand.New(rand.NewPCG(uint64(round), 7)), round*2)
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range strings.Split(strings.TrimSpace(string(text)), "\n") {
				if diff := w.compare(t, q); diff != "" {
					t.Errorf("%s, round %d: %s\n%s", filepath.Base(f), round, q, diff)
				}
			}
		}
		if t.Failed() {
			return
		}
	}
}

// world is the same tables in a PostgreSQL and in memory.
type world struct {
	conn   *pgconn.PgConn
	cat    *catalog.Catalog
	tables planrun.Tables
	env    *expr.Env
}

func newWorld(t *testing.T) *world {
	srv := pgtest.Start(t)
	srv.CreateDB(t, "plans")
	w := &world{conn: srv.Conn(t, "plans").PgConn(), cat: define(t, newCatalog(t), schema), env: &expr.Env{Zone: time.UTC}}
	w.exec(t, "SET jit = off")
	w.exec(t, schema)
	return w
}

func (w *world) exec(t *testing.T, script string) {
	t.Helper()
	if _, err := w.conn.Exec(context.Background(), script).ReadAll(); err != nil {
		t.Fatal(err)
	}
}

// fill makes new rows, about size in each table.
func (w *world) fill(t *testing.T, r *rand.Rand, size int) {
	w.tables = planrun.Tables{}
	var script strings.Builder
	for _, rel := range w.cat.List(catalog.KindTable) {
		fmt.Fprintf(&script, "TRUNCATE %s;\n", rel.Name)
		kinds := make([]zset.Kind, len(rel.Columns))
		for i, c := range rel.Columns {
			kinds[i] = zset.KindOf(c.Type.OID)
		}
		c := zset.NewChunk(kinds, 0)
		for id := range r.IntN(size + 1) {
			values := make([]string, len(rel.Columns))
			for k, col := range rel.Columns {
				values[k] = value(r, col.Name, id+1)
				if values[k] == "NULL" {
					c.Cols[k].AppendNull()
				} else if err := pgvalue.AppendValue(c.Cols[k], col.Type, []byte(strings.Trim(values[k], "'")), pgvalue.Options{}); err != nil {
					t.Fatal(err)
				}
			}
			c.N++
			fmt.Fprintf(&script, "INSERT INTO %s VALUES (%s);\n", rel.Name, strings.Join(values, ", "))
		}
		w.tables[rel.ID] = c
	}
	w.exec(t, script.String())
}

// value is one of few values of a column.
func value(r *rand.Rand, column string, id int) string {
	if column == "id" {
		return fmt.Sprint(id)
	}
	if r.IntN(5) == 0 {
		return "NULL"
	}
	switch column {
	case "c":
		return []string{"'x'", "'y'", "''"}[r.IntN(3)]
	case "n":
		return []string{"1", "1.0", "2.50", "0"}[r.IntN(4)]
	}
	return fmt.Sprint(r.IntN(4))
}

// compare describes how we and PostgreSQL differ about a query; "" when they do not.
func (w *world) compare(t *testing.T, query string) string {
	t.Helper()
	want, wantErr := w.postgres(query)
	switch codeOf(wantErr) {
	case sql.FeatureNotSupported: // FULL JOIN on a condition that it cannot hash
		return ""
	case sql.QueryCanceled: // it took too long
		return ""
	}
	for _, view := range []bool{false, true} {
		q, err := try(w.cat, query, plan.Options{View: view})
		var got []string
		if err == nil {
			got, err = w.ours(q)
		}
		tree := ""
		if q != nil {
			tree = strings.Join(plan.Explain(q), "\n")
		}
		if diff := w.differ(want, got, wantErr, err); diff != "" {
			return fmt.Sprintf("view %v: %s\n%s", view, diff, tree)
		}
	}
	return ""
}

func (w *world) differ(want, got []string, wantErr, err error) string {
	if wantErr != nil || err != nil {
		if codeOf(wantErr) == codeOf(err) {
			return ""
		}
		return fmt.Sprintf("PostgreSQL: %v\nwe:         %v", wantErr, err)
	}
	slices.Sort(want)
	slices.Sort(got)
	if slices.Equal(want, got) {
		return ""
	}
	return fmt.Sprintf("PostgreSQL:\n  %s\nwe:\n  %s", strings.Join(want, "\n  "), strings.Join(got, "\n  "))
}

func codeOf(err error) string {
	var pg *pgconn.PgError
	var own *sql.Error
	switch {
	case errors.As(err, &pg):
		return pg.Code
	case errors.As(err, &own):
		return own.Code
	case err != nil:
		return err.Error()
	}
	return ""
}

func (w *world) postgres(query string) ([]string, error) {
	results, err := w.conn.Exec(context.Background(), query).ReadAll()
	if err != nil {
		return nil, err
	}
	var rows []string
	for _, r := range results[0].Rows {
		row := make([]*string, len(r))
		for i, b := range r {
			if b != nil {
				s := string(b)
				row[i] = &s
			}
		}
		rows = append(rows, line(row))
	}
	return rows, nil
}

func (w *world) ours(q *plan.Query) ([]string, error) {
	c, err := planrun.Run(q, w.tables, w.env)
	if err != nil {
		return nil, err
	}
	var rows []string
	for _, r := range planrun.Text(c, q.Columns, pgvalue.Options{Zone: w.env.Zone}) {
		rows = append(rows, line(r))
	}
	return rows, nil
}

func line(row []*string) string {
	cells := make([]string, len(row))
	for i, c := range row {
		cells[i] = "NULL"
		if c != nil {
			cells[i] = "'" + *c + "'"
		}
	}
	return strings.Join(cells, " ")
}
