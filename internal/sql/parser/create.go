package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

// create reads what is ours of CREATE.
func (c *cursor) create() sql.Statement {
	c.next++
	replace := c.accept("or", "replace")
	switch {
	case c.at("materialized", "view"), c.at("view"):
		return c.createView(replace)
	case replace:
	case c.at("source"):
		return c.createSource()
	case c.at("table"):
		return c.createTable()
	case c.at("changefeed"):
		return c.createChangefeed()
	case c.at("database"):
		return c.createDatabase()
	case c.at("sink"):
		c.fail(hinted(unsupported("CREATE SINK", c.pos()), "What delivers to other systems is a changefeed: CREATE CHANGEFEED name FOR view INTO 'uri'."))
		return nil
	}
	c.next = 0
	return c.postgres()
}

func (c *cursor) ifNotExists() bool { return c.accept("if", "not", "exists") }

// createView reads CREATE [OR REPLACE] [MATERIALIZED] VIEW name [(columns)] [WITH (…)] AS query
// [EMIT ON WINDOW CLOSE].
func (c *cursor) createView(replace bool) sql.Statement {
	stmt := &sql.CreateView{OrReplace: replace, Materialized: c.accept("materialized"), Text: c.whole()}
	c.expect("view")
	if at := c.pos(); replace && stmt.Materialized {
		c.fail(hinted(unsupported("CREATE OR REPLACE MATERIALIZED VIEW", at), "Drop the view first, or give the new one another name."))
	}
	stmt.IfNotExists = c.ifNotExists()
	stmt.Name = c.name()
	if c.punct(pg.Token_ASCII_40) {
		for {
			stmt.Columns = append(stmt.Columns, c.ident())
			if !c.punct(pg.Token_ASCII_44) {
				break
			}
		}
		c.close()
	}
	stmt.Options = c.withOptions()
	c.expect("as")
	last := c.viewEnd(len(c.tokens))
	stmt.Query = c.query(c.next, last)
	if c.err != nil {
		return nil
	}
	stmt.Body = c.text[c.tokens[c.next].start:c.tokens[last-1].end]
	return stmt
}

// viewEnd steps back over WITH [NO] DATA and refuses what else may end a view.
func (c *cursor) viewEnd(last int) int {
	tail := func(words ...string) bool {
		return last-len(words) > c.next && (&cursor{tokens: c.tokens[last-len(words) : last]}).at(words...)
	}
	switch {
	case tail("with", "data"):
		return last - 2
	case tail("with", "no", "data"):
		c.fail(unsupported("WITH NO DATA", c.tokens[last-3].start))
	case tail("check", "option"):
		c.fail(unsupported("WITH CHECK OPTION", c.tokens[last-2].start))
	}
	return last
}

// createSource reads CREATE SOURCE [IF NOT EXISTS] name [(columns)] WITH (…).
func (c *cursor) createSource() sql.Statement {
	m := c.mask()
	m.write(c.tokens[c.next], "TABLE")
	c.next++
	stmt := &sql.CreateSource{IfNotExists: c.ifNotExists(), Name: c.name(), Text: c.whole()}
	var gen generated
	columns := c.peek(0).kind == pg.Token_ASCII_40
	if columns {
		gen = c.columnGroup(m)
	}
	at := c.pos()
	c.refuse("format", "include", "encode", "row", "from", "as", "on")
	c.expect("with")
	stmt.Options = c.optionGroup()
	c.refuse("format", "include", "encode")
	c.finish()
	if c.err != nil || !columns {
		return stmt
	}
	m.blank(at, c.end())
	table, ok := c.convert(m.String(), m.base).(*sql.CreateTable)
	if !ok || c.err != nil {
		return nil
	}
	gen.fill(table.Columns)
	stmt.Columns = table.Columns
	if len(table.PrimaryKey) > 0 {
		stmt.PrimaryKey = table.PrimaryKey
	}
	return stmt
}

// refuse fails for clauses that RisingWave has here and we do not.
func (c *cursor) refuse(words ...string) {
	for _, w := range words {
		if c.at(w) {
			c.fail(unsupported(upper(w)+" in this statement", c.pos()))
		}
	}
}

// createTable reads CREATE TABLE of all kinds: PostgreSQL's, with (*) or columns FROM
// a source, APPEND ONLY, WITH (…).
func (c *cursor) createTable() sql.Statement {
	m := c.mask()
	c.next++
	ours := sql.CreateTable{IfNotExists: c.ifNotExists(), Name: c.name(), Text: c.whole()}
	var gen generated
	if c.peek(0).kind == pg.Token_ASCII_40 {
		if star := c.peek(1); star.kind == pg.Token_ASCII_42 {
			c.next += 2
			c.close()
			ours.Star = true
			m.blank(star.start, star.end)
		} else {
			gen = c.columnGroup(m)
		}
	}
	c.tableClauses(&ours, m)
	if c.err != nil {
		return nil
	}
	if ours.From == nil && ours.Star {
		c.unexpected() // (*) asks for FROM
		return nil
	}
	if ours.From != nil {
		c.finish()
		if gen == nil && !ours.Star {
			m = nil // no column list: all columns
			ours.Star = true
		}
	}
	return c.tableFromMask(ours, gen, m)
}

// tableFromMask lets PostgreSQL's grammar read the columns, or the query of CREATE TABLE AS.
func (c *cursor) tableFromMask(ours sql.CreateTable, gen generated, m *mask) sql.Statement {
	if c.err != nil || m == nil {
		return &ours
	}
	stmt := c.convert(m.String(), m.base)
	table, ok := stmt.(*sql.CreateTable)
	if !ok {
		return stmt
	}
	gen.fill(table.Columns)
	table.Star, table.AppendOnly, table.From, table.Upstream = ours.Star, ours.AppendOnly, ours.From, ours.Upstream
	table.Options, table.Text = ours.Options, ours.Text
	return table
}

// tableClauses takes our clauses after a table's columns, in any order, and blanks them out.
func (c *cursor) tableClauses(t *sql.CreateTable, m *mask) {
	for c.err == nil && !c.done() {
		at := c.pos()
		switch {
		case c.accept("append", "only"):
			t.AppendOnly = true
		case c.at("with") && c.peek(1).kind == pg.Token_ASCII_40:
			t.Options = append(t.Options, c.withOptions()...)
		case t.From == nil && c.accept("from"):
			source := c.name()
			t.From = &source
			c.expect("table")
			t.Upstream = c.str()
		default:
			c.refuse("format", "include", "encode")
			if c.at("on", "conflict") {
				c.fail(unsupported("ON CONFLICT in CREATE TABLE", at))
			}
			return
		}
		m.blank(at, c.tokens[c.next-1].end)
	}
}

// generated holds the expressions of columns written c type AS expr, by where the
// column begins. Nil: there was no column list.
type generated map[int]sql.Expr

func (g generated) fill(columns []sql.ColumnDef) {
	for i := range columns {
		if x, ok := g[columns[i].Pos()]; ok {
			columns[i].Generated = x
		}
	}
}

// columnGroup steps over the parenthesised columns. It takes out c type AS expr, which
// PostgreSQL writes GENERATED ALWAYS AS (…) STORED.
func (c *cursor) columnGroup(m *mask) generated {
	gen := generated{}
	stop := c.skipGroup(c.next) - 1
	first := c.next + 1
	for i := first; i <= stop; i++ {
		switch t := c.tokens[min(i, len(c.tokens)-1)]; {
		case i == stop || t.kind == pg.Token_ASCII_44:
			first = i + 1
		case t.kind == pg.Token_ASCII_40, t.kind == pg.Token_ASCII_91:
			i = c.skipGroup(i) - 1
		case i == first && t.word == "watermark" && c.tokens[i+1].word == "for":
			c.fail(hinted(unsupported("WATERMARK", t.start), "Leave it out: results are right without it, rows may come late and be retracted."))
		case t.word == "as" && i > first && c.tokens[i-1].word != "always" && c.tokens[i-1].word != "default":
			to := c.elementEnd(i, stop)
			if to <= i+1 {
				c.next = to
				c.unexpected()
				break
			}
			x, err := parseExpr(c.text, c.tokens[i+1].start, c.tokens[to-1].end)
			if err != nil {
				c.fail(err)
			}
			gen[c.tokens[first].start] = x
			m.blank(t.start, c.tokens[to-1].end)
			i = to - 1
		}
	}
	c.next = stop + 1
	return gen
}

// elementEnd is the index of the comma, or of stop, that ends the column at token i.
func (c *cursor) elementEnd(i, stop int) int {
	for ; i < stop; i++ {
		switch c.tokens[i].kind {
		case pg.Token_ASCII_40, pg.Token_ASCII_91:
			i = c.skipGroup(i) - 1
		case pg.Token_ASCII_44:
			return i
		}
	}
	return stop
}
