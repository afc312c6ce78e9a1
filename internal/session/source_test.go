package session

import (
	"errors"
	"slices"
	"testing"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
)

// upstream is a table of a source: a, b, id with its key, a hidden one aside.
func upstream() *catalog.Relation {
	col := func(name string, oid uint32) catalog.Column { return catalog.Column{Name: name, Type: datum.Ref(oid)} }
	return &catalog.Relation{
		Columns: []catalog.Column{col("a", datum.OIDText), col("b", datum.OIDInt8), col("id", datum.OIDInt4)}, Key: []int{2},
		Upstream: &catalog.UpstreamRef{Namespace: "public", Name: "t", Attributes: []int32{1, 4, 7}, Types: []uint32{23, 25, 23}},
	}
}

// CREATE TABLE t (columns) FROM a source keeps those columns, with their attributes and the key.
func TestColumnsOfAnUpstreamTableAreChosen(t *testing.T) {
	for _, c := range []struct{ columns, code string }{
		{"id int, a text", ""}, {"a text, b bigint", sql.InvalidTableDefinition}, {"id int, zz text", sql.UndefinedColumn}, {"id bigint", sql.DatatypeMismatch},
		{"id int, id int", sql.DuplicateColumn},
	} {
		script, err := parser.Parse("CREATE TABLE t (" + c.columns + ") FROM s TABLE 'public.t'")
		if err != nil {
			t.Fatal(err)
		}
		rel := upstream()
		err = (&Session{}).chooseColumns(rel, script[0].Stmt.(*sql.CreateTable))
		var e *sql.Error
		switch {
		case c.code == "" && err != nil, c.code != "" && (!errors.As(err, &e) || e.Code != c.code):
			t.Errorf("%s: %v, want %q", c.columns, err, c.code)
		case c.code == "" && (rel.Columns[0].Name != "id" || rel.Columns[1].Name != "a" || !slices.Equal(rel.Key, []int{0}) || !slices.Equal(rel.Upstream.Attributes, []int32{7, 1})):
			t.Errorf("%s: %+v %+v", c.columns, rel, rel.Upstream)
		}
	}
	if !slices.Equal(upstream().Upstream.Attributes, []int32{1, 4, 7}) {
		t.Error("the upstream's own description changed")
	}
}

// What goes in one statement goes in an order that the catalog allows, jobs apart from names.
func TestDropsTakeTurns(t *testing.T) {
	cat, err := catalog.New("dev")
	if err != nil {
		t.Fatal(err)
	}
	add := func(kind catalog.Kind, name string, on ...catalog.ID) catalog.ID {
		next, r, err := cat.With(catalog.Relation{Kind: kind, Schema: "public", Name: name, DependsOn: on})
		if err != nil {
			t.Fatal(err)
		}
		cat = next
		return r.ID
	}
	table := add(catalog.KindTable, "t")
	view := add(catalog.KindView, "v", table)
	mat := add(catalog.KindMatView, "m", view)
	top := add(catalog.KindMatView, "n", mat)
	turns := inTurn(cat, []catalog.ID{table, view, mat, top})
	if want := [][]catalog.ID{{top, mat}, {view}, {table}}; len(turns) != 3 || !slices.Equal(turns[0], want[0]) || !slices.Equal(turns[1], want[1]) || !slices.Equal(turns[2], want[2]) {
		t.Error(turns)
	}
	for _, some := range turns {
		if cat, err = cat.Without(some...); err != nil {
			t.Error(err)
		}
	}
}
