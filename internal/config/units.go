package config

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Bytes is a size. It reads 1048576, "1048576" and "1MiB", and prints the
// largest unit that divides it.
type Bytes int64

// Units of size.
const (
	KiB Bytes = 1 << 10
	MiB Bytes = 1 << 20
	GiB Bytes = 1 << 30
	TiB Bytes = 1 << 40
)

var byteUnits = []struct {
	name string
	size Bytes
}{{"TiB", TiB}, {"GiB", GiB}, {"MiB", MiB}, {"KiB", KiB}, {"B", 1}}

// String prints the size with its unit.
func (b Bytes) String() string {
	if b == 0 {
		return "0"
	}
	for _, u := range byteUnits {
		if b%u.size == 0 {
			return strconv.FormatInt(int64(b/u.size), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(b), 10)
}

// UnmarshalText reads a number with an optional unit.
func (b *Bytes) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	unit := Bytes(1)
	for _, u := range byteUnits {
		if n, ok := strings.CutSuffix(s, u.name); ok {
			s, unit = strings.TrimSpace(n), u.size
			break
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/int64(unit) {
		return fmt.Errorf("%q is not a size: want a number of bytes, or with a unit such as 512KiB, 64MiB, 1GiB", text)
	}
	*b = Bytes(n) * unit
	return nil
}

// MarshalText prints the size with its unit.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalJSON reads a number or a string.
func (b *Bytes) UnmarshalJSON(data []byte) error { return unmarshalUnit(data, b.UnmarshalText) }

// Duration is a length of time. It reads Go's notation, "1m30s", and in JSON
// also a whole number of seconds.
type Duration time.Duration

// String prints Go's notation without zero parts: "10m", not "10m0s".
func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// UnmarshalText reads Go's notation.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(strings.TrimSpace(string(text)))
	if err != nil || v < 0 {
		return fmt.Errorf("%q is not a duration: want a number with a unit such as 500ms, 10s, 5m, 24h", text)
	}
	*d = Duration(v)
	return nil
}

// MarshalText prints Go's notation.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalJSON reads a string, or a number of seconds.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var seconds float64
	if json.Unmarshal(data, &seconds) == nil && seconds >= 0 && seconds < math.MaxInt64/1e9 {
		*d = Duration(seconds * float64(time.Second))
		return nil
	}
	return unmarshalUnit(data, d.UnmarshalText)
}

// Std is the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// unmarshalUnit hands a JSON string's content, or a bare number, to parse.
func unmarshalUnit(data []byte, parse func([]byte) error) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		s = string(data)
	}
	return parse([]byte(s))
}
