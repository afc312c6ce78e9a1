package ts_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/weirstream/weir/internal/ts"
)

// Whatever the wall clock does, over restarts too, every Ts is above all before it, and at
// most what was reserved when it was issued.
func TestClockOnlyGoesForward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wall := rapid.Int64Range(0, 1<<40).Draw(t, "wall")
		ceiling := ts.New(wall+rapid.Int64Range(0, 50).Draw(t, "reserve"), 0)
		clock, last := ts.NewClock(0, ceiling), ts.Ts(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"next", "next", "next", "wall", "reserve", "forward", "restart"}).Draw(t, "step") {
			case "next":
				got, err := clock.Next(wall)
				if errors.Is(err, ts.ErrCeiling) {
					if want := max(ts.New(wall, 0), last+1); want <= ceiling {
						t.Fatalf("%s is refused below the ceiling %s", want, ceiling)
					}
					continue
				}
				if err != nil || got <= last || got > ceiling || got < ts.New(wall, 0) {
					t.Fatalf("at wall %d after %s, ceiling %s: %s, %v", wall, last, ceiling, got, err)
				}
				last = got
			case "wall": // it may be set back
				wall = max(0, wall+rapid.Int64Range(-1000, 1000).Draw(t, "by"))
			case "reserve":
				ceiling = max(ceiling, ts.New(wall+rapid.Int64Range(0, 50).Draw(t, "reserve"), 0))
				clock.Reserve(ceiling)
				clock.Reserve(ceiling - 1) // never lowers
			case "forward":
				to := last - min(last, 2) + ts.Ts(rapid.Uint64Range(0, 5).Draw(t, "to"))
				if err := clock.Forward(to); (err != nil) != (to > ceiling) {
					t.Fatalf("forward to %s, ceiling %s: %v", to, ceiling, err)
				} else if err == nil {
					last = max(last, to)
				}
			case "restart": // knows only what was reserved durably
				ceiling, last = ceiling+ts.New(3, 0), ceiling
				clock = ts.NewClock(last, ceiling)
			}
			if clock.Last() != last || clock.Ceiling() != ceiling {
				t.Fatalf("last %s of %s, ceiling %s of %s", clock.Last(), last, clock.Ceiling(), ceiling)
			}
		}
	})
}

// A millisecond may hold more transactions than its counter: the clock runs ahead of the wall.
func TestFullMillisecondRunsIntoTheNext(t *testing.T) {
	clock := ts.NewClock(ts.New(7, ts.MaxLogical-1), ts.Max)
	for _, want := range []ts.Ts{ts.New(7, ts.MaxLogical), ts.New(8, 0), ts.New(8, 1)} {
		if got, err := clock.Next(7); err != nil || got != want {
			t.Fatalf("%s, %v; want %s", got, err, want)
		}
	}
}
