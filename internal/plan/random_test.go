package plan_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// generator makes random queries over t, u and v, with subqueries that mention what is around them.
type generator struct {
	r     *rand.Rand
	next  int
	scope []string // visible columns of type int, innermost last
}

func (g *generator) oneOf(choices ...string) string { return choices[g.r.IntN(len(choices))] }

// from makes FROM, of one to three items, and makes their columns visible.
func (g *generator) from(depth int) string {
	text := g.item(depth, false)
	for range g.r.IntN(3) {
		before := len(g.scope)
		switch g.r.IntN(5) {
		case 0:
			text += ", " + g.item(depth, true)
		case 1:
			text += " JOIN " + g.item(depth, true) + " ON " + g.condition(depth-1, before)
		case 2, 3:
			text += " LEFT JOIN " + g.item(depth, true) + " ON " + g.condition(depth-1, before)
		case 4:
			text += " FULL JOIN " + g.item(depth, false) + " ON " + g.scope[before+g.r.IntN(len(g.scope)-before)] + " = " + g.scope[before-1]
		}
	}
	return text
}

// equality compares two visible columns, the first of the newest item.
func (g *generator) equality(from int) string {
	return g.scope[from+g.r.IntN(len(g.scope)-from)] + " = " + g.column()
}

func (g *generator) item(depth int, lateral bool) string {
	g.next++
	alias := "q" + strconv.Itoa(g.next)
	if depth > 1 && g.r.IntN(4) == 0 {
		visible := g.scope
		word := ""
		if lateral {
			word = "LATERAL "
		} else {
			g.scope = g.scope[:0:0]
		}
		sub := g.query(depth-1, 2)
		g.scope = append(visible[:len(visible):len(visible)], alias+".x", alias+".y")
		return fmt.Sprintf("%s(%s) %s (x, y)", word, sub, alias)
	}
	table := g.oneOf("t", "u", "v")
	for _, c := range []string{"a", "b", "id"} {
		if table != "v" || c != "id" {
			g.scope = append(g.scope, alias+"."+c)
		}
	}
	return table + " " + alias
}

func (g *generator) column() string {
	if len(g.scope) == 0 {
		return g.oneOf("1", "2")
	}
	if n := len(g.scope); n > 4 && g.r.IntN(2) == 0 {
		return g.scope[n-1-g.r.IntN(4)] // near ones more often
	}
	return g.scope[g.r.IntN(len(g.scope))]
}

// value is a scalar of type int.
func (g *generator) value(depth int) string {
	if depth > 0 && g.r.IntN(4) == 0 {
		return "(" + g.scalar(depth-1) + ")"
	}
	switch g.r.IntN(6) {
	case 0:
		return g.oneOf("0", "1", "2", "3")
	case 1:
		return g.column() + " + " + g.column()
	case 2:
		return "coalesce(" + g.column() + ", " + g.column() + ")"
	}
	return g.column()
}

// scalar is a query of one row and one column at most.
func (g *generator) scalar(depth int) string {
	visible := g.scope
	defer func() { g.scope = visible }()
	from := g.from(depth)
	where := g.where(depth, len(visible))
	agg := g.oneOf("count(*)", "count(%s)", "max(%s)", "min(%s)", "count(DISTINCT %s)", "max(%s) + 1", "coalesce(min(%s), 7)")
	if strings.Contains(agg, "%s") {
		agg = fmt.Sprintf(agg, g.inner(len(visible)))
	}
	text := "SELECT " + agg + "::int FROM " + from + where
	if strings.HasPrefix(agg, "max") && g.r.IntN(3) == 0 {
		text += " HAVING count(*) > " + g.oneOf("0", "1", "2")
	}
	return text
}

// inner is a column of the query's own: an aggregate of outer ones belongs to the outer query.
func (g *generator) inner(from int) string {
	return g.scope[from+g.r.IntN(len(g.scope)-from)]
}

func (g *generator) where(depth, from int) string {
	switch g.r.IntN(4) {
	case 0:
		return ""
	case 1:
		return " WHERE " + g.condition(depth, from) + " AND " + g.condition(depth, from)
	}
	return " WHERE " + g.condition(depth, from)
}

func (g *generator) condition(depth, from int) string {
	if depth > 0 {
		switch g.r.IntN(8) {
		case 0:
			return g.oneOf("", "NOT ") + "EXISTS (" + g.query(depth-1, 1) + ")"
		case 1:
			return g.value(0) + g.oneOf(" IN (", " NOT IN (") + g.query(depth-1, 1) + ")"
		case 2:
			return g.value(0) + g.oneOf(" < ANY (", " >= ALL (", " = ALL (", " <> ALL (") + g.query(depth-1, 1) + ")"
		case 3:
			return "(" + g.condition(depth-1, from) + " OR " + g.condition(depth-1, from) + ")"
		case 4:
			return "NOT (" + g.condition(depth-1, from) + ")"
		}
	}
	if g.r.IntN(2) == 0 && from < len(g.scope) {
		return g.equality(from)
	}
	return g.value(depth) + g.oneOf(" = ", " < ", " <> ", " IS NOT DISTINCT FROM ", " >= ") + g.value(0)
}

// query is a SELECT of n columns of type int.
func (g *generator) query(depth, n int) string {
	visible := g.scope
	defer func() { g.scope = visible }()
	if depth > 1 && g.r.IntN(6) == 0 {
		op := g.oneOf(" UNION ALL ", " UNION ", " EXCEPT ", " INTERSECT ", " EXCEPT ALL ", " INTERSECT ALL ")
		return "(" + g.query(depth-1, n) + ")" + op + "(" + g.query(depth-1, n) + ")"
	}
	from := g.from(depth)
	where := g.where(depth, len(visible))
	switch g.r.IntN(5) {
	case 0:
		return g.grouped(from, where, len(visible), n)
	case 1:
		return g.limited(from, where, len(visible), n)
	}
	cols := make([]string, n)
	for i := range cols {
		cols[i] = g.value(depth)
	}
	distinct := ""
	if g.r.IntN(5) == 0 {
		distinct = "DISTINCT "
	}
	return "SELECT " + distinct + strings.Join(cols, ", ") + " FROM " + from + where
}

func (g *generator) grouped(from, where string, own, n int) string {
	key := g.inner(own)
	aggs := []string{key, "count(*)::int", "max(" + g.inner(own) + ")", "min(" + g.inner(own) + ")"}
	cols := make([]string, n)
	for i := range cols {
		cols[i] = aggs[g.r.IntN(len(aggs))]
	}
	text := "SELECT " + strings.Join(cols, ", ") + " FROM " + from + where + " GROUP BY " + key
	if g.r.IntN(3) == 0 {
		text += " HAVING count(*) > 1"
	}
	return text
}

// limited is the first rows in an order that leaves no ties: all columns are output columns.
func (g *generator) limited(from, where string, own, n int) string {
	cols := make([]string, n)
	order := make([]string, n)
	for i := range cols {
		cols[i] = g.inner(own)
		order[i] = strconv.Itoa(i+1) + g.oneOf("", " DESC", " NULLS FIRST", " DESC NULLS LAST")
	}
	return "SELECT " + strings.Join(cols, ", ") + " FROM " + from + where + " ORDER BY " + strings.Join(order, ", ") +
		g.oneOf(" LIMIT 1", " LIMIT 2", " LIMIT 2 OFFSET 1", " OFFSET 1")
}

// Random queries agree with PostgreSQL. WEIR_PLAN_SEED and WEIR_PLAN_QUERIES choose others and more.
func TestRandomQueriesAgreeWithPostgres(t *testing.T) {
	t.Parallel()
	queries, seed := 400, uint64(1)
	if testing.Short() {
		queries = 60
	}
	if s := os.Getenv("WEIR_PLAN_QUERIES"); s != "" {
		queries, _ = strconv.Atoi(s)
	}
	if s := os.Getenv("WEIR_PLAN_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	w := newWorld(t)
	w.exec(t, "SET statement_timeout = '300ms'")
	failed := 0
	for i := range queries {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		if i%20 == 0 {
			w.fill(t, r, 2+i/20%4)
		}
		g := &generator{r: r}
		q := g.query(1+i%3, 2)
		if diff := w.compare(t, q); diff != "" {
			t.Errorf("query %d: %s\n%s", i, q, diff)
			if failed++; failed == 3 {
				return
			}
		}
	}
}
