package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

// tableExpr converts an item of FROM.
func (c *converter) tableExpr(n *pg.Node) sql.TableExpr {
	switch n := n.Node.(type) {
	case *pg.Node_RangeVar:
		name := c.name(n.RangeVar)
		return &sql.TableRef{At: name.At, Schema: name.Schema, Name: name.Name,
			Alias: n.RangeVar.Alias.GetAliasname(), Columns: strs(n.RangeVar.Alias.GetColnames())}
	case *pg.Node_RangeSubselect:
		return c.subqueryRef(n.RangeSubselect)
	case *pg.Node_RangeFunction:
		return c.funcRef(n.RangeFunction)
	case *pg.Node_JoinExpr:
		return c.join(n.JoinExpr)
	case *pg.Node_RangeTableSample:
		c.unsupported("TABLESAMPLE", c.at(n.RangeTableSample.Location))
	case *pg.Node_RangeTableFunc:
		c.unsupported("XMLTABLE", c.at(n.RangeTableFunc.Location))
	case *pg.Node_JsonTable:
		c.unsupported("JSON_TABLE", c.at(n.JsonTable.Location))
	default:
		c.unsupported("this item of FROM", -1)
	}
	return &sql.TableRef{At: -1}
}

func (c *converter) subqueryRef(r *pg.RangeSubselect) sql.TableExpr {
	ref := &sql.SubqueryRef{At: -1, Lateral: r.Lateral, Alias: r.Alias.GetAliasname(), Columns: strs(r.Alias.GetColnames())}
	ref.Query = c.selectStmt(r.Subquery.GetSelectStmt())
	ref.At = ref.Query.At
	return ref
}

func (c *converter) join(j *pg.JoinExpr) sql.TableExpr {
	out := &sql.Join{Left: c.tableExpr(j.Larg), Right: c.tableExpr(j.Rarg), Natural: j.IsNatural,
		Using: strs(j.UsingClause), On: c.expr(j.Quals), Alias: j.Alias.GetAliasname()}
	out.At = sql.At(out.Left.Pos())
	switch j.Jointype {
	case pg.JoinType_JOIN_LEFT:
		out.Kind = "left"
	case pg.JoinType_JOIN_RIGHT:
		out.Kind = "right"
	case pg.JoinType_JOIN_FULL:
		out.Kind = "full"
	default:
		out.Kind = "inner"
		if out.On == nil && len(out.Using) == 0 && !out.Natural {
			out.Kind = "cross"
		}
	}
	if j.JoinUsingAlias != nil {
		c.unsupported("an alias of USING", out.At)
	}
	if len(j.Alias.GetColnames()) > 0 {
		c.unsupported("column aliases of a join", out.At)
	}
	return out
}

// funcRef converts a function in FROM. The first argument of TUMBLE and HOP is a relation.
func (c *converter) funcRef(r *pg.RangeFunction) sql.TableExpr {
	ref := &sql.FuncRef{At: -1, Lateral: r.Lateral, Ordinality: r.Ordinality, Alias: r.Alias.GetAliasname(), Columns: strs(r.Alias.GetColnames())}
	var item []*pg.Node
	if len(r.Functions) > 0 {
		item = r.Functions[0].GetList().GetItems()
	}
	if len(r.Functions) != 1 || len(item) == 0 {
		c.unsupported("ROWS FROM of several functions", c.firstFunction(item))
		return ref
	}
	call := item[0].GetFuncCall()
	if call == nil {
		c.unsupported("this expression in FROM", c.firstFunction(item))
		return ref
	}
	ref.At = c.at(call.Location)
	if len(r.Coldeflist) > 0 || len(item) > 1 && item[1].GetNode() != nil {
		c.unsupported("a column definition list", ref.At)
	}
	if name := strs(call.Funcname); len(name) == 1 && (strings.EqualFold(name[0], "tumble") || strings.EqualFold(name[0], "hop")) {
		c.windowTable(ref, call)
		return ref
	}
	ref.Call, _ = c.call(call).(*sql.Call)
	if ref.Call == nil {
		c.unsupported("this expression in FROM", ref.At)
	}
	return ref
}

func (c *converter) firstFunction(item []*pg.Node) sql.At {
	if len(item) > 0 {
		return c.at(item[0].GetFuncCall().GetLocation())
	}
	return -1
}

// windowTable converts TUMBLE(relation, time, …) and HOP(relation, time, …).
func (c *converter) windowTable(ref *sql.FuncRef, call *pg.FuncCall) {
	name := strings.ToLower(call.Funcname[0].GetString_().GetSval())
	if len(call.Args) == 0 {
		c.fail(syntax(int(ref.At), "%s needs a relation as its first argument", name))
		return
	}
	switch first := call.Args[0].Node.(type) {
	case *pg.Node_ColumnRef:
		parts, star := c.fields(first.ColumnRef.Fields)
		table := &sql.TableRef{At: c.at(first.ColumnRef.Location)}
		switch {
		case star, len(parts) > 2:
			c.fail(syntax(table.Pos(), "the first argument of %s must be a relation or a subquery", name))
		case len(parts) == 2:
			table.Schema, table.Name = parts[0], parts[1]
		default:
			table.Name = parts[0]
		}
		ref.Table = table
	case *pg.Node_SubLink:
		if first.SubLink.SubLinkType != pg.SubLinkType_EXPR_SUBLINK {
			c.fail(syntax(int(c.at(first.SubLink.Location)), "the first argument of %s must be a relation or a subquery", name))
			return
		}
		ref.Table = &sql.SubqueryRef{At: c.at(first.SubLink.Location), Query: c.selectStmt(first.SubLink.Subselect.GetSelectStmt())}
	default:
		c.fail(syntax(int(ref.At), "the first argument of %s must be a relation or a subquery", name))
		return
	}
	ref.Call = &sql.Call{At: ref.At, Name: []string{name}, Args: c.exprs(call.Args[1:])}
}
