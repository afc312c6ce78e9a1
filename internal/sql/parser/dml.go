package parser

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

func (c *converter) insert(s *pg.InsertStmt) sql.Statement {
	out := &sql.Insert{Into: c.name(s.Relation), Alias: s.Relation.GetAlias().GetAliasname(), Returning: c.targets(s.ReturningList)}
	for _, n := range s.Cols {
		out.Columns = append(out.Columns, c.column(n.GetResTarget()))
	}
	switch s.Override {
	case pg.OverridingKind_OVERRIDING_USER_VALUE, pg.OverridingKind_OVERRIDING_SYSTEM_VALUE:
		c.unsupported("OVERRIDING", out.Into.At)
	}
	if query := s.SelectStmt.GetSelectStmt(); query != nil {
		out.Source = c.selectStmt(query)
	}
	c.insertWith(out, s.WithClause)
	if s.OnConflictClause != nil {
		out.OnConflict = c.onConflict(s.OnConflictClause)
	}
	return out
}

// insertWith moves WITH of an INSERT to its source, where it means the same.
func (c *converter) insertWith(out *sql.Insert, w *pg.WithClause) {
	if w == nil {
		return
	}
	var list []sql.CTE
	var recursive bool
	c.with(w, &list, &recursive)
	if out.Source == nil {
		return
	}
	for _, inner := range out.Source.With {
		if slices.ContainsFunc(list, func(e sql.CTE) bool { return e.Name == inner.Name }) {
			c.unsupported("one name in two WITH clauses of an INSERT", inner.At)
		}
	}
	out.Source.With = append(list, out.Source.With...)
	out.Source.Recursive = out.Source.Recursive || recursive
}

// column is the name of a column that is assigned to, whole.
func (c *converter) column(t *pg.ResTarget) string {
	if len(t.GetIndirection()) > 0 {
		c.unsupported("assigning to a part of a column", c.at(t.Location))
	}
	return t.GetName()
}

func (c *converter) onConflict(s *pg.OnConflictClause) *sql.OnConflict {
	out := &sql.OnConflict{Where: c.expr(s.WhereClause), Update: c.assignments(s.TargetList)}
	at := c.at(s.Location)
	if s.Infer.GetConname() != "" {
		c.unsupported("ON CONFLICT ON CONSTRAINT", at)
	}
	if s.Infer.GetWhereClause() != nil {
		c.unsupported("WHERE of an ON CONFLICT target", at)
	}
	for _, n := range s.Infer.GetIndexElems() {
		e := n.GetIndexElem()
		if e.GetName() == "" || len(e.GetCollation())+len(e.GetOpclass()) > 0 {
			c.unsupported("an expression as ON CONFLICT target", at)
		}
		out.Columns = append(out.Columns, e.GetName())
	}
	return out
}

// assignments converts SET. (a, b) = (…) comes from the grammar as one target a column
// with the same source.
func (c *converter) assignments(nodes []*pg.Node) (list []sql.Assignment) {
	for _, n := range nodes {
		t := n.GetResTarget()
		a := sql.Assignment{At: c.at(t.GetLocation()), Columns: []string{c.column(t)}}
		if multi := t.GetVal().GetMultiAssignRef(); multi == nil {
			a.Value = c.expr(t.GetVal())
		} else if multi.Colno > 1 && len(list) > 0 {
			last := &list[len(list)-1]
			last.Columns = append(last.Columns, a.Columns...)
			continue
		} else {
			a.Value = c.expr(multi.Source)
		}
		list = append(list, a)
	}
	return list
}

func (c *converter) from(nodes []*pg.Node) (list []sql.TableExpr) {
	for _, n := range nodes {
		list = append(list, c.tableExpr(n))
	}
	return list
}

func (c *converter) update(s *pg.UpdateStmt) sql.Statement {
	out := &sql.Update{Table: c.name(s.Relation), Alias: s.Relation.GetAlias().GetAliasname(), Set: c.assignments(s.TargetList),
		From: c.from(s.FromClause), Where: c.expr(s.WhereClause), Returning: c.targets(s.ReturningList)}
	c.with(s.WithClause, &out.With, &out.Recursive)
	return out
}

func (c *converter) delete(s *pg.DeleteStmt) sql.Statement {
	out := &sql.Delete{Table: c.name(s.Relation), Alias: s.Relation.GetAlias().GetAliasname(),
		Using: c.from(s.UsingClause), Where: c.expr(s.WhereClause), Returning: c.targets(s.ReturningList)}
	c.with(s.WithClause, &out.With, &out.Recursive)
	return out
}

func (c *converter) truncate(s *pg.TruncateStmt) sql.Statement {
	out := &sql.Truncate{Names: c.names(s.Relations)}
	if s.Behavior == pg.DropBehavior_DROP_CASCADE {
		c.unsupported("TRUNCATE … CASCADE", out.Names[0].At)
	}
	return out
}

func (c *converter) copy(s *pg.CopyStmt) sql.Statement {
	out := &sql.Copy{From: s.IsFrom, Columns: strs(s.Attlist), Options: c.defElems(s.Options)}
	at := sql.At(-1)
	if s.Relation != nil {
		table := c.name(s.Relation)
		out.Table, at = &table, table.At
	}
	switch {
	case s.IsProgram:
		c.unsupported("COPY … PROGRAM", at)
	case s.Filename != "":
		c.fail(hinted(unsupported("COPY with a file on the server", int(at)), "Use COPY … FROM STDIN or TO STDOUT; psql's \\copy reads and writes files."))
	case s.WhereClause != nil:
		c.unsupported("COPY … WHERE", at)
	}
	if s.Query != nil {
		out.Query = c.statement(s.Query)
		if _, ok := out.Query.(*sql.Query); !ok {
			c.unsupported("COPY of a statement that is not a query", at)
		}
	}
	return out
}

// defElems converts the options of a statement to text.
func (c *converter) defElems(nodes []*pg.Node) (list []sql.Option) {
	for _, n := range nodes {
		d := n.GetDefElem()
		list = append(list, sql.Option{At: c.at(d.GetLocation()), Name: d.GetDefname(), Value: c.defValue(d.GetArg(), c.at(d.GetLocation()))})
	}
	return list
}
