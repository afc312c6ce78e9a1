package datum

import (
	"math"
	"strconv"
)

// ParseBool reads t or f.
func ParseBool(b []byte) (bool, error) {
	switch string(b) {
	case "t", "true":
		return true, nil
	case "f", "false":
		return false, nil
	}
	return false, bad("boolean", b)
}

// ParseInt16 reads a smallint.
func ParseInt16(b []byte) (int16, error) {
	v, ok := parseInt(b)
	if !ok || v < math.MinInt16 || v > math.MaxInt16 {
		return 0, bad("smallint", b)
	}
	return int16(v), nil
}

// ParseInt32 reads an integer.
func ParseInt32(b []byte) (int32, error) {
	v, ok := parseInt(b)
	if !ok || v < math.MinInt32 || v > math.MaxInt32 {
		return 0, bad("integer", b)
	}
	return int32(v), nil
}

// ParseInt64 reads a bigint.
func ParseInt64(b []byte) (int64, error) {
	v, ok := parseInt(b)
	if !ok {
		return 0, bad("bigint", b)
	}
	return v, nil
}

// ParseOID reads an oid, or another unsigned 32-bit type such as xid.
func ParseOID(b []byte) (uint32, error) {
	v, ok := parseInt(b)
	if !ok || v < 0 || v > math.MaxUint32 {
		return 0, bad("oid", b)
	}
	return uint32(v), nil
}

// parseInt reads [+-]digits into 64 bits.
func parseInt(b []byte) (int64, bool) {
	digits, neg := cutSign(b)
	u, ok := parseUint(digits)
	switch {
	case !ok:
		return 0, false
	case neg && u <= 1<<63:
		return int64(-u), true
	case !neg && u <= math.MaxInt64:
		return int64(u), true
	}
	return 0, false
}

func cutSign(b []byte) (rest []byte, neg bool) {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		return b[1:], b[0] == '-'
	}
	return b, false
}

// parseUint reads digits; false when empty, not digits, or above 64 bits.
func parseUint(b []byte) (uint64, bool) {
	if len(b) == 0 {
		return 0, false
	}
	if len(b) > 19 {
		return parseLongUint(b)
	}
	var v uint64
	for _, c := range b {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + uint64(d)
	}
	return v, true
}

func parseLongUint(b []byte) (uint64, bool) {
	var v uint64
	for _, c := range b {
		d := uint64(c - '0')
		if d > 9 || v > math.MaxUint64/10 || v*10 > math.MaxUint64-d {
			return 0, false
		}
		v = v*10 + d
	}
	return v, true
}

// ParseFloat64 reads a double precision, exactly; NaN, Infinity and -Infinity too.
func ParseFloat64(b []byte) (float64, error) {
	v, ok := parseFloat(b, 64)
	if !ok {
		return 0, bad("double precision", b)
	}
	return v, nil
}

// ParseFloat32 reads a real, exactly; NaN, Infinity and -Infinity too.
func ParseFloat32(b []byte) (float32, error) {
	v, ok := parseFloat(b, 32)
	if !ok {
		return 0, bad("real", b)
	}
	return float32(v), nil
}

func parseFloat(b []byte, bits int) (float64, bool) {
	switch string(b) {
	case "NaN":
		return math.NaN(), true
	case "Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	}
	// strconv also knows hexadecimal floats, underscores and other names; PostgreSQL prints none.
	for _, c := range b {
		if c-'0' > 9 && c != '.' && c != '-' && c != '+' && c != 'e' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(string(b), bits)
	return v, err == nil
}

// ParseMoney reads a money value as a count of its smallest unit (cents), in the
// form that lc_monetary = C prints: -$1,234.56. The currency symbol and the
// separators are skipped wherever they stand.
func ParseMoney(b []byte) (int64, error) {
	var v uint64
	neg, digits := false, 0
	for _, c := range b {
		switch d := uint64(c - '0'); {
		case d <= 9:
			if v > (1<<63-d)/10 {
				return 0, bad("money", b)
			}
			v = v*10 + d
			digits++
		case c == '-' || c == '(':
			neg = true
		case c == '$' || c == ',' || c == '.' || c == ')' || c == ' ':
		default:
			return 0, bad("money", b)
		}
	}
	if digits < 3 || b[len(b)-3] != '.' && b[len(b)-1] != ')' || v == 1<<63 && !neg {
		return 0, bad("money", b)
	}
	if neg {
		return int64(-v), nil
	}
	return int64(v), nil
}
