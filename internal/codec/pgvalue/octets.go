package pgvalue

import (
	"bytes"
	"unicode/utf8"

	"github.com/weirstream/weir/internal/datum"
)

// maxName is the longest name, in bytes.
const maxName = 63

// cutName cuts a name off at a character's end.
func cutName(b []byte) []byte {
	if len(b) <= maxName {
		return b
	}
	n := maxName
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}

// charLimit is n of varchar(n) or char(n); false when there is none.
func charLimit(mod int32) (int, bool) { return int(mod) - 4, mod >= 4 }

// cutChars gives where n characters of b end, and how many there are at most n.
func cutChars(b []byte, n int) (end, chars int) {
	if len(b) <= n && isASCII(b) {
		return len(b), len(b)
	}
	for end < len(b) && chars < n {
		_, w := utf8.DecodeRune(b[end:])
		end += w
		chars++
	}
	return end, chars
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// appendVarchar cuts blanks off at the limit; anything else beyond it is an error,
// unless a cast asks for it.
func appendVarchar(dst, text []byte, mod int32, cast bool) ([]byte, error) {
	n, limited := charLimit(mod)
	if !limited || len(text) <= n {
		return append(dst, text...), nil
	}
	end, _ := cutChars(text, n)
	if !cast && len(bytes.TrimRight(text[end:], " ")) > 0 {
		return dst, fault(datum.CodeStringTruncation, "value too long for type character varying(%d)", n)
	}
	return append(dst, text[:end]...), nil
}

// appendBpchar is appendVarchar with blanks added up to the limit.
func appendBpchar(dst, text []byte, mod int32, cast bool) ([]byte, error) {
	n, limited := charLimit(mod)
	if !limited {
		return append(dst, text...), nil
	}
	end, chars := cutChars(text, n)
	if !cast && len(bytes.TrimRight(text[end:], " ")) > 0 {
		return dst, fault(datum.CodeStringTruncation, "value too long for type character(%d)", n)
	}
	dst = append(dst, text[:end]...)
	for ; chars < n; chars++ {
		dst = append(dst, ' ')
	}
	return dst, nil
}

// appendBytea reads \x and hexadecimal digits, with blanks between pairs, or the escape
// form: \\ and \ooo.
func appendBytea(dst, text []byte) ([]byte, error) {
	if len(text) >= 2 && text[0] == '\\' && text[1] == 'x' {
		return appendHex(dst, text[2:])
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '\\' {
			dst = append(dst, c)
			continue
		}
		rest := text[i+1:]
		switch {
		case len(rest) >= 3 && rest[0] >= '0' && rest[0] <= '3' && rest[1]&^7 == '0' && rest[2]&^7 == '0':
			dst = append(dst, (rest[0]-'0')<<6|(rest[1]-'0')<<3|(rest[2]-'0'))
			i += 3
		case len(rest) >= 1 && rest[0] == '\\':
			dst = append(dst, '\\')
			i++
		default:
			return dst, fault(datum.CodeInvalidText, "invalid input syntax for type bytea")
		}
	}
	return dst, nil
}

func appendHex(dst, b []byte) ([]byte, error) {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case ' ', '\n', '\t', '\r':
			continue
		}
		hi, ok := unhex(b[i])
		if !ok {
			return dst, badHex(b[i:])
		}
		if i++; i == len(b) {
			return dst, fault(datum.CodeInvalidParameter, "invalid hexadecimal data: odd number of digits")
		}
		lo, ok := unhex(b[i])
		if !ok {
			return dst, badHex(b[i:])
		}
		dst = append(dst, hi<<4|lo)
	}
	return dst, nil
}

func badHex(b []byte) error {
	_, w := utf8.DecodeRune(b)
	return fault(datum.CodeInvalidParameter, "invalid hexadecimal digit: \"%s\"", b[:w])
}

func unhex(c byte) (byte, bool) {
	switch {
	case c-'0' <= 9:
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// appendUUID appends the 16 octets of 32 hexadecimal digits, with dashes after any
// group of four and braces around.
func appendUUID(dst, text []byte) ([]byte, error) {
	if id, err := datum.ParseUUID(text); err == nil {
		return append(dst, id[:]...), nil
	}
	s := text
	braces := len(s) > 0 && s[0] == '{'
	if braces {
		s = s[1:]
	}
	for i := range 16 {
		if len(s) < 2 {
			return dst, badInput("uuid", text)
		}
		hi, ok1 := unhex(s[0])
		lo, ok2 := unhex(s[1])
		if !ok1 || !ok2 {
			return dst, badInput("uuid", text)
		}
		dst = append(dst, hi<<4|lo)
		s = s[2:]
		if i%2 == 1 && i < 15 && len(s) > 0 && s[0] == '-' {
			s = s[1:]
		}
	}
	if braces && string(s) != "}" || !braces && len(s) > 0 {
		return dst, badInput("uuid", text)
	}
	return dst, nil
}
