package arrange

// What Find gives instead of a slot.
const (
	None    = ^uint32(0)     // there is no such group
	Missing = ^uint32(0) - 1 // it is not in memory: fetch what Wanted lists, then ask again
)

// group is a group in memory, or one that is wanted. Its block is [key, padded to
// 8 bytes │ head].
type group struct {
	place uint32 // of its block
	klen  uint32
	vlen  uint32 // of the head
	n     uint32 // entries beside the head
	root  uint32 // of the entries, by kind
	chain uint32 // last changed entry + 1; see dirty.go
	used  uint32 // the table's tick when it was last found; of a marked group its place among them
	flags uint8
	kind  runKind
	// bucket is kept since it need not be that of the key's hash.
	bucket uint8
}

const groupSize = 32

// Flags of a group.
const (
	wanted  uint8 = 1 << iota // not in memory
	hasHead                   // the head exists
	headIn                    // the store has a head
	headNew                   // the head differs from the store's
	dirty                     // it is in the list of changed groups
	marked                    // it is in the list of marked groups
	noted                     // with a note
)

// entry is one entry. Its block is [suffix │ value].
type entry struct {
	place uint32
	slen  uint32
	vlen  uint32
	group uint32
	next  uint32 // the entry changed before it in its group + 1
	flags uint8
}

const entrySize = 24

// Flags of an entry.
const (
	inStore uint8 = 1 << iota // the store has it
	changed                   // it is in its group's chain
	deleted                   // it is only in the chain
	entryMarked
)

// isEntry marks an arena owner that is an entry, not a group.
const isEntry = uint32(1) << 31

// Table is keyed state in memory. See the package's picture. It is for one goroutine.
type Table struct {
	groups  pool[group]
	entries pool[entry]
	arena   arena
	index   index
	runs    runs

	cold    bool // the store may have any group
	evicted evicted
	reserve int // length of most heads
	tick    uint32
	dirty   []uint32 // groups changed since Sealed
	marks   []uint32
	wants   []uint32 // groups that were not in memory
	filled  int      // how many of them are by now
	buckets []byte   // buckets that are wanted whole
	loaded  []uint32 // groups that came with them
	sorting []sortKey
	gather  []uint32
	key     []byte
	fetched byte // so that fetch is not for nothing
}

// New makes an empty table of a store that has none of its entries.
func New() *Table {
	return &Table{arena: newArena(), index: newIndex(), runs: newRuns()}
}

// Find puts the slot of every key's group into slots, or None or Missing. missing tells whether any is.
func (t *Table) Find(keys *Batch, slots []uint32) (missing bool) {
	for from := 0; from < keys.Len(); from += ahead {
		to := min(from+ahead, keys.Len())
		t.guess(keys.Hashes[from:to], slots[from:to])
		t.fetch(slots[from:to])
		for i := from; i < to; i++ {
			slot := slots[i]
			if slot != None && !t.is(slot, keys.Key(i)) {
				slot = t.probe(keys.Hashes[i], keys.Key(i))
				slots[i] = slot
			}
			switch {
			case slot != None:
				if t.touch(slot) {
					slots[i], missing = Missing, true
				}
			case t.cold || t.evicted.has(keys.Hashes[i]):
				t.want(keys, i)
				slots[i], missing = Missing, true
			}
		}
	}
	return missing
}

// ahead is how many keys are looked up together: what they need fits the first cache.
const ahead = 256

// fetch reads a word of every group, then one of every block. Nothing depends on them, so the
// processor waits for many at a time, and the comparison of keys finds them in its cache.
func (t *Table) fetch(slots []uint32) {
	var places [ahead]uint32
	n := 0
	for _, slot := range slots {
		if slot != None {
			places[n&(ahead-1)] = t.groups.at(slot).place
			n++
		}
	}
	sum := byte(0)
	for _, place := range places[:n] {
		sum += t.arena.pages[place>>pageShift][place&(pageUnits-1)*unit+unit]
	}
	t.fetched = sum
}

// FindOrInsert is Find that makes an empty group for each key that has none.
func (t *Table) FindOrInsert(keys *Batch, slots []uint32) (missing bool) {
	if missing = t.Find(keys, slots); missing {
		return true
	}
	for i, slot := range slots[:keys.Len()] {
		if slot != None {
			continue
		}
		if slot = t.probe(keys.Hashes[i], keys.Key(i)); slot == None {
			head := t.reserve
			if len(keys.Heads) > 0 {
				head = int(keys.Heads[i])
			}
			slot = t.newGroup(keys.Key(i), keys.Hashes[i], keys.bucket(i), head)
		}
		slots[i] = slot
	}
	return false
}

// touch says that a group is used now; it tells whether it is missing in memory.
func (t *Table) touch(slot uint32) bool {
	g := t.groups.at(slot)
	if g.flags&marked == 0 {
		g.used = t.tick
	}
	return g.flags&wanted != 0
}

// FindKey is Find for one key.
func (t *Table) FindKey(key []byte) uint32 {
	hash := Hash(key)
	slot := t.probe(hash, key)
	switch {
	case slot != None:
		if t.touch(slot) {
			return Missing
		}
	case t.cold || t.evicted.has(hash):
		t.newWant(key, hash, BucketOf(hash))
		return Missing
	}
	return slot
}

// Reserve says how long heads mostly are: new groups get room for one.
func (t *Table) Reserve(head int) { t.reserve = head }

// newGroup makes a group with room for a head.
func (t *Table) newGroup(key []byte, hash uint64, bucket byte, head int) uint32 {
	slot := t.groups.take()
	*t.groups.at(slot) = group{place: t.arena.alloc(slot, pad(len(key))+head), klen: uint32(len(key)), used: t.tick, bucket: bucket}
	copy(t.arena.data(t.groups.at(slot).place), key)
	t.index.insert(hash, slot)
	return slot
}

// forget takes a group without entries out of memory.
func (t *Table) forget(slot uint32) {
	g := t.groups.at(slot)
	t.index.remove(Hash(t.Key(slot)), slot)
	t.arena.release(g.place)
	*g = group{}
	t.groups.put(slot)
}

func pad(n int) int { return (n + 7) &^ 7 }

// Key is the group's key, borrowed.
func (t *Table) Key(slot uint32) []byte {
	g := t.groups.at(slot)
	return t.arena.at(g.place)[unit : unit+g.klen]
}

// Bucket is the group's bucket.
func (t *Table) Bucket(slot uint32) byte { return t.groups.at(slot).bucket }

// Head is the value of the group's head, nil when it has none. It may be written
// in place after Change has been called.
func (t *Table) Head(slot uint32) []byte {
	g := t.groups.at(slot)
	if g.flags&hasHead == 0 {
		return nil
	}
	b := t.arena.at(g.place)
	from := unit + (g.klen+7)&^7
	return b[from : from+g.vlen : from+g.vlen]
}

// SetHead gives the group a head of n bytes, which the caller writes; bytes of an earlier head are kept.
func (t *Table) SetHead(slot uint32, n int) []byte {
	t.Change(slot)
	return t.setHead(slot, n)
}

func (t *Table) setHead(slot uint32, n int) []byte {
	g := t.groups.at(slot)
	from := pad(int(g.klen))
	if b := t.arena.data(g.place); len(b) < from+n || len(b) > 2*(from+n)+64 {
		place := t.arena.alloc(slot, from+n)
		keep := from
		if g.flags&hasHead != 0 {
			keep += int(g.vlen)
		}
		copy(t.arena.data(place), b[:min(keep, len(b))])
		t.arena.release(g.place)
		g.place = place
	}
	g.vlen = uint32(n)
	g.flags |= hasHead
	return t.Head(slot)
}

// DropHead deletes the head.
func (t *Table) DropHead(slot uint32) {
	if g := t.groups.at(slot); g.flags&hasHead != 0 {
		t.Change(slot)
		t.setHead(slot, 0) // gives memory back
		g.flags &^= hasHead
	}
}

// Empty tells whether the group has neither a head nor entries.
func (t *Table) Empty(slot uint32) bool {
	g := t.groups.at(slot)
	return g.flags&hasHead == 0 && g.n == 0
}

// Count is the number of entries beside the head.
func (t *Table) Count(slot uint32) int { return int(t.groups.at(slot).n) }

// Tick says that the batch at hand is done with: its groups may be evicted again,
// and what was freed may be given back.
func (t *Table) Tick() {
	t.tick++
	for range 8 { // of 256 KiB: short enough for a pause
		if t.arena.holes() <= t.arena.reserved/4+2*pageUnits*unit || !t.arena.vacate(t.moved) {
			return
		}
	}
}

// moved tells a block's owner where it lies now.
func (t *Table) moved(owner, place uint32) {
	if owner&isEntry != 0 {
		t.entries.at(owner &^ isEntry).place = place
	} else {
		t.groups.at(owner).place = place
	}
}

// Len is the number of groups in memory.
func (t *Table) Len() int { return t.groups.live() }

// Bytes is the memory used.
func (t *Table) Bytes() int64 {
	lists := cap(t.dirty) + cap(t.marks) + cap(t.wants) + cap(t.gather)
	return t.arena.bytes() + t.groups.bytes(groupSize) + t.entries.bytes(entrySize) + t.runs.bytes() + t.evicted.bytes() +
		int64(len(t.index.words))*8 + int64(lists)*4 + int64(cap(t.sorting))*sortKeySize + int64(cap(t.key))
}
