package jsontext

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Kinds of value, by their first octet.
const (
	Object  = '{'
	Array   = '['
	String  = '"'
	Number  = '0'
	Boolean = 't'
	Null    = 'n'
)

// Kind is what a value is.
func Kind(v []byte) byte {
	v = Trim(v)
	if len(v) == 0 {
		return Null
	}
	switch c := v[0]; c {
	case Object, Array, String, Null:
		return c
	case 't', 'f':
		return Boolean
	}
	return Number
}

// IsScalar tells what is neither object nor array.
func IsScalar(v []byte) bool { k := Kind(v); return k != Object && k != Array }

// Trim cuts off blanks around a value.
func Trim(v []byte) []byte { return bytes.Trim(v, " \t\n\r") }

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// end is where the value that begins at i ends.
func end(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch c := b[i]; c {
		case '"':
			i = stringEnd(b, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return min(i+1, len(b))
			}
		case ',', ' ', '\t', '\n', '\r', ':':
			if depth == 0 {
				return i
			}
		default:
			if depth == 0 {
				for i < len(b) && bytes.IndexByte([]byte(" \t\n\r,]}"), b[i]) < 0 {
					i++
				}
				return i
			}
		}
		i++
	}
	return len(b)
}

// stringEnd is where the string that begins at i ends.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// Iter walks over the members of an object or the elements of an array.
type Iter struct {
	Key   []byte // of an object: quoted, as written
	Value []byte
	b     []byte
	at    int
	pairs bool
}

// Members starts a walk. Of a scalar there is nothing.
func Members(v []byte) Iter {
	v = Trim(v)
	if len(v) == 0 || v[0] != Object && v[0] != Array {
		return Iter{}
	}
	return Iter{b: v, at: 1, pairs: v[0] == Object}
}

// Next moves to the next member; false at the end.
func (it *Iter) Next() bool {
	b := it.b
	at := space(b, it.at)
	if at < len(b) && b[at] == ',' {
		at = space(b, at+1)
	}
	if at >= len(b) || b[at] == ']' || b[at] == '}' {
		return false
	}
	if it.pairs {
		stop := end(b, at)
		it.Key = b[at:stop]
		at = space(b, stop)
		if at < len(b) && b[at] == ':' {
			at = space(b, at+1)
		}
	}
	stop := max(end(b, at), at)
	it.Value = b[at:stop]
	if stop == it.at {
		return false
	}
	it.at = stop
	return true
}

// Len is how many members there are.
func Len(v []byte) (n int) {
	for it := Members(v); it.Next(); n++ {
	}
	return n
}

// Field is the member of an object, the last of several with the key; false when there is none.
func Field(v, key []byte) (value []byte, ok bool) {
	if Kind(v) != Object {
		return nil, false
	}
	for it := Members(v); it.Next(); {
		if keyIs(it.Key, key) {
			value, ok = it.Value, true
		}
	}
	return value, ok
}

// keyIs compares a quoted key.
func keyIs(quoted, key []byte) bool {
	if len(quoted) < 2 {
		return false
	}
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return bytes.Equal(inner, key)
	}
	plain, err := Unquote(nil, quoted)
	return err == nil && bytes.Equal(plain, key)
}

// Element is element i of an array, from the end when i is negative; false when there is none.
func Element(v []byte, i int) ([]byte, bool) {
	if Kind(v) != Array {
		return nil, false
	}
	if i < 0 {
		i += Len(v)
	}
	it := Members(v)
	for ; i >= 0 && it.Next(); i-- {
		if i == 0 {
			return it.Value, true
		}
	}
	return nil, false
}

// At follows one step of a path: a key of an object, or an index of an array.
func At(v, step []byte) ([]byte, bool) {
	if Kind(v) == Array {
		i, err := strconv.Atoi(string(step))
		if err != nil {
			return nil, false
		}
		return Element(v, i)
	}
	return Field(v, step)
}

// ErrNull is a string with \u0000, which text cannot hold.
var ErrNull = errors.New("unsupported Unicode escape sequence")

// Unquote appends what a quoted string says.
func Unquote(dst, quoted []byte) ([]byte, error) {
	if len(quoted) < 2 {
		return dst, nil
	}
	s := quoted[1 : len(quoted)-1]
	for {
		at := bytes.IndexByte(s, '\\')
		if at < 0 || at+1 >= len(s) {
			return append(dst, s...), nil
		}
		dst = append(dst, s[:at]...)
		s = s[at+1:]
		c := s[0]
		s = s[1:]
		switch c {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			var r rune
			if r, s = unicodeEscape(s); r == 0 {
				return dst, ErrNull
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, c)
		}
	}
}

// unicodeEscape reads four digits, and a second escape when they are half of a pair.
func unicodeEscape(s []byte) (rune, []byte) {
	r, s := hex4(s)
	if utf16.IsSurrogate(r) && len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
		low, rest := hex4(s[2:])
		if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
			return both, rest
		}
	}
	return r, s
}

func hex4(s []byte) (rune, []byte) {
	if len(s) < 4 {
		return utf8.RuneError, nil
	}
	v, err := strconv.ParseUint(string(s[:4]), 16, 32)
	if err != nil {
		return utf8.RuneError, s[4:]
	}
	return rune(v), s[4:]
}

// AppendQuoted appends text as a JSON string.
func AppendQuoted(dst, s []byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= ' ':
			dst = append(dst, c)
		case c == '\b':
			dst = append(dst, `\b`...)
		case c == '\f':
			dst = append(dst, `\f`...)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(dst, '"')
}
