package expr

import (
	"fmt"

	"github.com/weirstream/weir/internal/sql"
)

// fail makes an error of a statement.
func fail(code string, pos int, format string, args ...any) *sql.Error {
	return &sql.Error{Code: code, Message: fmt.Sprintf(format, args...), Pos: pos}
}

// rowFail makes an error of a row: it has no position, as PostgreSQL's have none.
func rowFail(code, format string, args ...any) *sql.Error {
	return fail(code, -1, format, args...)
}

// withHint adds what to do.
func withHint(e *sql.Error, hint string) *sql.Error {
	e.Hint = hint
	return e
}
