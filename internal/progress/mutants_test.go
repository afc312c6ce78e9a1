package progress_test

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutants(t *testing.T) {
	for name, m := range map[string]struct{ file, old, new string }{
		"goes back":                      {"heap.go", "if t < n.ts {", "if false {"},
		"stands still as an error":       {"heap.go", "if t <= n.ts {\n\t\tif t < n.ts {", "if t <= n.ts {\n\t\tif t <= n.ts {"},
		"since of an equal update":       {"heap.go", "if t <= n.ts {\n", "h.meta[i].since = since\n\tif t <= n.ts {\n"},
		"added twice":                    {"heap.go", "if _, ok := h.index[key]; ok {\n\t\treturn Handle{}, false, errExists", "if false {\n\t\treturn Handle{}, false, errExists"},
		"stale handles":                  {"heap.go", "&& h.meta[handle.slot].gen == handle.gen", "&& h.meta[handle.slot].place != 0"},
		"generation begins again":        {"heap.go", "h.gen = gen\n", "_ = gen\n"},
		"update does not sift":           {"heap.go", "m.since = since\n\th.down(place)", "m.since = since"},
		"drop does not sift down":        {"heap.go", "h.down(place)\n\t\th.up(place)", "h.up(place)"},
		"drop does not sift up":          {"heap.go", "h.down(place)\n\t\th.up(place)", "h.down(place)"},
		"last child overlooked":          {"sift.go", "c := 1; c < len(children); c++", "c := 1; c < len(children)-1; c++"},
		"moves are not told":             {"heap.go", "return h.order[root].ts != before, nil", "return h.order[root].ts < before, nil"},
		"the first holder is no move":    {"heap.go", "return Handle{i, h.gen}, !any || t < before, nil", "return Handle{i, h.gen}, any && t < before, nil"},
		"the last drop is no move":       {"heap.go", "return !any || after != before", "return any && after != before"},
		"lowest forgets grandchildren":   {"sift.go", "for c := first; c < min(first+arity, len(h.order)); c++ {", "for c := first; c < min(first+arity, 16); c++ {"},
		"up stops at an equal and above": {"sift.go", "if h.order[p].ts <= n.ts {", "if h.order[p].ts <= n.ts+1 {"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mutant.Kill(t, ".", m.file, m.old, m.new, "TestThousand|TestStale|TestAgainst")
		})
	}
}
