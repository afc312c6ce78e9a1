package template

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutantsDie(t *testing.T) {
	for _, m := range []struct{ file, old, new string }{
		{"node.go", "if n > 1 && digits[n-2] == '1' {", "if false {"},
		{"date.go", "c = (m.Year-1)/100 + 1", "c = m.Year/100 + 1"},
		{"date.go", "if signed < 0 {\n\t\twidth++", "if signed < 0 {\n\t\twidth += 0"},
		{"read.go", "if len(have) < width {", "if false {"},
		{"read.go", "case n.kind == nChar && !r.exact && r.extra > 0:", "case false:"},
		{"read.go", "case r.extra > 0 && r.pos > 0 && r.text[r.pos-1] == '-':", "case false:"},
		{"parse.go", "f.Year = (c.cc+1)*100 - f.Year + 1", "f.Year = (c.cc+1)*100 - f.Year"},
		{"parse.go", "case c.pm == 0 && f.Hour == 12:", "case false:"},
		{"write.go", "w.zeroStart = max(w.zeroStart-1, 0)", "w.zeroStart += 0"},
		{"write.go", "w.last = max(w.last, min(len(w.number)-1, w.zeroEnd-w.spaces))", "_ = w"},
		{"write.go", "if !w.signWritten && w.spaces == 0 {", "if false {"},
		{"write.go", "w.shape.sign = signAfter", "_ = w"},
		{"tonumber.go", "if r.point && r.readPost == r.post {", "if false {"},
		{"number.go", "s.zero, s.zeroStart = true, s.pre+1", "s.zero, s.zeroStart = true, 1"},
	} {
		mutant.Kill(t, ".", m.file, m.old, m.new, "^(Test[^M].*|Fuzz.*)$")
	}
}
