package weirerr

import (
	"errors"
	"fmt"
	"strings"
)

// Error is an error with a stable code, the names of what it concerns, and the
// way out.
type Error struct {
	Code    Code
	Message string
	Fields  []Field
	Remedy  string
	cause   error
}

// Field names one thing an error is about.
type Field struct{ Name, Value string }

// New starts an error.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// With adds a named thing; an empty value is left out.
func (e *Error) With(name string, value any) *Error {
	if v := fmt.Sprint(value); v != "" {
		e.Fields = append(e.Fields, Field{name, v})
	}
	return e
}

// Hint says what the reader can do.
func (e *Error) Hint(format string, args ...any) *Error {
	e.Remedy = fmt.Sprintf(format, args...)
	return e
}

// Wrap keeps the cause.
func (e *Error) Wrap(cause error) *Error {
	e.cause = cause
	return e
}

// Error prints code, message, fields, cause and remedy on one line.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[WEIR:%s] %s", e.Code, e.Message)
	if len(e.Fields) > 0 {
		b.WriteString(" (")
		for i, f := range e.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s %s", f.Name, f.Value)
		}
		b.WriteString(")")
	}
	if e.cause != nil {
		fmt.Fprintf(&b, ": %v", e.cause)
	}
	if e.Remedy != "" {
		fmt.Fprintf(&b, "; %s", e.Remedy)
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.cause }

// Is makes errors.Is(err, weirerr.New(code, "")) compare by code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// CodeOf is the code of the outermost Error in err's chain, or Unknown.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Unknown
}

// FlagsOf is Flags of CodeOf(err).
func FlagsOf(err error) Flags { return CodeOf(err).Flags() }
