package file

import (
	"context"
	"testing"

	"github.com/weirstream/weir/internal/feed"
	"github.com/weirstream/weir/internal/ts"
)

// BenchmarkSink writes batches of 1000 rows, each committed: two syncs a commit.
func BenchmarkSink(b *testing.B) {
	cfg, err := Parse("file://" + b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	clock := &clock{}
	s := New(cfg, clock.now, quiet())
	ctx := context.Background()
	if _, _, err := s.Open(ctx, lane(1)); err != nil {
		b.Fatal(err)
	}
	defer s.Close(ctx)
	batch := make([]feed.Item, 1000)
	for i := range batch {
		batch[i] = item(i, 1)
	}
	b.ReportAllocs()
	at := ts.Ts(0)
	for b.Loop() {
		at++
		if err := s.Write(ctx, batch); err != nil {
			b.Fatal(err)
		}
		if err := s.Commit(ctx, feed.Position{Ts: at}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(batch))/b.Elapsed().Seconds(), "rows/s")
	b.SetBytes(int64(s.ledger.m.last.Bytes) / int64(max(1, at)))
}
