package plan

import (
	"fmt"
	"strings"

	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/plan/algebra"
	"github.com/weirstream/weir/internal/zset"
)

// Fingerprint says of a Node all but its inputs, names left aside: over the same inputs,
// Nodes that say the same compute the same.
func Fingerprint(n Node) string { return fingerprint(n) }

// fingerprint says of a Node all but its inputs: equal ones over equal inputs compute the same.
func fingerprint(n Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%T ", n)
	for _, e := range exprsOf(n) {
		writeExpr(&b, e)
		b.WriteByte(' ')
	}
	switch n := n.(type) {
	case *Scan:
		fmt.Fprint(&b, n.Relation.ID, n.Cols)
	case *Values:
		fmt.Fprint(&b, len(n.Rows))
	case *Join:
		fmt.Fprint(&b, n.Kind, n.LKeys, n.RKeys, n.NullSafe)
	case *Aggregate:
		fmt.Fprint(&b, n.Group, n.Global)
		for _, a := range n.Aggs {
			fmt.Fprint(&b, a.Fn.Name, a.Fn.Arg, a.Arg, a.Distinct, a.Filter)
		}
	case *TopN:
		fmt.Fprint(&b, n.Group, n.Order, n.Rank, n.Limit, n.Offset, n.EmitRank)
	case *Hop:
		fmt.Fprint(&b, n.Time, n.Slide, n.Size, n.Offset)
	case *ProjectSet:
		for _, f := range n.Funcs {
			fmt.Fprint(&b, f.Fn.Name, f.Fn.Args, len(f.Args))
		}
		fmt.Fprint(&b, n.Ordinality)
	case *MaxOne:
		fmt.Fprint(&b, n.Group)
	}
	if volatilityOfNode(n) == expr.Volatile {
		fmt.Fprintf(&b, " %p", n) // two calls of random() differ
	}
	return b.String()
}

func writeExpr(b *strings.Builder, e expr.Expr) {
	switch e := e.(type) {
	case *expr.Column:
		fmt.Fprintf(b, "#%d", e.Index)
		return
	case *expr.Param:
		fmt.Fprintf(b, "$%d", e.N)
		return
	case *expr.Const:
		fmt.Fprintf(b, "%v:%x", e.T, zset.AppendExact(nil, e.V, 0))
		return
	case *expr.Call:
		fmt.Fprintf(b, "%s%v%v", e.Fn.Name, e.Fn.Args, e.T)
	default:
		fmt.Fprintf(b, "%T", e)
	}
	b.WriteByte('(')
	for _, a := range algebra.Args(e) {
		writeExpr(b, a)
		b.WriteByte(',')
	}
	b.WriteByte(')')
}
