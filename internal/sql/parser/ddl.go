package parser

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

func (c *converter) createTable(s *pg.CreateStmt) sql.Statement {
	out := &sql.CreateTable{Name: c.name(s.Relation), IfNotExists: s.IfNotExists}
	for _, clause := range []struct {
		written bool
		name    string
	}{
		{s.Relation.GetRelpersistence() == "u", "UNLOGGED"}, {len(s.InhRelations) > 0 && s.Partbound == nil, "INHERITS"},
		{s.Partbound != nil, "PARTITION OF"}, {s.Partspec != nil, "PARTITION BY"}, {s.OfTypename != nil, "OF type"},
		{s.Tablespacename != "", "TABLESPACE"}, {s.AccessMethod != "", "USING"}, {len(s.Options) > 0, "WITH"},
		{s.Oncommit > pg.OnCommitAction_ONCOMMIT_NOOP, "ON COMMIT"},
	} {
		if clause.written {
			c.unsupported(clause.name+" of CREATE TABLE", out.Name.At)
		}
	}
	for _, n := range s.TableElts {
		switch e := n.Node.(type) {
		case *pg.Node_ColumnDef:
			out.Columns = append(out.Columns, c.columnDef(e.ColumnDef))
		case *pg.Node_Constraint:
			c.tableConstraint(out, e.Constraint)
		default:
			c.unsupported("LIKE of CREATE TABLE", out.Name.At)
		}
	}
	for _, col := range out.Columns {
		if col.PrimaryKey {
			c.primaryKey(out, []string{col.Name}, col.At)
		}
	}
	return out
}

func (c *converter) primaryKey(t *sql.CreateTable, columns []string, at sql.At) {
	if len(t.PrimaryKey) > 0 {
		c.fail(&sql.Error{Code: sql.InvalidTableDefinition, Pos: int(at),
			Message: "multiple primary keys for table \"" + t.Name.Name + "\" are not allowed"})
	}
	t.PrimaryKey = columns
}

func (c *converter) tableConstraint(t *sql.CreateTable, k *pg.Constraint) {
	at := c.at(k.Location)
	switch k.Contype {
	case pg.ConstrType_CONSTR_PRIMARY:
		columns := strs(k.Keys)
		for _, name := range columns {
			if !slices.ContainsFunc(t.Columns, func(d sql.ColumnDef) bool { return d.Name == name }) {
				c.fail(&sql.Error{Code: sql.UndefinedColumn, Pos: int(at), Message: "column \"" + name + "\" named in key does not exist"})
			}
		}
		c.primaryKey(t, columns, at)
	case pg.ConstrType_CONSTR_UNIQUE:
		c.unsupported("UNIQUE", at)
	default:
		c.unsupported(constraintName(k.Contype), at)
	}
}

func constraintName(t pg.ConstrType) string {
	switch t {
	case pg.ConstrType_CONSTR_CHECK:
		return "CHECK"
	case pg.ConstrType_CONSTR_FOREIGN:
		return "FOREIGN KEY"
	case pg.ConstrType_CONSTR_EXCLUSION:
		return "EXCLUDE"
	case pg.ConstrType_CONSTR_IDENTITY:
		return "GENERATED … AS IDENTITY"
	}
	return "this constraint"
}

// columnDef converts a column with its constraints.
func (c *converter) columnDef(d *pg.ColumnDef) sql.ColumnDef {
	out := sql.ColumnDef{At: c.at(d.Location), Name: d.Colname}
	if d.TypeName != nil {
		out.Type = c.typeName(d.TypeName)
	}
	switch name := strings.Join(out.Type.Names, "."); name {
	case "serial", "bigserial", "smallserial", "serial4", "serial8", "serial2":
		c.fail(hinted(unsupported("type "+name, int(out.Type.At)), "Use a bigint column and give its value in INSERT."))
	}
	if d.CollClause != nil {
		out.Collate = strs(d.CollClause.Collname)
	}
	for _, n := range d.Constraints {
		k := n.GetConstraint()
		switch k.GetContype() {
		case pg.ConstrType_CONSTR_NOTNULL:
			out.NotNull = true
		case pg.ConstrType_CONSTR_NULL, pg.ConstrType_CONSTR_ATTR_NOT_DEFERRABLE, pg.ConstrType_CONSTR_ATTR_IMMEDIATE:
		case pg.ConstrType_CONSTR_DEFAULT:
			out.Default = c.expr(k.RawExpr)
		case pg.ConstrType_CONSTR_GENERATED:
			out.Generated = c.expr(k.RawExpr)
		case pg.ConstrType_CONSTR_PRIMARY:
			out.PrimaryKey = true
		case pg.ConstrType_CONSTR_UNIQUE:
			out.Unique = true
		default:
			c.unsupported(constraintName(k.GetContype()), c.at(k.GetLocation()))
		}
	}
	return out
}

func (c *converter) createTableAs(s *pg.CreateTableAsStmt) sql.Statement {
	out := &sql.CreateTable{Name: c.name(s.Into.GetRel()), IfNotExists: s.IfNotExists}
	if s.Into.GetSkipData() {
		c.unsupported("WITH NO DATA", out.Name.At)
	}
	if s.Objtype != pg.ObjectType_OBJECT_TABLE {
		c.unsupported("this CREATE statement", out.Name.At)
	}
	for _, name := range strs(s.Into.GetColNames()) {
		out.Columns = append(out.Columns, sql.ColumnDef{At: -1, Name: name})
	}
	if query := s.Query.GetSelectStmt(); query != nil {
		out.Query = c.selectStmt(query)
	} else {
		c.unsupported("CREATE TABLE AS EXECUTE", out.Name.At)
	}
	return out
}

func (c *converter) createSchema(s *pg.CreateSchemaStmt) sql.Statement {
	if s.Authrole != nil {
		c.unsupported("AUTHORIZATION of CREATE SCHEMA", c.at(s.Authrole.Location))
	}
	if len(s.SchemaElts) > 0 {
		c.unsupported("elements of CREATE SCHEMA", -1)
	}
	return &sql.CreateSchema{Name: s.Schemaname, IfNotExists: s.IfNotExists}
}

// objectKind names what ALTER may change; "" for the rest.
func objectKind(t pg.ObjectType) string {
	switch t {
	case pg.ObjectType_OBJECT_TABLE:
		return "table"
	case pg.ObjectType_OBJECT_VIEW:
		return "view"
	case pg.ObjectType_OBJECT_MATVIEW:
		return "materialized view"
	}
	return ""
}

func (c *converter) alterTable(s *pg.AlterTableStmt) sql.Statement {
	out := &sql.AlterTable{Kind: objectKind(s.Objtype), IfExists: s.MissingOk, Name: c.name(s.Relation)}
	switch {
	case out.Kind == "":
		c.unsupported("this ALTER statement", out.Name.At)
	case len(s.Cmds) != 1:
		c.unsupported("ALTER TABLE with several actions", out.Name.At)
	}
	if c.err != nil {
		return nil
	}
	switch cmd := s.Cmds[0].GetAlterTableCmd(); cmd.Subtype {
	case pg.AlterTableType_AT_AddColumn:
		def := c.columnDef(cmd.Def.GetColumnDef())
		out.Action, out.Column = "add column", &def
	case pg.AlterTableType_AT_DropColumn:
		out.Action, out.Old, out.Cascade = "drop column", cmd.Name, cmd.Behavior == pg.DropBehavior_DROP_CASCADE
	default:
		c.unsupported("ALTER TABLE … "+spaced(strings.TrimPrefix(cmd.Subtype.String(), "AT_")), out.Name.At)
	}
	return out
}

func (c *converter) rename(s *pg.RenameStmt) sql.Statement {
	out := &sql.AlterTable{Kind: objectKind(s.RenameType), IfExists: s.MissingOk, Action: "rename", New: s.Newname}
	if s.RenameType == pg.ObjectType_OBJECT_COLUMN {
		out.Kind, out.Action, out.Old = objectKind(s.RelationType), "rename column", s.Subname
	}
	if s.Relation == nil || out.Kind == "" {
		c.unsupported("this RENAME", c.at(0))
		return nil
	}
	out.Name = c.name(s.Relation)
	return out
}
