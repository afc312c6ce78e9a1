package state

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/weirstream/weir/internal/weirerr"
)

// TestBeginAnew: a graph that begins has nothing in its tables and goes on from the epoch
// given, while others keep what they have; before its first Apply a restart finds it nowhere.
func TestBeginAnew(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{10, 400} { // one record, sorted files
		fs := vfs.NewMem()
		s := open(t, fs)
		own := Graph{Database: 1, Part: 7}
		rnd := rand.New(rand.NewPCG(1, uint64(n)))
		deltas, _ := change(rnd, model{}, n)
		ok(t, s.Begin(own, 50, nil))
		first, err := s.Seal(ctx, own, 50, 60, deltas)
		ok(t, err)
		ok(t, s.Apply(ctx, first))
		more, _ := change(rnd, model{}, n)
		_, err = s.Seal(ctx, own, 60, 70, more) // sealed, not committed
		ok(t, err)
		keep, err := s.Snapshot()
		ok(t, err)
		had := shownBy(t, keep)
		ok(t, s.Begin(own, 80, []uint32{1, 2}))
		same(t, "begun anew", shown(t, s), model{})
		same(t, "a snapshot of before", shownBy(t, keep), had)
		ok(t, keep.Release())
		if err := s.Recover(ctx, own, 80); weirerr.CodeOf(err) != weirerr.StoreBehind {
			t.Errorf("it is there, though it has only begun: %v", err)
		}
		ok(t, s.Close())
		s = open(t, fs)
		if err := s.Recover(ctx, own, 80); weirerr.CodeOf(err) != weirerr.StoreBehind {
			t.Errorf("after a restart it is there: %v", err)
		}
		ok(t, s.Begin(own, 80, []uint32{1, 2}))
		deltas, want := change(rnd, model{}, n)
		next, err := s.Seal(ctx, own, 80, 90, deltas)
		ok(t, err)
		ok(t, s.Apply(ctx, next))
		same(t, "after its first epoch", shown(t, s), want)
		ok(t, s.Recover(ctx, own, 90))
		ok(t, s.Close())
	}
}
