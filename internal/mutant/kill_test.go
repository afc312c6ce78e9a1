package mutant_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

// recorder is a testing.TB that notes failures instead of failing.
type recorder struct {
	testing.TB
	failed, fatal bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Fatalf(string, ...any) { r.fatal = true; runtime.Goexit() }

func kill(t *testing.T, file, old, new, run string) *recorder {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		mutant.Kill(r, "./testdata/sum", file, old, new, run)
	}()
	<-done
	return r
}

func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go test")
	}
	const file = "testdata/sum/sum.go"
	for _, c := range []struct {
		name, old, new, run string
		failed, fatal       bool
	}{
		{name: "killed", old: "a + b", new: "a - b", run: "TestSum"},
		{name: "survivor", old: "a + b", new: "b + a", run: "TestSum", failed: true},
		{name: "does not compile", old: "a + b", new: "a +", run: "TestSum", fatal: true},
		{name: "no such text", old: "a * b", new: "a", run: "TestSum", fatal: true},
		{name: "text twice", old: "int", new: "uint", run: "TestSum", fatal: true},
		{name: "no such test", old: "a + b", new: "a - b", run: "TestNothing", fatal: true},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			if r := kill(t, file, c.old, c.new, c.run); r.failed != c.failed || r.fatal != c.fatal {
				t.Errorf("failed %v fatal %v, want %v %v", r.failed, r.fatal, c.failed, c.fatal)
			}
		})
	}
}
