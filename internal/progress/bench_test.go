package progress_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/weirstream/weir/internal/progress"
	"github.com/weirstream/weir/internal/ts"
)

const million = 1_000_000

// fill makes a heap of n holders the way it grows in life, one by one, and says
// how many bytes of memory an entry takes, the text of the keys not included.
func fill(tb testing.TB, n int) (h *progress.Heap[string], handles []progress.Handle, keys []string, each float64) {
	keys = make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("public.table-%d", i)
	}
	handles = make([]progress.Handle, n)
	rng := rand.New(rand.NewPCG(3, 4))
	before := heapBytes()
	h = progress.New[string](0)
	for i, key := range keys {
		var err error
		if handles[i], _, err = h.Add(key, ts.Ts(rng.IntN(n)), 0); err != nil {
			tb.Fatal(err)
		}
	}
	each = float64(heapBytes()-before) / float64(n)
	runtime.KeepAlive(handles)
	return h, handles, keys, each
}

func heapBytes() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestBytesPerEntry(t *testing.T) {
	h, _, keys, each := fill(t, million)
	t.Logf("%.0f bytes an entry", each)
	if each > 200 {
		t.Errorf("%.0f bytes an entry, want at most 200", each)
	}
	runtime.KeepAlive(h)
	runtime.KeepAlive(keys)
}

// BenchmarkUpdateAny raises random holders to the newest Ts: what idle and busy tables do.
func BenchmarkUpdateAny(b *testing.B) {
	h, handles, _, each := fill(b, million)
	rng := rand.New(rand.NewPCG(5, 6))
	at := ts.Ts(million)
	b.ReportAllocs()
	for b.Loop() {
		at++
		if _, err := h.UpdateAt(handles[rng.IntN(million)], at, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(each, "bytes/entry")
}

// BenchmarkUpdateMin raises the minimum to the newest Ts: the deepest way through the heap, every time.
func BenchmarkUpdateMin(b *testing.B) {
	h, _, _, each := fill(b, million)
	at := ts.Ts(million)
	b.ReportAllocs()
	for b.Loop() {
		at++
		low, _ := h.Min()
		if _, err := h.UpdateAt(low.Handle, at, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(each, "bytes/entry")
}

// BenchmarkUpdateByKey finds random holders by their names.
func BenchmarkUpdateByKey(b *testing.B) {
	h, _, keys, each := fill(b, million)
	rng := rand.New(rand.NewPCG(5, 6))
	at := ts.Ts(million)
	b.ReportAllocs()
	for b.Loop() {
		at++
		if _, err := h.Update(keys[rng.IntN(million)], at, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(each, "bytes/entry")
}

func BenchmarkAddDrop(b *testing.B) {
	h, _, _, _ := fill(b, million)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := h.Add("one more", million/2, 0); err != nil {
			b.Fatal(err)
		}
		if _, err := h.Drop("one more"); err != nil {
			b.Fatal(err)
		}
	}
}
