package database

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/coordinator"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/metastore"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
	"github.com/weirstream/weir/internal/state"
	"github.com/weirstream/weir/internal/view"
	"github.com/weirstream/weir/internal/wal/local"
	"github.com/weirstream/weir/internal/worker"
	"github.com/weirstream/weir/internal/zset"
)

// stand is a database on real stores in a directory.
type stand struct {
	*Database
	t    *testing.T
	stop func()
}

func open(t *testing.T, dir string) *stand {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	meta, err := metastore.Open(filepath.Join(dir, "meta"), log)
	check(t, err)
	store, err := state.Open(filepath.Join(dir, "state"), state.Options{})
	check(t, err)
	w, err := local.Open(filepath.Join(dir, "log"), local.Options{})
	check(t, err)
	views := view.New(view.Options{})
	logs := NewLogs(w)
	coord := coordinator.New(coordinator.Options{Log: log})
	var db *Database
	ready := make(chan struct{})
	work := worker.New(worker.Options{Log: log, Store: store, Views: views, Logs: logs, Report: func(r worker.Report) {
		<-ready
		db.Report(r)
	}, Shards: 2})
	ctx, cancel := context.WithCancel(context.Background())
	db, err = Open(ctx, Options{
		Memory: NewMemory(64 << 20),
		ID:     1, Name: "dev", Meta: meta, State: store, Logs: logs, Worker: work, Views: views, Coordinator: coord,
		Functions: expr.Builtins(), Parse: parser.ParseQuery, System: SystemRelations(), Log: log,
	})
	check(t, err)
	close(ready)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		coord.Run(ctx)
	}()
	s := &stand{Database: db, t: t}
	s.stop = func() {
		cancel()
		<-ended
		check(t, db.Close())
		work.Close()
		check(t, views.Close())
		check(t, w.Close())
		check(t, store.Close())
		check(t, meta.Close())
		s.stop = func() {}
	}
	t.Cleanup(func() { s.stop() })
	check(t, s.Ready(waitContext(t)))
	return s
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func waitContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeoutCause(context.Background(), 20*time.Second, fmt.Errorf("%s: time is over", t.Name()))
	t.Cleanup(cancel)
	return ctx
}

// table creates an own table from its CREATE TABLE statement.
func (s *stand) table(text string) *catalog.Relation {
	s.t.Helper()
	st, err := parser.Parse(text)
	check(s.t, err)
	def := st[0].Stmt.(*sql.CreateTable)
	rel := &catalog.Relation{Kind: catalog.KindTable, Schema: "public", Name: def.Name.Name, SQL: text}
	for i, c := range def.Columns {
		typ, err := expr.TypeByName(c.Type)
		check(s.t, err)
		rel.Columns = append(rel.Columns, catalog.Column{Name: c.Name, Type: typ, NotNull: c.NotNull})
		if c.PrimaryKey || slices.Contains(def.PrimaryKey, c.Name) {
			rel.Key = append(rel.Key, i)
		}
	}
	check(s.t, s.Create(waitContext(s.t), rel, nil))
	return s.Catalog().Get(rel.ID)
}

// view creates a materialized view.
func (s *stand) view(name, query string) {
	s.t.Helper()
	rel, q := s.define(name, query)
	check(s.t, s.Create(waitContext(s.t), rel, q))
}

func (s *stand) define(name, query string) (*catalog.Relation, *plan.Query) {
	s.t.Helper()
	sel, err := parser.ParseQuery(query)
	check(s.t, err)
	q, err := plan.Bind(s.Catalog(), s.o.Functions, sel, plan.Options{View: true, Parse: parser.ParseQuery})
	check(s.t, err)
	rel := &catalog.Relation{Kind: catalog.KindMatView, Schema: "public", Name: name, Query: query, DependsOn: q.DependsOn, TimeZone: "UTC"}
	for _, c := range q.Columns {
		rel.Columns = append(rel.Columns, catalog.Column{Name: c.Name, Type: c.Type})
	}
	if u := q.Root.Properties().Unique; len(u) > 0 {
		rel.Key = u[0]
	}
	return rel, q
}

// query gives a query's rows as text.
func (s *stand) query(text string, txn *Txn) string {
	s.t.Helper()
	sel, err := parser.ParseQuery(text)
	check(s.t, err)
	q, err := plan.Bind(s.Catalog(), s.o.Functions, sel, plan.Options{Parse: parser.ParseQuery})
	check(s.t, err)
	rows, err := s.Query(waitContext(s.t), q, QueryOptions{Env: &expr.Env{Zone: time.UTC}, Txn: txn})
	check(s.t, err)
	defer rows.Close()
	var lines []string
	for {
		c, err := rows.Next(waitContext(s.t))
		check(s.t, err)
		if c == nil {
			return strings.Join(lines, " ")
		}
		for i := range c.N {
			var parts []string
			for k, v := range c.Cols {
				if v.Null(i) {
					parts = append(parts, "NULL")
					continue
				}
				parts = append(parts, string(pgvalue.AppendText(nil, v, i, q.Columns[k].Type, pgvalue.Options{})))
			}
			lines = append(lines, strings.Join(parts, "|"))
		}
	}
}

// delta makes rows of two ints with weights: id, n, weight, ….
func delta(values ...int64) *zset.Chunk {
	c := zset.NewChunk([]zset.Kind{zset.Int, zset.Int}, 1)
	for i := 0; i < len(values); i += 3 {
		c.Cols[0].AppendInt(values[i])
		c.Cols[1].AppendInt(values[i+1])
		c.AppendWeight(values[i+2])
	}
	return c
}

// write applies a delta in a transaction of its own.
func (s *stand) write(rel *catalog.Relation, d *zset.Chunk) {
	s.t.Helper()
	ctx := waitContext(s.t)
	txn := s.Begin()
	defer txn.Rollback()
	check(s.t, txn.Lock(ctx, rel))
	check(s.t, txn.Apply(ctx, rel, d))
	at, err := txn.Commit(ctx)
	check(s.t, err)
	check(s.t, s.WaitFor(ctx, at))
}
