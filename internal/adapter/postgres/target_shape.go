package postgres

import (
	"slices"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/weirerr"
)

// shape is one version of a source table's schema with what a sink needs of it.
// It is kept as long as the sink, so it owns a copy of the schema.
type shape struct {
	row.Schema
	id      row.TableID
	keyCols []int
}

func newShape(s *row.Schema) *shape {
	c := *s
	c.Columns, c.Generated, c.Types = slices.Clone(s.Columns), slices.Clone(s.Generated), slices.Clone(s.Types)
	return &shape{Schema: c, id: s.Table, keyCols: c.KeyColumns()}
}

func (s *shape) keyless() bool { return len(s.keyCols) == 0 }

// binding connects a shape with a table at the target: where each source column
// goes, and the statements that write rows of the shape.
type binding struct {
	table *targetTable
	// cols has the target of each source column; one with an empty name is not
	// delivered.
	cols  []boundCol
	keys  []int // source columns of the key
	stmts map[stmtKey]*stmt
}

type boundCol struct {
	name string // quoted
	cast string
	sum  targetColumn
}

// bind finds the columns. latest is the newest shape of the table, by whose names
// the target knows the columns of s. lenient drops columns that the target lacks.
func bind(s, latest *shape, t *targetTable, lenient bool) (*binding, error) {
	b := &binding{table: t, keys: s.keyCols, stmts: map[stmtKey]*stmt{}}
	for i := range s.Columns {
		c := &s.Columns[i]
		name, current := latest.nameOf(c)
		tc, found := t.columns[name]
		switch {
		case current && found && !tc.generated:
			b.cols = append(b.cols, boundCol{name: quoteIdent(name), cast: tc.cast, sum: tc})
			continue
		case c.Key && found && tc.generated:
			return nil, target.config("a key column is generated at the target").
				With("table", t.namespace+"."+t.name).With("column", name)
		case current && !found && (c.Key || !lenient):
			return nil, weirerr.New(weirerr.TargetMissing, "the target lacks a column").
				With("table", t.namespace+"."+t.name).With("column", name).With("type", c.TypeName).
				Hint("add the column and resync, or set schema_policy = ignore to leave it out")
		}
		b.cols = append(b.cols, boundCol{})
	}
	return b, nil
}

// nameOf is how the target calls a column of another version of the table; false
// when that version does not have it.
func (s *shape) nameOf(c *row.Column) (string, bool) {
	for i := range s.Columns {
		if o := &s.Columns[i]; sameColumn(o, c) {
			return o.Name, true
		}
	}
	return c.Name, false
}

// sameColumn tells whether two versions of a table mean the same column.
func sameColumn(a, b *row.Column) bool {
	if a.ID != 0 && b.ID != 0 {
		return a.ID == b.ID
	}
	return a.Name == b.Name
}
