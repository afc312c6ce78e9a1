package debezium

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutantsDie(t *testing.T) {
	for _, m := range []struct{ file, old, new string }{
		{"text.go", "return (x|control|quote|slash)&high == 0", "return (x|control|quote|slash&0)&high == 0"},
		{"text.go", "if wide && !utf8.Valid(s) {", "if false && wide && !utf8.Valid(s) {"},
		{"event.go", "after.State != row.Unchanged && ", ""},
		{"event.go", "moves     = []Event{Delete, Create}", "moves     = []Event{Update}"},
		{"encoder.go", "(kind == row.OldFull || c.key)", "kind == row.OldFull"},
		{"encoder.go", "(kind == row.OldFull || c.key)", "c.key"},
		{"encoder.go", "|| p.schema != s && p.schema.Version != s.Version", ""},
		{"encoder.go", "it.Err() != nil || n != len(p.columns)", "false"},
		{"nested.go", "i%size != 0", "i%size == size"},
		{"value.go", "e.kind == asVarbits && len(out) > 0", "len(out) > 0"},
		{"temporal.go", "within(v.Micros, micros)", "true"},
		{"temporal.go", "within(int64(v.Days), days)", "true"},
		{"types.go", "(scale ^ 1024) - 1024", "scale"},
		{"types.go", "baseTypmod(t.Base, t.BaseName)", "typmod"},
	} {
		mutant.Kill(t, ".", m.file, m.old, m.new, "^Test([^M].*|Modes)$")
	}
}
