package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

// statement reads the statement that the cursor is over, ours or PostgreSQL's.
func (c *cursor) statement() sql.Statement {
	if c.done() {
		c.unexpected()
		return nil
	}
	switch c.peek(0).word {
	case "create":
		return c.create()
	case "drop":
		return c.drop()
	case "alter":
		return c.alter()
	case "subscribe":
		stmt := c.subscribe()
		c.finish()
		return stmt
	case "copy":
		return c.copy()
	case "declare":
		return c.declare()
	case "fetch":
		return c.fetch()
	case "show", "describe":
		return c.show()
	case "explain":
		return c.explain()
	case "flush":
		return c.bare(&sql.Flush{})
	case "recover":
		return c.bare(&sql.Recover{})
	case "wait":
		return c.wait()
	}
	return c.rest()
}

// bare is a statement of one word.
func (c *cursor) bare(stmt sql.Statement) sql.Statement {
	c.next++
	c.finish()
	return stmt
}

// rest is what is left to PostgreSQL: a query that ends in our EMIT clause, or
// anything at all.
func (c *cursor) rest() sql.Statement {
	n := len(c.tokens)
	if n > 4 && (&cursor{tokens: c.tokens[n-4:]}).at("emit", "on", "window", "close") {
		return &sql.Query{Select: c.query(c.next, n)}
	}
	from := c.pos()
	return c.convert(c.text[from:c.end()], from)
}

func (c *cursor) wait() sql.Statement {
	c.next++
	stmt := &sql.Wait{}
	if !c.done() {
		stmt.Kind = c.relationKind()
		stmt.Name = c.name()
	}
	c.finish()
	return stmt
}

// kinds are the things that have a name of their own, as words, longest first.
var kinds = [][]string{
	{"materialized", "view"}, {"table"}, {"view"}, {"source"}, {"changefeed"}, {"schema"}, {"database"}, {"user"}, {"role"},
}

// kind takes the words of a kind; "" if none is next.
func (c *cursor) kind() string {
	for _, words := range kinds {
		if c.accept(words...) {
			if k := words[len(words)-1]; len(words) == 1 {
				return k
			}
			return words[0] + " " + words[1]
		}
	}
	return ""
}

// relationKind takes the kind of something that holds or brings rows.
func (c *cursor) relationKind() string {
	at := c.next
	switch k := c.kind(); k {
	case "table", "view", "materialized view", "source", "changefeed":
		return k
	}
	c.next = at
	c.unexpected()
	return ""
}

// drop reads DROP kind [IF EXISTS] names [CASCADE | RESTRICT].
func (c *cursor) drop() sql.Statement {
	c.next++
	if c.at("sink") {
		c.fail(hinted(unsupported("DROP SINK", c.pos()), "What delivers to other systems is a changefeed: DROP CHANGEFEED."))
		return nil
	}
	stmt := &sql.Drop{Kind: c.kind()}
	if stmt.Kind == "" {
		return c.postgres()
	}
	if stmt.Kind == "role" {
		stmt.Kind = "user"
	}
	stmt.IfExists = c.accept("if", "exists")
	stmt.Names = c.names()
	stmt.Cascade = c.accept("cascade")
	if !stmt.Cascade {
		c.accept("restrict")
	}
	c.finish()
	for _, n := range stmt.Names {
		if n.Schema != "" && (stmt.Kind == "schema" || stmt.Kind == "database" || stmt.Kind == "user") {
			c.fail(syntax(n.Pos()+len(n.Schema), "syntax error at or near \".\""))
		}
	}
	return stmt
}

func hinted(err *sql.Error, hint string) *sql.Error {
	err.Hint = hint
	return err
}

// alter reads what is ours of ALTER: of sources, and REFRESH SCHEMA.
func (c *cursor) alter() sql.Statement {
	if c.peek(1).word == "changefeed" {
		return c.alterChangefeed()
	}
	isSource := c.peek(1).word == "source"
	if !isSource && c.peek(1).word != "table" {
		return c.postgres()
	}
	c.next = 2
	ifExists := c.accept("if", "exists")
	name := c.name()
	if c.accept("refresh", "schema") {
		c.finish()
		return &sql.AlterTable{Kind: c.tokens[1].word, IfExists: ifExists, Name: name, Action: "refresh schema", Text: c.whole()}
	}
	c.err = nil
	if !isSource {
		return c.postgres()
	}
	m := c.mask()
	m.write(c.tokens[1], "TABLE")
	stmt := c.convert(m.String(), m.base)
	if alter, ok := stmt.(*sql.AlterTable); ok {
		alter.Kind = "source"
		if alter.Action != "rename" {
			c.fail(unsupported("ALTER SOURCE … "+alter.Action, name.Pos()))
		}
	}
	return stmt
}

// whole is the statement's text.
func (c *cursor) whole() string { return c.text[c.tokens[0].start:c.end()] }

// explain reads EXPLAIN [(options)] [ANALYZE] [VERBOSE] statement; the statement may be ours.
func (c *cursor) explain() sql.Statement {
	c.next++
	stmt := &sql.Explain{}
	if c.peek(0).kind == pg.Token_ASCII_40 && !c.queryAt(1) {
		stmt.Options = c.optionGroup()
	} else {
		for _, word := range []string{"analyze", "verbose"} {
			if at := c.pos(); c.accept(word) {
				stmt.Options = append(stmt.Options, sql.Option{At: sql.At(at), Name: word, Value: "true"})
			}
		}
	}
	at := c.next
	inner := &cursor{text: c.text, tokens: c.tokens[c.next:]}
	if c.err != nil || inner.done() {
		c.unexpected()
		return nil
	}
	stmt.Body = inner.statement()
	c.err = inner.err
	switch stmt.Body.(type) {
	case *sql.Query, *sql.Insert, *sql.Update, *sql.Delete, *sql.CreateView, *sql.CreateTable, *sql.Subscribe,
		*sql.CreateChangefeed, *sql.Declare, *sql.Execute:
	default:
		c.next = at
		c.unexpected()
	}
	return stmt
}

// queryAt says whether a query begins n tokens ahead.
func (c *cursor) queryAt(n int) bool {
	t := c.peek(n)
	switch t.word {
	case "select", "with", "values", "table":
		return true
	}
	return t.kind == pg.Token_ASCII_40
}
