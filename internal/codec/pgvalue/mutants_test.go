package pgvalue

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutantsDie(t *testing.T) {
	for _, m := range []struct{ file, old, new string }{
		{"text.go", "a < limit && a >= least", "a <= limit && a >= least"},
		{"text.go", "k > 0 && (len(whole)-k)%3 == 0", "(len(whole)-k)%3 == 0"},
		{"scalar.go", "if u > (math.MaxUint64-9)/10 {", "if false {"},
		{"scalar.go", "err != nil || f == 0 && hasDigit(s)", "err != nil"},
		{"octets.go", "!cast && len(bytes.TrimRight(text[end:], \" \")) > 0 {\n\t\treturn dst, fault(datum.CodeStringTruncation, \"value too long for type character varying(%d)\"", "len(bytes.TrimRight(text[end:], \" \")) > 0 {\n\t\treturn dst, fault(datum.CodeStringTruncation, \"value too long for type character varying(%d)\""},
		{"octets.go", "for ; chars < n; chars++ {", "for ; chars < n; chars += 2 {"},
		{"octets.go", "if i%2 == 1 && i < 15", "if i%2 == 1"},
		{"json.go", "if l.scanWord(); l.pos == end {", "if l.pos == end {"},
		{"json.go", "case c < ' ':", "case c < '\\t':"},
		{"jsonb.go", "if len(a.key) != len(b.key) {", "if false {"},
		{"jsonb.go", "bytes.Equal(f.key, fields[i+1].key)", "false"},
		{"array.go", "if afterComma || !afterValue && r.depth > 1 {", "if afterComma {"},
		{"array.go", "keep, escaped = len(value), true", "escaped = true"},
		{"arraywriter.go", "bytes.EqualFold(b, []byte(\"null\"))", "bytes.EqualFold(b, []byte(\"nil\"))"},
		{"binarynum.go", "for ; groups > 0 && dst[len(dst)-1] == 0 && dst[len(dst)-2] == 0; groups-- {", "for false {"},
		{"binary.go", "uint32(-x.East)", "uint32(x.East)"},
		{"row.go", "v.Truncate(n)", "v.Truncate(n + 1)"},
		{"when.go", "return datetime.RoundMicros(x, t.Mod), nil", "return x, nil"},
	} {
		mutant.Kill(t, ".", m.file, m.old, m.new, "^(Test[^M].*|Fuzz.*)$")
	}
}
