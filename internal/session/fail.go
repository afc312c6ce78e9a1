package session

import (
	"fmt"

	"github.com/weirstream/weir/internal/sql"
)

// severities of messages, least first; errors are sent always.
var severities = []string{"debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error"}

func fail(code, format string, args ...any) *sql.Error {
	return &sql.Error{Code: code, Message: fmt.Sprintf(format, args...), Pos: -1}
}

func failAt(code string, pos int, format string, args ...any) *sql.Error {
	e := fail(code, format, args...)
	e.Pos = pos
	return e
}

func hinted(e *sql.Error, hint string) *sql.Error {
	e.Hint = hint
	return e
}

func unsupported(what string, pos int) *sql.Error {
	return failAt(sql.FeatureNotSupported, pos, "%s is not supported", what)
}

// missing is PostgreSQL's error for a thing that is not there.
func missing(code, kind, name string) *sql.Error {
	return fail(code, "%s \"%s\" does not exist", kind, name)
}

// SQLSTATEs that only sessions have.
const (
	activeTransaction   = "25001"
	noActiveTransaction = "25P01"
	readOnlyTransaction = "25006"
	noSavepoint         = "3B001"
	duplicateCursor     = "42P03"
	duplicateStatement  = "42P05"
	duplicateDatabase   = "42P04"
	objectInUse         = "55006"
	planChanged         = "0A000"
)
