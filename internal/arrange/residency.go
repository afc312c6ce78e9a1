package arrange

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
)

// want notes that key i's group is missing.
func (t *Table) want(keys *Batch, i int) {
	if t.probe(keys.Hashes[i], keys.Key(i)) == None { // not one of this batch
		t.newWant(keys.Key(i), keys.Hashes[i], keys.bucket(i))
	}
}

func (t *Table) newWant(key []byte, hash uint64, bucket byte) {
	slot := t.newGroup(key, hash, bucket, t.reserve)
	t.groups.at(slot).flags |= wanted
	t.wants = append(t.wants, slot)
}

// Wanted lists prefix | group of the groups that are missing, ascending.
func (t *Table) Wanted() [][]byte {
	if len(t.wants) == 0 && len(t.buckets) == 0 {
		return nil
	}
	t.wants = slices.DeleteFunc(t.wants, func(slot uint32) bool { return t.groups.at(slot).flags&wanted == 0 })
	t.filled = 0
	list := make([][]byte, 0, len(t.wants))
	for _, s := range t.sorted(t.wants) {
		list = append(list, t.appendGroup(nil, s.slot))
	}
	for _, b := range t.buckets {
		list = append(list, []byte{b})
	}
	slices.SortFunc(list, bytes.Compare)
	return list
}

// WantBucket asks for all groups of a bucket, in a table whose groups have heads only.
// Wanted then lists the bucket's byte alone, and Fill is given tags and groups for suffixes.
func (t *Table) WantBucket(b byte) { t.buckets = append(t.buckets, b) }

// fillBucket makes the groups of a bucket resident that are not.
func (t *Table) fillBucket(b byte, entries func(yield func(key, value []byte) bool)) {
	entries(func(key, value []byte) bool {
		key = key[PrefixLen-1:]
		hash := Hash(key)
		slot := t.probe(hash, key)
		switch {
		case slot == None:
			slot = t.newGroup(key, hash, b, len(value))
		case t.groups.at(slot).flags&wanted == 0:
			return true
		}
		t.groups.at(slot).flags &^= wanted
		copy(t.setHead(slot, len(value)), value)
		t.groups.at(slot).flags |= headIn
		t.loaded = append(t.loaded, slot)
		return true
	})
	t.buckets = slices.DeleteFunc(t.buckets, func(x byte) bool { return x == b })
}

// Loaded lists the groups that came with whole buckets since it was last called.
func (t *Table) Loaded() []uint32 {
	l := t.loaded
	t.loaded = nil
	return l
}

// Cold tells whether the store may have groups that are not in memory.
func (t *Table) Cold() bool { return t.cold || len(t.evicted.filters) > 0 }

// Next is the first slot from the given one on that has a group in memory; None: there is none.
func (t *Table) Next(slot uint32) uint32 {
	for ; slot < t.groups.n; slot++ {
		if g := t.groups.at(slot); g.place != 0 && g.flags&wanted == 0 {
			return slot
		}
	}
	return None
}

// Fill makes a group resident that Wanted listed: prefix | group, as it stood there.
// entries yields its entries in the order of their suffixes; none: the group does not exist.
func (t *Table) Fill(group []byte, entries func(yield func(suffix, value []byte) bool)) {
	if len(group) == 1 && slices.Contains(t.buckets, group[0]) {
		t.fillBucket(group[0], entries)
		return
	}
	key := group[PrefixLen:]
	slot := t.probe(Hash(key), key)
	if slot == None || t.groups.at(slot).flags&wanted == 0 {
		return
	}
	g := t.groups.at(slot)
	g.flags &^= wanted
	g.used = t.tick
	if t.filled++; t.filled == len(t.wants) {
		t.wants, t.filled = t.wants[:0], 0
	}
	entries(func(suffix, value []byte) bool {
		if len(suffix) == 0 {
			copy(t.setHead(slot, len(value)), value)
			t.groups.at(slot).flags |= headIn
			return true
		}
		id := t.newEntry(slot, suffix, value)
		t.entries.at(id).flags = inStore
		t.place(slot, id, suffix)
		return true
	})
}

// SetCold says that the store may have groups that are not in memory.
func (t *Table) SetCold() { t.cold = true }

// Evict forgets groups that are as in the store, least recently found first, until
// Bytes is at most target or none is left. When it has to, it makes some room beyond.
func (t *Table) Evict(target int64) {
	if t.Bytes() <= target {
		return
	}
	quiet := t.quiet()
	for goal := target - target/32; ; goal -= max(t.Bytes()-target, target/16) + 1 {
		more := t.evictTo(goal, quiet)
		t.boundFilter(target)
		if quiet && t.idle() > t.Bytes()/8 {
			t.compact()
		}
		for t.Bytes() > target && t.arena.vacate(t.moved) {
		}
		// What stays in half full pages may take some more groups.
		if t.Bytes() <= target || !more {
			return
		}
	}
}

// evictTo evicts until what is in use is at most goal. It is false when no more can go.
func (t *Table) evictTo(goal int64, quiet bool) bool {
	for {
		over := t.inUse(quiet) - goal
		if over <= 0 {
			return true
		}
		each := max(t.inUse(quiet)/int64(max(t.Len(), 1)), 1)
		list := t.oldest(int(over/each) + 1)
		if len(list) == 0 {
			return false
		}
		for _, c := range list {
			if t.inUse(quiet) <= goal {
				return true
			}
			t.evict(c.slot)
		}
	}
}

// boundFilter gives up knowing what was evicted when that takes much of the budget.
func (t *Table) boundFilter(target int64) {
	if t.evicted.bytes() > max(target/8, 1<<20) {
		t.cold, t.evicted = true, evicted{}
	}
}

// candidate is a group that can go, and when it was last found.
type candidate struct{ tick, slot uint32 }

// oldest lists groups that can go, the one found longest ago first: at least n, when there are
// so many. Only those are sorted, for there may be millions: the others are counted, by age.
func (t *Table) oldest(n int) (list []candidate) {
	counts := make([]int, ageClasses)
	for slot := range t.groups.n {
		if g := t.groups.at(slot); t.goes(g) {
			counts[ageClass(t.tick-g.used)]++
		}
	}
	least := len(counts) - 1
	sum := counts[least]
	for ; least > 0 && sum < n; sum += counts[least] {
		least--
	}
	list = make([]candidate, 0, sum)
	for slot := range t.groups.n {
		if g := t.groups.at(slot); t.goes(g) && ageClass(t.tick-g.used) >= least {
			list = append(list, candidate{g.used, slot})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.tick, b.tick), cmp.Compare(a.slot, b.slot))
	})
	return list
}

// goes tells whether a group can go: the store has it, and the batch at hand does not need it.
func (t *Table) goes(g *group) bool {
	return g.place != 0 && g.flags&(wanted|dirty|marked) == 0 && g.used != t.tick
}

// Ages of one class differ by a 128th at most.
const (
	ageBits    = 7
	ageClasses = (32 - ageBits + 1) << ageBits
)

func ageClass(age uint32) int {
	shift := max(bits.Len32(age)-1-ageBits, 0)
	return shift<<ageBits + int(age>>shift)
}

// inUse is what Bytes would be at best, without holes and, if it can be compacted, idle records.
func (t *Table) inUse(compacts bool) int64 {
	n := t.Bytes() - t.arena.holes()
	if compacts {
		n -= t.idle()
	}
	return n
}

func (t *Table) evict(slot uint32) {
	g := t.groups.at(slot)
	if g.flags&headIn != 0 || g.n > 0 {
		t.evicted.add(Hash(t.Key(slot)))
	}
	t.dropRun(slot)
	t.forget(slot)
}
