package state

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"github.com/weirstream/weir/internal/ts"
)

// shardDeltas are an epoch's changes of two tables by two shards: n entries, of which each
// shard has the buckets of its parity.
func shardDeltas(n int) (all []*Delta) {
	for table := uint32(1); table <= 2; table++ {
		for shard := range 2 {
			d := NewDelta(table)
			per := n / 4 / 128
			for b := shard; b < 256; b += 2 {
				for i := range per {
					key := binary.BigEndian.AppendUint64([]byte{byte(b), 0x17}, uint64(i/8)*7919)
					key = binary.BigEndian.AppendUint64(key, uint64(i))
					d.Add(key, []byte("value, 12 by"))
				}
			}
			all = append(all, d)
		}
	}
	return all
}

// BenchmarkEpoch seals and applies epochs of so many entries.
func BenchmarkEpoch(b *testing.B) {
	for _, n := range []int{4 << 10, 64 << 10, 512 << 10} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, err := Open(b.TempDir(), Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close() //nolint:errcheck // of a benchmark
			deltas := shardDeltas(n)
			g, at := Graph{Database: 1}, ts.Ts(0)
			b.ResetTimer()
			for b.Loop() {
				sealed, err := s.Seal(context.Background(), g, at, at+1, deltas)
				if err == nil {
					err = s.Apply(context.Background(), sealed)
				}
				if err != nil {
					b.Fatal(err)
				}
				at++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*b.N), "ns/entry")
		})
	}
}

// BenchmarkSnapshotAfterManyEpochs takes snapshots of ten graphs while Pebble holds
// in memory what their epochs left. It costs microseconds, however many there were.
func BenchmarkSnapshotAfterManyEpochs(b *testing.B) {
	for _, epochs := range []uint64{10, 10_000} {
		b.Run(fmt.Sprint(epochs), func(b *testing.B) {
			s, err := Open(b.TempDir(), Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close() //nolint:errcheck // of a benchmark
			for at := range epochs {
				for database := range uint32(10) {
					g := Graph{Database: database}
					if err := s.db.Set(appliedKey(g), binary.BigEndian.AppendUint64(nil, at+1), pebble.NoSync); err != nil {
						b.Fatal(err)
					}
					s.move(g, func(c *chain) { c.applied = ts.Ts(at + 1) })
				}
			}
			for b.Loop() {
				n, err := s.Snapshot()
				if err != nil || len(n.Graphs()) != 10 || n.Applied(Graph{Database: 3}) != ts.Ts(epochs) {
					b.Fatal(n, err)
				}
				if err := n.Release(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
