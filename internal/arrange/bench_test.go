package arrange_test

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/weirstream/weir/internal/arrange"
)

// chunk is the number of keys looked up at a time.
const chunk = 4096

// intKeys fills a batch with random keys of 9 bytes below n.
func intKeys(b *arrange.Batch, r *rand.Rand, n uint64) {
	b.Reset()
	for range chunk {
		b.Data = append(b.Data, 1)
		b.Data = binary.BigEndian.AppendUint64(b.Data, r.Uint64N(n))
		b.End()
	}
}

// cpu is the CPU time of the process: on a machine with others the clock on the wall says little.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func report(b *testing.B, from time.Duration) {
	b.ReportMetric(float64((cpu()-from).Nanoseconds())/float64(b.N), "cpu-ns/op")
}

func fillTable(groups uint64) *arrange.Table {
	t, b, slots := arrange.New(), &arrange.Batch{}, make([]uint32, 1)
	for i := range groups {
		b.Reset()
		b.Data = binary.BigEndian.AppendUint64(append(b.Data, 1), i)
		b.End()
		t.FindOrInsert(b, slots)
		binary.LittleEndian.PutUint64(t.SetHead(slots[0], 16), i)
	}
	t.Tick()
	t.Sealed()
	return t
}

func BenchmarkFindOrInsertOf1MGroups(b *testing.B) {
	t, r, slots := fillTable(1<<20), rand.New(rand.NewPCG(1, 2)), make([]uint32, chunk)
	batches := make([]arrange.Batch, 32)
	for i := range batches {
		intKeys(&batches[i], r, 1<<20)
	}
	b.ResetTimer()
	defer report(b, cpu())
	for i := 0; i < b.N; i += chunk {
		t.FindOrInsert(&batches[i/chunk%len(batches)], slots)
	}
}

func BenchmarkInsert(b *testing.B) {
	r, slots := rand.New(rand.NewPCG(1, 2)), make([]uint32, chunk)
	var batch arrange.Batch
	var spent time.Duration
	t := arrange.New()
	for i := 0; i < b.N; i += chunk {
		b.StopTimer()
		intKeys(&batch, r, 1<<62)
		if i%(1<<20) == 0 {
			t = arrange.New()
		}
		b.StartTimer()
		start := cpu()
		t.FindOrInsert(&batch, slots)
		spent += cpu() - start
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "cpu-ns/op")
}

func BenchmarkAddEntry(b *testing.B) {
	t := fillTable(1 << 16)
	value := make([]byte, 100)
	var suffix [4]byte
	defer report(b, cpu())
	for i := 0; b.Loop(); i++ {
		binary.BigEndian.PutUint32(suffix[:], uint32(i))
		t.Add(uint32(i*7919)&(1<<16-1), suffix[:], value)
	}
}

func BenchmarkOrderedGroupOf100K(b *testing.B) {
	t := arrange.New()
	slots := make([]uint32, 1)
	var batch arrange.Batch
	batch.Data = append(batch.Data, 'g')
	batch.End()
	t.FindOrInsert(&batch, slots)
	r := rand.New(rand.NewPCG(1, 2))
	key := func() []byte { return binary.BigEndian.AppendUint64(nil, r.Uint64N(200_000)) }
	for range 200_000 {
		t.Put(slots[0], key(), nil)
	}
	defer report(b, cpu())
	for b.Loop() {
		if id, found := t.Get(slots[0], key()); found {
			t.Delete(id)
		} else {
			t.Add(slots[0], key(), nil)
		}
	}
}

func BenchmarkChanges(b *testing.B) {
	r, slots := rand.New(rand.NewPCG(1, 2)), make([]uint32, chunk)
	var batch arrange.Batch
	var spent time.Duration
	t := fillTable(1 << 20)
	for i := 0; i < b.N; i += 1 << 17 {
		b.StopTimer()
		for range 1 << 17 / chunk {
			intKeys(&batch, r, 1<<20)
			t.FindOrInsert(&batch, slots)
			for _, s := range slots {
				t.Change(s)
			}
		}
		b.StartTimer()
		start := cpu()
		t.Changes(func(_, _ []byte) {})
		t.Sealed()
		spent += cpu() - start
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "cpu-ns/op")
}

// The garbage collector must not care for two million rows.
func TestACollectionOf2MRowsIsShort(t *testing.T) {
	if testing.Short() {
		t.Skip("fills 2M rows")
	}
	table := fillTable(2_000_000)
	runtime.GC()
	start := time.Now()
	runtime.GC()
	took := time.Since(start)
	t.Logf("a collection beside %d MB of state takes %v", table.Bytes()>>20, took)
	if took > 500*time.Millisecond {
		t.Errorf("a collection takes %v: something holds pointers", took)
	}
	runtime.KeepAlive(table)
}
