package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/adapter/nexmark"
)

// A result is the same whatever takes it, in how many shards, and with how many barriers.
func TestSameResultInEverySink(t *testing.T) {
	t.Parallel()
	for _, n := range nexmark.Queries() {
		t.Run(fmt.Sprint("q", n), func(t *testing.T) {
			t.Parallel()
			base := Options{Query: fmt.Sprint("q", n), Events: 20_000, Rate: 1000, Interval: 20 * time.Millisecond, Memory: 64 << 20, Shards: 2, Dir: t.TempDir()}
			view, one, quick, small := base, base, base, base
			view.View = true
			one.Shards = 1
			quick.View, quick.NoCheckpoint = true, true
			small.View, small.Memory = true, 1
			want := run(t, base)
			if want.Rows == 0 || want.Hash == 0 {
				t.Fatalf("%d rows, hash %x", want.Rows, want.Hash)
			}
			if want.Barriers == 0 || want.P99 < want.P50 || want.LoopCount == 0 || want.Elapsed <= 0 || want.CPU <= 0 || want.PeakRSS <= 0 {
				t.Errorf("measured %+v", want)
			}
			for what, o := range map[string]Options{"in a view": view, "in one shard": one, "without checkpoints": quick, "without memory": small} {
				if got := run(t, o); got.Rows != want.Rows || got.Hash != want.Hash {
					t.Errorf("%s: %d rows, hash %x; want %d, %x", what, got.Rows, got.Hash, want.Rows, want.Hash)
				}
			}
		})
	}
}

func run(t *testing.T, o Options) Result {
	t.Helper()
	r, err := Nexmark(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestUnknownQuery(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "q6", "4x", "q-1"} {
		if _, err := Nexmark(t.Context(), Options{Query: name, Events: 1}); err == nil {
			t.Errorf("%q is run", name)
		}
	}
}
