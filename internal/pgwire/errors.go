package pgwire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/weirstream/weir/internal/datum"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/weirerr"
)

// Why a statement's context ended.
var (
	errCanceled = &sql.Error{Code: sql.QueryCanceled, Message: "canceling statement due to user request", Pos: -1}
	errGone     = errors.New("the client is gone")
	errShutdown = &sql.Error{Code: sql.AdminShutdown, Message: "terminating connection due to administrator command", Pos: -1}
)

// protocolViolation is a client that does not speak as it should.
func protocolViolation(format string, args ...any) *sql.Error {
	return fail(sql.ProtocolViolation, format, args...)
}

func fail(code, format string, args ...any) *sql.Error {
	return &sql.Error{Code: code, Message: fmt.Sprintf(format, args...), Pos: -1}
}

// toSQL gives any error the form that clients get. What ended a context counts more
// than what came of it.
func toSQL(ctx context.Context, err error) *sql.Error {
	var known *sql.Error
	if cause := context.Cause(ctx); cause != nil && errors.As(cause, &known) && errors.Is(err, ctx.Err()) {
		return known
	}
	var value *datum.Error
	var ours *weirerr.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &value):
		return &sql.Error{Code: value.Code, Message: value.Message, Detail: value.Detail, Hint: value.Hint, Pos: -1}
	case errors.As(err, &ours):
		return fromWeir(ours)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fail(sql.QueryCanceled, "canceling statement: %v", err)
	}
	return fail(sql.InternalError, "%v", err)
}

// sqlstates are those of weir's own codes that PostgreSQL has a name for.
var sqlstates = map[weirerr.Code]string{
	weirerr.InvalidArgument: sql.InvalidParameter, weirerr.NotFound: sql.UndefinedObject, weirerr.AlreadyExists: sql.DuplicateObject,
	weirerr.WrongState: sql.ObjectNotReady, weirerr.NotReady: sql.ObjectNotReady, weirerr.Timeout: sql.QueryCanceled,
	weirerr.Overloaded: sql.TooManyConnections, weirerr.SnapshotTooOld: sql.SnapshotTooOld, weirerr.LogFull: sql.DiskFull,
}

// fromWeir turns fields into the detail.
func fromWeir(e *weirerr.Error) *sql.Error {
	out := &sql.Error{Code: sql.InternalError, Message: e.Message, Hint: e.Remedy, Pos: -1}
	if code, ok := sqlstates[e.Code]; ok {
		out.Code = code
	}
	var detail []string
	for _, f := range e.Fields {
		detail = append(detail, f.Name+": "+f.Value)
	}
	if cause := errors.Unwrap(e); cause != nil {
		detail = append(detail, cause.Error())
	}
	out.Detail = strings.Join(detail, "\n")
	return out
}

// response is the message for an error; text is what its position counts in.
func response(severity string, e *sql.Error, text string) *pgproto3.ErrorResponse {
	r := &pgproto3.ErrorResponse{Severity: severity, SeverityUnlocalized: severity, Code: e.Code, Message: clean(e.Message), Detail: clean(e.Detail),
		Hint: clean(e.Hint), Where: clean(e.Where), SchemaName: clean(e.Schema), TableName: clean(e.Table), ColumnName: clean(e.Column),
		ConstraintName: clean(e.Constraint)}
	if e.Pos >= 0 && e.Pos <= len(text) {
		r.Position = int32(utf8.RuneCountInString(text[:e.Pos])) + 1
	}
	if r.Code == "" {
		r.Code = sql.InternalError
	}
	return r
}

// clean takes out zero bytes, which would end a field.
func clean(s string) string { return strings.ReplaceAll(s, "\x00", "") }
