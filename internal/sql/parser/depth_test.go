package parser_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/sql/parser"
)

// nestings are ways to make a tree as deep as its text is long.
var nestings = []struct{ name, before, open, middle, close, after string }{
	{"parentheses", "SELECT ", "(", "1", ")", ""},
	{"operators", "SELECT 1", " + 1", "", "", ""},
	{"prefix operators", "SELECT ", "- ", "a", "", ""},
	{"not", "SELECT ", "NOT ", "a", "", ""},
	{"casts", "SELECT 1", "::int", "", "", ""},
	{"collations", "SELECT a", ` COLLATE "C"`, "", "", ""},
	{"time zones", "SELECT a", " AT TIME ZONE b", "", "", ""},
	{"powers", "SELECT ", "a ^ ", "1", "", ""},
	{"is null", "SELECT ", "(", "a", " IS NULL)", ""},
	{"in", "SELECT ", "a IN (", "1", ")", ""},
	{"between", "SELECT ", "a BETWEEN (", "1", ") AND 2", ""},
	{"like", "SELECT ", "(", "a", " LIKE 'x')", ""},
	{"case", "SELECT ", "CASE WHEN a THEN b ELSE ", "1", " END", ""},
	{"calls", "SELECT ", "f(", "1", ")", ""},
	{"arrays", "SELECT ARRAY", "[", "1", "]", ""},
	{"rows", "SELECT ", "ROW(", "1", ")", ""},
	{"subscripts", "SELECT a", "[1]", "", "", ""},
	{"fields", "SELECT (a)", ".b", "", "", ""},
	{"subqueries", "", "SELECT (", "SELECT 1", ")", ""},
	{"from", "SELECT 1", " FROM (SELECT 1", "", ") a", ""},
	{"joins", "SELECT 1 FROM a", " JOIN b ON true", "", "", ""},
	{"natural joins", "SELECT 1 FROM a", " NATURAL JOIN b", "", "", ""},
	{"cross joins in parentheses", "SELECT 1 FROM ", "(a CROSS JOIN ", "b", ")", ""},
	{"unions", "SELECT 1", " UNION SELECT 1", "", "", ""},
	{"unions with lists", "SELECT 1, 2", " UNION SELECT 1, 2", "", "", ""},
	{"ctes", "", "WITH a AS (", "SELECT 1", ") SELECT 1", ""},
	{"exists", "SELECT ", "EXISTS (SELECT 1 WHERE ", "true", ")", ""},
	{"subscribe", "SUBSCRIBE (", "SELECT (", "SELECT 1", ")", ")"},
	{"defaults", "CREATE TABLE t (a int DEFAULT ", "(", "1", ")", ")"},
	{"and", "SELECT true", " AND true", "", "", ""},
	{"lists", "SELECT 1", ", 1", "", "", ""},
	{"qualified names", "SELECT a", ".a", "", "", ""},
	{"explain", "", "EXPLAIN ", "SELECT 1", "", ""},
	{"statements", "", "SELECT 1;", "", "", ""},
	{"nothing", "", ";", "", "", ""},
}

// TestDeepTextIsRefused: the grammar is C and would overflow its stack.
func TestDeepTextIsRefused(t *testing.T) {
	for _, n := range nestings {
		deepest := 0
		for _, depth := range []int{1, 81, 290, 740, 2900, 12_000} {
			text := n.before + strings.Repeat(n.open, depth) + n.middle + strings.Repeat(n.close, depth) + n.after
			script, err := parser.Parse(text)
			var e *sql.Error
			switch {
			case err == nil:
				deepest = depth
				for _, p := range script {
					if q, ok := p.Stmt.(*sql.Query); ok {
						sql.DeparseSelect(q.Select)
					}
				}
			case !errors.As(err, &e):
				t.Errorf("%s %d: %v is no *sql.Error", n.name, depth, err)
			case e.Code != sql.StatementTooComplex && e.Code != sql.SyntaxError:
				t.Errorf("%s %d: %s %s", n.name, depth, e.Code, e.Message)
			}
			if depth == 81 && deepest == 0 && n.name != "explain" {
				t.Errorf("%s: %v", n.name, err)
			}
		}
		t.Logf("%s: up to %d", n.name, deepest)
	}
}

// TestLongTextIsRefused: the tree takes much more memory than the text.
func TestLongTextIsRefused(t *testing.T) {
	_, err := parser.Parse("SELECT '" + strings.Repeat("x", 16<<20) + "'")
	var e *sql.Error
	if !errors.As(err, &e) || e.Code != sql.ProgramLimitExceeded {
		t.Errorf("got %v", err)
	}
}

func TestTextThatIsNotUTF8IsRefused(t *testing.T) {
	for _, text := range []string{"SELECT '\xff'", "SELECT 1\x00", "\xe2\x82"} {
		_, err := parser.Parse(text)
		var e *sql.Error
		if !errors.As(err, &e) || e.Code != sql.CharacterNotInRepertoire {
			t.Errorf("%q: %v", text, err)
		}
	}
}
