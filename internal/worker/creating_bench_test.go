package worker

import (
	"testing"
	"time"

	"github.com/weirstream/weir/internal/barrier"
	"github.com/weirstream/weir/internal/dataflow"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/wal"
)

// BenchmarkCreate creates a view of 500 groups over a table of 500,000 rows.
func BenchmarkCreate(b *testing.B) {
	const rows = 500_000
	for range b.N {
		b.StopTimer()
		c := &creator{stand: newStand(b, Options{Shards: 2}), cuts: map[ts.Ts]ts.Ts{}, makes: map[dataflow.JobID]*making{}}
		base := c.rowsTable(baseID)
		sum := sums(sumID, base.Job)
		c.start(base)
		w, err := c.writer.Large()
		c.ok(err)
		for from := 0; from < rows; from += 10_000 {
			var buf []byte
			for i := range 10_000 {
				buf = appendChange(buf, change{key: int64((from + i) % 500), value: int64(from + i), weight: 1})
			}
			c.ok(w.Part(0, buf))
		}
		ref, err := w.Seal(nil)
		c.ok(err)
		last := c.entry(&wal.Entry{Kind: wal.KindTxn, Large: ref}, nil)
		for c.committed < last {
			c.barrier(barrier.Checkpoint, nil)
			c.take(true)
		}
		b.StartTimer()
		began := time.Now()
		c.create(blueprint{sum, []Read{{Job: base.Job}}})
		epochs := 0
		for ; !c.makes[sumID].walked; epochs++ {
			c.barrier(barrier.Checkpoint, nil)
			c.take(true)
			c.step()
			c.quiet()
		}
		b.ReportMetric(rows/time.Since(began).Seconds(), "rows/s")
		b.ReportMetric(float64(epochs), "epochs")
	}
}
