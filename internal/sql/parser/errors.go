package parser

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	pgerr "github.com/pganalyze/pg_query_go/v6/parser"

	"github.com/weirstream/weir/internal/sql"
)

// fromGrammar words an error of the grammar's library; its positions count characters
// of the part that was parsed, which begins at byte base of the text.
func fromGrammar(err error, part string, base int) *sql.Error {
	var pg *pgerr.Error
	if !errors.As(err, &pg) {
		return &sql.Error{Code: sql.StatementTooComplex, Message: "statement is too complex", Detail: err.Error(), Pos: -1}
	}
	e := &sql.Error{Code: grammarCode(pg.Message), Message: pg.Message, Pos: -1}
	if pg.Cursorpos > 0 {
		e.Pos = base + byteOffset(part, pg.Cursorpos-1)
	}
	return e
}

// grammarCode finds the SQLSTATE again, which the library drops.
func grammarCode(message string) string {
	switch {
	case strings.Contains(message, "stack depth limit"), strings.Contains(message, "memory exhausted"):
		return sql.StatementTooComplex
	case strings.Contains(message, "not supported"), strings.Contains(message, "not yet supported"),
		strings.Contains(message, "not implemented"), strings.Contains(message, "not yet implemented"):
		return sql.FeatureNotSupported
	}
	return sql.SyntaxError
}

// byteOffset is where character n of s begins, in bytes.
func byteOffset(s string, n int) int {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

// unsupported says that feature is PostgreSQL's, or planned, and not ours yet.
func unsupported(feature string, pos int) *sql.Error {
	return &sql.Error{Code: sql.FeatureNotSupported, Message: feature + " is not supported", Pos: pos}
}

// syntax is a syntax error at a place, in PostgreSQL's words for other mistakes than
// a token out of place.
func syntax(pos int, format string, args ...any) *sql.Error {
	return &sql.Error{Code: sql.SyntaxError, Message: fmt.Sprintf(format, args...), Pos: pos}
}
