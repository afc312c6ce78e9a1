package backfill

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

// TestMutants proves that the simulation notices the loss of each rule.
func TestMutants(t *testing.T) {
	for name, m := range map[string]struct{ file, old, new string }{
		"uncovered keys are dropped":       {"decide.go", "d.ranges[slot] < 0 {\n\t\treturn false", "d.ranges[slot] < 0 {\n\t\treturn true"},
		"visible transactions are dropped": {"decide.go", "return !d.t.Ranges[d.ranges[slot]].Visible.Sees(xid)", "return true"},
		"others override the chunk":        {"decide.go", "return !d.t.Ranges[d.ranges[slot]].Visible.Sees(xid)", "return false"},
		"a key change is split":            {"decide.go", "case before:\n\t\treturn DeliverDelete", "case before:\n\t\treturn Deliver"},
		"truncate begins a new attempt":    {"decide.go", "restart = true\n", "restart = false\n"},
		"a repeated chunk is dropped":      {"consumer.go", "if found {\n\t\treturn false", "if found && m == nil {\n\t\treturn false"},
		"an old attempt is dropped":        {"consumer.go", "|| m.Attempt != t.Attempt", ""},
		"settling waits for the end":       {"consumer.go", "bytes.Compare(position, r.End) >= 0", "bytes.Compare(position, r.End) >= -1"},
		"consistent only when settled":     {"consumer.go", "settled := t.Covered", "settled := true"},
		"running ones are invisible":       {"visibility.go", "return !running", "return !running || true"},
		"ids wrap":                         {"visibility.go", "xid = extend(uint32(xid), v.Xmax)", "xid += 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mutant.Kill(t, ".", m.file, m.old, m.new, "TestSimulation|TestVisibility")
		})
	}
}
