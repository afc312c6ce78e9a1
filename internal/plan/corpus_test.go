package plan_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/pgtest"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/plan/planrun"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
	"github.com/weirstream/weir/internal/zset"
	"github.com/weirstream/weir/test/slt/script"
)

// Every query of the oracle's corpus gives PostgreSQL's rows, in its order where it has one, over the tables
// that its script makes. testdata/corpus.known has the first lines of those that differ, or fail, for what
// is not this package's: a missing function, an equality by text.
func TestCorpusAgreesWithPostgres(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../test/oracle/testdata/*.slt")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	known := map[string]bool{}
	for _, l := range lines(t, "testdata/corpus.known") {
		known[l] = true
	}
	srv := pgtest.Start(t)
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".slt")
		s, err := script.Load(f)
		if err != nil {
			t.Fatal(err)
		}
		srv.CreateDB(t, name)
		w := &world{conn: srv.Conn(t, name).PgConn(), cat: newCatalog(t), env: &expr.Env{Zone: time.UTC, User: "postgres", Database: name}}
		w.exec(t, "SET jit = off")
		for _, r := range s.Records {
			if r.Halt {
				break
			}
			if diff := w.record(t, &r); diff != "" && !known[strings.Split(r.SQL(), "\n")[0]] {
				t.Errorf("%s:%d: %s\n%s", filepath.Base(r.Path), r.Line, r.SQL(), diff)
			}
		}
	}
}

// record runs one record on both sides; it describes how they differ.
func (w *world) record(t *testing.T, r *script.Record) string {
	if !r.Runs("postgresql") || !r.Runs("weir") {
		return ""
	}
	if r.Query != nil {
		if w.tables == nil {
			w.load(t)
		}
		return w.compareRecord(r.Query)
	}
	w.tables = nil
	_, err := w.conn.Exec(context.Background(), r.SQL()).ReadAll()
	if err != nil || r.Statement.Fail != nil {
		return "" // it is about what PostgreSQL itself refuses
	}
	parsed, err := parser.Parse(r.SQL())
	if err != nil {
		return err.Error()
	}
	switch parsed[0].Stmt.(type) {
	case *sql.CreateTable, *sql.CreateView:
		w.cat = define(t, w.cat, r.SQL())
	}
	return ""
}

// load reads the tables, and the time zone, from PostgreSQL.
func (w *world) load(t *testing.T) {
	w.tables = planrun.Tables{}
	for _, rel := range w.cat.List(catalog.KindTable) {
		kinds := make([]zset.Kind, len(rel.Columns))
		for i, c := range rel.Columns {
			kinds[i] = zset.KindOf(c.Type.OID)
		}
		c := zset.NewChunk(kinds, 0)
		results, err := w.conn.Exec(context.Background(), "TABLE "+rel.Name).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range results[0].Rows {
			for k, cell := range row {
				if cell == nil {
					c.Cols[k].AppendNull()
				} else if err := pgvalue.AppendValue(c.Cols[k], rel.Columns[k].Type, cell, pgvalue.Options{Zone: w.env.Zone}); err != nil {
					t.Fatal(err)
				}
			}
			c.N++
		}
		w.tables[rel.ID] = c
	}
	results, err := w.conn.Exec(context.Background(), "SHOW timezone").ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if w.env.Zone, err = time.LoadLocation(string(results[0].Rows[0][0])); err != nil {
		t.Fatal(err)
	}
}

func (w *world) compareRecord(q *script.Query) string {
	want, wantErr := w.postgres(q.SQL)
	bound, err := try(w.cat, q.SQL, plan.Options{})
	var got []string
	if err == nil {
		got, err = w.ours(bound)
	}
	if q.Order == script.NoSort && wantErr == nil && err == nil && len(bound.Order) > 0 && slices.Equal(want, got) {
		return ""
	}
	return w.differ(want, got, wantErr, err)
}
