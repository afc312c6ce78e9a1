package input

import (
	"math"
	"strconv"
	"strings"

	"github.com/weirstream/weir/internal/datum"
)

// problem is why a value was refused.
type problem uint8

const (
	fine problem = iota
	badFormat
	overflow         // of a field
	monthDayOverflow // of a field that may be in the wrong place
	zoneOverflow
)

// leadingInt reads the integer at the start of s, with a sign maybe; ok is false when it
// does not fit 32 bits. n is how many characters it took, 0: none is there.
func leadingInt(s string) (v int, n int, ok bool) {
	w, n, ok := leadingInt64(s)
	return int(w), n, ok && w == int64(int32(w))
}

func leadingInt64(s string) (v int64, n int, ok bool) {
	if n < len(s) && (s[n] == '-' || s[n] == '+') {
		n++
	}
	start := n
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n == start {
		return 0, 0, true
	}
	v, err := strconv.ParseInt(s[:n], 10, 64)
	return v, n, err == nil
}

// fraction reads .digits, to the end of s.
func fraction(s string) (float64, problem) {
	if s == "." {
		return 0, fine
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.ContainsAny(s, "xXpP_nN") {
		return 0, badFormat
	}
	return f, fine
}

func fractionMicros(s string) (int64, problem) {
	f, p := fraction(s)
	return int64(math.RoundToEven(f * datum.Second)), p
}

// offset reads ±HH, ±HHMM, ±HH:MM or ±HH:MM:SS as seconds east.
func offset(s string) (east int, p problem) {
	if s == "" || s[0] != '+' && s[0] != '-' {
		return 0, badFormat
	}
	hour, n, ok := leadingInt(s[1:])
	if !ok {
		return 0, zoneOverflow
	}
	rest := s[1+n:]
	minute, second := 0, 0
	switch {
	case strings.HasPrefix(rest, ":"):
		if minute, n, ok = leadingInt(rest[1:]); !ok {
			return 0, zoneOverflow
		}
		rest = rest[1+n:]
		if strings.HasPrefix(rest, ":") {
			if second, n, ok = leadingInt(rest[1:]); !ok {
				return 0, zoneOverflow
			}
			rest = rest[1+n:]
		}
	case rest == "" && len(s) > 3:
		hour, minute = hour/100, hour%100
	}
	if hour < 0 || hour > 15 || minute < 0 || minute > 59 || second < 0 || second > 59 {
		return 0, zoneOverflow
	}
	if east = hour*3600 + minute*60 + second; s[0] == '-' {
		east = -east
	}
	if rest != "" {
		return 0, badFormat
	}
	return east, fine
}
