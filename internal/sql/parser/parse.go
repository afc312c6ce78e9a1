package parser

import (
	"strings"
	"unicode/utf8"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

// Parsed is one statement of a script.
type Parsed struct {
	Stmt sql.Statement
	Text string // as written, without the semicolon
	// Start is where Text begins in the script, in bytes. Positions in Stmt count from
	// the script's beginning, as a client's do.
	Start int
}

// Parse reads a script: statements separated by semicolons, perhaps none. One error
// anywhere fails it all, as in PostgreSQL. An error is an *sql.Error.
func Parse(text string) ([]Parsed, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	tokens, err := scan(text)
	if err != nil {
		return nil, err
	}
	var script []Parsed
	for _, part := range split(tokens) {
		if len(part) == 0 {
			continue
		}
		if err := checkDepth(part); err != nil {
			return nil, err
		}
		c := &cursor{text: text, tokens: part}
		stmt := c.statement()
		if c.err != nil {
			return nil, c.err
		}
		start := part[0].start
		script = append(script, Parsed{Stmt: stmt, Text: text[start:c.end()], Start: start})
	}
	return script, nil
}

// ParseQuery reads one SELECT, VALUES or TABLE: a view's body.
func ParseQuery(text string) (*sql.Select, error) {
	script, err := Parse(text)
	if err != nil {
		return nil, err
	}
	if len(script) == 1 {
		if q, ok := script[0].Stmt.(*sql.Query); ok {
			return q.Select, nil
		}
	}
	return nil, syntax(0, "the text is not one query")
}

// ParseExpr reads one scalar expression: a column's default.
func ParseExpr(text string) (sql.Expr, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	tokens, err := scan(text)
	if err != nil {
		return nil, err
	}
	if err := checkDepth(tokens); err != nil {
		return nil, err
	}
	x, failed := parseExpr(text, 0, len(text))
	if failed != nil {
		return nil, failed
	}
	return x, nil
}

// maxText is the longest script, in bytes: the grammar's tree takes some hundred
// times the memory of its text.
const maxText = 16 << 20

func checkText(text string) error {
	switch {
	case len(text) > maxText:
		return &sql.Error{Code: sql.ProgramLimitExceeded, Message: "statement is too long", Pos: -1,
			Hint: "Send the rows with COPY, or in several statements; a statement may have 16 MiB."}
	case !utf8.ValidString(text):
		return &sql.Error{Code: sql.CharacterNotInRepertoire, Message: `invalid byte sequence for encoding "UTF8"`, Pos: -1}
	case strings.IndexByte(text, 0) >= 0:
		return &sql.Error{Code: sql.CharacterNotInRepertoire, Message: `invalid byte sequence for encoding "UTF8": 0x00`, Pos: -1}
	}
	return nil
}

// grammar reads part, whose first byte is byte base of the script, with PostgreSQL's
// grammar. It must be one statement.
func grammar(part string, base int) (*pg.Node, *sql.Error) {
	tree, err := pg.Parse(part)
	if err != nil {
		return nil, fromGrammar(err, part, base)
	}
	if len(tree.Stmts) != 1 || tree.Stmts[0].Stmt == nil {
		return nil, syntax(base+len(part), "syntax error at end of input")
	}
	return tree.Stmts[0].Stmt, nil
}

// parseExpr reads text[from:to] as an expression.
func parseExpr(text string, from, to int) (sql.Expr, *sql.Error) {
	const head = "SELECT "
	node, err := grammar(head+text[from:to], from-len(head))
	if err != nil {
		return nil, err
	}
	sel := node.GetSelectStmt()
	if sel == nil || len(sel.TargetList) != 1 || sel.TargetList[0].GetResTarget().GetName() != "" || !onlyTargets(sel) {
		return nil, syntax(from, "\"%s\" is not one expression", text[from:to])
	}
	c := &converter{base: from - len(head)}
	x := c.expr(sel.TargetList[0].GetResTarget().Val)
	return x, c.err
}

// onlyTargets says whether a SELECT has a target list and no other clause.
func onlyTargets(s *pg.SelectStmt) bool {
	return len(s.FromClause)+len(s.GroupClause)+len(s.WindowClause)+len(s.SortClause)+len(s.DistinctClause)+len(s.LockingClause) == 0 &&
		s.WhereClause == nil && s.HavingClause == nil && s.LimitCount == nil && s.LimitOffset == nil &&
		s.WithClause == nil && s.IntoClause == nil && s.Larg == nil
}

// postgres reads the whole statement with PostgreSQL's grammar.
func (c *cursor) postgres() sql.Statement {
	start := c.tokens[0].start
	return c.convert(c.text[start:c.end()], start)
}

// convert reads part, whose bytes stand at base of the script (some may be blanked
// out), and turns it into a statement of ours.
func (c *cursor) convert(part string, base int) sql.Statement {
	if c.err != nil {
		return nil
	}
	node, err := grammar(part, base)
	if err != nil {
		c.fail(err)
		return nil
	}
	conv := &converter{base: base}
	stmt := conv.statement(node)
	if conv.err != nil {
		c.fail(conv.err)
		return nil
	}
	switch stmt := stmt.(type) {
	case *sql.CreateTable:
		stmt.Text = c.whole()
	case *sql.AlterTable:
		stmt.Text = c.whole()
	}
	return stmt
}

// query reads the tokens from index first up to last as a query. EMIT ON WINDOW CLOSE
// may end it.
func (c *cursor) query(first, last int) *sql.Select {
	emit := last-first > 4 && (&cursor{tokens: c.tokens[last-4 : last]}).at("emit", "on", "window", "close")
	if emit {
		last -= 4
	}
	if c.err != nil {
		return nil
	}
	if first >= last {
		c.next = first
		c.unexpected()
		return nil
	}
	from, to := c.tokens[first].start, c.tokens[last-1].end
	node, err := grammar(c.text[from:to], from)
	if err != nil {
		c.fail(err)
		return nil
	}
	sel := node.GetSelectStmt()
	if sel == nil {
		c.next = first
		c.unexpected()
		return nil
	}
	conv := &converter{base: from}
	query := conv.selectStmt(sel)
	if conv.err != nil {
		c.fail(conv.err)
		return nil
	}
	query.EmitOnWindowClose = emit
	return query
}
