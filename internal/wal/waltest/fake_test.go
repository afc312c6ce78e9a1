package waltest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
	"github.com/weirstream/weir/internal/weirerr"
)

func TestFakeConforms(t *testing.T) {
	for _, size := range []int{0, 3000} {
		t.Run(fmt.Sprintf("frames of %d bytes", size), func(t *testing.T) {
			t.Parallel()
			Run(t, func(*testing.T) Opener { return NewStore(Faults{FrameBytes: size}).Open })
		})
	}
}

// TestFencingHidesFaults runs terms with unknown outcomes and late writes: what is
// acknowledged is there once, in order; what is not known is there for good or not at all.
func TestFencingHidesFaults(t *testing.T) {
	for seed := range int64(100) {
		if err := faultyRun(Faults{Unknown: 0.1, FrameBytes: 16, Seed: seed}); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// TestWithoutFencing proves that the run above can fail.
func TestWithoutFencing(t *testing.T) {
	for seed := range int64(100) {
		if faultyRun(Faults{Unknown: 0.1, FrameBytes: 16, Seed: seed, Unfenced: true}) != nil {
			return
		}
	}
	t.Error("readers that believe old terms are not noticed")
}

func faultyRun(f Faults) error {
	ctx := context.Background()
	rnd := rand.New(rand.NewSource(f.Seed))
	s := NewStore(f)
	l := s.Open(wal.Options{})
	c, err := l.Channel("ch")
	if err != nil {
		return err
	}
	var acked, seen []wal.Entry
	for term := 0; term < 8; term++ {
		w, err := c.Lead(ctx)
		if err != nil {
			return err
		}
		s.Land() // an old term's writes land in the new one
		for n := range 1 + rnd.Intn(15) {
			e := wal.Entry{Kind: wal.KindTxn, Position: fmt.Appendf(nil, "%d-%d", term, n), Changes: bytes.Repeat([]byte{byte(n)}, rnd.Intn(60))}
			_, err := w.Append(&e)
			if weirerr.CodeOf(err) == weirerr.LogUnknown {
				break
			}
			if err != nil {
				return err
			}
			if err := w.WaitDurable(ctx, e.Ts); err != nil {
				return err
			}
			acked = append(acked, e)
			if rnd.Intn(4) == 0 {
				s.Land()
			}
		}
		now, err := readNow(c)
		if err == nil {
			err = holds(now, seen, acked)
		}
		if err != nil {
			return fmt.Errorf("term %d: %w", term, err)
		}
		// An unknown one may still become visible until the next term opens; what is below
		// the last acknowledged entry is settled.
		for len(now) > 0 && len(acked) > 0 && now[len(now)-1].Ts > acked[len(acked)-1].Ts {
			now = now[:len(now)-1]
		}
		seen = now
	}
	return nil
}

// readNow reads all that is visible.
func readNow(c wal.Channel) ([]wal.Entry, error) {
	r, err := c.Read(0)
	if err != nil {
		return nil, err
	}
	b, _, err := r.(*fakeReader).look()
	if err != nil {
		return nil, err
	}
	var out []wal.Entry
	for i := range b.Entries {
		out = append(out, copyOf(&b.Entries[i]))
	}
	return out, nil
}

// holds checks the order of now, that it begins with seen, and that it has all of acked.
func holds(now, seen, acked []wal.Entry) error {
	last := ts.Ts(0)
	for i := range now {
		if now[i].Ts <= last {
			return fmt.Errorf("entry %d at %s comes after %s", i, now[i].Ts, last)
		}
		last = now[i].Ts
	}
	for i := range seen {
		if i >= len(now) || !equal(&now[i], &seen[i]) {
			return fmt.Errorf("entry %d was seen, and is now another or gone", i)
		}
	}
	n := 0
	for i := range acked {
		for n < len(now) && now[n].Ts < acked[i].Ts {
			n++
		}
		if n == len(now) || !equal(&now[n], &acked[i]) {
			return fmt.Errorf("entry %d was acknowledged, and is not there", i)
		}
	}
	return nil
}
