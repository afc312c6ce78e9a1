package debezium

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weirstream/weir/internal/datum"
)

func checkString(t *testing.T, s string) {
	t.Helper()
	out, err := AppendString([]byte("kept"), []byte(s))
	if (err == nil) != utf8.ValidString(s) {
		t.Fatalf("%q: error %v", s, err)
	}
	if err != nil {
		if string(out) != "kept" {
			t.Fatalf("%q: the buffer holds %q after an error", s, out)
		}
		return
	}
	var back string
	if err := json.Unmarshal(out[4:], &back); err != nil || back != s {
		t.Fatalf("%q is written as %s and read as %q, %v", s, out[4:], back, err)
	}
	if strings.ContainsAny(string(out), "\n\r") {
		t.Fatalf("%q takes more than one line", s)
	}
}

func TestStringsReadBack(t *testing.T) {
	for c := range rune(0x180) {
		for _, around := range []string{"", "a", "1234567", "12345678", "123456789012345"} {
			checkString(t, around+string(c)+around)
			checkString(t, around+string(c)+string(c))
		}
	}
	for _, s := range []string{"", "日本語テキスト日本語", "🤘\u2028\u2029", "\xff", "12345678\xc3", "\xed\xa0\x80", strings.Repeat(`\"`, 100)} {
		checkString(t, s)
	}
}

func FuzzString(f *testing.F) {
	f.Add("a\"b\\c\n\x00日本")
	f.Fuzz(checkString)
}

// Whatever the bytes, a value is an error or valid JSON on one line.
func FuzzValue(f *testing.F) {
	for _, v := range vectors {
		f.Add(v.typ, v.typmod, []byte(v.in), uint8(0))
	}
	decimals := []string{DecimalPrecise, DecimalString, DecimalDouble}
	intervals := []string{IntervalNumeric, IntervalString}
	f.Fuzz(func(t *testing.T, typ uint32, typmod int32, in []byte, mode uint8) {
		opt := Options{Decimal: decimals[mode%3], Interval: intervals[mode/3%2]}
		if _, ok := datum.LookupBuiltin(typ); !ok && typ < 90001 {
			typ = vectors[int(typ)%len(vectors)].typ
		}
		if typmod > 1<<20 && (typmod-4)&0x7ff > 100 {
			typmod &^= 0x7f0 // a scale of a thousand digits tells no more than one of ten
		}
		out, err := encodeOne(t, opt, typ, typmod, string(in))
		if err == nil && (!json.Valid([]byte(out)) || strings.Contains(out, "\n")) {
			t.Fatalf("type %d %q is written as %s", typ, in, out)
		}
	})
}
