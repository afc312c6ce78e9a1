package worker

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutants(t *testing.T) {
	for name, m := range map[string]struct{ file, old, new string }{
		"cut not at the barrier":          {"channel.go", "if cut != 0 && s.last > c.limit(cut) {", "if false {"},
		"half a transaction":              {"reader.go", "return r.give(ctx, e.Ts-1)\n\t\t}\n\t\treturn nil\n\t})\n\tfor", "return r.give(ctx, e.Ts)\n\t\t}\n\t\treturn nil\n\t})\n\tfor"},
		"steps over barriers":             {"reader.go", "r.bounds, passed = slices.Delete(r.bounds, 0, 1), true", "r.bounds, passed = slices.Delete(r.bounds, 0, 1), false"},
		"what was read ahead is not told": {"channel.go", "if c.ahead > cut {", "if false {"},
		"evicted before it is applied":    {"memory.go", "|| !g.sealer.applied()", ""},
		"no bound on an epoch's input":    {"graph.go", "if b == nil && g.full() {", "if b == nil && g.full() && false {"},
		"no bound on open seals":          {"sealer.go", "return s.open < waiting", "return s.open < 1000"},
		"stream's position forgotten":     {"stream.go", "return s.Name, encode(s.at)", "return s.Name, encode(0)"},
		"drop does not wait":              {"sealer.go", "\t<-s.ended\n", ""},
		"changes before the cursor lost":  {"walk_run.go", "bytes.Compare(group, rd.cursor) <= 0", "bytes.Compare(group, rd.cursor) < 0"},
		"changes behind the cursor kept":  {"walk_run.go", "bytes.Compare(group, rd.cursor) <= 0", "true"},
		"groups read in two":              {"walk_run.go", "if rd.cursor != nil && bytes.Equal(group, rd.cursor) {", "if false {"},
		"goes on without the changes":     {"creating.go", "if !t.armed(id, now.at) {", "if false {"},
		"goes on over a gap":              {"changelog.go", "if s.prev != at {", "if false {"},
		"begun anew, taken for the old":   {"creating.go", "return w.o.Store.Begin(spec.Graph, spec.Committed, tables)", "return w.o.Store.Begin(spec.Graph, spec.Committed, nil)"},
		"what has passed is not repeated": {"merge.go", "g.flow.Repeat(r.Job.ID, to)", ""},
		"a stream's beginning is lost":    {"merge.go", "s.begun, s.at})", "s.at, s.at})"},
		"merged in the middle":            {"creating.go", "return g.inputs.met()", "return true"},
		"walked too soon":                 {"walk.go", "if !r.done {\n\t\t\treturn false", "if r.done {\n\t\t\treturn false"},
		"a failed relation goes unseen":   {"walk_run.go", "if err := s.dead[rd.ID]; err != nil {", "if err := s.dead[rd.ID]; false {"},
		"logged from too early":           {"tail.go", "return yes && since <= at", "return yes || since > at"},
		"a creation's chain stays":        {"sealer.go", "for _, j := range e.Merge {", "for _, j := range e.Merge[:0] {"},
		"what was followed stays":         {"sealer.go", "if g.tail != nil {", "if false {"},
		"one block of changes":            {"changelog.go", "for i, n := 0, uint32(0); i < c.N; n++ {", "for i, n := 0, uint32(0); i == 0; n++ {"},
	} {
		t.Run(name, func(t *testing.T) {
			mutant.Kill(t, ".", m.file, m.old, m.new, "Test[^M]")
		})
	}
}
