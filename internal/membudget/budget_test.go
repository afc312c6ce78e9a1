package membudget

import "testing"

func TestStateIsWhatIsConfiguredOrAQuarter(t *testing.T) {
	if n := State(123); n != 123 {
		t.Errorf("%d", n)
	}
	if n := State(0); n < least || n*4 > available() && n != least {
		t.Errorf("%d of %d", n, available())
	}
	for state, want := range map[int64]int64{mib: blocks, 1024 * mib: 512 * mib, 1 << 40: most} {
		if n := Blocks(state); n != want {
			t.Errorf("blocks beside %d: %d, want %d", state, n, want)
		}
	}
}

// Garbage is bounded by twice the rest and a quarter of the state, within the tenth that is not worth a change.
func TestPaceBoundsGarbage(t *testing.T) {
	var now, calls int
	p := &Pace{set: func(percent int) { now, calls = percent, calls+1 }}
	for state := int64(0); state < 8<<30; state += mib {
		p.Held(state)
		garbage := (rest + state) * int64(now) / 100
		bound := 2*rest + state/4
		if garbage > bound*6/5 || garbage < bound*4/5 {
			t.Fatalf("%d MiB of state: %d MiB of garbage at %d percent", state/mib, garbage/mib, now)
		}
	}
	if calls > 40 {
		t.Errorf("set %d times", calls)
	}
	if p.Held(0); now != 200 {
		t.Errorf("%d percent without state", now)
	}
}
