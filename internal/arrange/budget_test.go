package arrange_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/weirstream/weir/internal/arrange"
)

// find makes one group's slot.
func find(t *arrange.Table, id uint64) (slot uint32, missing bool) {
	var b arrange.Batch
	b.Data = binary.BigEndian.AppendUint64(b.Data, id)
	b.End()
	slots := make([]uint32, 1)
	missing = t.FindOrInsert(&b, slots)
	return slots[0], missing
}

// The least recently found groups go first, and no more than it takes.
func TestBudgetEvictsTheLeastRecentlyFound(t *testing.T) {
	table := arrange.New()
	for id := range uint64(2000) {
		slot, _ := find(table, id)
		clear(table.SetHead(slot, 1000))
		table.Tick()
	}
	table.Sealed()
	for id := range uint64(500) { // the oldest become the newest
		find(table, id)
		table.Tick()
	}
	before := table.Bytes()
	table.Evict(before)
	if table.Len() != 2000 {
		t.Fatal("evicts within the budget")
	}
	target := before * 3 / 4
	table.Evict(target)
	if table.Bytes() > target || table.Bytes() < before/2 {
		t.Errorf("%d bytes of %d remain, the target is %d", table.Bytes(), before, target)
	}
	gone := 0
	for id := range uint64(2000) {
		if _, missing := find(table, id); missing {
			if gone++; id < 500 {
				t.Fatalf("group %d, found last, is evicted", id)
			}
		} else if id > 500 && id < 500+uint64(gone) {
			t.Fatalf("group %d outlives younger ones", id)
		}
	}
	if gone == 0 {
		t.Error("nothing is evicted")
	}
}

// Bytes is what the heap grows by.
func TestBudgetCountsWhatIsAllocated(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	table := arrange.New()
	value := make([]byte, 90)
	for id := range uint64(20_000) {
		slot, _ := find(table, id%5000)
		table.Add(slot, binary.BigEndian.AppendUint64(nil, id), value)
	}
	grown := heap() - before
	if bytes := table.Bytes(); bytes < grown*9/10 || bytes > grown*11/10 {
		t.Errorf("Bytes is %d, the heap has grown by %d", bytes, grown)
	}
	runtime.KeepAlive(table)
}

// Rows that come and go for ever leave no more holes than a quarter, and keep their contents.
func TestHolesAreUsedAgain(t *testing.T) {
	table := arrange.New()
	r := rand.New(rand.NewPCG(1, 2))
	const groups = 300
	for id := range uint64(groups) {
		find(table, id)
	}
	want := map[uint64]map[uint64]int{}
	live := 0
	for round := range 40_000 {
		id, key := r.Uint64N(groups), r.Uint64N(60)
		slot, _ := find(table, id)
		if want[id] == nil {
			want[id] = map[uint64]int{}
		}
		suffix := binary.BigEndian.AppendUint64(nil, key)
		if old, ok := want[id][key]; ok && r.IntN(2) == 0 {
			e, _ := table.Get(slot, suffix)
			table.Delete(e)
			delete(want[id], key)
			live -= old
		} else {
			n := 1 + r.IntN(1+round/40) // they grow, so that old holes do not fit
			value := make([]byte, n)
			for i := range value {
				value[i] = byte(n)
			}
			table.Put(slot, suffix, value)
			want[id][key] = n
			live += n - old
		}
		if round%64 == 0 {
			table.Sealed()
			table.Tick()
		}
	}
	for id, entries := range want {
		slot, _ := find(table, id)
		for key, n := range entries {
			e, found := table.Get(slot, binary.BigEndian.AppendUint64(nil, key))
			if !found || len(table.Value(e)) != n || table.Value(e)[n-1] != byte(n) || table.Value(e)[0] != byte(n) {
				t.Fatalf("group %d entry %d: found %v", id, key, found)
			}
		}
	}
	if bytes := table.Bytes(); bytes > int64(live)*2 {
		t.Errorf("%d bytes for %d of rows", bytes, live)
	}
}

// After an eviction new groups are, mostly, not looked for in the store; evicted ones all are.
func TestBudgetKnowsWhatItEvicted(t *testing.T) {
	table := arrange.New()
	const groups = 20_000
	evictAll(table, groups)
	if table.Len() != 0 {
		t.Fatalf("%d groups are left", table.Len())
	}
	sought := 0
	for id := range uint64(groups) {
		if _, missing := find(table, id); !missing {
			t.Fatalf("group %d is evicted, and taken for new", id)
		}
		if _, missing := find(table, id+groups); missing {
			sought++
		}
	}
	if sought > groups/20 {
		t.Errorf("%d of %d new groups are looked for", sought, groups)
	}
}

// A filter that would take much of the budget is given up: then all groups are looked for.
func TestBudgetBoundsTheFilter(t *testing.T) {
	table := arrange.New()
	const groups = 700_000
	evictAll(table, groups)
	if bytes := table.Bytes(); bytes > 2<<20 {
		t.Errorf("%d bytes for nothing", bytes)
	}
	if _, missing := find(table, groups+1); !missing {
		t.Error("a group is taken for new without a filter")
	}
}

// evictAll makes groups and evicts them.
func evictAll(table *arrange.Table, groups uint64) {
	for id := range groups {
		slot, _ := find(table, id)
		clear(table.SetHead(slot, 8))
	}
	table.Tick()
	table.Sealed()
	table.Evict(0)
}

// Keys of one bucket come out in the order of prefix and key, also where their tags are the same.
func TestTableSortsKeysWithEqualTags(t *testing.T) {
	table := arrange.New()
	byTag := map[uint32]uint32{}
	var b arrange.Batch
	for n := range uint32(300_000) {
		key := binary.BigEndian.AppendUint32([]byte("a beginning that all have"), n)
		tag := binary.BigEndian.Uint32(arrange.AppendPrefix(nil, 0, arrange.Hash(key))[1:])
		other, twice := byTag[tag]
		byTag[tag] = n
		if !twice {
			continue
		}
		b.Data = append(b.Data, key...) // the greater one first
		b.EndIn(7)
		b.Data = binary.BigEndian.AppendUint32(append(b.Data, key[:len(key)-4]...), other)
		b.EndIn(7)
	}
	if b.Len() < 4 {
		t.Fatalf("%d keys with a tag that another one has", b.Len())
	}
	slots := make([]uint32, b.Len())
	table.FindOrInsert(&b, slots)
	for _, slot := range slots {
		clear(table.SetHead(slot, 1))
	}
	var last []byte
	table.Changes(func(key, _ []byte) {
		if bytes.Compare(last, key) >= 0 {
			t.Fatalf("%q comes after %q", key, last)
		}
		last = append(last[:0], key...)
	})
}
