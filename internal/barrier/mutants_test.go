package barrier

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

type mutation struct{ name, file, old, new string }

// mutants are named after the invariants of doc.go; the pace has a test of its own.
var mutants = []mutation{
	{"1: time stands still", "database.go", "return max(now, d.prev+1, d.wanted)", "return max(now, d.wanted)"},
	{"1: the chain is cut", "inject.go", "d.prev = e.Curr", ""},
	{"2: no first barrier", "inject.go", "case d.initial:", "case false:"},
	{"2: begins where it was", "recover.go", "d.committed, d.prev, d.due, d.plain, d.wanted = e.Committed, e.Committed,", "d.committed, d.prev, d.due, d.plain, d.wanted = d.committed, e.Committed,"},
	{"3: commits what is not collected", "commit.go", "if len(e.waits) > 0 {", "if false {"},
	{"3: two commits at a time", "commit.go", "if d.commit == nil {\n", "if true {\n"},
	{"3: commits a plain barrier", "commit.go", "if e.Kind != Plain {", "if true {"},
	{"3: forgets epochs", "commit.go", "d.flight = d.flight[len(c.Epochs):]", "d.flight = d.flight[1:]"},
	{"4: runs ahead of the main graph", "inject.go", "Barrier: Barrier{d.id, g.graph, d.attempt, g.cut, d.committed,", "Barrier: Barrier{d.id, g.graph, d.attempt, g.cut, d.prev,"},
	{"4: merges behind", "database.go", "g.flight == nil && g.commit == nil && g.cut == d.committed", "g.commit == nil"},
	{"4: merges while barriers are in flight", "database.go", "if len(d.flight) > 0 || d.commit != nil {", "if false {"},
	{"5: never answers a drop that waits", "recover.go", "m.failed(e.Command, err)", ""},
	{"5: answers when collected", "commit.go", "\t\t\td.commit = c\n", "\t\t\td.commit = c\n\t\t\tfor _, x := range c.Commands {\n\t\t\t\tm.emit(Reply{x.ID, StageCollected, nil})\n\t\t\t}\n"},
	{"5: forgets who waits for a job", "recover.go", "d.creating[i].by = g.by", "_ = i"},
	{"5: forgets a dropped database's commands", "machine.go", "m.abandon(d, errDropped, nil)", ""},
	{"6: a drop is not the last word", "commit.go", "\t\t\td.removeJob(j)\n", "\t\t\t_ = j\n"},
	{"7: injects while recovering", "inject.go", "if d.recovering || len(m.workers) == 0 {", "if len(m.workers) == 0 {"},
	{"7: accepts while recovering", "command.go", "if d.recovering && c.Do != Drop {", "if false {"},
	{"7: others wait for one that recovers", "inject.go", "if d.recovering || len(m.workers) == 0 {\n\t\t\tcontinue", "if d.recovering || len(m.workers) == 0 {\n\t\t\treturn"},
	{"8: believes old attempts", "machine.go", "ok && m.dbs[i].attempt == a {", "ok {"},
	{"8: an attempt is given twice", "recover.go", "m.attempt++", "if m.attempt == 0 {\n\t\tm.attempt++\n\t}"},
	{"8: believes a reply twice", "commit.go", "if !ok {\n\t\tm.odd(e, \"of a worker", "if !ok && len(at.waits) == 0 {\n\t\tm.odd(e, \"of a worker"},
	{"9: no cap", "inject.go", "case len(d.flight) < c.Cap && (", "case ("},
	{"10: created at once", "commit.go", "return // it is created when it merges", ""},
	{"11: a worker's end fails everybody", "machine.go", "!d.recovering && d.waitsFor(e.Worker)", "!d.recovering"},
	{"11: a failed commit fails the first database", "commit.go", "if d.commit == nil || d.commit.Curr != e.Curr {\n\t\tm.odd(e, \"of no commit under way\")\n\t\treturn\n\t}\n\tif e.Err != nil {\n\t\tm.fail(d, e.Err)", "if d.commit == nil || d.commit.Curr != e.Curr {\n\t\tm.odd(e, \"of no commit under way\")\n\t\treturn\n\t}\n\tif e.Err != nil {\n\t\tm.fail(m.dbs[0], e.Err)"},
	{"a creating job waits for the interval", "database.go", "slices.ContainsFunc(d.creating, d.starves)", "false"},
	{"a merge is forgotten", "commit.go", "m.merged(d, g)", "_ = g"},
}

// Every invariant of doc.go has mutants that the simulation must kill.
func TestMutants(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			mutant.Kill(t, ".", m.file, m.old, m.new, "TestSimulation|TestPace")
		})
	}
}

// Every invariant that doc.go numbers is asserted somewhere, and has a mutant.
func TestEveryInvariant(t *testing.T) {
	var asserts []byte
	for _, file := range []string{"check.go", "world_test.go", "acts_test.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		asserts = append(asserts, text...)
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	numbered := regexp.MustCompile(`(?m)^//  (\d+)\. `).FindAllSubmatch(doc, -1)
	if len(numbered) < 11 {
		t.Fatalf("doc.go numbers %d invariants", len(numbered))
	}
	for _, n := range numbered {
		if !regexp.MustCompile(`(broken|fault)\(` + string(n[1]) + `, `).Match(asserts) {
			t.Errorf("invariant %s is not asserted", n[1])
		}
		if !slices.ContainsFunc(mutants, func(m mutation) bool { return strings.HasPrefix(m.name, string(n[1])+": ") }) {
			t.Errorf("invariant %s has no mutant", n[1])
		}
	}
}
