package pgvalue

import (
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/weirstream/weir/internal/numeric"
)

// appendJSONB appends text as jsonb prints it: keys by length and then by bytes, the
// last of equal ones; ", " and ": " between; numbers as numerics; strings with the
// fewest escapes.
func appendJSONB(dst, text []byte) ([]byte, error) {
	l := jsonLexer{text: text, jsonb: true}
	w := jsonbWriter{out: dst}
	if err := l.document(&w); err != nil {
		return dst, err
	}
	return w.out, nil
}

// jsonbWriter writes values to the end of out.
type jsonbWriter struct {
	out     []byte
	scratch []byte
}

// jsonbObject is an object being read. Its members are in out already, in the order of the
// text; they are put in order at its end.
type jsonbObject struct {
	start   int
	members []jsonbMember
	keys    []byte // without escapes, one after the other
}

type jsonbMember struct {
	keyOff, keyEnd int // in keys
	off            int // of the value in out; it ends where the next one begins
}

func (w *jsonbWriter) startObject() *jsonbObject { return &jsonbObject{start: len(w.out)} }

func (w *jsonbWriter) key(o *jsonbObject, token []byte) (err error) {
	m := jsonbMember{keyOff: len(o.keys)}
	o.keys, err = appendUnescaped(o.keys, token)
	m.keyEnd = len(o.keys)
	o.members = append(o.members, m)
	return err
}

func (w *jsonbWriter) startValue(o *jsonbObject) { o.members[len(o.members)-1].off = len(w.out) }

func (w *jsonbWriter) endObject(o *jsonbObject) {
	values := append([]byte(nil), w.out[o.start:]...)
	type field struct{ key, value []byte }
	fields := make([]field, len(o.members))
	for i, m := range o.members {
		end := len(w.out)
		if i+1 < len(o.members) {
			end = o.members[i+1].off
		}
		fields[i] = field{o.keys[m.keyOff:m.keyEnd], values[m.off-o.start : end-o.start]}
	}
	slices.SortStableFunc(fields, func(a, b field) int {
		if len(a.key) != len(b.key) {
			return len(a.key) - len(b.key)
		}
		return bytes.Compare(a.key, b.key)
	})
	w.out = append(w.out[:o.start], '{')
	first := true
	for i, f := range fields {
		if i+1 < len(fields) && bytes.Equal(f.key, fields[i+1].key) {
			continue // the last one wins
		}
		if !first {
			w.out = append(w.out, ',', ' ')
		}
		first = false
		w.out = AppendJSONString(w.out, f.key)
		w.out = append(append(w.out, ':', ' '), f.value...)
	}
	w.out = append(w.out, '}')
}

// scalar writes a string, number or word.
func (w *jsonbWriter) scalar(tok jsonToken, token []byte) (err error) {
	switch tok {
	case jsonString:
		if w.scratch, err = appendUnescaped(w.scratch[:0], token); err != nil {
			return err
		}
		w.out = AppendJSONString(w.out, w.scratch)
	case jsonNumber:
		n, arena, err := numeric.FromText(nil, token)
		if err != nil {
			return err
		}
		w.out = numeric.AppendText(w.out, numeric.Val{Num: n, Arena: arena})
	default:
		w.out = append(w.out, token...)
	}
	return nil
}

// appendUnescaped appends the characters that a string token, with its quotes, stands for.
func appendUnescaped(dst, token []byte) ([]byte, error) {
	s := token[1 : len(token)-1]
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return append(dst, s...), nil
		}
		dst = append(dst, s[:i]...)
		s = s[i+1:]
		if s[0] != 'u' {
			dst = append(dst, unescaped(s[0]))
			s = s[1:]
			continue
		}
		r, size, err := unicodeEscape(s)
		if err != nil {
			return dst, err
		}
		dst = utf8.AppendRune(dst, r)
		s = s[size:]
	}
}

func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// unicodeEscape reads u and four hexadecimal digits, or a pair of them for a character beyond 16 bits; size is
// how much of s that is.
func unicodeEscape(s []byte) (r rune, size int, err error) {
	r, size = hex4(s[1:]), 5
	switch {
	case !utf16.IsSurrogate(r):
		return r, size, nil
	case r < 0xdc00 && len(s) >= 11 && s[5] == '\\' && s[6] == 'u':
		low := hex4(s[7:])
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 11, nil
		}
		if low >= 0xd800 && low < 0xdc00 {
			return 0, 0, jsonFault("Unicode high surrogate must not follow a high surrogate.")
		}
	}
	return 0, 0, jsonFault("Unicode low surrogate must follow a high surrogate.")
}

func hex4(s []byte) (r rune) {
	for _, c := range s[:4] {
		d, _ := unhex(c)
		r = r<<4 | rune(d)
	}
	return r
}

// AppendJSONString appends s in quotes, escaped as PostgreSQL escapes it in JSON.
func AppendJSONString(dst, s []byte) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	for _, c := range s {
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			if c < ' ' {
				dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
			} else {
				dst = append(dst, c)
			}
		}
	}
	return append(dst, '"')
}
