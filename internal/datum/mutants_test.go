package datum

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutantsDie(t *testing.T) {
	for _, m := range []struct{ file, old, new string }{
		{"date.go", "year%4 == 0 && (year%100 != 0 || year%400 == 0)", "year%4 == 0"},
		{"date.go", "year = 1 - year\n\t}\n\tif month", "year = -year\n\t}\n\tif month"},
		{"time.go", "clock -= east * Second", "clock += east * Second"},
		{"time.go", "ok && micros <= Day", "ok"},
		{"interval.go", "case neg && v <= 1<<63:", "case neg && v < 1<<63:"},
		{"number.go", "case neg && u <= 1<<63:", "case neg && u < 1<<63:"},
		{"numeric.go", "top == 0 && next < 0x80", "top == 0"},
		{"numeric.go", "if len(abs) == 0 || abs[0] >= 0x80 {\n\t\tdst = append(dst, 0xff)", "if len(abs) == 0 {\n\t\tdst = append(dst, 0xff)"},
		{"array.go", "if n != s.length[s.depth] {", "if false {"},
		{"array.go", "case text[0] != '\"':", "case plain:"},
		{"composite.go", "it.Null, it.Value = n == 0, v", "it.Null, it.Value = len(v) == 0, v"},
		{"span.go", "case c == '\"':\n\t\t\tquoted = !quoted", "case c == '\"':"},
		{"error.go", "n > shown-utf8.UTFMax && !utf8.RuneStart(b[n])", "n < 0 && !utf8.RuneStart(b[n])"},
	} {
		mutant.Kill(t, ".", m.file, m.old, m.new, "^(Test[^MP].*|Fuzz.*)$")
	}
}
