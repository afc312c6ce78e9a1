package postgres

import (
	"bytes"

	"github.com/zeebo/xxh3"

	"github.com/weirstream/weir/internal/row"
)

// netter nets the changes of one table of one piece: the last state of each key
// wins. It is pure. A row is followed by the key it has now; an update of a row
// stays an update however often it happens, a row that comes and goes vanishes,
// and one that goes and comes back is deleted and inserted.
//
// Invariants:
//   - at most one live entry has a given key;
//   - an unchanged column is never written: it is filled from an earlier image of
//     the same row, or stays out of the statement.
type netter struct {
	p       *piece
	keyCols []int
	slots   []int32 // entry index + 1; 0 free, -1 given up
	used    int     // slots that are not free
	entries []entry
	mask    []byte // scratch of collect
}

// entry is one row that the piece touches.
type entry struct {
	hash  uint64 // of cur
	cur   span   // the key it has now
	orig  span   // the key it has at the target, when it is there
	image span
	base  span // an earlier image, from which image's unchanged columns come; empty: none
	there bool // at the target, before the piece
	live  bool
}

// reset prepares for a table with the given key columns and about n changes.
func (t *netter) reset(p *piece, keyCols []int, n int) {
	t.p, t.keyCols = p, keyCols
	size := 16
	for size < 2*n {
		size *= 2
	}
	if cap(t.slots) >= size {
		t.slots = t.slots[:size]
		clear(t.slots)
	} else {
		t.slots = make([]int32, size)
	}
	t.used = 0
	t.entries = t.entries[:0]
}

// apply takes the table's next change. It is false when the change cannot be
// netted: it lacks a key, or takes a key that a live row has.
func (t *netter) apply(o *op) bool {
	switch o.kind {
	case row.Insert, row.Read:
		key, ok := t.p.keyOf(t.keyCols, o.new, span{})
		if !ok || t.find(key) >= 0 {
			return false
		}
		t.insert(entry{cur: key, image: o.new, live: true})
		return true
	case row.Update:
		return t.update(o)
	case row.Delete:
		return t.delete(o)
	}
	return false
}

func (t *netter) update(o *op) bool {
	key, ok := t.p.keyOf(t.keyCols, o.new, o.old)
	if !ok {
		return false
	}
	before := key
	if o.oldKind != row.OldNone {
		if before, ok = t.p.keyOf(t.keyCols, o.old, span{}); !ok {
			return false
		}
	}
	moved := !t.same(before, key)
	if moved && t.find(key) >= 0 {
		return false
	}
	i := t.find(before)
	if i < 0 {
		t.insert(entry{cur: key, orig: before, image: o.new, there: true, live: true})
		return true
	}
	t.overlay(&t.entries[i], o.new)
	if moved {
		t.unlink(i)
		t.entries[i].cur = key
		t.link(i)
	}
	return true
}

// overlay gives a row its next image. What it leaves unchanged comes from the
// images before; these are not put together each time, for a large value would
// be copied with every update that leaves it alone.
func (t *netter) overlay(e *entry, image span) {
	switch {
	case !t.p.partial(image):
		e.base = span{}
	case !t.p.partial(e.image):
		e.base = e.image
	case !t.p.covers(e.image, image):
		e.base = t.whole(e)
	}
	e.image = image
}

// whole is the entry's image with the unchanged columns filled from its base.
func (t *netter) whole(e *entry) span {
	if e.base.n == 0 {
		return e.image
	}
	return t.p.fill(e.image, e.base)
}

func (t *netter) delete(o *op) bool {
	key, ok := t.p.keyOf(t.keyCols, o.old, span{})
	if !ok {
		return false
	}
	i := t.find(key)
	if i < 0 {
		t.entries = append(t.entries, entry{orig: key, there: true})
		return true
	}
	t.unlink(i)
	t.entries[i].live = false
	return true
}

func (t *netter) same(a, b span) bool {
	return a == b || bytes.Equal(t.p.bytes(a), t.p.bytes(b))
}

// find is the index of the live entry with the key, or -1.
func (t *netter) find(key span) int32 {
	k := t.p.bytes(key)
	hash := xxh3.Hash(k)
	for i := hash & uint64(len(t.slots)-1); t.slots[i] != 0; i = (i + 1) & uint64(len(t.slots)-1) {
		if at := t.slots[i] - 1; at >= 0 {
			if e := &t.entries[at]; e.hash == hash && bytes.Equal(t.p.bytes(e.cur), k) {
				return at
			}
		}
	}
	return -1
}

// insert adds a live entry.
func (t *netter) insert(e entry) {
	t.entries = append(t.entries, e)
	t.link(int32(len(t.entries) - 1))
}

// link makes an entry findable by its key. Moves leave slots behind that are
// given up, so the table may have to grow although reset left room.
func (t *netter) link(i int32) {
	if t.used >= len(t.slots)*3/4 {
		t.grow()
	}
	e := &t.entries[i]
	e.hash = xxh3.Hash(t.p.bytes(e.cur))
	t.place(i)
}

func (t *netter) place(entry int32) {
	i := t.entries[entry].hash & uint64(len(t.slots)-1)
	for t.slots[i] != 0 {
		i = (i + 1) & uint64(len(t.slots)-1)
	}
	t.slots[i] = entry + 1
	t.used++
}

func (t *netter) grow() {
	old := t.slots
	t.slots, t.used = make([]int32, 2*len(old)), 0
	for _, at := range old {
		if at > 0 {
			t.place(at - 1)
		}
	}
}

// unlink gives up the slot of an entry.
func (t *netter) unlink(entry int32) {
	i := t.entries[entry].hash & uint64(len(t.slots)-1)
	for t.slots[i] != entry+1 {
		i = (i + 1) & uint64(len(t.slots)-1)
	}
	t.slots[i] = -1
}
