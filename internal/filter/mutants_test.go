package filter_test

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutants(t *testing.T) {
	for name, m := range map[string]struct{ file, old, new string }{
		"first rule decides":            {"filter.go", "for i := len(f.rules) - 1; i >= 0; i-- {", "for i := range f.rules {"},
		"negations begin with nothing":  {"parse.go", "f.all = f.all && r.negated", "f.all = false"},
		"positive rules begin with all": {"parse.go", "f.all = f.all && r.negated", "f.all = true"},
		"system schemas match":          {"filter.go", `case "pg_catalog",`, `case "pg_catalogue",`},
		"our schema matches":            {"filter.go", `const Bookkeeping = "weir"`, `const Bookkeeping = "weir2"`},
		"star does not go back":         {"matcher.go", "p, i = star+1, retry", "return false"},
		"a comma ends an expression":    {"parse.go", "case '/':\n\t\t\ttext", "case '/', ',':\n\t\t\ttext"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mutant.Kill(t, ".", m.file, m.old, m.new, "TestMatch|TestQuoted")
		})
	}
}
