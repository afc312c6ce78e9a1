package ts_test

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutants(t *testing.T) {
	for name, m := range map[string]struct{ file, old, new string }{
		"goes back with the wall": {"clock.go", "if t <= c.last {", "if t == c.last {"},
		"repeats":                 {"clock.go", "t = c.last + 1", "t = c.last"},
		"beyond the ceiling":      {"clock.go", "if t > c.ceiling {\n\t\treturn 0, ErrCeiling", "if false {\n\t\treturn 0, ErrCeiling"},
		"short of the ceiling":    {"clock.go", "if t > c.ceiling {\n\t\treturn 0, ErrCeiling", "if t >= c.ceiling {\n\t\treturn 0, ErrCeiling"},
		"forward goes back":       {"clock.go", "c.last = max(c.last, t)", "c.last = t"},
		"reserve lowers":          {"clock.go", "c.ceiling = max(c.ceiling, ceiling)", "c.ceiling = ceiling"},
		"logical spills":          {"ts.go", "uint64(ms)<<LogicalBits", "uint64(ms)<<(LogicalBits-1)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mutant.Kill(t, ".", m.file, m.old, m.new, "TestClock|TestFull|TestLayout|TestParts")
		})
	}
}
