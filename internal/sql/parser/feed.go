package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

func upper(s string) string { return strings.ToUpper(s) }

// createChangefeed reads CREATE CHANGEFEED [IF NOT EXISTS] name FOR [TABLE] a, b INTO 'uri' [WITH …].
func (c *cursor) createChangefeed() sql.Statement {
	c.next++
	stmt := &sql.CreateChangefeed{IfNotExists: c.ifNotExists(), Name: c.name(), Text: c.whole()}
	c.expect("for")
	c.accept("table")
	stmt.For = c.names()
	c.expect("into")
	stmt.Into = c.str()
	switch {
	case c.at("with") && c.peek(1).kind == pg.Token_ASCII_40:
		stmt.Options = c.withOptions()
	case c.accept("with"): // CockroachDB's way, without parentheses
		for {
			stmt.Options = append(stmt.Options, c.option())
			if !c.punct(pg.Token_ASCII_44) {
				break
			}
		}
	}
	c.finish()
	return stmt
}

// alterChangefeed reads ALTER CHANGEFEED [IF EXISTS] name PAUSE | RESUME.
func (c *cursor) alterChangefeed() sql.Statement {
	c.next = 2
	stmt := &sql.AlterTable{Kind: "changefeed", IfExists: c.accept("if", "exists"), Name: c.name(), Text: c.whole()}
	switch {
	case c.accept("pause"):
		stmt.Action = "pause"
	case c.accept("resume"):
		stmt.Action = "resume"
	default:
		c.unexpected()
	}
	c.finish()
	return stmt
}

// subscribe reads SUBSCRIBE [TO] (query) | name [WITH (…)] [AS OF expr] [UP TO expr]. The
// caller says where it must end.
func (c *cursor) subscribe() *sql.Subscribe {
	c.next++
	c.accept("to")
	stmt := &sql.Subscribe{}
	if c.peek(0).kind == pg.Token_ASCII_40 {
		stop := c.skipGroup(c.next) - 1
		if c.tokens[stop].kind != pg.Token_ASCII_41 {
			stop++ // it is not closed
		}
		stmt.Query = c.query(c.next+1, stop)
		if c.err == nil {
			c.next = stop
			c.close()
		}
	} else {
		n := c.name()
		stmt.Query = &sql.Select{At: n.At, Targets: []sql.Target{{At: n.At, X: &sql.ColumnRef{At: n.At, Star: true}}},
			From: []sql.TableExpr{&sql.TableRef{At: n.At, Schema: n.Schema, Name: n.Name}}}
	}
	if c.at("envelope") || c.at("within") {
		c.fail(unsupported(upper(c.peek(0).word)+" of SUBSCRIBE", c.pos()))
	}
	stmt.Options = c.withOptions()
	if c.accept("as", "of") {
		stmt.AsOf = c.exprUntil("up")
	}
	if c.accept("up", "to") {
		stmt.UpTo = c.exprUntil("as")
	}
	return stmt
}

// exprUntil takes an expression that ends before a word, a closing parenthesis of an
// outer group or the end.
func (c *cursor) exprUntil(word string) sql.Expr {
	from := c.next
	i := from
	for ; i < len(c.tokens) && c.tokens[i].word != word && c.tokens[i].kind != pg.Token_ASCII_41; i++ {
		if c.tokens[i].kind == pg.Token_ASCII_40 {
			i = c.skipGroup(i) - 1
		}
	}
	if c.err != nil || i == from {
		c.unexpected()
		return nil
	}
	i = min(i, len(c.tokens))
	x, err := parseExpr(c.text, c.tokens[from].start, c.tokens[i-1].end)
	if err != nil {
		c.fail(err)
	}
	c.next = i
	return x
}

// standIn takes a SUBSCRIBE that stands where PostgreSQL has a query, and covers it
// with a query that says nothing.
func (c *cursor) standIn(m *mask) *sql.Subscribe {
	from := c.pos()
	sub := c.subscribe()
	if c.err == nil {
		m.cover(from, c.tokens[c.next-1].end, "SELECT 1")
	}
	return sub
}

// copy reads COPY; COPY (SUBSCRIBE …) TO STDOUT is ours.
func (c *cursor) copy() sql.Statement {
	if c.peek(1).kind != pg.Token_ASCII_40 || c.peek(2).word != "subscribe" {
		return c.postgres()
	}
	m := c.mask()
	c.next += 2
	sub := c.standIn(m)
	if c.peek(0).kind != pg.Token_ASCII_41 {
		c.unexpected()
	}
	stmt := c.convert(m.String(), m.base)
	if cp, ok := stmt.(*sql.Copy); ok {
		cp.Query = sub
	}
	return stmt
}

// declare reads DECLARE; FOR SUBSCRIBE is ours.
func (c *cursor) declare() sql.Statement {
	for i, t := range c.tokens {
		if t.word != "for" {
			continue
		}
		if i+1 >= len(c.tokens) || c.tokens[i+1].word != "subscribe" {
			break
		}
		m := c.mask()
		c.next = i + 1
		sub := c.standIn(m)
		c.finish()
		stmt := c.convert(m.String(), m.base)
		if d, ok := stmt.(*sql.Declare); ok {
			d.Body = sub
		}
		return stmt
	}
	return c.postgres()
}

// fetch reads FETCH; WITH (timeout = …) after it is ours.
func (c *cursor) fetch() sql.Statement {
	m := c.mask()
	var options []sql.Option
	for i, t := range c.tokens {
		if t.word == "with" {
			c.next = i
			options = c.withOptions()
			c.finish()
			m.blank(t.start, c.end())
			break
		}
	}
	stmt := c.convert(m.String(), m.base)
	if f, ok := stmt.(*sql.Fetch); ok {
		f.Options = options
	}
	return stmt
}

// createDatabase reads CREATE DATABASE [IF NOT EXISTS] name [[WITH] name [=] value … | WITH (…)].
func (c *cursor) createDatabase() sql.Statement {
	c.next++
	stmt := &sql.CreateDatabase{IfNotExists: c.ifNotExists(), Name: c.ident()}
	switch {
	case c.at("with") && c.peek(1).kind == pg.Token_ASCII_40:
		stmt.Options = c.withOptions()
	default:
		c.accept("with")
		for c.err == nil && !c.done() {
			stmt.Options = append(stmt.Options, c.option())
		}
	}
	c.finish()
	return stmt
}
