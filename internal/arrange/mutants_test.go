package arrange_test

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutants(t *testing.T) {
	for name, m := range map[string]struct{ file, old, new string }{
		"a gap in the index":            {"batch.go", "if home := uint32(w>>32) & x.mask; (at-home)&x.mask >= (at-gap)&x.mask {", "if home := uint32(w>>32) & x.mask; home == at {"},
		"a bucket out of order":         {"dirty.go", "slices.SortFunc(t.sorting[from:to], t.compare)", ""},
		"equal tags out of order":       {"dirty.go", "return bytes.Compare(t.Key(a.slot), t.Key(b.slot))", "return 0"},
		"entries out of order":          {"dirty.go", "if c := bytes.Compare(t.Suffix(a), t.Suffix(b)); c != 0 {", "if c := 0; c != 0 {"},
		"a deletion hides what is back": {"dirty.go", "return cmp.Compare(t.entries.at(a).flags&deleted, t.entries.at(b).flags&deleted)", "return cmp.Compare(t.entries.at(b).flags&deleted, t.entries.at(a).flags&deleted)"},
		"never stored, yet deleted":     {"dirty.go", "if e.flags&(deleted|inStore) != deleted {", "if true {"},
		"head never stored":             {"dirty.go", "case g.flags&headIn != 0:\n\t\t\t\tfn(t.key, nil)", "default:\n\t\t\t\tfn(t.key, nil)"},
		"deleted head is kept":          {"dirty.go", "g.flags &^= headIn | headNew\n", "g.flags &^= headNew\n"},
		"a small page is dropped":       {"arena.go", "if a.size(page) > pageUnits {", "if a.size(page) != pageUnits {"},
		"dirty groups are evicted":      {"residency.go", "g.flags&(wanted|dirty|marked) == 0", "g.flags&(wanted|marked) == 0"},
		"evicted and forgotten":         {"residency.go", "t.evicted.add(Hash(t.Key(slot)))", "_ = g"},
		"the batch at hand is evicted":  {"residency.go", "&& g.used != t.tick\n", "\n"},
		"an evicted group is forgotten": {"evicted.go", "room = 2 * e.filters[last].room", "e.filters, last, room = nil, -1, 2*e.filters[last].room"},
		"wants are lost":                {"residency.go", "if t.filled++; t.filled == len(t.wants) {", "if t.filled++; true {"},
		"split in the wrong place":      {"run.go", "if at > int(keep) || keep == long {", "if at >= int(keep)+1 && keep != long {"},
		"first of a leaf":               {"run.go", "if at == 0 {\n\t\tl.first = prefix(suffix)\n\t}", ""},
		"merge loses":                   {"run.go", "l.n += r.n\n", "l.n += r.n - r.n/8\n"},
		"vacated too early":             {"arena.go", "moved(owner, to)\n", "if units < 6 {\n\t\t\tmoved(owner, to)\n\t\t}\n"},
		"free blocks twice":             {"arena.go", "a.unlink(place, list)\n\t} else {", "_ = list\n\t} else {"},
		"entries of another group":      {"compact.go", "e.group = slot\n", ""},
		"blocks of another group":       {"compact.go", "t.setOwner(g.place, slot)\n", ""},
		"moved while held":              {"compact.go", "if len(t.dirty) > 0 || len(t.marks) > 0 || t.filled < len(t.wants) || len(t.buckets) > 0 || len(t.loaded) > 0 {", "if false {"},
		"the index points back":         {"compact.go", "t.index.insert(w>>32, slots[uint32(w)-1])", "t.index.insert(w>>32, uint32(w)-1)"},
		"pages are not counted":         {"arena.go", "a.reserved += int64(len(page))\n", "a.reserved += int64(len(page)) / 2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mutant.Kill(t, ".", m.file, m.old, m.new, "TestTable|TestBudget|TestHoles|TestPages")
		})
	}
}
