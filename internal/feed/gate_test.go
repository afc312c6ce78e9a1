package feed

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
)

// script is a wal.Reader of prepared batches.
type script []wal.Batch

func (s *script) Next(ctx context.Context) (wal.Batch, error) {
	if len(*s) == 0 {
		<-ctx.Done()
		return wal.Batch{}, ctx.Err()
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return b, nil
}

func (s *script) Close() error { return nil }

func batchOf(resolved ts.Ts, at ...ts.Ts) wal.Batch {
	b := wal.Batch{Resolved: resolved}
	for _, t := range at {
		b.Entries = append(b.Entries, wal.Entry{Ts: t})
	}
	return b
}

// TestGate: what passes is always a prefix that ends at or below the hold.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		g.holdAt(5)
		in := script{batchOf(2, 1, 2), batchOf(9, 4, 5, 6, 8), batchOf(12, 10, 11), batchOf(15)}
		r := &gated{Reader: &in, gate: g}
		got := make(chan wal.Batch)
		go func() {
			for {
				b, err := r.Next(t.Context())
				if err != nil {
					close(got)
					return
				}
				got <- b
			}
		}()
		expect := func(entries int, resolved ts.Ts) {
			t.Helper()
			if b := <-got; len(b.Entries) != entries || b.Resolved != resolved {
				t.Fatalf("%d entries, resolved %d; want %d and %d", len(b.Entries), b.Resolved, entries, resolved)
			}
		}
		idle := func() {
			t.Helper()
			synctest.Wait()
			select {
			case b := <-got:
				t.Fatalf("%v passed a closed gate", b)
			default:
			}
		}
		expect(2, 2)
		expect(2, 5)
		idle()
		if at := g.hold(); at != 5 {
			t.Fatalf("held at %d, want 5", at)
		}
		g.holdAt(7)
		expect(1, 7)
		idle()
		g.open()
		expect(1, 9)
		expect(2, 12)
		expect(0, 15)
	})
}
