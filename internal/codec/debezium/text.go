package debezium

import (
	"encoding/binary"
	"errors"
	"unicode/utf8"
)

var errNotUTF8 = errors.New("text is not valid UTF-8, which JSON demands")

// AppendString appends s as a JSON string. Only what JSON demands is escaped. Text
// that is not UTF-8 is refused: JSON cannot hold it, and replacing it would
// deliver another value.
func AppendString(dst, s []byte) ([]byte, error) {
	start := len(dst)
	dst = append(dst, '"')
	done, wide := 0, false
	for i := 0; i < len(s); i++ {
		for i+8 <= len(s) && plain8(binary.LittleEndian.Uint64(s[i:])) {
			i += 8
		}
		if i == len(s) {
			break
		}
		c := s[i]
		if c >= utf8.RuneSelf {
			wide = true
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[done:i]...)
		dst = appendEscape(dst, c)
		done = i + 1
	}
	if wide && !utf8.Valid(s) {
		return dst[:start], errNotUTF8
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"'), nil
}

// plain8 tells whether eight bytes are all ASCII and need no escape. A byte's high
// bit comes on when it is below ' ', is '"' or '\\', or is not ASCII; a borrow into
// the next byte can only make the answer false needlessly.
func plain8(x uint64) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	control := x - ones*' '
	quote := (x ^ ones*'"') - ones
	slash := (x ^ ones*'\\') - ones
	return (x|control|quote|slash)&high == 0
}

func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// quote is AppendString for names, in which what is not UTF-8 is replaced.
func quote(dst []byte, name string) []byte {
	out, err := AppendString(dst, []byte(name))
	if err != nil {
		out, _ = AppendString(dst, []byte(string([]rune(name))))
	}
	return out
}
