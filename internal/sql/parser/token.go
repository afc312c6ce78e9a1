package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

// token is one lexeme of the text. Its place is text[start:end].
type token struct {
	kind       pg.Token
	keyword    pg.KeywordKind
	start, end int
	// word is the lexeme in lower case if it is a keyword or an identifier without
	// quotes; empty for all else.
	word string
}

// scan cuts text into tokens; comments are left out.
func scan(text string) ([]token, error) {
	result, err := pg.Scan(text)
	if err != nil {
		return nil, fromGrammar(err, text, 0)
	}
	tokens := make([]token, 0, len(result.Tokens))
	for _, t := range result.Tokens {
		if t.Token == pg.Token_SQL_COMMENT || t.Token == pg.Token_C_COMMENT {
			continue
		}
		k := token{kind: t.Token, keyword: t.KeywordKind, start: int(t.Start), end: int(t.End)}
		lexeme := text[k.start:k.end]
		if k.keyword != pg.KeywordKind_NO_KEYWORD || k.kind == pg.Token_IDENT && lexeme[0] != '"' {
			k.word = lower(lexeme)
		}
		tokens = append(tokens, k)
	}
	return tokens, nil
}

// lower folds ASCII letters, as PostgreSQL does to identifiers in UTF-8.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// split cuts the tokens of a script at its semicolons.
func split(tokens []token) (statements [][]token) {
	from := 0
	for i, t := range tokens {
		if t.kind == pg.Token_ASCII_59 {
			statements = append(statements, tokens[from:i])
			from = i + 1
		}
	}
	return append(statements, tokens[from:])
}

// cursor walks over the tokens of one statement. The first error stays and every
// later step does nothing, so that callers check once.
type cursor struct {
	text   string // the whole script
	tokens []token
	next   int
	err    *sql.Error
}

// fail keeps the first error.
func (c *cursor) fail(err *sql.Error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *cursor) done() bool { return c.next >= len(c.tokens) }

// peek is the token n ahead; beyond the end it is the zero token, which matches nothing.
func (c *cursor) peek(n int) token {
	if c.next+n < len(c.tokens) {
		return c.tokens[c.next+n]
	}
	return token{start: c.end(), end: c.end()}
}

// end is where the statement ends.
func (c *cursor) end() int {
	if len(c.tokens) == 0 {
		return 0
	}
	return c.tokens[len(c.tokens)-1].end
}

// pos is where the next token begins.
func (c *cursor) pos() int { return c.peek(0).start }

// at says whether the next words are these.
func (c *cursor) at(words ...string) bool {
	for i, w := range words {
		if c.peek(i).word != w {
			return false
		}
	}
	return c.err == nil
}

// accept takes the next words if they are these.
func (c *cursor) accept(words ...string) bool {
	if !c.at(words...) {
		return false
	}
	c.next += len(words)
	return true
}

// expect takes the next words, which must be these.
func (c *cursor) expect(words ...string) {
	for _, w := range words {
		if !c.accept(w) {
			c.unexpected()
			return
		}
	}
}

// punct takes a token of punctuation, if it is the next one.
func (c *cursor) punct(kind pg.Token) bool {
	if c.err != nil || c.done() || c.peek(0).kind != kind {
		return false
	}
	c.next++
	return true
}

// open and close take a parenthesis that must be there.
func (c *cursor) open() {
	if !c.punct(pg.Token_ASCII_40) {
		c.unexpected()
	}
}

func (c *cursor) close() {
	if !c.punct(pg.Token_ASCII_41) {
		c.unexpected()
	}
}

// finish demands that the statement ends here.
func (c *cursor) finish() {
	if !c.done() {
		c.unexpected()
	}
}

// unexpected is PostgreSQL's error for a token out of place.
func (c *cursor) unexpected() {
	t := c.peek(0)
	if c.done() {
		c.fail(syntax(t.start, "syntax error at end of input"))
		return
	}
	c.fail(syntax(t.start, "syntax error at or near \"%s\"", c.text[t.start:t.end]))
}

// skipGroup steps over a parenthesised group that begins at token i and gives the
// index after it.
func (c *cursor) skipGroup(i int) int {
	depth := 0
	for ; i < len(c.tokens); i++ {
		switch c.tokens[i].kind {
		case pg.Token_ASCII_40, pg.Token_ASCII_91:
			depth++
		case pg.Token_ASCII_41, pg.Token_ASCII_93:
			if depth--; depth <= 0 {
				return i + 1
			}
		}
	}
	return i
}

// ident takes an identifier that may name a relation or a column.
func (c *cursor) ident() string {
	t := c.peek(0)
	switch t.keyword {
	case pg.KeywordKind_RESERVED_KEYWORD, pg.KeywordKind_TYPE_FUNC_NAME_KEYWORD:
		c.unexpected()
		return ""
	}
	return c.label()
}

// label takes an identifier of any kind, reserved words too.
func (c *cursor) label() string {
	t := c.peek(0)
	switch {
	case c.err != nil:
		return ""
	case t.word != "":
		c.next++
		return clip(t.word)
	case t.kind == pg.Token_IDENT:
		c.next++
		return clip(strings.ReplaceAll(c.text[t.start+1:t.end-1], `""`, `"`))
	}
	c.unexpected()
	return ""
}

// maxName is the length that PostgreSQL cuts identifiers to, in bytes.
const maxName = 63

func clip(name string) string {
	if len(name) <= maxName {
		return name
	}
	return strings.ToValidUTF8(name[:maxName], "")
}

// name takes schema.name or name.
func (c *cursor) name() sql.Name {
	n := sql.Name{At: sql.At(c.pos()), Name: c.ident()}
	if c.punct(pg.Token_ASCII_46) {
		n.Schema, n.Name = n.Name, c.label()
	}
	if c.err == nil && !c.done() && c.peek(0).kind == pg.Token_ASCII_46 {
		c.fail(crossDatabase(c.text[n.Pos():c.peek(1).end], n.Pos()))
	}
	return n
}

func crossDatabase(name string, pos int) *sql.Error {
	return &sql.Error{Code: sql.FeatureNotSupported, Pos: pos,
		Message: "cross-database references are not implemented: \"" + name + "\""}
}

// names takes a list of names.
func (c *cursor) names() (list []sql.Name) {
	for {
		list = append(list, c.name())
		if !c.punct(pg.Token_ASCII_44) {
			return list
		}
	}
}

// str takes a string constant, in any of PostgreSQL's ways to write one.
func (c *cursor) str() string {
	t := c.peek(0)
	if c.err != nil || t.kind != pg.Token_SCONST && t.kind != pg.Token_USCONST {
		c.unexpected()
		return ""
	}
	c.next++
	lexeme := c.text[t.start:t.end]
	if inner := lexeme[1 : len(lexeme)-1]; lexeme[0] == '\'' && !strings.Contains(strings.ReplaceAll(inner, "''", ""), "'") {
		return strings.ReplaceAll(inner, "''", "'")
	}
	x, err := parseExpr(c.text, t.start, t.end)
	if lit, ok := x.(*sql.Literal); ok && err == nil {
		return lit.Text
	}
	c.fail(syntax(t.start, "invalid string constant %s", lexeme))
	return ""
}
