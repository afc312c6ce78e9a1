package datum

import (
	"fmt"
	"unicode/utf8"
)

// ParseError says that a value is not of its type.
type ParseError struct {
	Type  string // PostgreSQL's name of the type
	Value string // the value, shortened
}

// Error quotes the value.
func (e *ParseError) Error() string {
	return fmt.Sprintf("datum: %q is not a value of type %s", e.Value, e.Type)
}

// shown is how many bytes of a bad value an error quotes.
const shown = 64

// bad makes the error for value b. It is kept out of line so that parsers stay small.
//
//go:noinline
func bad(typ string, b []byte) error {
	if len(b) <= shown {
		return &ParseError{Type: typ, Value: string(b)}
	}
	n := shown
	for n > shown-utf8.UTFMax && !utf8.RuneStart(b[n]) {
		n--
	}
	return &ParseError{Type: typ, Value: fmt.Sprintf("%s… (%d bytes)", b[:n], len(b))}
}
