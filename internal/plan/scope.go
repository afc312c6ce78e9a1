package plan

import (
	"slices"
	"strings"

	"github.com/weirstream/weir/internal/catalog"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/sql"
)

// scope is what names mean in one SELECT. Those that it does not have are looked up
// outside: the query it is a subquery of, and for LATERAL the items of FROM before it.
type scope struct {
	outer  *scope
	ctes   []*cte
	tables []*table // what t.column finds
	unseen []*table // items of FROM that are there but not for this part
	cols   []column // what column finds, and the order of *
	// agg collects the SELECT's aggregates while its clauses are bound.
	agg  *grouping
	over *over
	// forbidden: the items are the left side of a RIGHT or FULL JOIN, which its right side may not mention.
	forbidden bool
}

// table is an item of FROM by its name.
type table struct {
	name   string
	schema string // of a relation without an alias
	rel    *catalog.Relation
	cols   []column
}

// column is a column of an item of FROM.
type column struct {
	name   string
	col    algebra.Col
	table  *table // nil: merged by USING
	hidden bool   // * leaves it out
}

// cte is a WITH query.
type cte struct {
	name string
	outs []output
	def  *algebra.Shared
}

// inside is a scope for a query within s.
func inside(s *scope) *scope { return &scope{outer: s} }

// lookup finds a column. It fails when the name is ambiguous, and returns nil when there is none.
func (s *scope) lookup(ref *sql.ColumnRef) (*column, error) {
	for at := s; at != nil; at = at.outer {
		c, err := at.own(ref)
		if err != nil {
			return nil, err
		}
		if c != nil {
			if at.forbidden {
				return nil, forbiddenReference(c, ref)
			}
			return c, nil
		}
	}
	return nil, nil
}

func forbiddenReference(c *column, ref *sql.ColumnRef) error {
	name := ""
	if c.table != nil {
		name = c.table.name
	}
	e := fail(sql.InvalidColumnReference, ref.Pos(), "invalid reference to FROM-clause entry for table %q", name)
	e.Detail = "The combining JOIN type must be INNER or LEFT for a LATERAL reference."
	return e
}

// own looks in s alone.
func (s *scope) own(ref *sql.ColumnRef) (found *column, err error) {
	name := ref.Parts[len(ref.Parts)-1]
	if len(ref.Parts) == 1 {
		for i := range s.cols {
			if s.cols[i].name != name {
				continue
			}
			if found != nil {
				return nil, fail(sql.AmbiguousColumn, ref.Pos(), "column reference %q is ambiguous", name)
			}
			found = &s.cols[i]
		}
		return found, nil
	}
	t, err := s.table(ref.Parts[:len(ref.Parts)-1], ref.Pos())
	if t == nil || err != nil {
		return nil, err
	}
	for i := range t.cols {
		if t.cols[i].name != name {
			continue
		}
		if found != nil {
			return nil, fail(sql.AmbiguousColumn, ref.Pos(), "column reference %q is ambiguous", name)
		}
		found = &t.cols[i]
	}
	if found == nil {
		return nil, suggest(fail(sql.UndefinedColumn, ref.Pos(), "column %s does not exist", strings.Join(ref.Parts, ".")), name, []*scope{{tables: []*table{t}}})
	}
	return found, nil
}

// table finds an item of FROM in s alone by its name, perhaps with a schema.
func (s *scope) table(parts []string, pos int) (found *table, err error) {
	name := parts[len(parts)-1]
	for _, t := range s.tables {
		if t.name != name || len(parts) > 1 && (t.schema == "" || t.schema != parts[len(parts)-2]) {
			continue
		}
		if found != nil {
			return nil, fail(sql.AmbiguousAlias, pos, "table reference %q is ambiguous", name)
		}
		found = t
	}
	return found, nil
}

// chain lists s and the scopes around it.
func (s *scope) chain() (all []*scope) {
	for at := s; at != nil; at = at.outer {
		all = append(all, at)
	}
	return all
}

// undefined is the error for a column that no scope has.
func (s *scope) undefined(ref *sql.ColumnRef) error {
	name := ref.Parts[len(ref.Parts)-1]
	if len(ref.Parts) == 1 {
		for _, at := range s.chain() {
			if t, _ := at.table(ref.Parts, ref.Pos()); t != nil {
				return unsupported(ref.Pos(), "using a whole row as a value is", "Name the columns one by one.")
			}
		}
		return suggest(fail(sql.UndefinedColumn, ref.Pos(), "column %q does not exist", name), name, s.chain())
	}
	return s.undefinedTable(ref.Parts[:len(ref.Parts)-1], ref.Pos())
}

// undefinedTable is the error for a table that FROM does not have under that name.
func (s *scope) undefinedTable(parts []string, pos int) error {
	name := parts[len(parts)-1]
	for _, at := range s.chain() {
		for _, t := range at.tables {
			if t.rel != nil && t.rel.Name == name && t.name != name {
				return withHint(fail(sql.UndefinedTable, pos, "invalid reference to FROM-clause entry for table %q", name),
					"Perhaps you meant to reference the table alias %q.", t.name)
			}
		}
		for _, t := range at.unseen {
			if t.name == name {
				return withHint(fail(sql.UndefinedTable, pos, "invalid reference to FROM-clause entry for table %q", name),
					"There is an entry for table %q, but it cannot be referenced from this part of the query.", name)
			}
		}
	}
	return fail(sql.UndefinedTable, pos, "missing FROM-clause entry for table %q", name)
}

// cte finds a WITH query.
func (s *scope) cte(name string) *cte {
	for at := s; at != nil; at = at.outer {
		for i := len(at.ctes) - 1; i >= 0; i-- {
			if at.ctes[i].name == name {
				return at.ctes[i]
			}
		}
	}
	return nil
}

// add makes the items of f visible; a name may be used once.
func (s *scope) add(f *from, pos int) error {
	for _, t := range f.tables {
		if t.name == "" {
			continue
		}
		if slices.ContainsFunc(s.tables, func(o *table) bool { return o.name == t.name && o.schema == t.schema }) {
			return fail(sql.DuplicateAlias, pos, "table name %q specified more than once", t.name)
		}
	}
	s.tables = append(s.tables, f.tables...)
	s.cols = append(s.cols, f.cols...)
	return nil
}

// made are the columns that s's own FROM has.
func (s *scope) made() algebra.Set {
	var cols []algebra.Col
	for _, c := range s.cols {
		cols = append(cols, c.col)
	}
	for _, t := range s.tables {
		for _, c := range t.cols {
			cols = append(cols, c.col)
		}
	}
	return algebra.SetOf(cols...)
}

// value is a column as an expression.
func (b *binder) value(c *column) expr.Expr { return b.q.Column(c.col) }
