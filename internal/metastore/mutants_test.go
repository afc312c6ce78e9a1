package metastore

import (
	"testing"

	"github.com/weirstream/weir/internal/mutant"
)

func TestMutants(t *testing.T) {
	for name, m := range map[string]struct{ file, old, new string }{
		"not synced":             {"tx.go", "batch.Commit(pebble.Sync)", "batch.Commit(pebble.NoSync)"},
		"version apart":          {"tx.go", "if err := batch.Set(versionKey,", "if err := s.db.Set(versionKey,"},
		"updates not serial":     {"tx.go", "	s.write.Lock()\n	defer s.write.Unlock()\n", ""},
		"witness ignored":        {"store.go", "have < highest {", "have+1 < highest && have > 0 {"},
		"newer format opened":    {"store.go", "case format > Format:", "case format > Format+1:"},
		"written though refused": {"tx.go", "err := fn(&Tx{batch}); err != nil {", "err := fn(&Tx{batch}); err != nil {\n\t\t_ = batch.Commit(nil)"},
		"full disk written":      {"tx.go", "usage.AvailBytes >= reserve", "usage.AvailBytes >= 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mutant.Kill(t, ".", m.file, m.old, m.new, "TestUpdate|TestConcurrent|TestCrash|TestReopen|TestFormat|TestDisk")
		})
	}
}
