package arrange

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// Change says that the group's head is about to differ from the store's.
func (t *Table) Change(slot uint32) {
	g := t.groups.at(slot)
	if g.flags&(headNew|dirty) == headNew|dirty {
		return
	}
	g.flags |= headNew
	t.soil(slot, g)
}

func (t *Table) soil(slot uint32, g *group) {
	if g.flags&dirty == 0 {
		g.flags |= dirty
		t.dirty = append(t.dirty, slot)
	}
}

// ChangeEntry says that an entry's value is about to differ from the store's.
func (t *Table) ChangeEntry(id uint32) {
	e := t.entries.at(id)
	if e.flags&changed != 0 {
		return
	}
	g := t.groups.at(e.group)
	e.flags |= changed
	e.next = g.chain
	g.chain = id + 1
	t.soil(e.group, g)
}

// MarkEntry marks an entry that has been changed; it tells whether it was not marked.
func (t *Table) MarkEntry(id uint32) bool {
	t.ChangeEntry(id)
	e := t.entries.at(id)
	if e.flags&entryMarked != 0 {
		return false
	}
	e.flags |= entryMarked
	return true
}

// UnmarkEntry takes the mark away.
func (t *Table) UnmarkEntry(id uint32) { t.entries.at(id).flags &^= entryMarked }

// Mark puts a group on the list of marked groups, with a note; it tells whether it was
// not on it. The list is the caller's, to remember which groups an epoch changed; they stay in memory.
func (t *Table) Mark(slot uint32, note bool) bool {
	g := t.groups.at(slot)
	if g.flags&marked != 0 {
		return false
	}
	g.flags |= marked
	if note {
		g.flags |= noted
	}
	g.used = uint32(len(t.marks))
	t.marks = append(t.marks, slot)
	return true
}

// Note is the note with which a group was marked.
func (t *Table) Note(slot uint32) (note, isMarked bool) {
	flags := t.groups.at(slot).flags
	return flags&noted != 0, flags&marked != 0
}

// MarkIndex is a marked group's place in Marked.
func (t *Table) MarkIndex(slot uint32) int { return int(t.groups.at(slot).used) }

// Marked are the marked groups, in the order of their marking.
func (t *Table) Marked() []uint32 { return t.marks }

// Unmark empties the list of marked groups.
func (t *Table) Unmark() {
	for _, slot := range t.marks {
		g := t.groups.at(slot)
		g.flags &^= marked | noted
		g.used = t.tick
	}
	t.marks = t.marks[:0]
}

// sortKey orders a group by the first 16 bytes of prefix | key, which decide but for collisions.
type sortKey struct {
	hi, lo uint64
	slot   uint32
}

const sortKeySize = 24

func (t *Table) sortKey(slot uint32) sortKey {
	var b [16]byte
	key := t.Key(slot)
	AppendPrefix(b[:0], t.groups.at(slot).bucket, Hash(key))
	copy(b[PrefixLen:], key)
	return sortKey{binary.BigEndian.Uint64(b[:]), binary.BigEndian.Uint64(b[8:]), slot}
}

func (t *Table) compare(a, b sortKey) int {
	switch {
	case a.hi < b.hi:
		return -1
	case a.hi > b.hi:
		return 1
	case a.lo < b.lo:
		return -1
	case a.lo > b.lo:
		return 1
	}
	return bytes.Compare(t.Key(a.slot), t.Key(b.slot))
}

// sorted lists groups ascending by prefix and key: first by bucket, by counting, which leaves
// short lists to compare.
func (t *Table) sorted(slots []uint32) []sortKey {
	var counts [257]int
	for _, slot := range slots {
		counts[int(t.groups.at(slot).bucket)+1]++
	}
	for b := range 256 {
		counts[b+1] += counts[b]
	}
	if cap(t.sorting) < len(slots) {
		t.sorting = make([]sortKey, len(slots))
	}
	t.sorting = t.sorting[:len(slots)]
	for _, slot := range slots {
		at := &counts[t.groups.at(slot).bucket]
		t.sorting[*at] = t.sortKey(slot)
		*at++
	}
	from := 0
	for b := range 256 {
		if to := counts[b]; to > from {
			slices.SortFunc(t.sorting[from:to], t.compare)
			from = to
		}
	}
	return t.sorting
}

// Changes calls fn for every entry changed since the last Sealed, ascending by prefix |
// group | suffix. A nil value says that it was deleted. Key and value are borrowed for the call.
func (t *Table) Changes(fn func(key, value []byte)) {
	for _, s := range t.sorted(t.dirty) {
		g := t.groups.at(s.slot)
		t.key = t.appendGroup(t.key[:0], s.slot)
		if g.flags&headNew != 0 {
			switch head := t.Head(s.slot); {
			case head != nil:
				fn(t.key, head)
			case g.flags&headIn != 0:
				fn(t.key, nil)
			}
		}
		if g.chain != 0 {
			t.entryChanges(g, fn)
		}
	}
}

// appendGroup appends a group's prefix and key.
func (t *Table) appendGroup(dst []byte, slot uint32) []byte {
	key := t.Key(slot)
	return append(AppendPrefix(dst, t.groups.at(slot).bucket, Hash(key)), key...)
}

func (t *Table) entryChanges(g *group, fn func(key, value []byte)) {
	t.gather = t.gather[:0]
	for next := g.chain; next != 0; {
		e := t.entries.at(next - 1)
		if e.flags&(deleted|inStore) != deleted {
			t.gather = append(t.gather, next-1)
		}
		next = e.next
	}
	slices.Reverse(t.gather) // often they came in order
	slices.SortStableFunc(t.gather, func(a, b uint32) int {
		if c := bytes.Compare(t.Suffix(a), t.Suffix(b)); c != 0 {
			return c
		}
		// A deleted entry may have come back as another one, which counts.
		return cmp.Compare(t.entries.at(a).flags&deleted, t.entries.at(b).flags&deleted)
	})
	prefix := len(t.key)
	for i, id := range t.gather {
		e := t.entries.at(id)
		switch {
		case e.flags&deleted == 0:
			t.key = append(t.key[:prefix], t.Suffix(id)...)
			fn(t.key, t.Value(id))
		case i == 0 || !bytes.Equal(t.Suffix(t.gather[i-1]), t.Suffix(id)):
			t.key = append(t.key[:prefix], t.Suffix(id)...)
			fn(t.key, nil)
		}
	}
}

// Sealed says that the store has what Changes gave.
func (t *Table) Sealed() {
	for _, slot := range t.dirty {
		g := t.groups.at(slot)
		if g.flags&headNew != 0 {
			g.flags &^= headIn | headNew
			if g.flags&hasHead != 0 {
				g.flags |= headIn
			}
		}
		g.flags &^= dirty
		for next := g.chain; next != 0; {
			id := next - 1
			e := t.entries.at(id)
			next = e.next
			if e.flags&deleted != 0 {
				t.arena.release(e.place)
				t.entries.put(id)
			} else {
				e.flags = inStore
			}
		}
		g.chain = 0
		// In a cold table it stays, as the knowledge that there is nothing.
		if !t.Cold() && g.flags&marked == 0 && t.Empty(slot) {
			t.forget(slot)
		}
	}
	t.dirty = t.dirty[:0]
	t.trim()
}

// trim gives back the lists that one great epoch made long.
func (t *Table) trim() {
	const keep = 1 << 16
	if cap(t.dirty) > keep {
		t.dirty = nil
	}
	if cap(t.marks) > keep && len(t.marks) == 0 {
		t.marks = nil
	}
	if cap(t.sorting) > keep {
		t.sorting = nil
	}
	if cap(t.gather) > keep {
		t.gather = nil
	}
}
