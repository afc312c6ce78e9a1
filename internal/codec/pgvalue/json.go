package pgvalue

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/weirstream/weir/internal/datum"
)

// maxJSONDepth bounds nesting, as the server's stack does there.
const maxJSONDepth = 5000

// appendJSON checks text and appends it as it is.
func appendJSON(dst, text []byte) ([]byte, error) {
	l := jsonLexer{text: text}
	if err := l.document(nil); err != nil {
		return dst, err
	}
	return append(dst, text...), nil
}

// jsonToken is the kind of a token; for punctuation it is the character.
type jsonToken byte

const (
	jsonEnd    jsonToken = 0
	jsonString jsonToken = 's'
	jsonNumber jsonToken = 'n'
	jsonWord   jsonToken = 'w' // true, false, null
)

// jsonLexer cuts a JSON text into tokens.
type jsonLexer struct {
	text  []byte
	pos   int // after the token
	start int // of the token
	tok   jsonToken
	jsonb bool // refuses what cannot be text: 0x00
}

func (l *jsonLexer) token() []byte { return l.text[l.start:l.pos] }

func jsonFault(format string, args ...any) error {
	return &Error{Code: datum.CodeInvalidText, Message: "invalid input syntax for type json", Detail: fmt.Sprintf(format, args...)}
}

// expected is the error for a token in the wrong place.
func (l *jsonLexer) expected(what string) error {
	if l.tok == jsonEnd {
		return jsonFault("The input string ended unexpectedly.")
	}
	return jsonFault("Expected %s, but found \"%s\".", what, l.token())
}

func isJSONSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isJSONWordByte(c byte) bool {
	return c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= utf8.RuneSelf
}

// next moves to the next token.
func (l *jsonLexer) next() error {
	for l.pos < len(l.text) && isJSONSpace(l.text[l.pos]) {
		l.pos++
	}
	l.start = l.pos
	if l.pos == len(l.text) {
		l.tok = jsonEnd
		return nil
	}
	switch c := l.text[l.pos]; c {
	case '{', '}', '[', ']', ':', ',':
		l.tok = jsonToken(c)
		l.pos++
		return nil
	case '"':
		l.tok = jsonString
		return l.scanString()
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		l.tok = jsonNumber
		return l.scanNumber()
	}
	l.tok = jsonWord
	l.scanWord()
	switch string(l.token()) {
	case "true", "false", "null":
		return nil
	}
	if l.pos == l.start {
		l.pos++
	}
	return l.invalid()
}

func (l *jsonLexer) invalid() error { return jsonFault("Token \"%s\" is invalid.", l.token()) }

func (l *jsonLexer) scanWord() {
	for l.pos < len(l.text) && isJSONWordByte(l.text[l.pos]) {
		l.pos++
	}
}

func (l *jsonLexer) scanString() error {
	for l.pos++; l.pos < len(l.text); l.pos++ {
		switch c := l.text[l.pos]; {
		case c == '"':
			l.pos++
			return nil
		case c < ' ':
			return jsonFault("Character with value 0x%02x must be escaped.", c)
		case c == '\\':
			if err := l.scanEscape(); err != nil {
				return err
			}
		}
	}
	return l.invalid()
}

// scanEscape checks the escape at pos and leaves pos on its last character.
func (l *jsonLexer) scanEscape() error {
	if l.pos++; l.pos == len(l.text) {
		return l.invalid()
	}
	switch l.text[l.pos] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return nil
	case 'u':
		zero := l.jsonb && bytes.HasPrefix(l.text[l.pos:], []byte("u0000"))
		for range 4 {
			if l.pos++; l.pos == len(l.text) {
				return l.invalid()
			}
			if _, ok := unhex(l.text[l.pos]); !ok {
				return jsonFault(`"\u" must be followed by four hexadecimal digits.`)
			}
		}
		if zero {
			return &Error{Code: datum.CodeUntranslatable, Message: "unsupported Unicode escape sequence", Detail: `\u0000 cannot be converted to text.`}
		}
		return nil
	}
	_, w := utf8.DecodeRune(l.text[l.pos:])
	return jsonFault("Escape sequence \"\\%s\" is invalid.", l.text[l.pos:l.pos+w])
}

func (l *jsonLexer) scanNumber() error {
	if l.text[l.pos] == '-' {
		l.pos++
	}
	ok := true
	digits := func() bool {
		start := l.pos
		for l.pos < len(l.text) && l.text[l.pos]-'0' <= 9 {
			l.pos++
		}
		return l.pos > start
	}
	if l.pos < len(l.text) && l.text[l.pos] == '0' {
		l.pos++
	} else {
		ok = digits()
	}
	if l.pos < len(l.text) && l.text[l.pos] == '.' {
		l.pos++
		ok = digits() && ok
	}
	if l.pos < len(l.text) && l.text[l.pos]|0x20 == 'e' {
		if l.pos++; l.pos < len(l.text) && (l.text[l.pos] == '-' || l.text[l.pos] == '+') {
			l.pos++
		}
		ok = digits() && ok
	}
	if end := l.pos; ok {
		if l.scanWord(); l.pos == end {
			return nil
		}
	}
	l.scanWord()
	return l.invalid()
}

// document reads one value and the end. w, which may be nil, is told what was read.
func (l *jsonLexer) document(w *jsonbWriter) error {
	if err := l.next(); err != nil {
		return err
	}
	if err := l.value(w, 0); err != nil {
		return err
	}
	if l.tok != jsonEnd {
		return l.expected("end of input")
	}
	return nil
}

// value reads the value that begins at the current token, and moves beyond it.
func (l *jsonLexer) value(w *jsonbWriter, depth int) error {
	if depth > maxJSONDepth {
		return &Error{Code: "54001", Message: "stack depth limit exceeded"}
	}
	switch l.tok {
	case '{':
		return l.object(w, depth)
	case '[':
		return l.array(w, depth)
	case jsonString, jsonNumber, jsonWord:
		if w != nil {
			if err := w.scalar(l.tok, l.token()); err != nil {
				return err
			}
		}
		return l.next()
	}
	return l.expected("JSON value")
}

func (l *jsonLexer) array(w *jsonbWriter, depth int) error {
	if w != nil {
		w.out = append(w.out, '[')
	}
	if err := l.next(); err != nil {
		return err
	}
	for n := 0; n > 0 || l.tok != ']'; n++ {
		if err := l.value(w, depth+1); err != nil {
			return err
		}
		if l.tok == ']' {
			break
		}
		if l.tok != ',' {
			return l.expected(`"," or "]"`)
		}
		if w != nil {
			w.out = append(w.out, ',', ' ')
		}
		if err := l.next(); err != nil {
			return err
		}
	}
	if w != nil {
		w.out = append(w.out, ']')
	}
	return l.next()
}

func (l *jsonLexer) object(w *jsonbWriter, depth int) error {
	var o *jsonbObject
	if w != nil {
		o = w.startObject()
	}
	if err := l.next(); err != nil {
		return err
	}
	for n := 0; n > 0 || l.tok != '}'; n++ {
		if err := l.member(w, o, n, depth); err != nil {
			return err
		}
		if l.tok == '}' {
			break
		}
		if l.tok != ',' {
			return l.expected(`"," or "}"`)
		}
		if err := l.next(); err != nil {
			return err
		}
	}
	if w != nil {
		w.endObject(o)
	}
	return l.next()
}

// member reads "key": value.
func (l *jsonLexer) member(w *jsonbWriter, o *jsonbObject, n, depth int) error {
	if l.tok != jsonString {
		if n == 0 {
			return l.expected(`string or "}"`)
		}
		return l.expected("string")
	}
	if w != nil {
		if err := w.key(o, l.token()); err != nil {
			return err
		}
	}
	if err := l.next(); err != nil {
		return err
	}
	if l.tok != ':' {
		return l.expected(`":"`)
	}
	if err := l.next(); err != nil {
		return err
	}
	if w != nil {
		w.startValue(o)
	}
	return l.value(w, depth+1)
}
