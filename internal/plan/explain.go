package plan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/expr"
)

// Explain writes a plan as a tree, a line for each Node, inputs below and indented. A Node that is read
// several times is written once, with a number by which the other readers name it.
func Explain(q *Query) []string {
	e := explainer{readers: map[Node]int{}, numbers: map[Node]int{}}
	walk(q.Root, map[Node]bool{}, func(n Node) {
		for _, in := range n.Inputs() {
			e.readers[in]++
		}
	})
	depth := 0
	if q.Limit != nil || q.Offset != nil {
		line := "Limit"
		if q.Limit != nil {
			line += " " + printer{}.expr(q.Limit)
		}
		if q.Offset != nil {
			line += " offset " + printer{}.expr(q.Offset)
		}
		e.line(depth, line)
		depth++
	}
	if len(q.Order) > 0 {
		e.line(depth, "Sort by "+printer{q.Root.Columns()}.order(q.Order))
		depth++
	}
	e.node(q.Root, depth)
	return e.lines
}

type explainer struct {
	lines   []string
	readers map[Node]int
	numbers map[Node]int
}

func (e *explainer) line(depth int, text string) {
	if depth > 0 {
		text = strings.Repeat("  ", depth-1) + "└ " + text
	}
	e.lines = append(e.lines, text)
}

func (e *explainer) node(n Node, depth int) {
	if number, seen := e.numbers[n]; seen {
		e.line(depth, fmt.Sprintf("Again %d", number))
		return
	}
	text := describe(n)
	if e.readers[n] > 1 {
		e.numbers[n] = len(e.numbers) + 1
		text += fmt.Sprintf(" [%d]", e.numbers[n])
	}
	e.line(depth, text)
	for _, in := range n.Inputs() {
		e.node(in, depth+1)
	}
}

// describe is one Node without its inputs.
func describe(n Node) string {
	switch n := n.(type) {
	case *Scan:
		names := make([]string, len(n.Cols))
		for i, c := range n.Cols {
			names[i] = n.Relation.Columns[c].Name
		}
		return fmt.Sprintf("Scan %s (%s)", n.Relation.Name, strings.Join(names, ", "))
	case *Values:
		return describeValues(n)
	case *Project:
		return "Project " + describeProject(n)
	case *Filter:
		return "Filter " + bare(printer{n.Columns()}.expr(n.Pred))
	case *Join:
		return describeJoin(n)
	case *Aggregate:
		return describeAggregate(n)
	case *Union:
		return "Union"
	case *TopN:
		return describeTopN(n)
	case *Hop:
		kind := fmt.Sprintf("Hop slide %s size %s", micros(n.Slide), micros(n.Size))
		if n.Slide == n.Size {
			kind = "Tumble size " + micros(n.Size)
		}
		if n.Offset != 0 {
			kind += " offset " + micros(n.Offset)
		}
		return kind + " by " + printer{n.In.Columns()}.column(n.Time)
	case *ProjectSet:
		p, parts := printer{n.In.Columns()}, []string{}
		for _, f := range n.Funcs {
			parts = append(parts, f.Fn.Name+"("+p.list(f.Args, ", ")+")")
		}
		if n.Ordinality {
			parts = append(parts, "ordinality")
		}
		return "ProjectSet " + strings.Join(parts, ", ")
	case *MaxOne:
		return "MaxOne" + by(printer{n.Columns()}, n.Group)
	}
	return fmt.Sprintf("%T", n)
}

func micros(n int64) string {
	return strconv.FormatFloat(float64(n)/1e6, 'f', -1, 64) + "s"
}

func by(p printer, group []int) string {
	if len(group) == 0 {
		return ""
	}
	return " by " + p.columns(group)
}

// bare takes off the parentheses around the whole.
func bare(s string) string {
	if !strings.HasPrefix(s, "(") || !strings.HasSuffix(s, ")") {
		return s
	}
	depth := 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && i < len(s)-1 {
				return s
			}
		}
	}
	return s[1 : len(s)-1]
}

func describeValues(n *Values) string {
	rows := make([]string, len(n.Rows))
	for i, r := range n.Rows {
		rows[i] = "(" + printer{}.list(r, ", ") + ")"
	}
	if len(rows) > 5 {
		rows = append(rows[:5:5], fmt.Sprintf("… %d rows", len(n.Rows)))
	}
	return strings.TrimSpace("Values " + strings.Join(rows, ", "))
}

func describeProject(n *Project) string {
	p := printer{n.In.Columns()}
	parts := make([]string, len(n.Exprs))
	for i, e := range n.Exprs {
		parts[i] = bare(p.expr(e))
		if _, plain := e.(*expr.Column); (!plain || n.In.Columns()[e.(*expr.Column).Index].Name != n.Out[i].Name) && n.Out[i].Name != "" {
			parts[i] += " AS " + n.Out[i].Name
		}
	}
	return strings.Join(parts, ", ")
}

var joinNames = [...]string{"Inner", "Left", "Right", "Full", "Semi", "Anti", "NullAnti"}

func describeJoin(n *Join) string {
	l, r := printer{n.L.Columns()}, printer{n.R.Columns()}
	var conds []string
	for i := range n.LKeys {
		op := " = "
		if n.NullSafe[i] {
			op = " is "
		}
		conds = append(conds, l.column(n.LKeys[i])+op+r.column(n.RKeys[i]))
	}
	text := joinNames[n.Kind] + " Join"
	if len(conds) > 0 {
		text += " on " + strings.Join(conds, ", ")
	}
	if n.Residual != nil {
		both := append(append([]Column{}, n.L.Columns()...), n.R.Columns()...)
		text += " where " + bare(printer{both}.expr(n.Residual))
	}
	return text
}

func describeAggregate(n *Aggregate) string {
	p := printer{n.In.Columns()}
	if len(n.Aggs) == 0 {
		return "Distinct" + by(p, n.Group)
	}
	parts := make([]string, len(n.Aggs))
	for i, a := range n.Aggs {
		arg := "*"
		if a.Arg >= 0 {
			arg = p.column(a.Arg)
		}
		if a.Distinct {
			arg = "DISTINCT " + arg
		}
		parts[i] = a.Fn.Name + "(" + arg + ")"
		if a.Filter >= 0 {
			parts[i] += " filter " + p.column(a.Filter)
		}
	}
	return "Aggregate " + strings.Join(parts, ", ") + by(p, n.Group)
}

func (p printer) order(keys []SortKey) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = p.column(k.Col)
		if k.Desc {
			parts[i] += " desc"
		}
		if k.NullsFirst != k.Desc {
			parts[i] += map[bool]string{true: " nulls first", false: " nulls last"}[k.NullsFirst]
		}
	}
	return strings.Join(parts, ", ")
}

var rankNames = [...]string{"row_number", "rank", "dense_rank"}

func describeTopN(n *TopN) string {
	p := printer{n.In.Columns()}
	text := "TopN " + rankNames[n.Rank]
	if n.Limit >= 0 {
		text += fmt.Sprintf(" limit %d", n.Limit)
	}
	if n.Offset > 0 {
		text += fmt.Sprintf(" offset %d", n.Offset)
	}
	text += by(p, n.Group)
	if len(n.Order) > 0 {
		text += " order " + p.order(n.Order)
	}
	if n.EmitRank {
		text += " with rank"
	}
	return text
}
