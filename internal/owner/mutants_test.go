package owner

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

// Every invariant of doc.go has mutants that the suite must kill.
func TestMutants(t *testing.T) {
	for _, m := range []struct{ name, file, old, new string }{
		{"1: checkpoint goes back", "progress.go", "ok && low > m.st.Checkpoint {", "ok {"},
		{"1: resolved goes back", "machine.go", "m.st.Resolved = max(m.st.Resolved, e.Resolved)", "m.st.Resolved = e.Resolved"},
		{"1: a silent lane does not count", "progress.go", "!ok || h.Len() < n", "!ok"},
		{"2: the checkpoint is saved where no restart is possible", "save.go", "st.Checkpoint = m.savable", "st.Checkpoint = m.st.Checkpoint"},
		{"2: the pin moves before the save", "save.go", "m.next(), d.Checkpoint, false", "m.next(), m.savable, false"},
		{"2: a claim before the save", "jobs.go", "if !held && !m.save.clean() {", "if false {"},
		{"2: a failed move is forgotten", "save.go", "p.most = max(p.most, p.to)", ""},
		{"3: delivers above the target", "progress.go", "t = min(t, m.st.Target)", ""},
		{"3: finished too early", "machine.go", "m.savable != m.st.Target", "m.st.Checkpoint != m.st.Target"},
		{"4: starts before the term is saved", "machine.go", "if !m.save.clean() {\n\t\treturn\n\t}\n\tm.run", "m.run"},
		{"4: starts under an old term", "machine.go", "m.st.Term++", ""},
		{"4: a resync while the attempt runs", "jobs.go", "m.run != idle || m.pin.op", "m.pin.op"},
		{"5: believes old attempts", "machine.go", "m.run != idle && attempt == m.began", "m.run != idle"},
		{"5: believes old answers", "save.go", "s.inflight == nil || e.Seq != s.seq", "s.inflight == nil"},
		{"6: releases while it runs", "save.go", "m.run == idle && m.save.clean() && m.save.durable.Released()", "m.save.durable.Released()"},
		{"6: releases what is not saved", "save.go", "m.save.clean() && m.save.durable.Released() && m.st.Released()", "m.st.Released()"},
		{"6: never releases", "save.go", "case m.releases():", "case false:"},
		{"6: a refused claim is kept", "jobs.go", "m.pin = pin{held: true, at: e.Ts, most: e.Ts}", "m.pin.held = j.held"},
		{"7: answers before the save", "jobs.go", "m.save.stored >= j.saves && ", ""},
		{"7: forgets queued jobs at the end", "jobs.go", "m.emit(Reply{j.ID, gone})", ""},
		{"retries without a pause", "retry.go", "r.on && m.now < r.at", "false"},
		{"retries for ever", "retry.go", "r.on && m.stuck(max(r.began, r.advanced))", "false"},
		{"blames a silent upstream", "retry.go", "r.advanced = m.now\n\t}\n\tif", "}\n\tif"},
		{"retries what cannot help", "retry.go", "if f.Flags().FailFast {", "if false {"},
	} {
		t.Run(m.name, func(t *testing.T) {
			mutant.Kill(t, ".", m.file, m.old, m.new, "TestSimulation|TestScripts")
		})
	}
}
