package pgvalue

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/weirstream/weir/internal/datum"
)

// quoted is how a bad value stands in a message: whole, in quotes, not escaped.
func badInput(typ string, text []byte) error {
	return &Error{Code: datum.CodeInvalidText, Message: fmt.Sprintf("invalid input syntax for type %s: \"%s\"", typ, text)}
}

func fault(code, format string, args ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func trimSpace(b []byte) []byte { return bytes.Trim(b, " \t\n\v\f\r") }

// boolWords are the spellings of boolean; any prefix that is not one of both will do.
var boolWords = []struct {
	word  string
	least int // letters needed
	value int64
}{{"true", 1, 1}, {"false", 1, 0}, {"yes", 1, 1}, {"no", 1, 0}, {"on", 2, 1}, {"off", 2, 0}, {"1", 1, 1}, {"0", 1, 0}}

func parseBool(text []byte) (int64, error) {
	s := trimSpace(text)
	for _, w := range boolWords {
		if len(s) >= w.least && len(s) <= len(w.word) && bytes.EqualFold(s, []byte(w.word[:len(s)])) {
			return w.value, nil
		}
	}
	return 0, badInput("boolean", text)
}

func parseInt(text []byte, bits int, typ string) (int64, error) {
	s := trimSpace(text)
	digits, neg := s, false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		digits, neg = s[1:], s[0] == '-'
	}
	if len(digits) == 0 {
		return 0, badInput(typ, text)
	}
	var u uint64
	over := false
	for _, c := range digits {
		d := uint64(c - '0')
		if d > 9 {
			return 0, badInput(typ, text)
		}
		if u > (math.MaxUint64-9)/10 {
			over = true
		}
		u = u*10 + d
	}
	limit := uint64(1)<<(bits-1) - 1
	if neg {
		limit++
	}
	if over || u > limit {
		return 0, fault(datum.CodeOutOfRange, "value \"%s\" is out of range for type %s", text, typ)
	}
	if neg {
		return int64(-u), nil
	}
	return int64(u), nil
}

// parseOID reads an unsigned number; a negative one wraps, as in PostgreSQL.
func parseOID(text []byte) (int64, error) {
	x, err := parseInt(text, 64, "oid")
	if err != nil {
		return 0, err
	}
	if x > math.MaxUint32 || x < math.MinInt32 {
		return 0, fault(datum.CodeOutOfRange, "value \"%s\" is out of range for type oid", text)
	}
	return int64(uint32(x)), nil
}

func parseMoney(text []byte) (int64, error) {
	x, err := datum.ParseMoney(text)
	if err != nil {
		return 0, badInput("money", text)
	}
	return x, nil
}

func parseFloat(oid uint32, text []byte) (float64, error) {
	if f, ok := canonicalFloat(oid, text); ok {
		return f, nil
	}
	bits, typ := 64, "double precision"
	if oid == datum.OIDFloat4 {
		bits, typ = 32, "real"
	}
	s := trimSpace(text)
	if !isFloat(s) {
		return 0, badInput(typ, text)
	}
	if len(s) == 4 && s[3]|0x20 == 'n' {
		s = s[1:] // strconv knows no sign of NaN
	}
	f, err := strconv.ParseFloat(string(s), bits)
	if err != nil || f == 0 && hasDigit(s) {
		return 0, fault(datum.CodeOutOfRange, "\"%s\" is out of range for type %s", text, typ)
	}
	return f, nil
}

// canonicalFloat is the short way for what the server prints.
func canonicalFloat(oid uint32, text []byte) (float64, bool) {
	var f float64
	var err error
	if oid == datum.OIDFloat4 {
		var g float32
		g, err = datum.ParseFloat32(text)
		f = float64(g)
	} else {
		f, err = datum.ParseFloat64(text)
	}
	return f, err == nil && (f != 0 || !hasDigit(text))
}

// isFloat leaves out what strconv knows beyond PostgreSQL: hexadecimal, underscores.
func isFloat(s []byte) bool {
	body := s
	if len(body) > 0 && (body[0] == '-' || body[0] == '+') {
		body = body[1:]
	}
	switch string(bytes.ToLower(body)) {
	case "inf", "infinity":
		return true
	case "nan":
		return true
	}
	i, digits := 0, 0
	count := func() {
		for ; i < len(body) && body[i]-'0' <= 9; i++ {
			digits++
		}
	}
	count()
	if i < len(body) && body[i] == '.' {
		i++
		count()
	}
	if digits == 0 {
		return false
	}
	if i < len(body) && body[i]|0x20 == 'e' {
		if i++; i < len(body) && (body[i] == '-' || body[i] == '+') {
			i++
		}
		digits = 0
		if count(); digits == 0 {
			return false
		}
	}
	return i == len(body)
}

// hasDigit tells whether the number's digits are not all 0.
func hasDigit(s []byte) bool {
	for _, c := range s {
		if c|0x20 == 'e' {
			return false
		}
		if c >= '1' && c <= '9' {
			return true
		}
	}
	return false
}
