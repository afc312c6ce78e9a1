package plan_test

import (
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
)

var builtins = expr.Builtins()

// define adds what CREATE TABLE and CREATE VIEW statements describe to a catalog.
func define(t testing.TB, cat *catalog.Catalog, script string) *catalog.Catalog {
	t.Helper()
	statements, err := parser.Parse(script)
	if err != nil {
		t.Fatalf("%v in\n%s", err, script)
	}
	for _, s := range statements {
		var rel catalog.Relation
		switch s := s.Stmt.(type) {
		case *sql.CreateTable:
			rel = table(t, s.Name, s.Columns, s.PrimaryKey)
			rel.AppendOnly = s.AppendOnly
		case *sql.CreateSource:
			rel = table(t, s.Name, s.Columns, nil)
			rel.Kind, rel.AppendOnly = catalog.KindSource, true
		case *sql.CreateView:
			q := bind(t, cat, s.Body, plan.Options{View: true})
			rel = catalog.Relation{Kind: catalog.KindView, Schema: "public", Name: s.Name.Name, Query: s.Body}
			for i, c := range q.Columns {
				if i < len(s.Columns) {
					c.Name = s.Columns[i]
				}
				rel.Columns = append(rel.Columns, catalog.Column{Name: c.Name, Type: c.Type})
			}
		default:
			continue // indexes and the like mean nothing here
		}
		if !cat.HasSchema(rel.Schema) {
			if cat, err = cat.WithSchema(rel.Schema); err != nil {
				t.Fatal(err)
			}
		}
		if cat, _, err = cat.With(rel); err != nil {
			t.Fatal(err)
		}
	}
	return cat
}

func table(t testing.TB, name sql.Name, columns []sql.ColumnDef, key []string) catalog.Relation {
	rel := catalog.Relation{Kind: catalog.KindTable, Schema: "public", Name: name.Name}
	if name.Schema != "" {
		rel.Schema = name.Schema
	}
	for _, c := range columns {
		typ, err := expr.TypeByName(c.Type)
		if err != nil {
			t.Fatal(err)
		}
		if c.PrimaryKey {
			key = []string{c.Name}
		}
		column := catalog.Column{Name: c.Name, Type: typ, NotNull: c.NotNull || c.PrimaryKey, Hidden: strings.HasPrefix(c.Name, "_row")}
		if c.Default != nil {
			column.Default = sql.DeparseExpr(c.Default)
		}
		rel.Columns = append(rel.Columns, column)
	}
	for _, k := range key {
		for i, c := range rel.Columns {
			if c.Name == k {
				rel.Key = append(rel.Key, i)
				rel.Columns[i].NotNull = true
			}
		}
	}
	return rel
}

func newCatalog(t testing.TB) *catalog.Catalog {
	t.Helper()
	cat, err := catalog.New("dev")
	if err != nil {
		t.Fatal(err)
	}
	return cat
}

func try(cat *catalog.Catalog, query string, o plan.Options) (*plan.Query, error) {
	q, err := parser.ParseQuery(query)
	if err != nil {
		return nil, err
	}
	o.Parse = parser.ParseQuery
	return plan.Bind(cat, builtins, q, o)
}

func bind(t testing.TB, cat *catalog.Catalog, query string, o plan.Options) *plan.Query {
	t.Helper()
	q, err := try(cat, query, o)
	if err != nil {
		t.Fatalf("%v in\n%s", err, query)
	}
	return q
}
