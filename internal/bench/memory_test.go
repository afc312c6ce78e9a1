package bench

import (
	"os"
	"testing"
	"time"
)

// State that is many times as large as the budget gives the same result: what is not in memory
// is read from the store again. WEIR_SOAK=1 takes more events, of more queries.
func TestStateLargerThanMemory(t *testing.T) {
	t.Parallel()
	queries, events, memory := []string{"q4", "q9", "q20"}, int64(100_000), int64(1<<20)
	if os.Getenv("WEIR_SOAK") != "" {
		queries, events, memory = []string{"q4", "q7", "q9", "q16", "q18", "q19", "q20"}, 2_000_000, 16<<20
	}
	for _, q := range queries {
		t.Run(q, func(t *testing.T) {
			t.Parallel()
			large := Options{Query: q, Events: events, Rate: 10_000, Interval: 50 * time.Millisecond, Memory: 1 << 30, Shards: 2, Dir: t.TempDir()}
			small := large
			small.Memory = memory
			want, got := run(t, large), run(t, small)
			if got.Rows != want.Rows || got.Hash != want.Hash {
				t.Errorf("with little memory %d rows, hash %x; want %d, %x", got.Rows, got.Hash, want.Rows, want.Hash)
			}
			if want.State < 2*memory {
				t.Errorf("%d bytes of state are not much more than %d", want.State, memory)
			}
		})
	}
}
