package parser

import (
	"fmt"
	"strings"
	"unicode"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

// converter turns the grammar's tree into ours. The first error stays; after it what
// the methods give is of no interest.
type converter struct {
	base    int           // what to add to the grammar's positions
	text    string        // the whole script, of statements
	windows []namedWindow // of the query being converted
	err     *sql.Error
}

func (c *converter) fail(err *sql.Error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *converter) unsupported(feature string, at sql.At) { c.fail(unsupported(feature, int(at))) }

// at places a position of the grammar in the script.
func (c *converter) at(location int32) sql.At {
	if location < 0 {
		return -1
	}
	return sql.At(c.base + int(location))
}

// posOf is where an expression begins; -1 for none.
func posOf(x sql.Expr) sql.At {
	if x == nil {
		return -1
	}
	return sql.At(x.Pos())
}

// statement converts a whole statement.
func (c *converter) statement(n *pg.Node) sql.Statement {
	switch n := n.Node.(type) {
	case *pg.Node_SelectStmt:
		return &sql.Query{Select: c.selectStmt(n.SelectStmt)}
	case *pg.Node_InsertStmt:
		return c.insert(n.InsertStmt)
	case *pg.Node_UpdateStmt:
		return c.update(n.UpdateStmt)
	case *pg.Node_DeleteStmt:
		return c.delete(n.DeleteStmt)
	case *pg.Node_TruncateStmt:
		return c.truncate(n.TruncateStmt)
	case *pg.Node_CopyStmt:
		return c.copy(n.CopyStmt)
	case *pg.Node_CreateStmt:
		return c.createTable(n.CreateStmt)
	case *pg.Node_CreateTableAsStmt:
		return c.createTableAs(n.CreateTableAsStmt)
	case *pg.Node_CreateSchemaStmt:
		return c.createSchema(n.CreateSchemaStmt)
	case *pg.Node_AlterTableStmt:
		return c.alterTable(n.AlterTableStmt)
	case *pg.Node_RenameStmt:
		return c.rename(n.RenameStmt)
	case *pg.Node_AlterSystemStmt:
		return c.alterSet("", n.AlterSystemStmt.Setstmt)
	case *pg.Node_AlterDatabaseSetStmt:
		return c.alterSet(n.AlterDatabaseSetStmt.Dbname, n.AlterDatabaseSetStmt.Setstmt)
	case *pg.Node_CreateRoleStmt:
		return c.user(n.CreateRoleStmt.Role, n.CreateRoleStmt.Options, false)
	case *pg.Node_AlterRoleStmt:
		return c.user(c.role(n.AlterRoleStmt.Role), n.AlterRoleStmt.Options, true)
	}
	return c.sessionStatement(n)
}

// sessionStatement converts what concerns the session: transactions, settings,
// prepared statements and cursors.
func (c *converter) sessionStatement(n *pg.Node) sql.Statement {
	switch n := n.Node.(type) {
	case *pg.Node_TransactionStmt:
		return c.transaction(n.TransactionStmt)
	case *pg.Node_VariableSetStmt:
		return c.set(n.VariableSetStmt)
	case *pg.Node_DiscardStmt:
		return &sql.Discard{What: strings.ToLower(strings.TrimPrefix(n.DiscardStmt.Target.String(), "DISCARD_"))}
	case *pg.Node_PrepareStmt:
		return c.prepare(n.PrepareStmt)
	case *pg.Node_ExecuteStmt:
		return &sql.Execute{Name: n.ExecuteStmt.Name, Args: c.exprs(n.ExecuteStmt.Params)}
	case *pg.Node_DeallocateStmt:
		return &sql.Deallocate{Name: n.DeallocateStmt.Name}
	case *pg.Node_DeclareCursorStmt:
		return c.declare(n.DeclareCursorStmt)
	case *pg.Node_FetchStmt:
		return c.fetch(n.FetchStmt)
	case *pg.Node_ClosePortalStmt:
		return &sql.Close{Name: n.ClosePortalStmt.Portalname}
	case *pg.Node_CommentStmt:
		return &sql.Ignored{Tag: "COMMENT"}
	case *pg.Node_GrantStmt:
		return &sql.Ignored{Tag: grantTag(n.GrantStmt.IsGrant, "GRANT", "REVOKE")}
	case *pg.Node_GrantRoleStmt:
		return &sql.Ignored{Tag: grantTag(n.GrantRoleStmt.IsGrant, "GRANT ROLE", "REVOKE ROLE")}
	case *pg.Node_VacuumStmt:
		return &sql.Ignored{Tag: grantTag(n.VacuumStmt.IsVacuumcmd, "VACUUM", "ANALYZE")}
	case *pg.Node_UnlistenStmt:
		return &sql.Ignored{Tag: "UNLISTEN"}
	}
	c.unsupported(statementName(n), c.at(0))
	return nil
}

func grantTag(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

// named are the statements whose node is not called after their words.
var named = map[string]string{
	"IndexStmt": "CREATE INDEX", "MergeStmt": "MERGE", "CreateSeqStmt": "CREATE SEQUENCE", "CreateTrigStmt": "CREATE TRIGGER",
	"DefineStmt": "this CREATE statement", "CallStmt": "CALL", "DoStmt": "DO", "ListenStmt": "LISTEN", "NotifyStmt": "NOTIFY",
	"LockStmt": "LOCK TABLE", "CheckPointStmt": "CHECKPOINT", "RefreshMatViewStmt": "REFRESH MATERIALIZED VIEW", "DropStmt": "this DROP statement",
	"AlterObjectSchemaStmt": "SET SCHEMA", "AlterOwnerStmt": "OWNER TO", "ReindexStmt": "REINDEX", "ClusterStmt": "CLUSTER",
	"RuleStmt": "CREATE RULE", "LoadStmt": "LOAD", "CompositeTypeStmt": "CREATE TYPE", "ViewStmt": "this CREATE VIEW statement",
	"ConstraintsSetStmt": "SET CONSTRAINTS", "SecLabelStmt": "SECURITY LABEL", "AlterRoleSetStmt": "ALTER ROLE … SET",
}

// statementName words a statement that we do not have: CREATE EXTENSION for CreateExtensionStmt.
func statementName(n *pg.Node) string {
	node := strings.TrimPrefix(fmt.Sprintf("%T", n.Node), "*pg_query.Node_")
	if name := named[node]; name != "" {
		return name
	}
	return spaced(strings.TrimSuffix(node, "Stmt"))
}

// spaced writes CamelCase as CAMEL CASE.
func spaced(camel string) string {
	var words strings.Builder
	for i, r := range camel {
		if i > 0 && unicode.IsUpper(r) {
			words.WriteByte(' ')
		}
		words.WriteRune(unicode.ToUpper(r))
	}
	return words.String()
}

// strs gives the text of a list of strings.
func strs(nodes []*pg.Node) (list []string) {
	for _, n := range nodes {
		list = append(list, n.GetString_().GetSval())
	}
	return list
}

func (c *converter) name(r *pg.RangeVar) sql.Name {
	at := c.at(r.GetLocation())
	if r.GetCatalogname() != "" {
		c.fail(crossDatabase(r.Catalogname+"."+r.Schemaname+"."+r.Relname, int(at)))
	}
	if r.GetRelpersistence() == "t" {
		c.unsupported("a temporary relation", at)
	}
	return sql.Name{At: at, Schema: r.GetSchemaname(), Name: r.GetRelname()}
}

func (c *converter) names(nodes []*pg.Node) (list []sql.Name) {
	for _, n := range nodes {
		list = append(list, c.name(n.GetRangeVar()))
	}
	return list
}

// exprs converts a list; of nothing it gives nil.
func (c *converter) exprs(nodes []*pg.Node) (list []sql.Expr) {
	for _, n := range nodes {
		list = append(list, c.expr(n))
	}
	return list
}
