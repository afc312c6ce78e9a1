package worker

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutants(t *testing.T) {
	for name, m := range map[string]struct{ file, old, new string }{
		"cut not at the barrier":          {"channel.go", "if cut != 0 && s.last > max(cut, c.ahead) {", "if false {"},
		"half a transaction":              {"reader.go", "if err := r.give(ctx, e.Ts-1); err != nil {\n\t\t\t\treturn err\n\t\t\t}\n\t\t}\n\t}\n}\n\nfunc (r *reader) changes", "if err := r.give(ctx, e.Ts); err != nil {\n\t\t\t\treturn err\n\t\t\t}\n\t\t}\n\t}\n}\n\nfunc (r *reader) changes"},
		"steps over barriers":             {"reader.go", "r.bounds, passed = slices.Delete(r.bounds, 0, 1), true", "r.bounds, passed = slices.Delete(r.bounds, 0, 1), false"},
		"what was read ahead is not told": {"channel.go", "if c.ahead <= cut {", "if true {"},
		"evicted before it is applied":    {"memory.go", "|| !g.sealer.applied()", ""},
		"no bound on open seals":          {"sealer.go", "return s.open < waiting", "return s.open < 1000"},
		"stream's position forgotten":     {"stream.go", "return s.Name, encode(s.at)", "return s.Name, encode(0)"},
		"drop does not wait":              {"sealer.go", "\t<-s.ended\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			mutant.Kill(t, ".", m.file, m.old, m.new, "Test[^M]")
		})
	}
}
