package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

// withOptions takes WITH (name = value, …), if it is next.
func (c *cursor) withOptions() []sql.Option {
	if !c.at("with") || c.peek(1).kind != pg.Token_ASCII_40 {
		return nil
	}
	c.next++
	return c.optionGroup()
}

// optionGroup takes (name [=] [value], …). A name may have dots. An option without a
// value is true.
func (c *cursor) optionGroup() (list []sql.Option) {
	c.open()
	for c.err == nil && !c.punct(pg.Token_ASCII_41) {
		if len(list) > 0 && !c.punct(pg.Token_ASCII_44) {
			c.unexpected()
			break
		}
		list = append(list, c.option())
	}
	return list
}

// option takes name [=] [value]: a value is a string, a number or a word.
func (c *cursor) option() sql.Option {
	o := sql.Option{At: sql.At(c.pos())}
	o.Name = c.label()
	for c.punct(pg.Token_ASCII_46) {
		o.Name += "." + c.label()
	}
	o.Name = strings.ToLower(o.Name)
	if c.punct(pg.Token_ASCII_61) || !c.endsOption() {
		o.Value = c.value()
	} else {
		o.Value = "true"
	}
	return o
}

func (c *cursor) endsOption() bool {
	k := c.peek(0).kind
	return c.done() || k == pg.Token_ASCII_44 || k == pg.Token_ASCII_41
}

// value takes the value of an option, as text.
func (c *cursor) value() string {
	t := c.peek(0)
	switch {
	case c.err != nil:
		return ""
	case t.kind == pg.Token_SCONST, t.kind == pg.Token_USCONST:
		return c.str()
	case t.kind == pg.Token_ICONST, t.kind == pg.Token_FCONST:
		c.next++
		return c.text[t.start:t.end]
	case t.kind == pg.Token_ASCII_45, t.kind == pg.Token_ASCII_43:
		c.next++
		if n := c.peek(0).kind; n != pg.Token_ICONST && n != pg.Token_FCONST {
			c.unexpected()
			return ""
		}
		return strings.TrimPrefix(c.text[t.start:t.end], "+") + c.value()
	}
	if t.word == "secret" && !c.endsOptionAt(1) {
		c.fail(unsupported("SECRET", t.start))
		return ""
	}
	return c.label()
}

func (c *cursor) endsOptionAt(n int) bool {
	k := c.peek(n).kind
	return c.next+n >= len(c.tokens) || k == pg.Token_ASCII_44 || k == pg.Token_ASCII_41
}
