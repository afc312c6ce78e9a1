package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/weirstream/weir/internal/progress"
	"github.com/weirstream/weir/internal/ts"
)

// measureMachines measures what must not grow with the number of tables.
func measureMachines(_ context.Context, l *lab) error {
	return errors.Join(measureHeap(l), measureTick(l))
}

// measureHeap fills the min-heap and updates its entries in random order.
func measureHeap(l *lab) error {
	n := l.rows(1_000_000)
	before := heapBytes()
	h := progress.New[uint64](n)
	handles := make([]progress.Handle, n)
	for i := range handles {
		handle, _, err := h.Add(uint64(i), ts.Ts(1+i), 0)
		if err != nil {
			return err
		}
		handles[i] = handle
	}
	bytes := float64(heapBytes()-before-int64(n)*8) / float64(n) // without the bench's own handles

	rng := rand.New(rand.NewPCG(1, 2))
	next := ts.Ts(n)
	const updates = 2_000_000
	start := time.Now()
	for range updates {
		next++
		if _, err := h.UpdateAt(handles[rng.IntN(n)], next, 1); err != nil {
			return err
		}
	}
	each := float64(time.Since(start).Nanoseconds()) / updates / 1000
	runtime.KeepAlive(h)
	return errors.Join(
		bound(fmt.Sprintf("heap of %d entries: an update", n), each, 1, "us").print(),
		bound(fmt.Sprintf("heap of %d entries: memory an entry", n), bytes, 200, "bytes").print(),
	)
}

func heapBytes() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
