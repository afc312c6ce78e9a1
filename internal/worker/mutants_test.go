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
		"changes before the cursor lost":  {"walk_run.go", "bytes.Compare(group, rd.cursor) <= 0", "bytes.Compare(group, rd.cursor) < 0"},
		"changes behind the cursor kept":  {"walk_run.go", "bytes.Compare(group, rd.cursor) <= 0", "true"},
		"groups read in two":              {"walk_run.go", "if rd.cursor != nil && bytes.Equal(group, rd.cursor) {", "if false {"},
		"goes on without the changes":     {"creating.go", "|| t.epochs[0].at != spec.Committed {", "{"},
		"what has passed is not repeated": {"merge.go", "g.flow.Repeat(r.Job.ID, to)", ""},
		"a stream's beginning is lost":    {"merge.go", "s.begun, s.at})", "s.at, s.at})"},
		"merged in the middle":            {"creating.go", "return g.inputs.met()", "return true"},
		"walked too soon":                 {"walk.go", "if !r.done {\n\t\t\treturn false", "if r.done {\n\t\t\treturn false"},
		"a failed relation goes unseen":   {"walk_run.go", "if err := s.dead[rd.ID]; err != nil {", "if err := s.dead[rd.ID]; false {"},
		"collected too late":              {"tail.go", "armed && since <= prev && c != nil", "armed && since < prev && c != nil"},
		"a creation's chain stays":        {"sealer.go", "for _, j := range e.Merge {", "for _, j := range e.Merge[:0] {"},
		"nothing goes to the file":        {"spill.go", "if s.bytes > s.limit && !s.work", "if false && !s.work"},
		"the file is not read":            {"spill.go", "for from < to {", "for from > to {"},
	} {
		t.Run(name, func(t *testing.T) {
			mutant.Kill(t, ".", m.file, m.old, m.new, "Test[^M]")
		})
	}
}
