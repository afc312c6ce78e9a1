package capture

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/weirstream/weir/internal/backfill"
	"github.com/weirstream/weir/internal/mutant"
)

// TestPassedRemembersForOverlappingReadings lets readings overlap at random: a
// snapshot passes its check exactly when it sees all that is in the channel.
func TestPassedRemembersForOverlappingReadings(t *testing.T) {
	type reading struct {
		id       uint64
		snapshot backfill.Visibility
		taken    bool
	}
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var p passed
		var open []*reading
		xid, streamed := uint64(100), uint64(100)
		for step := range 300 {
			switch n := rng.IntN(10); {
			case n < 3: // a commit; ids are given in commit order here
				xid++
			case n < 6 && streamed < xid:
				streamed++
				p.add(streamed)
			case n < 7 && len(open) < 4:
				open = append(open, &reading{id: p.begin()})
			case n < 9 && len(open) > 0:
				if r := open[rng.IntN(len(open))]; !r.taken {
					r.snapshot, r.taken = backfill.Visibility{Xmin: xid + 1, Xmax: xid + 1}, true
				}
			case len(open) > 0:
				i := rng.IntN(len(open))
				r := open[i]
				if !r.taken {
					continue
				}
				want := streamed < r.snapshot.Xmax
				if got := p.check(r.snapshot); got != want {
					t.Fatalf("seed %d step %d: a snapshot below %d passes %v with %d in the channel", seed, step, r.snapshot.Xmax, got, streamed)
				}
				p.end(r.id)
				open = append(open[:i], open[i+1:]...)
			}
		}
		for _, r := range open {
			p.end(r.id)
		}
		p.check(backfill.Visibility{Xmin: xid + 1, Xmax: xid + 1})
		if len(p.txns) != 0 {
			t.Fatalf("seed %d: %d transactions are remembered although everybody sees them", seed, len(p.txns))
		}
	}
}

func TestPassedMutants(t *testing.T) {
	for i, m := range []struct{ old, new string }{
		{"oldest = min(oldest, began)", "_ = began"},
		{"t.seen = p.checks\n", "t.seen = 1\n"},
		{"all = false", "all = true"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			mutant.Kill(t, ".", "passed.go", m.old, m.new, "TestPassedRemembers")
		})
	}
}
