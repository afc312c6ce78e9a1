package session

import (
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/pgwire"
	"github.com/weirstream/weir/internal/plan"
)

// origins notes of which relation's column a result column is: clients that edit results ask.
func origins(cols []pgwire.Column, q *plan.Query) []pgwire.Column {
	for i := range cols {
		cols[i].Table, cols[i].Attr = origin(q.Root, i)
	}
	return cols
}

// origin follows a column down to the scan that reads it, through what only passes it on.
func origin(n plan.Node, col int) (table uint32, attr int16) {
	for {
		switch x := n.(type) {
		case *plan.Filter:
			n = x.In
		case *plan.TopN:
			n = x.In
			if col >= len(n.Columns()) {
				return 0, 0
			}
		case *plan.Project:
			c, plain := x.Exprs[col].(*expr.Column)
			if !plain {
				return 0, 0
			}
			n, col = x.In, c.Index
		case *plan.Join:
			left := len(x.L.Columns())
			if col < left {
				n = x.L
			} else {
				n, col = x.R, col-left
			}
		case *plan.Scan:
			return uint32(x.Relation.ID), attribute(x, col)
		default:
			return 0, 0
		}
	}
}

// attribute is the number of a column among those that show, from 1.
func attribute(x *plan.Scan, col int) int16 {
	at := x.Cols[col]
	if x.Relation.Columns[at].Hidden {
		return 0
	}
	n := int16(0)
	for _, c := range x.Relation.Columns[:at+1] {
		if !c.Hidden {
			n++
		}
	}
	return n
}
