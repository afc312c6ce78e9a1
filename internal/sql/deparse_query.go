package sql

import "strings"

// query writes a query without parentheses around it.
func (p *printer) query(q *Select) {
	p.with(q)
	switch {
	case q.SetOp != "":
		p.branch(q.Left)
		p.put(" ", strings.ToUpper(q.SetOp), " ")
		if q.SetAll {
			p.put("ALL ")
		}
		p.branch(q.Right)
	case q.Values != nil:
		p.put("VALUES ")
		for i, row := range q.Values {
			if i > 0 {
				p.put(", ")
			}
			p.group("(", row, ")")
		}
	default:
		p.plain(q)
	}
	p.orderBy(q.OrderBy)
	p.limit(q)
	if q.Locking {
		p.put(" FOR UPDATE")
	}
	if q.EmitOnWindowClose {
		p.put(" EMIT ON WINDOW CLOSE")
	}
}

func (p *printer) branch(q *Select) {
	p.put("(")
	p.query(q)
	p.put(")")
}

func (p *printer) with(q *Select) {
	for i, e := range q.With {
		switch {
		case i > 0:
			p.put(", ")
		case q.Recursive:
			p.put("WITH RECURSIVE ")
		default:
			p.put("WITH ")
		}
		p.put(QuoteIdent(e.Name))
		p.aliasColumns(e.Columns)
		p.put(" AS ", map[string]string{"always": "MATERIALIZED ", "never": "NOT MATERIALIZED "}[e.Materialized])
		p.branch(e.Query)
	}
	if len(q.With) > 0 {
		p.put(" ")
	}
}

func (p *printer) aliasColumns(names []string) {
	if len(names) > 0 {
		p.put(" (")
		p.idents(names)
		p.put(")")
	}
}

// plain writes SELECT … HAVING ….
func (p *printer) plain(q *Select) {
	p.put("SELECT ")
	if len(q.DistinctOn) > 0 {
		p.group("DISTINCT ON (", q.DistinctOn, ") ")
	} else if q.Distinct {
		p.put("DISTINCT ")
	}
	for i, t := range q.Targets {
		if i > 0 {
			p.put(", ")
		}
		p.expr(t.X)
		if t.Name != "" {
			p.put(" AS ", QuoteIdent(t.Name))
		}
	}
	for i, t := range q.From {
		if i == 0 {
			p.put(" FROM ")
		} else {
			p.put(", ")
		}
		p.table(t)
	}
	if q.Where != nil {
		p.put(" WHERE ")
		p.expr(q.Where)
	}
	if len(q.GroupBy) > 0 {
		p.group(" GROUP BY ", q.GroupBy, "")
	}
	if q.Having != nil {
		p.put(" HAVING ")
		p.expr(q.Having)
	}
}

func (p *printer) orderBy(items []OrderItem) {
	for i, o := range items {
		if i == 0 {
			p.put(" ORDER BY ")
		} else {
			p.put(", ")
		}
		p.expr(o.X)
		if o.Desc {
			p.put(" DESC")
		}
		switch {
		case o.NullsFirst == nil:
		case *o.NullsFirst:
			p.put(" NULLS FIRST")
		default:
			p.put(" NULLS LAST")
		}
	}
}

func (p *printer) limit(q *Select) {
	if q.Offset != nil {
		p.put(" OFFSET ")
		p.operand(q.Offset)
	}
	switch {
	case q.Limit == nil:
	case q.WithTies:
		p.put(" FETCH FIRST (")
		p.expr(q.Limit)
		p.put(") ROWS WITH TIES")
	default:
		p.put(" LIMIT ")
		p.expr(q.Limit)
	}
}

// table writes an item of FROM.
func (p *printer) table(t TableExpr) {
	switch t := t.(type) {
	case *TableRef:
		if t.Schema != "" {
			p.put(QuoteIdent(t.Schema), ".")
		}
		p.put(QuoteIdent(t.Name))
		p.alias(t.Alias, t.Columns)
	case *SubqueryRef:
		p.lateral(t.Lateral)
		p.branch(t.Query)
		p.alias(t.Alias, t.Columns)
	case *FuncRef:
		p.function(t)
	case *Join:
		p.join(t)
	}
}

func (p *printer) lateral(yes bool) {
	if yes {
		p.put("LATERAL ")
	}
}

func (p *printer) alias(name string, columns []string) {
	if name != "" {
		p.put(" AS ", QuoteIdent(name))
		p.aliasColumns(columns)
	}
}

// function writes a function in FROM; of TUMBLE and HOP the relation comes first.
func (p *printer) function(t *FuncRef) {
	p.lateral(t.Lateral)
	if t.Table == nil {
		p.call(t.Call)
	} else {
		p.name(t.Call.Name)
		p.put("(")
		p.table(t.Table)
		for _, a := range t.Call.Args {
			p.put(", ")
			p.expr(a)
		}
		p.put(")")
	}
	if t.Ordinality {
		p.put(" WITH ORDINALITY")
	}
	p.alias(t.Alias, t.Columns)
}

func (p *printer) join(t *Join) {
	if t.Alias != "" {
		p.put("(")
	}
	p.table(t.Left)
	p.put(" ")
	if t.Natural {
		p.put("NATURAL ")
	}
	p.put(strings.ToUpper(t.Kind), " JOIN ")
	if right, nested := t.Right.(*Join); nested && right.Alias == "" {
		p.put("(")
		p.table(right)
		p.put(")")
	} else {
		p.table(t.Right)
	}
	switch {
	case t.On != nil:
		p.put(" ON ")
		p.expr(t.On)
	case len(t.Using) > 0:
		p.put(" USING (")
		p.idents(t.Using)
		p.put(")")
	}
	if t.Alias != "" {
		p.put(") AS ", QuoteIdent(t.Alias))
	}
}
