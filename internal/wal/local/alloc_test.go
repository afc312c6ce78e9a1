package local

import (
	"testing"

	"github.com/weirstream/weir/internal/wal"
)

// TestNoAllocationPerEntry appends and reads without allocating for each entry.
func TestNoAllocationPerEntry(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	_, c := open(t, scratch(t), lazy(64<<20))
	w := lead(t, c)
	const n = 5000
	e := entryOf(0, 500)
	gate := c.fs.(lazyFS).gate
	appendAll := func() { // as few groups: an allocation a group is no matter
		gate.Lock()
		for range n {
			if _, err := w.Append(&e); err != nil {
				t.Fatal(err)
			}
		}
		gate.Unlock()
		if err := w.WaitDurable(within(t), e.Ts); err != nil {
			t.Fatal(err)
		}
	}
	appendAll() // the buffers grow
	if per := testing.AllocsPerRun(3, appendAll) / n; per > 0.2 {
		t.Errorf("%.2f allocations an append", per)
	}
	r, err := c.Read(0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	read := func(want int) (got int) {
		for got < want {
			b, err := r.Next(within(t))
			if err != nil {
				t.Fatal(err)
			}
			got += len(b.Entries)
		}
		return got
	}
	read(n / 2) // a batch may bring more than is asked for
	if per := testing.AllocsPerRun(3, func() { read(n / 2) }) / (n / 2); per > 0.2 {
		t.Errorf("%.2f allocations an entry read", per)
	}
}

// BenchmarkRead reads entries of 1 KiB.
func BenchmarkRead(b *testing.B) {
	_, c := open(b, scratch(b), lazy(64<<20))
	w := lead(b, c)
	e := wal.Entry{Kind: wal.KindTxn, Changes: make([]byte, 1<<10)}
	for range 100_000 {
		if _, err := w.Append(&e); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.WaitDurable(within(b), e.Ts); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(100_000 << 10)
	for b.Loop() {
		r, err := c.Read(0)
		if err != nil {
			b.Fatal(err)
		}
		for seen := 0; seen < 100_000; {
			batch, err := r.Next(within(b))
			if err != nil {
				b.Fatal(err)
			}
			seen += len(batch.Entries)
		}
		r.Close()
	}
}
