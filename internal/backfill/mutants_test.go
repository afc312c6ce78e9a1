package backfill

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

// TestMutants proves that the simulation notices the loss of each rule.
func TestMutants(t *testing.T) {
	for name, m := range map[string]struct{ file, old, new string }{
		"uncovered keys are dropped":       {"decide.go", "d.ranges[slot] < 0 {\n\t\treturn false", "d.ranges[slot] < 0 {\n\t\treturn true"},
		"visible transactions are dropped": {"decide.go", "|| !r.Visible.Sees(xid)", "|| true"},
		"others override the chunk":        {"decide.go", "return r.Settled || bytes.Compare(position, r.End) > 0", "return false"},
		"a key change is split":            {"decide.go", "case before:\n\t\treturn DeliverDelete", "case before:\n\t\treturn Deliver"},
		"truncate begins a new attempt":    {"decide.go", "restart = !t.Covered", "restart = false"},
		"a repeated chunk is dropped":      {"consumer.go", "if found {\n\t\treturn false\n\t}", ""},
		"an old attempt is dropped":        {"consumer.go", "|| m.Attempt != t.Attempt", ""},
		"settling waits for the end":       {"consumer.go", "bytes.Compare(position, r.End) >= 0", "true"},
		"consistent only when settled":     {"consumer.go", "settled := t.Covered", "settled := true"},
		"running ones are invisible":       {"visibility.go", "return !running", "return true"},
		"ids wrap":                         {"visibility.go", "xid = extend(uint32(xid), v.Xmax)", "xid += 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mutant.Kill(t, ".", m.file, m.old, m.new, "TestSimulation|TestVisibility")
		})
	}
}
