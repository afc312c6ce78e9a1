package catalog_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
)

// system is a relation that every test's catalog has.
func system() *catalog.Relation {
	return &catalog.Relation{ID: 1259, Kind: catalog.KindSystem, Schema: "pg_catalog", Name: "pg_class"}
}

func empty(t testing.TB) *catalog.Catalog {
	t.Helper()
	c, err := catalog.New("dev", system())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// add puts a relation in that depends on others.
func add(t testing.TB, c *catalog.Catalog, kind catalog.Kind, name string, on ...catalog.ID) (*catalog.Catalog, catalog.ID) {
	t.Helper()
	next, r, err := c.With(catalog.Relation{Kind: kind, Schema: "public", Name: name, DependsOn: on,
		Columns: []catalog.Column{{Name: "id", Type: datum.Ref(datum.OIDInt4), NotNull: true}}, Key: []int{0}})
	if err != nil {
		t.Fatal(err)
	}
	return next, r.ID
}

// wants checks an error's SQLSTATE and text.
func wants(t *testing.T, err error, code, message string) *sql.Error {
	t.Helper()
	var e *sql.Error
	if !errors.As(err, &e) || e.Code != code || e.Message != message {
		t.Errorf("got %v, want %s %s", err, code, message)
		return &sql.Error{}
	}
	return e
}

func names(list []*catalog.Relation) (names []string) {
	for _, r := range list {
		names = append(names, r.Schema+"."+r.Name)
	}
	return names
}

func TestNamesAreFoundAndListedInOrder(t *testing.T) {
	c := empty(t)
	c, orders := add(t, c, catalog.KindTable, "orders")
	c, v := add(t, c, catalog.KindMatView, "a_view", orders)
	if c.Lookup("", "orders").ID != orders || c.Lookup("public", "a_view").ID != v || c.Lookup("", "pg_class").ID != 1259 {
		t.Error("a name is not found")
	}
	if c.Lookup("public", "pg_class") != nil || c.Lookup("", "nothing") != nil || c.Get(7) != nil {
		t.Error("a name is found that is not there")
	}
	if got := names(c.List()); !slices.Equal(got, []string{"public.a_view", "public.orders"}) {
		t.Error(got)
	}
	if got := names(c.List(catalog.KindSystem, catalog.KindTable)); !slices.Equal(got, []string{"pg_catalog.pg_class", "public.orders"}) {
		t.Error(got)
	}
	if got := c.Schemas(); !slices.Equal(got, []string{"pg_catalog", "public"}) {
		t.Error(got)
	}
}

func TestFindSaysWhatIsWrong(t *testing.T) {
	c, _ := add(t, empty(t), catalog.KindTable, "orders")
	_, err := c.Find(sql.Name{At: 14, Name: "order"})
	if e := wants(t, err, sql.UndefinedTable, `relation "order" does not exist`); e.Pos != 14 {
		t.Errorf("it points at %d", e.Pos)
	}
	_, err = c.Find(sql.Name{Schema: "public", Name: "order"})
	wants(t, err, sql.UndefinedTable, `relation "public.order" does not exist`)
	_, err = c.Find(sql.Name{Schema: "s", Name: "orders"})
	wants(t, err, sql.UndefinedSchema, `schema "s" does not exist`)
	_, err = c.Find(sql.Name{Name: "orders"}, catalog.KindMatView)
	if e := wants(t, err, sql.WrongObjectType, `"orders" is not a materialized view`); e.Detail != "It is a table." {
		t.Error(e.Detail)
	}
	if r, err := c.Find(sql.Name{Name: "orders"}, catalog.KindMatView, catalog.KindTable); err != nil || r.Name != "orders" {
		t.Error(r, err)
	}
}

func TestAChangeLeavesTheOldCatalogAlone(t *testing.T) {
	c, orders := add(t, empty(t), catalog.KindTable, "orders")
	before, _ := json.Marshal(c.State())
	d, view := add(t, c, catalog.KindMatView, "v", orders)
	if _, err := d.Without(view, orders); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Rename(orders, "o"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.WithSchema("s"); err != nil {
		t.Fatal(err)
	}
	if after, _ := json.Marshal(c.State()); string(after) != string(before) {
		t.Errorf("was %s\n is %s", before, after)
	}
	if len(c.Dependants(orders)) != 0 || !slices.Equal(d.Dependants(orders), []catalog.ID{view}) {
		t.Error("dependants are shared")
	}
}

func TestWhatIsNeededCannotGo(t *testing.T) {
	c, orders := add(t, empty(t), catalog.KindTable, "orders")
	c, v := add(t, c, catalog.KindMatView, "v", orders)
	c, w := add(t, c, catalog.KindView, "w", v)
	_, err := c.Without(orders)
	e := wants(t, err, sql.DependentObjects, "cannot drop table orders because other objects depend on it")
	if e.Detail != "materialized view v depends on table orders" || e.Hint == "" {
		t.Error(e.Detail, e.Hint)
	}
	if got := c.Cascade(orders); !slices.Equal(got, []catalog.ID{w, v, orders}) {
		t.Error(got)
	}
	if _, err := c.Without(v, orders); err == nil {
		t.Error("w lost its view")
	}
	gone, err := c.Without(c.Cascade(orders)...)
	if err != nil || len(gone.List()) != 0 {
		t.Error(err)
	}
	_, err = c.Rename(orders, "o")
	wants(t, err, sql.DependentObjects, "cannot rename table orders because other objects depend on it")
	if r, err := c.Rename(w, "x"); err != nil || r.Get(w).Name != "x" || r.Lookup("", "w") != nil {
		t.Error(err)
	}
	_, err = c.Rename(w, "v")
	wants(t, err, sql.DuplicateRelation, `relation "v" already exists`)
}

func TestASourceMayBeRenamedUnderItsTables(t *testing.T) {
	c, source := add(t, empty(t), catalog.KindSource, "shop")
	c, table, err := c.With(catalog.Relation{Kind: catalog.KindCapture, Schema: "public", Name: "orders", Source: source})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Without(source); err == nil {
		t.Error("a source went before its table")
	}
	if c, err = c.Rename(source, "store"); err != nil || c.Get(table.ID).Source != source {
		t.Error(err)
	}
}

func TestIDsAreNeverUsedTwice(t *testing.T) {
	c, first := add(t, empty(t), catalog.KindTable, "a")
	if first != catalog.FirstID {
		t.Errorf("the first id is %d", first)
	}
	c, err := c.Without(first)
	if err != nil {
		t.Fatal(err)
	}
	back, err := catalog.Restore(c.State(), system())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*catalog.Catalog{c, back} {
		if _, second := add(t, c, catalog.KindTable, "a"); second != first+1 {
			t.Errorf("the second id is %d", second)
		}
	}
	if _, _, err := c.With(catalog.Relation{ID: first, Kind: catalog.KindTable, Schema: "public", Name: "b"}); err == nil {
		t.Error("an old id was taken")
	}
}

func TestARelationIsReplaced(t *testing.T) {
	c, id := add(t, empty(t), catalog.KindTable, "a")
	changed := *c.Get(id)
	changed.Columns = append(slices.Clone(changed.Columns), catalog.Column{Name: "b", Type: datum.Ref(datum.OIDText)})
	d, r, err := c.With(changed)
	if err != nil || len(r.Columns) != 2 || len(c.Get(id).Columns) != 1 || d.Next() != c.Next() {
		t.Error(r, err)
	}
	changed.Kind = catalog.KindView
	if _, _, err := c.With(changed); err == nil {
		t.Error("a table became a view")
	}
	loop := *c.Get(id)
	loop.DependsOn = []catalog.ID{id}
	if _, _, err := c.With(loop); err == nil {
		t.Error("a relation depends on itself")
	}
}

func TestSchemas(t *testing.T) {
	c, err := empty(t).WithSchema("s")
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.WithSchema("s")
	wants(t, err, sql.DuplicateSchema, `schema "s" already exists`)
	_, err = c.WithoutSchema("t")
	wants(t, err, sql.UndefinedSchema, `schema "t" does not exist`)
	for _, s := range []string{"public", "pg_catalog"} {
		_, err = c.WithoutSchema(s)
		wants(t, err, sql.InsufficientPrivilege, "permission denied for schema "+s)
	}
	c, r, err := c.With(catalog.Relation{Kind: catalog.KindTable, Schema: "s", Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.WithoutSchema("s")
	if e := wants(t, err, sql.DependentObjects, "cannot drop schema s because other objects depend on it"); e.Detail != "table s.a depends on schema s" {
		t.Error(e.Detail)
	}
	if c, err = c.Without(r.ID); err != nil {
		t.Fatal(err)
	}
	if c, err = c.WithoutSchema("s"); err != nil || c.HasSchema("s") {
		t.Error(err)
	}
	_, _, err = c.With(catalog.Relation{Kind: catalog.KindTable, Schema: "s", Name: "a"})
	wants(t, err, sql.UndefinedSchema, `schema "s" does not exist`)
	_, _, err = c.With(catalog.Relation{Kind: catalog.KindTable, Schema: "pg_catalog", Name: "a"})
	wants(t, err, sql.InsufficientPrivilege, "permission denied for schema pg_catalog")
	_, err = c.Without(1259)
	wants(t, err, sql.InsufficientPrivilege, "cannot drop pg_class: it is a system relation")
}

func TestStateIsStoredAndRestored(t *testing.T) {
	c, source := add(t, empty(t), catalog.KindSource, "shop")
	c, _ = add(t, c, catalog.KindTable, "orders", source)
	c, err := c.WithSchema("s")
	if err != nil {
		t.Fatal(err)
	}
	stored, err := json.Marshal(c.State())
	if err != nil {
		t.Fatal(err)
	}
	var state catalog.State
	if err := json.Unmarshal(stored, &state); err != nil {
		t.Fatal(err)
	}
	back, err := catalog.Restore(state, system())
	if err != nil || !reflect.DeepEqual(back.State(), c.State()) || back.Lookup("", "pg_class") == nil {
		t.Errorf("%v\n%s", err, stored)
	}
}

func TestADamagedStateIsRefused(t *testing.T) {
	table := func(id catalog.ID, name string, on ...catalog.ID) *catalog.Relation {
		return &catalog.Relation{ID: id, Kind: catalog.KindTable, Schema: "public", Name: name, DependsOn: on}
	}
	for what, list := range map[string][]*catalog.Relation{
		"an id twice":             {table(20000, "a"), table(20000, "b")},
		"a name twice":            {table(20000, "a"), table(20001, "a")},
		"an id of the system":     {table(12, "a")},
		"a dependency on nothing": {table(20000, "a", 20001)},
		"a schema that is absent": {{ID: 20000, Kind: catalog.KindTable, Schema: "s", Name: "a"}},
		"a system relation":       {{ID: 20000, Kind: catalog.KindSystem, Schema: "public", Name: "a"}},
	} {
		if _, err := catalog.Restore(catalog.State{Relations: list}, system()); err == nil {
			t.Errorf("%s passed", what)
		}
	}
	if _, err := catalog.New("dev", table(20000, "a")); err == nil {
		t.Error("a table passed as a system relation")
	}
}
