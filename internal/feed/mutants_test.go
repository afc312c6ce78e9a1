package feed

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

// What the promises rest on has mutants that the suite must kill.
func TestMutants(t *testing.T) {
	const crash = "TestCrashesDeliverOnce/[0-3]$"
	for _, m := range []struct{ name, file, old, new, run string }{
		{"delivers again what the target has", "reader.go", "if !r.skip.Less(Position{Ts: e.Ts}) {\n\t\treturn nil", "if false {\n\t\treturn nil", crash},
		{"forgets the rows of a chunk that the target has", "chunk.go", "skip = r.skip.Offset", "_ = r.skip.Offset", "TestRestartInTheMiddleOfAChunk"},
		{"saves a state from the middle of a chunk", "reader.go", "if pos.Offset == 0 {", "if true {", "TestRestartInTheMiddleOfAChunk"},
		{"commits in the middle of a transaction", "writer.go", "if !w.last.boundary {\n\t\treturn nil", "if false {\n\t\treturn nil", crash + "|TestWholeTransactions|TestLargeTransactionIsOneCommit"},
		{"tells the target less than it has", "writer.go", "if w.skip.Less(w.last.pos) {", "if true {", crash},
		{"reports what is under way", "writer_commit.go", "w.sent[n-1].behind = &d\n\t\treturn nil", "w.report(d)\n\t\treturn nil", "TestOnlyConfirmed"},
		{"sends ever more", "writer_commit.go", "for len(w.sent) >= ahead {", "for len(w.sent) >= 9 {", "TestOnlyConfirmed"},
		{"does not hear of a failure", "writer_commit.go", "if err != nil {\n\t\treturn err\n\t}\n\ts := w.sent[0]", "s := w.sent[0]", "TestAFailedCommit"},
		{"believes the checkpoint, not the target", "attempt.go", "return saved.Ts, pos, nil\n\t}", "return saved.Ts, saved, nil\n\t}", crash},
		{"delivers rows of a void reading", "chunk.go", "err != nil || !ok || !r.consumer", "err != nil || !ok && false || !r.consumer", crash},
		{"delivers what a chunk has", "../reconcile/slots.go", "return t.decider.Insert(t.slots[pair[0]], xid)", "return 1", crash},
		{"takes an unknown target for a fresh one", "attempt.go", "if _, forgets := sink.(Forgetful); !forgets &&", "if _, forgets := sink.(Forgetful); false && !forgets &&", "TestTargetThatLostItsPosition"},
		{"reads past the target", "reader.go", "|| r.target != 0 && e.Ts > r.target {", "{", "TestTargetTsIsExact"},
		{"the target shape comes after its rows", "unit.go", "if r.delivered[sh.Table] != sh.Version {", "if false {", crash},
	} {
		t.Run(m.name, func(t *testing.T) { mutant.Kill(t, ".", m.file, m.old, m.new, m.run) })
	}
}
