package control_test

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutants(t *testing.T) {
	for name, m := range map[string]struct{ file, old, new string }{
		"two sources share an upstream":    {"catalog.go", `case s.Upstream.System != "" && o.Upstream.Same(s.Upstream):`, `case false:`},
		"a used source is dropped":         {"catalog.go", `if len(users) > 0 && !cascade {`, `if false {`},
		"a drop leaves no intent":          {"catalog.go", "drop with --cascade\")\n\t\t}\n\t\ts.Intent = intent", "drop with --cascade\")\n\t\t}"},
		"an incarnation is used again":     {"catalog.go", "cf.Incarnation = last + 1", "cf.Incarnation = 1"},
		"errors show secrets":              {"control.go", `out := weirerr.New(e.Code, "%s", c.redactor.Redact(e.Message))`, `out := weirerr.New(e.Code, "%s", e.Message)`},
		"a wait forgets the snapshot":      {"wait.go", "return c.waitConsistent(ctx, cf)", "return nil"},
		"commands on one name run at once": {"locks.go", "k.token <- struct{}{}\n\t\tl.held", "k.token = make(chan struct{}, 9)\n\t\tfor range 9 {\n\t\t\tk.token <- struct{}{}\n\t\t}\n\t\tl.held"},
	} {
		t.Run(name, func(t *testing.T) { mutant.Kill(t, ".", m.file, m.old, m.new, "^Test[^M]") })
	}
}
