package sql

import (
	"strconv"
	"strings"
)

// DeparseExpr writes an expression as SQL that parses to the same tree: a column's
// default, for the catalog.
func DeparseExpr(x Expr) string {
	var p printer
	p.expr(x)
	return p.String()
}

// DeparseSelect writes a query as SQL that parses to the same tree. Which rows are
// locked by FOR UPDATE, and the shape of grouping sets, are not in the tree.
func DeparseSelect(q *Select) string {
	var p printer
	p.query(q)
	return p.String()
}

// printer builds the text.
type printer struct{ strings.Builder }

func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

// name writes a.b.c.
func (p *printer) name(parts []string) {
	for i, s := range parts {
		if i > 0 {
			p.put(".")
		}
		p.put(QuoteIdent(s))
	}
}

func (p *printer) idents(names []string) {
	for i, s := range names {
		if i > 0 {
			p.put(", ")
		}
		p.put(QuoteIdent(s))
	}
}

func (p *printer) exprs(list []Expr) {
	for i, x := range list {
		if i > 0 {
			p.put(", ")
		}
		p.expr(x)
	}
}

// operand writes x in parentheses, unless it binds tighter than any operator.
func (p *printer) operand(x Expr) {
	switch x := x.(type) {
	case *ColumnRef, *Param, *Coalesce, *MinMax, *NullIf, *ArrayLit, *Row, *Case:
		p.expr(x)
		return
	case *Literal:
		if !strings.HasPrefix(x.Text, "-") || x.Kind == String {
			p.expr(x)
			return
		}
	case *Call:
		if x.Over == nil && x.Filter == nil {
			p.expr(x)
			return
		}
	}
	p.put("(")
	p.expr(x)
	p.put(")")
}

// expr writes x; operators have their operands in parentheses, itself it has none.
func (p *printer) expr(x Expr) {
	switch x := x.(type) {
	case *ColumnRef:
		p.columnRef(x)
	case *Literal:
		p.literal(x)
	case *Param:
		p.put("$", strconv.Itoa(x.N))
	case *Default:
		p.put("DEFAULT")
	case *NamedArg:
		p.put(QuoteIdent(x.Name), " => ")
		p.expr(x.X)
	case *Cast:
		p.operand(x.X)
		p.put("::")
		p.typeName(x.Type)
	case *Call:
		p.call(x)
	case *Binary:
		p.operand(x.Left)
		p.put(" ", x.Op, " ")
		p.operand(x.Right)
	case *Unary:
		p.put(x.Op, " ")
		p.operand(x.X)
	case *And:
		p.connective(" AND ", x.Args)
	case *Or:
		p.connective(" OR ", x.Args)
	case *Not:
		p.put("NOT ")
		p.operand(x.X)
	default:
		p.predicate(x)
	}
}

func (p *printer) connective(word string, args []Expr) {
	for i, a := range args {
		if i > 0 {
			p.put(word)
		}
		p.operand(a)
	}
}

// predicate writes the tests that SQL words.
func (p *printer) predicate(x Expr) {
	switch x := x.(type) {
	case *IsNull:
		p.operand(x.X)
		p.put(" IS ", not(x.Not), "NULL")
	case *IsBool:
		p.operand(x.X)
		p.put(" IS ", not(x.Not), strings.ToUpper(x.Test))
	case *IsDistinct:
		p.operand(x.Left)
		p.put(" IS ", not(x.Not), "DISTINCT FROM ")
		p.operand(x.Right)
	case *Between:
		p.operand(x.X)
		p.put(" ", not(x.Not), "BETWEEN ")
		if x.Symmetric {
			p.put("SYMMETRIC ")
		}
		p.connective(" AND ", []Expr{x.Lo, x.Hi})
	case *In:
		p.operand(x.X)
		p.put(" ", not(x.Not), "IN (")
		p.exprs(x.List)
		p.put(")")
	case *Like:
		p.operand(x.X)
		p.put(" ", not(x.Not), map[string]string{"like": "LIKE ", "ilike": "ILIKE ", "similar": "SIMILAR TO "}[x.Kind])
		p.operand(x.Pattern)
		if x.Escape != nil {
			p.put(" ESCAPE ")
			p.operand(x.Escape)
		}
	case *AnyAll:
		p.operand(x.X)
		p.put(" ", x.Op, quantifier(x.All), "(")
		p.expr(x.Array)
		p.put(")")
	default:
		p.form(x)
	}
}

func not(yes bool) string {
	if yes {
		return "NOT "
	}
	return ""
}

func quantifier(all bool) string {
	if all {
		return " ALL "
	}
	return " ANY "
}

// form writes what looks like a call and is none, and what has parts.
func (p *printer) form(x Expr) {
	switch x := x.(type) {
	case *Coalesce:
		p.group("COALESCE(", x.Args, ")")
	case *MinMax:
		if x.Least {
			p.group("LEAST(", x.Args, ")")
		} else {
			p.group("GREATEST(", x.Args, ")")
		}
	case *NullIf:
		p.group("NULLIF(", []Expr{x.Left, x.Right}, ")")
	case *ArrayLit:
		p.group("ARRAY[", x.Elems, "]")
	case *Row:
		p.group("ROW(", x.Args, ")")
	case *Case:
		p.caseExpr(x)
	case *Subscript, *Field:
		p.path(x)
	case *AtTimeZone:
		p.operand(x.X)
		p.put(" AT TIME ZONE ")
		p.operand(x.Zone)
	case *Collate:
		p.operand(x.X)
		p.put(" COLLATE ")
		p.name(x.Name)
	case *SQLValue:
		p.put(strings.ToUpper(x.Name))
		if x.Mod >= 0 {
			p.put("(", strconv.Itoa(int(x.Mod)), ")")
		}
	case *Subquery:
		p.subquery(x)
	}
}

func (p *printer) group(open string, args []Expr, close string) {
	p.put(open)
	p.exprs(args)
	p.put(close)
}

func (p *printer) columnRef(x *ColumnRef) {
	p.name(x.Parts)
	if x.Star && len(x.Parts) > 0 {
		p.put(".")
	}
	if x.Star {
		p.put("*")
	}
}

func (p *printer) literal(x *Literal) {
	switch x.Kind {
	case Null:
		p.put("NULL")
	case String:
		p.put(QuoteString(x.Text))
	case BitString:
		p.put(x.Text[:1], QuoteString(x.Text[1:]))
	default:
		p.put(x.Text)
	}
}

func (p *printer) typeName(t TypeName) {
	p.name(t.Names)
	for i, m := range t.Mods {
		if i == 0 {
			p.put("(")
		} else {
			p.put(", ")
		}
		p.put(strconv.Itoa(int(m)))
	}
	if len(t.Mods) > 0 {
		p.put(")")
	}
	p.put(strings.Repeat("[]", t.Array))
}

func (p *printer) caseExpr(x *Case) {
	p.put("CASE")
	if x.X != nil {
		p.put(" ")
		p.operand(x.X)
	}
	for _, w := range x.Whens {
		p.put(" WHEN ")
		p.expr(w.Cond)
		p.put(" THEN ")
		p.expr(w.Then)
	}
	if x.Else != nil {
		p.put(" ELSE ")
		p.expr(x.Else)
	}
	p.put(" END")
}

// path writes (base).field[i][i:j]; a chain of steps is one path.
func (p *printer) path(x Expr) {
	switch x := x.(type) {
	case *Field:
		p.path(x.X)
		p.put(".", QuoteIdent(x.Name))
	case *Subscript:
		p.path(x.X)
		p.put("[")
		if x.Lo != nil {
			p.expr(x.Lo)
		}
		if x.Slice {
			p.put(":")
		}
		if x.Hi != nil {
			p.expr(x.Hi)
		}
		p.put("]")
	default:
		p.put("(")
		p.expr(x)
		p.put(")")
	}
}

func (p *printer) subquery(x *Subquery) {
	switch x.Kind {
	case Exists:
		p.put("EXISTS ")
	case Array:
		p.put("ARRAY")
	case Any, All:
		p.operand(x.X)
		if x.Kind == Any && x.Op == "=" {
			p.put(" IN ")
		} else {
			p.put(" ", x.Op, quantifier(x.Kind == All))
		}
	}
	p.put("(")
	p.query(x.Query)
	p.put(")")
}

// call writes a function call with what belongs to it.
func (p *printer) call(x *Call) {
	p.name(x.Name)
	p.put("(")
	if x.Star {
		p.put("*")
	}
	if x.Distinct {
		p.put("DISTINCT ")
	}
	for i, a := range x.Args {
		if i > 0 {
			p.put(", ")
		}
		if x.Variadic && i == len(x.Args)-1 {
			p.put("VARIADIC ")
		}
		p.expr(a)
	}
	p.orderBy(x.OrderBy)
	p.put(")")
	if x.Filter != nil {
		p.put(" FILTER (WHERE ")
		p.expr(x.Filter)
		p.put(")")
	}
	if x.Over != nil {
		p.put(" OVER (")
		p.window(x.Over)
		p.put(")")
	}
}

func (p *printer) window(w *Window) {
	if len(w.PartitionBy) > 0 {
		p.group("PARTITION BY ", w.PartitionBy, "")
	}
	p.orderBy(w.OrderBy)
	if w.Frame != "" {
		p.put(" ", w.Frame)
	}
}
