package bench

import (
	"testing"
	"time"
)

// TestAppends runs a short comparison: the figures are printed, not judged, since
// other work shares the machine.
func TestAppends(t *testing.T) {
	if testing.Short() {
		t.Skip("a benchmark")
	}
	r, err := Appends(t.Context(), Config{Dir: t.TempDir(), Writers: 128, Bytes: 1 << 10, Rounds: 3, Round: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("log %.0f/s p99 %v, pebble %.0f/s p99 %v, ratio %.2f", r.Log, r.LogP99, r.Pebble, r.PebbleP99, r.Ratio())
	if r.Log <= 0 || r.Pebble <= 0 {
		t.Errorf("no appends were made: %+v", r)
	}
}

// BenchmarkReopen opens a log of 1 GiB.
func BenchmarkReopen(b *testing.B) {
	for b.Loop() {
		took, err := Reopen(b.Context(), b.TempDir(), 1<<30)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(took.Microseconds())/1000, "ms/reopen")
	}
}
