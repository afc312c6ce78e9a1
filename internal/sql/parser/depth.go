package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/weirstream/weir/internal/sql"
)

// What each nesting costs of the grammar's C stack and of the depth that its message
// format may have, in messages.
const (
	groupCost    = 8 // a bracket or CASE: at most a whole subquery
	operatorCost = 2 // an operator, left-deep: a + b + c + …
	chainCost    = 2 // a JOIN, UNION and their like
	maxDepth     = 6000
)

// level counts, inside one pair of brackets, what nests without brackets.
type level struct {
	operators int // since the last token that ends an expression
	longest   int // the most operators in a row
	chain     int // JOIN, UNION, …: they go on past the end of expressions
}

func (l *level) depth() int {
	return operatorCost*max(l.longest, l.operators) + chainCost*l.chain
}

// checkDepth refuses a statement whose tree could be deeper than the grammar can
// print: the C code has no guard of its own there. It takes no tree to tell, since
// every level of nesting has a token that makes it.
func checkDepth(tokens []token) error {
	levels := []level{{}}
	outer := 0 // what the enclosing levels cost together
	for _, t := range tokens {
		top := &levels[len(levels)-1]
		switch {
		case opens(t):
			if t.kind == pg.Token_ASCII_91 {
				top.operators++ // a[i][j]… is a chain
			}
			outer += top.depth() + groupCost
			levels = append(levels, level{})
		case closes(t) && len(levels) > 1:
			levels = levels[:len(levels)-1]
			outer -= levels[len(levels)-1].depth() + groupCost
		default:
			top.count(t)
		}
		if outer+levels[len(levels)-1].depth() > maxDepth {
			return &sql.Error{Code: sql.StatementTooComplex, Message: "statement is nested too deeply", Pos: t.start,
				Hint: "Use IN, ANY (ARRAY[…]) or VALUES instead of long chains of operators."}
		}
	}
	return nil
}

func opens(t token) bool {
	return t.kind == pg.Token_ASCII_40 || t.kind == pg.Token_ASCII_91 || t.kind == pg.Token_CASE
}

func closes(t token) bool {
	return t.kind == pg.Token_ASCII_41 || t.kind == pg.Token_ASCII_93 || t.kind == pg.Token_END_P
}

// count adds what a token nests. Lists, AND and OR are flat.
func (l *level) count(t token) {
	switch t.kind {
	case pg.Token_ASCII_44, pg.Token_AND, pg.Token_OR, pg.Token_SELECT, pg.Token_FROM, pg.Token_WHERE, pg.Token_ON, pg.Token_BY,
		pg.Token_WHEN, pg.Token_THEN:
		l.longest = max(l.longest, l.operators)
		l.operators = 0
	case pg.Token_JOIN, pg.Token_UNION, pg.Token_INTERSECT, pg.Token_EXCEPT:
		l.chain++
	case pg.Token_IDENT, pg.Token_ICONST, pg.Token_FCONST, pg.Token_SCONST, pg.Token_PARAM:
	case pg.Token_NOT, pg.Token_COLLATE, pg.Token_AT, pg.Token_IS, pg.Token_LIKE, pg.Token_ILIKE, pg.Token_SIMILAR,
		pg.Token_BETWEEN, pg.Token_IN_P, pg.Token_ISNULL, pg.Token_NOTNULL, pg.Token_OVERLAPS, pg.Token_ELSE:
		l.operators++
	default:
		if t.keyword == pg.KeywordKind_NO_KEYWORD {
			l.operators++
		}
	}
}
