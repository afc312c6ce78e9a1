package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

// operator converts what the grammar writes as an operator: LIKE, IN and BETWEEN too.
func (c *converter) operator(e *pg.A_Expr) sql.Expr {
	at := c.at(e.Location)
	op := c.operatorName(e.Name, at)
	switch e.Kind {
	case pg.A_Expr_Kind_AEXPR_OP:
		if e.Lexpr == nil {
			return &sql.Unary{At: at, Op: op, X: c.expr(e.Rexpr)}
		}
		return &sql.Binary{At: at, Op: op, Left: c.expr(e.Lexpr), Right: c.expr(e.Rexpr)}
	case pg.A_Expr_Kind_AEXPR_OP_ANY, pg.A_Expr_Kind_AEXPR_OP_ALL:
		return &sql.AnyAll{At: at, X: c.expr(e.Lexpr), Array: c.expr(e.Rexpr), Op: op, All: e.Kind == pg.A_Expr_Kind_AEXPR_OP_ALL}
	case pg.A_Expr_Kind_AEXPR_DISTINCT, pg.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		return &sql.IsDistinct{At: at, Left: c.expr(e.Lexpr), Right: c.expr(e.Rexpr), Not: e.Kind == pg.A_Expr_Kind_AEXPR_NOT_DISTINCT}
	case pg.A_Expr_Kind_AEXPR_NULLIF:
		return &sql.NullIf{At: at, Left: c.expr(e.Lexpr), Right: c.expr(e.Rexpr)}
	case pg.A_Expr_Kind_AEXPR_IN:
		return &sql.In{At: at, X: c.expr(e.Lexpr), List: c.exprs(e.Rexpr.GetList().GetItems()), Not: op == "<>"}
	case pg.A_Expr_Kind_AEXPR_LIKE:
		return c.like(e, "like", "like_escape", at, op)
	case pg.A_Expr_Kind_AEXPR_ILIKE:
		return c.like(e, "ilike", "like_escape", at, op)
	case pg.A_Expr_Kind_AEXPR_SIMILAR:
		return c.like(e, "similar", "similar_to_escape", at, op)
	}
	return c.between(e, at)
}

// between converts the four forms of BETWEEN.
func (c *converter) between(e *pg.A_Expr, at sql.At) sql.Expr {
	bounds := c.exprs(e.Rexpr.GetList().GetItems())
	if len(bounds) != 2 {
		c.unsupported("this operator", at)
		return nil
	}
	b := &sql.Between{At: at, X: c.expr(e.Lexpr), Lo: bounds[0], Hi: bounds[1]}
	b.Not = e.Kind == pg.A_Expr_Kind_AEXPR_NOT_BETWEEN || e.Kind == pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM
	b.Symmetric = e.Kind == pg.A_Expr_Kind_AEXPR_BETWEEN_SYM || e.Kind == pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM
	return b
}

// like converts x LIKE pattern [ESCAPE e]; the grammar hides the escape in a call.
func (c *converter) like(e *pg.A_Expr, kind, escape string, at sql.At, op string) sql.Expr {
	out := &sql.Like{At: at, X: c.expr(e.Lexpr), Kind: kind, Not: strings.HasPrefix(op, "!")}
	call := e.Rexpr.GetFuncCall()
	if name := strs(call.GetFuncname()); len(name) == 2 && name[0] == "pg_catalog" && name[1] == escape && len(call.Args) > 0 {
		out.Pattern = c.expr(call.Args[0])
		if len(call.Args) > 1 {
			out.Escape = c.expr(call.Args[1])
		}
		return out
	}
	out.Pattern = c.expr(e.Rexpr)
	return out
}

// operatorName gives an operator's name; OPERATOR(pg_catalog.+) is +.
func (c *converter) operatorName(nodes []*pg.Node, at sql.At) string {
	name := strs(nodes)
	switch {
	case len(name) == 0:
		return ""
	case len(name) == 2 && name[0] != "pg_catalog", len(name) > 2:
		c.fail(&sql.Error{Code: sql.UndefinedFunction, Pos: int(at), Message: "operator does not exist: " + strings.Join(name, ".")})
	}
	return name[len(name)-1]
}

// call converts a function call. The grammar writes AT TIME ZONE as one.
func (c *converter) call(f *pg.FuncCall) sql.Expr {
	at := c.at(f.Location)
	name := strs(f.Funcname)
	if f.Funcformat == pg.CoercionForm_COERCE_SQL_SYNTAX && len(f.Args) == 2 && name[len(name)-1] == "timezone" {
		return &sql.AtTimeZone{At: at, X: c.expr(f.Args[1]), Zone: c.expr(f.Args[0])}
	}
	if f.AggWithinGroup {
		c.unsupported("WITHIN GROUP", at)
	}
	return &sql.Call{At: at, Name: name, Args: c.exprs(f.Args), Star: f.AggStar, Distinct: f.AggDistinct, Variadic: f.FuncVariadic,
		OrderBy: c.orderBy(f.AggOrder), Filter: c.expr(f.AggFilter), Over: c.window(f.Over)}
}
