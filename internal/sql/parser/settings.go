package parser

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

func (c *converter) transaction(s *pg.TransactionStmt) sql.Statement {
	if s.Chain {
		c.unsupported("AND CHAIN", c.at(0))
	}
	switch s.Kind {
	case pg.TransactionStmtKind_TRANS_STMT_BEGIN, pg.TransactionStmtKind_TRANS_STMT_START:
		begin := &sql.Begin{}
		for _, o := range c.modes(s.Options) {
			switch o.Name {
			case "transaction_isolation":
				begin.Isolation = o.Value
			case "transaction_read_only":
				begin.ReadOnly = o.Value == "on"
			}
		}
		return begin
	case pg.TransactionStmtKind_TRANS_STMT_COMMIT:
		return &sql.Commit{}
	case pg.TransactionStmtKind_TRANS_STMT_ROLLBACK:
		return &sql.Rollback{}
	case pg.TransactionStmtKind_TRANS_STMT_SAVEPOINT:
		return &sql.Savepoint{Name: s.SavepointName, Action: "savepoint"}
	case pg.TransactionStmtKind_TRANS_STMT_RELEASE:
		return &sql.Savepoint{Name: s.SavepointName, Action: "release"}
	case pg.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO:
		return &sql.Savepoint{Name: s.SavepointName, Action: "rollback"}
	}
	c.unsupported("a prepared transaction", c.at(0))
	return nil
}

// modes converts a transaction's modes; the grammar has switches as 1 and 0.
func (c *converter) modes(nodes []*pg.Node) []sql.Option {
	list := c.defElems(nodes)
	for i := range list {
		switch list[i].Value {
		case "1":
			list[i].Value = "on"
		case "0":
			list[i].Value = "off"
		}
	}
	return list
}

// set converts SET and RESET.
func (c *converter) set(s *pg.VariableSetStmt) sql.Statement {
	out := &sql.Set{Name: strings.ToLower(s.Name), Local: s.IsLocal}
	switch s.Kind {
	case pg.VariableSetKind_VAR_SET_VALUE:
		out.Value = c.settingValue(s.Args)
	case pg.VariableSetKind_VAR_SET_DEFAULT, pg.VariableSetKind_VAR_RESET:
		out.Reset = true
	case pg.VariableSetKind_VAR_RESET_ALL:
		out.Name, out.Reset = "all", true
	case pg.VariableSetKind_VAR_SET_MULTI:
		if out.Name != "transaction" && out.Name != "session characteristics" {
			c.unsupported("SET "+s.Name, c.at(0))
		}
		out.Options = c.modes(s.Args)
	default:
		c.unsupported("SET … FROM CURRENT", c.at(0))
	}
	return out
}

// settingValue writes a list of values as SET's text.
func (c *converter) settingValue(args []*pg.Node) string {
	var values []string
	for _, n := range args {
		if cast := n.GetTypeCast(); cast != nil { // SET TIME ZONE INTERVAL '…'
			n = cast.Arg
		}
		values = append(values, c.defValue(n, c.at(0)))
	}
	return strings.Join(values, ", ")
}

// defValue is an option's value as text; of nothing, true.
func (c *converter) defValue(n *pg.Node, at sql.At) string {
	if n == nil || n.Node == nil {
		return "true"
	}
	switch v := n.Node.(type) {
	case *pg.Node_AConst:
		lit := c.literal(v.AConst).(*sql.Literal)
		if v.AConst.Isnull {
			return "null"
		}
		return lit.Text
	case *pg.Node_String_:
		return v.String_.Sval
	case *pg.Node_Integer:
		return strconv.Itoa(int(v.Integer.Ival))
	case *pg.Node_Float:
		return v.Float.Fval
	case *pg.Node_Boolean:
		if v.Boolean.Boolval {
			return "true"
		}
		return "false"
	case *pg.Node_TypeName:
		return strings.Join(strs(v.TypeName.Names), ".")
	case *pg.Node_AStar:
		return "*"
	case *pg.Node_List:
		return strings.Join(c.defList(v.List.Items, at), ",")
	}
	c.unsupported("this option value", at)
	return ""
}

func (c *converter) defList(nodes []*pg.Node, at sql.At) (list []string) {
	for _, n := range nodes {
		list = append(list, c.defValue(n, at))
	}
	return list
}

func (c *converter) alterSet(database string, s *pg.VariableSetStmt) sql.Statement {
	out := &sql.AlterSet{Database: database, Name: strings.ToLower(s.GetName())}
	switch s.GetKind() {
	case pg.VariableSetKind_VAR_SET_VALUE:
		out.Value = c.settingValue(s.Args)
	case pg.VariableSetKind_VAR_SET_DEFAULT, pg.VariableSetKind_VAR_RESET:
	case pg.VariableSetKind_VAR_RESET_ALL:
		out.Name = "all"
	default:
		c.unsupported("this ALTER … SET", c.at(0))
	}
	return out
}

// user converts CREATE and ALTER USER, ROLE: a password and other options.
func (c *converter) user(name string, options []*pg.Node, alter bool) sql.Statement {
	out := &sql.CreateUser{Name: name, Alter: alter}
	for _, o := range c.defElems(options) {
		if o.Name == "password" {
			out.Password = o.Value
			continue
		}
		out.Options = append(out.Options, o)
	}
	return out
}

// role is a role's name; CURRENT_USER and its like are no name.
func (c *converter) role(r *pg.RoleSpec) string {
	if r.GetRoletype() != pg.RoleSpecType_ROLESPEC_CSTRING {
		c.unsupported("CURRENT_USER here", c.at(r.GetLocation()))
	}
	return r.GetRolename()
}

func (c *converter) prepare(s *pg.PrepareStmt) sql.Statement {
	out := &sql.Prepare{Name: s.Name, Body: c.statement(s.Query)}
	for _, n := range s.Argtypes {
		out.Types = append(out.Types, c.typeName(n.GetTypeName()))
	}
	return out
}

// The bits of a cursor's options.
const (
	cursorScroll = 0x2
	cursorHold   = 0x20
)

func (c *converter) declare(s *pg.DeclareCursorStmt) sql.Statement {
	if s.Options&cursorScroll != 0 {
		c.unsupported("SCROLL", c.at(0))
	}
	return &sql.Declare{Name: s.Portalname, Hold: s.Options&cursorHold != 0, Body: c.statement(s.Query)}
}

func (c *converter) fetch(s *pg.FetchStmt) sql.Statement {
	out := &sql.Fetch{Name: s.Portalname, Count: s.HowMany}
	const all = 1<<63 - 1
	switch {
	case s.Ismove:
		c.unsupported("MOVE", c.at(0))
	case s.Direction != pg.FetchDirection_FETCH_FORWARD || s.HowMany < 0:
		c.fail(&sql.Error{Code: sql.FeatureNotSupported, Pos: int(c.at(0)), Message: "cursor can only scan forward"})
	case s.HowMany == all:
		out.Count = -1
	}
	return out
}
