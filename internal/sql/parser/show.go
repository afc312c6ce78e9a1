package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

// lists are what SHOW lists, as words.
var lists = [][]string{
	{"materialized", "views"}, {"tables"}, {"views"}, {"sources"}, {"changefeeds"}, {"schemas"}, {"databases"}, {"users"},
	{"jobs"}, {"cursors"}, {"parameters"}, {"processlist"}, {"all"},
}

// settings are the parameters that SHOW spells in several words.
var settings = []struct {
	words []string
	name  string
}{
	{[]string{"time", "zone"}, "timezone"},
	{[]string{"transaction", "isolation", "level"}, "transaction_isolation"},
	{[]string{"session", "authorization"}, "session_authorization"},
}

// show reads SHOW and DESCRIBE.
func (c *cursor) show() sql.Statement {
	word := c.peek(0).word
	c.next++
	if word == "describe" {
		stmt := &sql.Show{What: "columns", Name: c.name()}
		c.finish()
		return stmt
	}
	stmt := c.shown()
	c.finish()
	return stmt
}

func (c *cursor) shown() *sql.Show {
	switch {
	case c.accept("create"):
		kind := c.relationKind()
		return &sql.Show{What: "create " + kind, Name: c.name()}
	case c.accept("columns"):
		c.expect("from")
		return &sql.Show{What: "columns", Name: c.name()}
	}
	for _, words := range lists {
		if !c.accept(words...) {
			continue
		}
		stmt := &sql.Show{What: words[0]}
		if len(words) > 1 {
			stmt.What += " " + words[1]
		}
		if c.accept("from") {
			stmt.Name.At = sql.At(c.pos())
			stmt.Name.Schema = c.ident()
		}
		return stmt
	}
	return &sql.Show{What: "parameter", Name: c.setting()}
}

// setting takes the name of a parameter.
func (c *cursor) setting() sql.Name {
	n := sql.Name{At: sql.At(c.pos())}
	for _, s := range settings {
		if c.accept(s.words...) {
			n.Name = s.name
			return n
		}
	}
	n.Name = c.ident()
	for c.punct(pg.Token_ASCII_46) {
		n.Name += "." + c.ident()
	}
	return n
}
