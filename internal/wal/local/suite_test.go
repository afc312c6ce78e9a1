package local

import (
	"testing"

	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/wal/waltest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	waltest.Run(t, func(t *testing.T) waltest.Opener {
		dir := t.TempDir()
		return func(o wal.Options) wal.Log {
			l, err := Open(dir, Options{Options: o})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			return l
		}
	})
}
