package owner

import (
	"testing"
	"time"

	"github.com/weirstream/weir/internal/row"
	"github.com/weirstream/weir/internal/ts"
	"github.com/weirstream/weir/internal/weirerr"
)

func idleTables(n int) *Machine {
	m := New(Options{
		Lanes: 1, RetryInitial: time.Second, RetryMax: time.Minute, Stuck: time.Hour,
		SaveInterval: 500 * time.Millisecond, Random: func() float64 { return 0.5 },
	}, Status{State: Normal, Incarnation: 1, Checkpoint: 100})
	m.Step(Tick{1000})
	m.Step(Saved{1000, 1, true})
	m.Step(Opened{1000, 1})
	for i := range n {
		m.Step(TableAt{1000, 1, row.TableID(i), Snapshot, 100, 1, 10})
	}
	return m
}

// BenchmarkTick is a tick, with a report of progress, of a changefeed with
// 100,000 idle tables.
func BenchmarkTick(b *testing.B) {
	m := idleTables(100_000)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		now := At(2000 + i)
		m.Step(Delivered{now, 1, 0, ts.Ts(101 + i), ts.Ts(101 + i)})
		m.Step(Tick{now})
		_ = m.Holder()
	}
}

// BenchmarkTableAt is a report of one table's progress among 100,000.
func BenchmarkTableAt(b *testing.B) {
	m := idleTables(100_000)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		m.Step(TableAt{2000, 1, row.TableID(i % 100_000), Snapshot, ts.Ts(100 + i), 5, 10})
	}
}

// TestTickCost: a tick costs what changed, whatever the number of tables.
func TestTickCost(t *testing.T) {
	m := idleTables(100_000)
	const n = 1000
	begin := time.Now()
	for i := range n {
		m.Step(Tick{At(2000 + i)})
		_ = m.Holder()
	}
	if each := time.Since(begin) / n; each > time.Millisecond {
		t.Errorf("a tick of 100,000 idle tables takes %s, want < 1ms", each)
	}
}

func TestFaultKeepsWhatAnErrorSays(t *testing.T) {
	err := weirerr.New(weirerr.BadRow, "value too long").With("table", "public.t").Hint("widen the column")
	f := FaultOf(err, 7)
	if f.Code != weirerr.BadRow || f.Field("table") != "public.t" || f.Hint != "widen the column" {
		t.Fatalf("%+v", f)
	}
	if got := f.Err().Error(); got != err.Error() {
		t.Errorf("got %q, want %q", got, err.Error())
	}
}
