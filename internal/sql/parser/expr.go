package parser

import (
	"fmt"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

// expr converts a scalar expression; of nothing it gives nil.
func (c *converter) expr(n *pg.Node) sql.Expr {
	if n == nil || n.Node == nil || c.err != nil {
		return nil
	}
	switch n := n.Node.(type) {
	case *pg.Node_ColumnRef:
		parts, star := c.fields(n.ColumnRef.Fields)
		return &sql.ColumnRef{At: c.at(n.ColumnRef.Location), Parts: parts, Star: star}
	case *pg.Node_AConst:
		return c.literal(n.AConst)
	case *pg.Node_ParamRef:
		return &sql.Param{At: c.at(n.ParamRef.Location), N: int(n.ParamRef.Number)}
	case *pg.Node_TypeCast:
		return c.cast(n.TypeCast)
	case *pg.Node_FuncCall:
		return c.call(n.FuncCall)
	case *pg.Node_AExpr:
		return c.operator(n.AExpr)
	case *pg.Node_BoolExpr:
		return c.boolean(n.BoolExpr)
	case *pg.Node_NullTest:
		x := c.expr(n.NullTest.Arg)
		return &sql.IsNull{At: c.at(n.NullTest.Location), X: x, Not: n.NullTest.Nulltesttype == pg.NullTestType_IS_NOT_NULL}
	case *pg.Node_BooleanTest:
		return c.booleanTest(n.BooleanTest)
	case *pg.Node_SubLink:
		return c.subquery(n.SubLink)
	case *pg.Node_AIndirection:
		return c.indirection(n.AIndirection)
	case *pg.Node_SetToDefault:
		return &sql.Default{At: c.at(n.SetToDefault.Location)}
	}
	return c.form(n)
}

// form converts what has a syntax of its own.
func (c *converter) form(n *pg.Node) sql.Expr {
	switch n := n.Node.(type) {
	case *pg.Node_CaseExpr:
		return c.caseExpr(n.CaseExpr)
	case *pg.Node_CoalesceExpr:
		return &sql.Coalesce{At: c.at(n.CoalesceExpr.Location), Args: c.exprs(n.CoalesceExpr.Args)}
	case *pg.Node_MinMaxExpr:
		return &sql.MinMax{At: c.at(n.MinMaxExpr.Location), Args: c.exprs(n.MinMaxExpr.Args), Least: n.MinMaxExpr.Op == pg.MinMaxOp_IS_LEAST}
	case *pg.Node_AArrayExpr:
		return &sql.ArrayLit{At: c.at(n.AArrayExpr.Location), Elems: c.exprs(n.AArrayExpr.Elements)}
	case *pg.Node_RowExpr:
		return &sql.Row{At: c.at(n.RowExpr.Location), Args: c.exprs(n.RowExpr.Args)}
	case *pg.Node_CollateClause:
		return &sql.Collate{At: c.at(n.CollateClause.Location), X: c.expr(n.CollateClause.Arg), Name: strs(n.CollateClause.Collname)}
	case *pg.Node_SqlvalueFunction:
		return c.sqlValue(n.SqlvalueFunction)
	case *pg.Node_GroupingFunc:
		c.unsupported("GROUPING", c.at(n.GroupingFunc.Location))
	case *pg.Node_NamedArgExpr:
		return &sql.NamedArg{At: c.at(n.NamedArgExpr.Location), Name: n.NamedArgExpr.Name, X: c.expr(n.NamedArgExpr.Arg)}
	case *pg.Node_XmlExpr:
		c.unsupported("XML", c.at(n.XmlExpr.Location))
	case *pg.Node_JsonIsPredicate:
		c.unsupported("IS JSON", c.at(n.JsonIsPredicate.Location))
	default:
		c.unsupported(spaced(strings.TrimPrefix(fmt.Sprintf("%T", n), "*pg_query.Node_")), -1)
	}
	return nil
}

// cast converts x::type, CAST and type 'literal'; the last begins where its type does.
func (c *converter) cast(t *pg.TypeCast) sql.Expr {
	out := &sql.Cast{At: c.at(t.Location), X: c.expr(t.Arg), Type: c.typeName(t.TypeName)}
	if out.At < 0 {
		out.At = out.Type.At
	}
	return out
}

// fields converts a.b.* to its parts.
func (c *converter) fields(nodes []*pg.Node) (parts []string, star bool) {
	for _, n := range nodes {
		if n.GetAStar() != nil {
			return parts, true
		}
		parts = append(parts, n.GetString_().GetSval())
	}
	return parts, false
}

func (c *converter) boolean(b *pg.BoolExpr) sql.Expr {
	at := c.at(b.Location)
	args := c.exprs(b.Args)
	switch b.Boolop {
	case pg.BoolExprType_AND_EXPR:
		return &sql.And{At: at, Args: args}
	case pg.BoolExprType_OR_EXPR:
		return &sql.Or{At: at, Args: args}
	}
	if len(args) == 0 {
		return nil
	}
	return &sql.Not{At: at, X: args[0]}
}

func (c *converter) booleanTest(b *pg.BooleanTest) sql.Expr {
	t := &sql.IsBool{At: c.at(b.Location), X: c.expr(b.Arg)}
	name := strings.TrimPrefix(b.Booltesttype.String(), "IS_")
	name, t.Not = strings.CutPrefix(name, "NOT_")
	t.Test = strings.ToLower(name)
	return t
}

func (c *converter) subquery(s *pg.SubLink) sql.Expr {
	q := &sql.Subquery{At: c.at(s.Location), X: c.expr(s.Testexpr)}
	switch s.SubLinkType {
	case pg.SubLinkType_EXISTS_SUBLINK:
		q.Kind = sql.Exists
	case pg.SubLinkType_ANY_SUBLINK:
		q.Kind, q.Op = sql.Any, "=" // IN has no operator
	case pg.SubLinkType_ALL_SUBLINK:
		q.Kind = sql.All
	case pg.SubLinkType_ARRAY_SUBLINK:
		q.Kind = sql.Array
	default:
		q.Kind = sql.Scalar
	}
	if len(s.OperName) > 0 {
		q.Op = c.operatorName(s.OperName, q.At)
	}
	q.Query = c.selectStmt(s.Subselect.GetSelectStmt())
	return q
}

// indirection converts x.field, x[i] and x[i:j], one after the other.
func (c *converter) indirection(n *pg.A_Indirection) sql.Expr {
	x := c.expr(n.Arg)
	for _, step := range n.Indirection {
		if c.err != nil {
			return nil
		}
		at := posOf(x)
		switch s := step.Node.(type) {
		case *pg.Node_String_:
			x = &sql.Field{At: at, X: x, Name: s.String_.Sval}
		case *pg.Node_AIndices:
			sub := &sql.Subscript{At: at, X: x, Slice: s.AIndices.IsSlice, Lo: c.expr(s.AIndices.Lidx), Hi: c.expr(s.AIndices.Uidx)}
			if !sub.Slice {
				sub.Lo, sub.Hi = sub.Hi, nil // the grammar keeps a single index as the upper one
			}
			x = sub
		default:
			c.unsupported("(row).*", at)
		}
	}
	return x
}

func (c *converter) caseExpr(e *pg.CaseExpr) sql.Expr {
	out := &sql.Case{At: c.at(e.Location), X: c.expr(e.Arg), Else: c.expr(e.Defresult)}
	for _, n := range e.Args {
		w := n.GetCaseWhen()
		out.Whens = append(out.Whens, sql.When{Cond: c.expr(w.GetExpr()), Then: c.expr(w.GetResult())})
	}
	return out
}

func (c *converter) sqlValue(f *pg.SQLValueFunction) sql.Expr {
	name := strings.ToLower(strings.TrimPrefix(f.Op.String(), "SVFOP_"))
	return &sql.SQLValue{At: c.at(f.Location), Name: strings.TrimSuffix(name, "_n"), Mod: f.Typmod}
}
