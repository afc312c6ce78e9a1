package plan

import (
	"fmt"

	"github.com/weirstream/weir/internal/sql"
)

func fail(code string, pos int, format string, args ...any) *sql.Error {
	return &sql.Error{Code: code, Message: fmt.Sprintf(format, args...), Pos: pos}
}

func withHint(e *sql.Error, format string, args ...any) *sql.Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// unsupported is the error of what PostgreSQL has and we do not.
func unsupported(pos int, what, hint string) *sql.Error {
	return withHint(fail(sql.FeatureNotSupported, pos, "%s", what+" not supported"), "%s", hint)
}
