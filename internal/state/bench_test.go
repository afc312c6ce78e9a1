package state

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

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
