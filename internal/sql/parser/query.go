package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

// selectStmt converts a query of any form. Named windows are visible in its own
// clauses and not in its subqueries.
func (c *converter) selectStmt(s *pg.SelectStmt) *sql.Select {
	defer func(outer []namedWindow) { c.windows = outer }(c.windows)
	c.windowClause(s.WindowClause)
	q := &sql.Select{At: -1}
	c.with(s.WithClause, &q.With, &q.Recursive)
	switch {
	case s.Op != pg.SetOperation_SETOP_NONE && s.Op != pg.SetOperation_SET_OPERATION_UNDEFINED:
		q.SetOp = map[pg.SetOperation]string{pg.SetOperation_SETOP_UNION: "union",
			pg.SetOperation_SETOP_INTERSECT: "intersect", pg.SetOperation_SETOP_EXCEPT: "except"}[s.Op]
		q.SetAll = s.All
		q.Left, q.Right = c.selectStmt(s.Larg), c.selectStmt(s.Rarg)
		q.At = q.Left.At
	case len(s.ValuesLists) > 0:
		for _, row := range s.ValuesLists {
			q.Values = append(q.Values, c.exprs(row.GetList().GetItems()))
		}
		if len(q.Values[0]) > 0 {
			q.At = posOf(q.Values[0][0])
		}
	default:
		c.plainSelect(q, s)
	}
	q.OrderBy = c.orderBy(s.SortClause)
	q.Limit, q.Offset = c.limit(s.LimitCount), c.limit(s.LimitOffset)
	q.WithTies = s.LimitOption == pg.LimitOption_LIMIT_OPTION_WITH_TIES
	q.Locking = len(s.LockingClause) > 0
	return q
}

// plainSelect converts the clauses that only a SELECT has.
func (c *converter) plainSelect(q *sql.Select, s *pg.SelectStmt) {
	if s.IntoClause != nil {
		c.unsupported("SELECT INTO", c.at(s.IntoClause.GetRel().GetLocation()))
	}
	q.Targets = c.targets(s.TargetList)
	if len(q.Targets) > 0 {
		q.At = q.Targets[0].At
	}
	if q.Distinct = len(s.DistinctClause) > 0; q.Distinct && s.DistinctClause[0].GetNode() != nil {
		q.DistinctOn = c.exprs(s.DistinctClause)
	}
	for _, item := range s.FromClause {
		q.From = append(q.From, c.tableExpr(item))
	}
	q.Where = c.expr(s.WhereClause)
	if s.GroupDistinct {
		c.unsupported("GROUP BY DISTINCT", q.At)
	}
	for _, item := range s.GroupClause {
		c.groupItem(q, item)
	}
	q.Having = c.expr(s.HavingClause)
}

// groupItem adds one item of GROUP BY; of grouping sets the expressions.
func (c *converter) groupItem(q *sql.Select, n *pg.Node) {
	set := n.GetGroupingSet()
	if set == nil {
		q.GroupBy = append(q.GroupBy, c.expr(n))
		return
	}
	q.Grouping = true
	for _, item := range set.Content {
		c.groupItem(q, item)
	}
}

func (c *converter) targets(nodes []*pg.Node) (list []sql.Target) {
	for _, n := range nodes {
		t := n.GetResTarget()
		list = append(list, sql.Target{At: c.at(t.GetLocation()), X: c.expr(t.GetVal()), Name: t.GetName()})
	}
	return list
}

func (c *converter) orderBy(nodes []*pg.Node) (list []sql.OrderItem) {
	for _, n := range nodes {
		s := n.GetSortBy()
		item := sql.OrderItem{X: c.expr(s.GetNode()), Desc: s.GetSortbyDir() == pg.SortByDir_SORTBY_DESC}
		item.At = posOf(item.X)
		if s.GetSortbyDir() == pg.SortByDir_SORTBY_USING {
			c.unsupported("ORDER BY … USING", item.At)
		}
		switch s.GetSortbyNulls() {
		case pg.SortByNulls_SORTBY_NULLS_FIRST:
			item.NullsFirst = new(bool)
			*item.NullsFirst = true
		case pg.SortByNulls_SORTBY_NULLS_LAST:
			item.NullsFirst = new(bool)
		}
		list = append(list, item)
	}
	return list
}

// limit converts LIMIT or OFFSET; LIMIT ALL and LIMIT NULL are none.
func (c *converter) limit(n *pg.Node) sql.Expr {
	if n.GetAConst().GetIsnull() {
		return nil
	}
	return c.expr(n)
}

// with converts WITH.
func (c *converter) with(w *pg.WithClause, list *[]sql.CTE, recursive *bool) {
	if w == nil {
		return
	}
	*recursive = w.Recursive
	for _, n := range w.Ctes {
		e := n.GetCommonTableExpr()
		cte := sql.CTE{At: c.at(e.Location), Name: e.Ctename, Columns: strs(e.Aliascolnames)}
		switch e.Ctematerialized {
		case pg.CTEMaterialize_CTEMaterializeAlways:
			cte.Materialized = "always"
		case pg.CTEMaterialize_CTEMaterializeNever:
			cte.Materialized = "never"
		}
		switch body := e.Ctequery.GetSelectStmt(); {
		case e.SearchClause != nil:
			c.unsupported("SEARCH", cte.At)
		case e.CycleClause != nil:
			c.unsupported("CYCLE", cte.At)
		case body == nil:
			c.unsupported("a data-modifying statement in WITH", cte.At)
		default:
			cte.Query = c.selectStmt(body)
		}
		*list = append(*list, cte)
	}
}
