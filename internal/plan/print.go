package plan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/codec/pgvalue"
	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/zset"
)

// printer writes expressions over columns for people.
type printer struct{ cols []Column }

// column is a column's name, with its position when the name alone would not do.
func (p printer) column(i int) string {
	if i < 0 || i >= len(p.cols) {
		return fmt.Sprintf("#%d", i)
	}
	name, same := p.cols[i].Name, 0
	for _, c := range p.cols {
		if c.Name == name {
			same++
		}
	}
	if same > 1 || name == "" || name == "?column?" {
		return fmt.Sprintf("%s#%d", name, i)
	}
	return name
}

func (p printer) columns(at []int) string {
	names := make([]string, len(at))
	for i, c := range at {
		names[i] = p.column(c)
	}
	return strings.Join(names, ", ")
}

func (p printer) expr(e expr.Expr) string {
	switch e := e.(type) {
	case *expr.Column:
		return p.column(e.Index)
	case *expr.Const:
		return constantText(e)
	case *expr.Param:
		return fmt.Sprintf("$%d", e.N)
	case *expr.And:
		return "(" + p.list(e.Args, " AND ") + ")"
	case *expr.Or:
		return "(" + p.list(e.Args, " OR ") + ")"
	case *expr.Coalesce:
		return "coalesce(" + p.list(e.Args, ", ") + ")"
	case *expr.Case:
		var b strings.Builder
		b.WriteString("CASE")
		for _, w := range e.Whens {
			fmt.Fprintf(&b, " WHEN %s THEN %s", p.expr(w.Cond), p.expr(w.Then))
		}
		fmt.Fprintf(&b, " ELSE %s END", p.expr(e.Else))
		return b.String()
	case *expr.Call:
		return p.call(e)
	}
	return fmt.Sprintf("%T", e)
}

func (p printer) list(es []expr.Expr, between string) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = p.expr(e)
	}
	return strings.Join(parts, between)
}

// symbols are how functions of two arguments end that have an operator.
var symbols = []struct{ end, symbol string }{
	{"_eq_", "="}, {"_ne_", "<>"}, {"_lt_", "<"}, {"_le_", "<="}, {"_gt_", ">"}, {"_ge_", ">="}, {"_pl_", "+"}, {"_mi_", "-"},
	{"eq", "="}, {"ne", "<>"}, {"lt", "<"}, {"le", "<="}, {"gt", ">"}, {"ge", ">="},
	{"pl", "+"}, {"mi", "-"}, {"mul", "*"}, {"div", "/"}, {"_add", "+"}, {"_sub", "-"}, {"_mul", "*"}, {"_div", "/"},
	{"cat", "||"}, {"nlike", "!~~"}, {"like", "~~"},
}

func (p printer) call(c *expr.Call) string {
	name := c.Fn.Name
	switch {
	case len(c.Args) == 1 && strings.HasPrefix(name, "is "), len(c.Args) == 1 && strings.HasPrefix(name, "not is "):
		test, not := strings.CutPrefix(name, "not ")
		test = strings.ToUpper(test)
		if not {
			test = strings.Replace(test, "IS ", "IS NOT ", 1)
		}
		return p.expr(c.Args[0]) + " " + test
	case name == "relabel" && len(c.Args) == 1:
		return p.expr(c.Args[0])
	case name == "not" && len(c.Args) == 1:
		return "NOT " + p.expr(c.Args[0])
	case strings.HasPrefix(name, "distinct ") && len(c.Args) == 2:
		return "(" + p.list(c.Args, " IS DISTINCT FROM ") + ")"
	case strings.HasPrefix(name, "not distinct ") && len(c.Args) == 2:
		return "(" + p.list(c.Args, " IS NOT DISTINCT FROM ") + ")"
	case strings.HasPrefix(name, "in ") && len(c.Args) > 1:
		return p.expr(c.Args[0]) + " IN (" + p.list(c.Args[1:], ", ") + ")"
	}
	if symbol := operatorOf(name); symbol != "" && len(c.Args) == 2 {
		return "(" + p.list(c.Args, " "+symbol+" ") + ")"
	}
	return name + "(" + p.list(c.Args, ", ") + ")"
}

func operatorOf(name string) string {
	for _, s := range symbols {
		if (strings.HasSuffix(name, s.end) || s.end[0] == '_' && strings.HasSuffix(s.end, "_") && strings.Contains(name, s.end)) && !strings.ContainsRune(name, ' ') {
			return s.symbol
		}
	}
	return ""
}

// constantText writes a constant as SQL does, with its type where the form does not show it.
func constantText(c *expr.Const) string {
	if c.V.Null(0) {
		return "NULL"
	}
	if c.T.OID == datum.OIDBool {
		return strings.ToUpper(strconv.FormatBool(c.V.Bool(0)))
	}
	text := string(pgvalue.AppendText(nil, c.V, 0, c.T, pgvalue.Options{}))
	if c.V.Kind == zset.Bytes || c.V.Kind == zset.Interval || c.V.Kind == zset.Int && strings.ContainsAny(text, ":-") && text[0] != '-' {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return text
}
