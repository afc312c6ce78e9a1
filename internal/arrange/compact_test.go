package arrange_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/weirstream/weir/internal/arrange"
)

// entriesOf is how many entries a group of the tests below has: none, few, or more than a run holds.
func entriesOf(id uint64) int { return []int{0, 1, 3, 10, 40, 150}[id%6] }

func valueOf(id uint64, i int) string {
	return strings.Repeat(fmt.Sprint(id), 1+int(id)%7) + fmt.Sprint(i)
}

func fillGroups(table *arrange.Table, groups uint64) {
	for id := range groups {
		slot, _ := find(table, id)
		copy(table.SetHead(slot, 8), binary.BigEndian.AppendUint64(nil, id))
		for i := range entriesOf(id) {
			table.Add(slot, binary.BigEndian.AppendUint32(nil, uint32(i)), []byte(valueOf(id, i)))
		}
		table.Tick()
	}
}

// checkGroups compares the groups that are in memory, and gives their number.
func checkGroups(t *testing.T, table *arrange.Table, groups uint64) (n int) {
	t.Helper()
	for id := range groups {
		slot, missing := find(table, id)
		if missing {
			continue
		}
		n++
		if head := table.Head(slot); len(head) != 8 || binary.BigEndian.Uint64(head) != id {
			t.Fatalf("group %d has the head %x", id, head)
		}
		i := 0
		for c := table.First(slot); c.Valid(); c.Next() {
			if string(table.Value(c.ID())) != valueOf(id, i) {
				t.Fatalf("group %d: entry %d is %q", id, i, table.Value(c.ID()))
			}
			i++
		}
		if i != entriesOf(id) {
			t.Fatalf("group %d has %d entries, want %d", id, i, entriesOf(id))
		}
	}
	return n
}

// An eviction moves what is left together; all of it is still what it was, also when
// it moves again and when it is changed.
func TestTableMovesTogetherUnharmed(t *testing.T) {
	const groups = 4000
	table := arrange.New()
	fillGroups(table, groups)
	table.Sealed()
	before := table.Bytes()
	for _, part := range []int64{2, 4} {
		for id := uint64(0); id < groups; id += 5 * uint64(part) { // some of every page stay longest
			if _, missing := find(table, id); missing {
				t.Fatalf("group %d, found last, is evicted", id)
			}
		}
		table.Tick()
		table.Evict(before / part)
		if table.Bytes() > before/part {
			t.Errorf("%d bytes, more than 1/%d of %d", table.Bytes(), part, before)
		}
	}
	left := checkGroups(t, table, groups)
	if left == 0 || left == groups {
		t.Fatalf("%d groups of %d are left", left, groups)
	}
	table.Tick()
	changes := 0
	for id := range uint64(groups) {
		if slot, missing := find(table, id); !missing {
			for c := table.First(slot); c.Valid(); c.Next() {
				table.ChangeEntry(c.ID())
				changes++
			}
		}
	}
	table.Changes(func(key, _ []byte) {
		rest := key[arrange.PrefixLen:]
		if id := binary.BigEndian.Uint64(rest); len(rest) != 12 || entriesOf(id) <= int(binary.BigEndian.Uint32(rest[8:])) {
			t.Fatalf("%x has changed", key)
		}
		changes--
	})
	if changes != 0 {
		t.Errorf("%d changes too few", changes)
	}
}

// While somebody holds slots nothing moves.
func TestTableStaysWhileItIsHeld(t *testing.T) {
	const groups = 4000
	for name, hold := range map[string]func(table *arrange.Table, slot uint32){
		"changed": func(table *arrange.Table, slot uint32) { table.Change(slot); table.Tick() },
		"marked":  func(table *arrange.Table, slot uint32) { table.Mark(slot, false); table.Tick() },
		"at hand": func(*arrange.Table, uint32) {},
	} {
		t.Run(name, func(t *testing.T) {
			table := arrange.New()
			fillGroups(table, groups)
			table.Sealed()
			slot, _ := find(table, groups-1)
			hold(table, slot)
			table.Evict(0)
			if key := table.Key(slot); binary.BigEndian.Uint64(key) != groups-1 || table.Len() != 1 {
				t.Errorf("the slot is that of %x; %d groups are left", key, table.Len())
			}
		})
	}
}

// What the store does not have is not deleted from it again.
func TestTableDeletesOnce(t *testing.T) {
	table := arrange.New()
	slot, _ := find(table, 1)
	table.Add(slot, []byte("stays"), nil)
	table.SetHead(slot, 1)
	table.Sealed()
	for round, want := range []int{1, 0} {
		table.SetHead(slot, 1)
		table.DropHead(slot)
		n := 0
		table.Changes(func(_, value []byte) {
			if n++; value != nil {
				t.Errorf("round %d: a head that was dropped is written", round)
			}
		})
		if n != want {
			t.Errorf("round %d: %d changes, want %d", round, n, want)
		}
		table.Sealed()
	}
}

// Pages are vacated and used again, the first one too, when sizes change.
func TestPagesTurnOver(t *testing.T) {
	table := arrange.New()
	const groups = 4000
	id := func(phase, i int) uint64 { return uint64(phase*groups + i) }
	for phase := range 12 {
		for i := range groups {
			slot, _ := find(table, id(phase, i))
			binary.BigEndian.PutUint64(table.SetHead(slot, 50+phase*60), id(phase, i))
			if phase == 0 {
				continue
			}
			slot, _ = find(table, id(phase-1, i))
			if head := table.Head(slot); binary.BigEndian.Uint64(head) != id(phase-1, i) {
				t.Fatalf("group %d has the head %x", id(phase-1, i), head[:8])
			}
			table.DropHead(slot)
			if i%100 == 0 {
				table.Sealed()
				table.Tick()
			}
		}
	}
	for i := range groups {
		slot, _ := find(table, id(11, i))
		if head := table.Head(slot); len(head) == 0 || binary.BigEndian.Uint64(head) != id(11, i) {
			t.Fatalf("group %d has the head %x", id(11, i), head)
		}
	}
}
