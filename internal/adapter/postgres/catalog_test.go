package postgres

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weirstream/weir/internal/row"
)

// attrs makes attributes of "1 id int4 100", "-3" (dropped) and so on: number, name,
// type OID, xmin.
func attrs(list ...string) *tableFacts {
	f := &tableFacts{Identity: "d", Primary: []int32{1}}
	for _, text := range list {
		a := attribute{Typmod: -1, Xmin: "100"}
		if text[0] == '-' {
			fmt.Sscanf(text, "-%d", &a.Num)
			a.Dropped = true
		} else {
			fmt.Sscanf(text, "%d %s %d %s", &a.Num, &a.Name, &a.Type, &a.Xmin)
		}
		f.Attrs = append(f.Attrs, a)
	}
	return f
}

func columns(list ...string) (cols []streamColumn) {
	for _, text := range list {
		c := streamColumn{typmod: -1}
		fmt.Sscanf(text, "%s %d", &c.name, &c.typ)
		cols = append(cols, c)
	}
	return cols
}

func schemaWith(list ...string) *row.Schema {
	s := &row.Schema{}
	for _, a := range attrs(list...).Attrs {
		s.Columns = append(s.Columns, row.Column{ID: a.Num, Name: a.Name, Type: a.Type, Typmod: -1})
	}
	return s
}

func TestColumnIDs(t *testing.T) {
	const xid = 500
	for name, c := range map[string]struct {
		cols []streamColumn
		f    *tableFacts
		prev *row.Schema
		want []int32
	}{
		"the catalog agrees":             {columns("id 23", "v 25"), attrs("1 id 23", "-2", "3 v 25"), nil, []int32{1, 3}},
		"no catalog":                     {columns("id 23", "v 25"), nil, nil, []int32{0, 0}},
		"no catalog, known before":       {columns("id 23", "v 25"), nil, schemaWith("1 id 23", "4 v 25"), []int32{1, 4}},
		"renamed since":                  {columns("id 23", "v 25", "w 25"), attrs("1 id 23", "2 vv 25", "3 w 25"), nil, []int32{1, 2, 3}},
		"dropped since":                  {columns("id 23", "v 25", "w 25"), attrs("1 id 23", "-2", "3 w 25"), nil, []int32{1, 2, 3}},
		"added and renamed since":        {columns("id 23", "v 25"), attrs("1 id 23", "2 vv 25", "3 w 25"), nil, []int32{1, 2}},
		"retyped since":                  {columns("id 23", "v 25"), attrs("1 id 23", "2 v 23"), nil, []int32{1, 2}},
		"dropped before or since?":       {columns("id 23", "v 25"), attrs("1 id 23", "-2", "-3"), nil, []int32{1, 0}},
		"replaced since by another type": {columns("id 23", "v 25"), attrs("1 id 23", "-2", "3 v 23"), nil, []int32{1, 0}},
		"replaced, known before":         {columns("id 23", "v 25"), attrs("1 id 23", "-2", "3 v 23"), schemaWith("1 id 23", "2 v 25"), []int32{1, 2}},
		"recreated by a later one":       {columns("id 23", "v 25"), attrs("1 id 23", "-2", "3 v 25 900"), schemaWith("1 id 23", "2 v 25"), []int32{1, 2}},
		"recreated by an earlier one":    {columns("id 23", "v 25"), attrs("1 id 23", "-2", "3 v 25 400"), schemaWith("1 id 23", "2 v 25"), []int32{1, 3}},
		"renamed, known before":          {columns("id 23", "vv 25"), attrs("1 id 23", "2 vv 25"), schemaWith("1 id 23", "2 v 25"), []int32{1, 2}},
	} {
		if got := columnIDs(c.cols, c.f, c.prev, xid); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestTypeNamesAndNotNullComeFromWhatAgrees(t *testing.T) {
	f := attrs("1 id 23", "2 v 25")
	f.Attrs[0].TypeName, f.Attrs[0].NotNull = "integer", true
	f.Attrs[1].TypeName, f.Attrs[1].NotNull = "text", true
	rel := &relation{oid: 7, namespace: "public", name: "t", identity: 'd', cols: columns("id 23", "v 20")}
	rel.cols[0].key = true
	s := buildSchema(rel, f, nil, 1)
	if got := printSchema(s); got != "default(1:id integer*!, 2:v )" {
		t.Errorf("%s", got) // v was a bigint: what the catalog says of the text it is now does not count
	}
}
