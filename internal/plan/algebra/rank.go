package algebra

import (
	"strings"

	"github.com/weirstream/weir/internal/expr"
)

// pushTopN moves conditions on the groups below, and takes conditions on the rank
// into the operator.
func (q *Query) pushTopN(r *TopN, conds []expr.Expr) Rel {
	c := *r
	conds = c.bound(conds)
	return q.pushOver(&c, conds, SetOf(r.Group...))
}

// bound narrows the ranks that r keeps by the conditions that compare its rank with a
// constant, and returns the others.
func (r *TopN) bound(conds []expr.Expr) (rest []expr.Expr) {
	if r.RankCol == 0 {
		return conds
	}
	lo, hi, bounded := r.Offset, r.Offset+r.Limit, r.Limit >= 0
	for _, c := range conds {
		op, k, ok := comparison(c, r.RankCol)
		if !ok {
			rest = append(rest, c)
			continue
		}
		switch op {
		case "lt", "le", "eq":
			top := k
			if op == "lt" {
				top--
			}
			if !bounded || top < hi {
				hi, bounded = top, true
			}
		}
		switch op {
		case "gt", "ge", "eq":
			bottom := k
			if op != "gt" {
				bottom--
			}
			lo = max(lo, bottom)
		}
	}
	r.Offset, r.Limit = lo, -1
	if bounded {
		r.Limit = max(hi-lo, 0)
	}
	return rest
}

// mirrored says what a comparison becomes when its sides are swapped.
var mirrored = map[string]string{"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq"}

// comparison recognises col op constant of integers, either way round.
func comparison(e expr.Expr, col Col) (op string, k int64, ok bool) {
	var l, r expr.Expr
	switch e := e.(type) {
	case *Eq:
		op, l, r = "eq", e.L, e.R
	case *expr.Call:
		rest, isInt := strings.CutPrefix(e.Fn.Name, "int")
		if !isInt || len(e.Args) != 2 {
			return "", 0, false
		}
		op, l, r = strings.TrimLeft(rest, "248"), e.Args[0], e.Args[1]
	default:
		return "", 0, false
	}
	if mirrored[op] == "" {
		return "", 0, false
	}
	if k, ok = integer(r); ok && is(l, col) {
		return op, k, true
	}
	if k, ok = integer(l); ok && is(r, col) {
		return mirrored[op], k, true
	}
	return "", 0, false
}

func is(e expr.Expr, col Col) bool {
	c, ok := AsColumn(e)
	return ok && c == col
}

// integer is the value of an integer constant, also below a cast.
func integer(e expr.Expr) (int64, bool) {
	switch e := e.(type) {
	case *expr.Const:
		if len(e.V.Ints) == 1 && !e.V.Null(0) {
			return e.V.Ints[0], true
		}
	case *expr.Call:
		if len(e.Args) == 1 && strings.HasPrefix(e.Fn.Name, "int") {
			return integer(e.Args[0])
		}
	}
	return 0, false
}
