package expr

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// text1 makes a function that appends its result for one text.
func text1(f func(dst, s []byte) []byte) func(*site) kernel {
	return perRow(func(r *Row) error {
		r.set(f(r.data(), r.Bytes(0)))
		return nil
	})
}

// textInt makes a function of one text with an integer for result.
func textInt(f func(s []byte) int) func(*site) kernel {
	return perRow(func(r *Row) error {
		r.SetInt(int64(f(r.Bytes(0))))
		return nil
	})
}

// high has the highest bit of each octet of a word.
const high = 0x8080808080808080

func isASCII(s []byte) bool {
	for ; len(s) >= 8; s = s[8:] {
		if binary.LittleEndian.Uint64(s)&high != 0 {
			return false
		}
	}
	for _, c := range s {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// charCount is how many characters valid UTF-8 has: octets that do not continue one.
func charCount(s []byte) int {
	n := len(s)
	for ; len(s) >= 8; s = s[8:] {
		w := binary.LittleEndian.Uint64(s)
		n -= bits.OnesCount64(w & ^(w << 1) & high) // 10xxxxxx
	}
	for _, c := range s {
		if c&0xc0 == 0x80 {
			n--
		}
	}
	return n
}

// charEnd is where the first n characters of s end.
func charEnd(s []byte, n int) int {
	if n <= 0 {
		return 0
	}
	if n >= len(s) {
		return len(s)
	}
	if isASCII(s[:n]) {
		return n
	}
	end := 0
	for ; n > 0 && end < len(s); n-- {
		_, w := utf8.DecodeRune(s[end:])
		end += w
	}
	return end
}

func declareText(r *Registry) {
	for _, name := range []string{"length", "char_length", "character_length"} {
		r.fn(name+"(text) int4", textInt(charCount))
		r.fn(name+"(bpchar) int4", textInt(func(s []byte) int { return charCount(s[:trimmedLen(s)]) }))
	}
	r.fn("octet_length(text) int4", textInt(func(s []byte) int { return len(s) }))
	r.fn("octet_length(bpchar) int4", textInt(func(s []byte) int { return len(s) }))
	r.fn("bit_length(text) int4", textInt(func(s []byte) int { return 8 * len(s) }))
	r.fn("lower(text) text", text1(lower))
	r.fn("upper(text) text", text1(upper))
	r.fn("initcap(text) text", text1(initcap))
	r.fn("reverse(text) text", text1(reverse))
	r.fn("ascii(text) int4", textInt(func(s []byte) int {
		if len(s) == 0 {
			return 0
		}
		c, _ := utf8.DecodeRune(s)
		return int(c)
	}))
	r.fn("chr(int4) text", perRow(chr))
	r.fn("strpos(text,text) int4", perRow(strpos))
	r.fn("position(text,text) int4", perRow(strpos))
	r.fn("starts_with(text,text) bool", perRow(startsWith))
	add(r.ops, "^@", r.funcs["starts_with"][0])
	r.fn("repeat(text,int4) text", perRow(repeat))
	r.fn("replace(text,text,text) text", perRow(replace))
	r.fn("translate(text,text,text) text", perRow(translate))
	r.fn("to_hex(int4) text", perRow(func(r *Row) error {
		r.set(appendHex(r.data(), uint64(uint32(r.Int(0)))))
		return nil
	}))
	r.fn("to_hex(int8) text", perRow(func(r *Row) error {
		r.set(appendHex(r.data(), uint64(r.Int(0))))
		return nil
	}))
	r.fn("overlay(text,text,int4) text", perRow(overlay))
	r.fn("overlay(text,text,int4,int4) text", perRow(overlay))
	declareSlices(r)
	declarePads(r)
	declareConcat(r)
}

func appendHex(dst []byte, v uint64) []byte {
	const digits = "0123456789abcdef"
	var buf [16]byte
	i := len(buf)
	for {
		i--
		buf[i] = digits[v&15]
		if v >>= 4; v == 0 {
			return append(dst, buf[i:]...)
		}
	}
}

func lower(dst, s []byte) []byte {
	if isASCII(s) {
		start := len(dst)
		dst = append(dst, s...)
		for i, c := range dst[start:] {
			if c >= 'A' && c <= 'Z' {
				dst[start+i] = c + 'a' - 'A'
			}
		}
		return dst
	}
	return mapRunes(dst, s, unicode.ToLower)
}

func upper(dst, s []byte) []byte {
	if isASCII(s) {
		start := len(dst)
		dst = append(dst, s...)
		for i, c := range dst[start:] {
			if c >= 'a' && c <= 'z' {
				dst[start+i] = c - ('a' - 'A')
			}
		}
		return dst
	}
	return mapRunes(dst, s, unicode.ToUpper)
}

// mapRunes maps letters of ASCII only: in collation C PostgreSQL leaves all others as they are.
func mapRunes(dst, s []byte, f func(rune) rune) []byte {
	for _, c := range s {
		if c < utf8.RuneSelf {
			c = byte(f(rune(c)))
		}
		dst = append(dst, c)
	}
	return dst
}

func initcap(dst, s []byte) []byte {
	inWord := false
	for _, c := range s {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		switch {
		case letter && inWord:
			c |= 0x20
		case letter:
			c &^= 0x20
		}
		inWord = letter || c >= '0' && c <= '9'
		dst = append(dst, c)
	}
	return dst
}

func reverse(dst, s []byte) []byte {
	for len(s) > 0 {
		_, w := utf8.DecodeLastRune(s)
		dst = append(dst, s[len(s)-w:]...)
		s = s[:len(s)-w]
	}
	return dst
}

func chr(r *Row) error {
	c := r.Int(0)
	switch {
	case c < 0:
		return rowFail(sql.InvalidParameter, "character number must be positive")
	case c == 0:
		return rowFail(sql.ProgramLimitExceeded, "null character not permitted")
	case c > utf8.MaxRune:
		return rowFail(sql.ProgramLimitExceeded, "requested character too large for encoding: %d", c)
	case !utf8.ValidRune(rune(c)):
		return rowFail(sql.ProgramLimitExceeded, "requested character not valid for encoding: %d", c)
	}
	r.set(utf8.AppendRune(r.data(), rune(c)))
	return nil
}

func strpos(r *Row) error {
	s := r.Bytes(0)
	at := bytes.Index(s, r.Bytes(1))
	if at >= 0 {
		at = charCount(s[:at]) + 1
	} else {
		at = 0
	}
	r.SetInt(int64(at))
	return nil
}

func startsWith(r *Row) error {
	r.SetBool(bytes.HasPrefix(r.Bytes(0), r.Bytes(1)))
	return nil
}

func repeat(r *Row) error {
	s, n := r.Bytes(0), max(r.Int(1), 0)
	if int64(len(s))*n > maxValue {
		return errTooLong
	}
	dst := r.data()
	for range n {
		dst = append(dst, s...)
	}
	r.set(dst)
	return nil
}

func replace(r *Row) error {
	s, from, to := r.Bytes(0), r.Bytes(1), r.Bytes(2)
	dst := r.data()
	start := len(dst)
	for len(from) > 0 {
		at := bytes.Index(s, from)
		if at < 0 {
			break
		}
		dst = append(append(dst, s[:at]...), to...)
		s = s[at+len(from):]
		if len(dst)-start > maxValue {
			return errTooLong
		}
	}
	r.set(append(dst, s...))
	return nil
}

func translate(r *Row) error {
	from, to := []rune(string(r.Bytes(1))), []rune(string(r.Bytes(2)))
	dst := r.data()
	for _, c := range string(r.Bytes(0)) {
		at := -1
		for k, f := range from {
			if f == c {
				at = k
				break
			}
		}
		switch {
		case at < 0:
			dst = utf8.AppendRune(dst, c)
		case at < len(to):
			dst = utf8.AppendRune(dst, to[at])
		}
	}
	r.set(dst)
	return nil
}

func overlay(r *Row) error {
	s, with, from := r.Bytes(0), r.Bytes(1), r.Int(2)
	length := int64(charCount(with))
	if r.Len() == 4 {
		length = r.Int(3)
	}
	if from <= 0 {
		return errNegativeLength
	}
	if from+length > 1<<31-1 {
		return rowFail(sql.NumericOutOfRange, "integer out of range")
	}
	head := s[:charEnd(s, int(from-1))]
	tail := s[charEnd(s, int(max(from+length-1, 0))):]
	r.set(append(append(append(r.data(), head...), with...), tail...))
	return nil
}

var errNegativeLength = rowFail(sql.SubstringError, "negative substring length not allowed")

// bytesKernel is for functions whose result is of kind Bytes.
func bytesKernel(f func(r *Row) error) kernel { return rowKernel(zset.Bytes, f) }
