package state

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutants(t *testing.T) {
	for name, m := range map[string]struct{ file, old, new string }{
		"record not synced":       {"seal.go", "return name.Error(s.db.Set(stagedKey(sealed.Graph, sealed.Epoch), value, pebble.Sync))\n}\n\nfunc (s *Store) sealFiles", "return name.Error(s.db.Set(stagedKey(sealed.Graph, sealed.Epoch), value, pebble.NoSync))\n}\n\nfunc (s *Store) sealFiles"},
		"epoch apart from data":   {"apply.go", "if err := b.Set(appliedKey(g), binary.BigEndian.AppendUint64(nil, uint64(st.epoch)), nil); err != nil {", "if err := s.db.Set(appliedKey(g), binary.BigEndian.AppendUint64(nil, uint64(st.epoch)), pebble.Sync); err != nil {"},
		"applied out of order":    {"apply.go", "if c.applied != sealed.Prev {", "if false {"},
		"uncommitted kept":        {"apply.go", "if st.epoch > after {", "if st.epoch > after+1000 {"},
		"behind unseen":           {"apply.go", "if next == nil {", "if next == nil && c.applied > 10 {"},
		"beyond unseen":           {"apply.go", "if c.applied > committed {", "if false {"},
		"names of files not kept": {"files.go", "errors.Join(errs...)); err == nil {\n\t\terr = s.syncStage()", "errors.Join(errs...)); err == nil {\n\t\t_ = s.syncStage"},
		"parts overlap":           {"files.go", "min(max(cuts[i+1]-base, 0), 256)", "min(max(cuts[i+1]-base+1, 0), 256)"},
		"group runs over":         {"reader.go", "bytes.HasPrefix(it.Key(), r.prefix)", "bytes.HasPrefix(it.Key(), r.prefix[:8])"},
		"filters know too much":   {"comparer.go", "return filteredLen\n", "return min(len(key), filteredLen+8)\n"},
		"a reader is not renewed": {"reader.go", "r.iterators = nil\n\treturn", "return"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mutant.Kill(t, ".", m.file, m.old, m.new, "TestSeal|TestCrash|TestStore|TestGroups|TestReader")
		})
	}
}
