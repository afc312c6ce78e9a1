package arrange

import "encoding/binary"

// quiet tells whether nobody holds slots or ids: nothing is changed, marked or
// wanted, and no batch is at hand. So it is after Sealed.
func (t *Table) quiet() bool {
	if len(t.dirty) > 0 || len(t.marks) > 0 || t.filled < len(t.wants) || len(t.buckets) > 0 || len(t.loaded) > 0 {
		return false
	}
	for slot := range t.groups.n {
		if g := t.groups.at(slot); g.place != 0 && g.used == t.tick {
			return false
		}
	}
	return true
}

// idle is the memory of records that are not in use.
func (t *Table) idle() int64 {
	return int64(len(t.groups.free))*groupSize + int64(len(t.entries.free))*entrySize +
		int64(len(t.runs.short.free))*short*4 + int64(len(t.runs.middle.free))*middle*4 + int64(len(t.runs.long.free))*long*4
}

// compact moves all records together and makes the index as small as it can be.
// Slots and ids change: only when the table is quiet.
func (t *Table) compact() {
	groups, entries, runs := t.groups, t.entries, t.runs
	t.groups, t.entries, t.runs = pool[group]{}, pool[entry]{}, newRuns()
	slots := make([]uint32, groups.n) // new ones, by old one
	for old := range groups.n {
		if groups.at(old).place == 0 {
			continue
		}
		slot := t.groups.take()
		slots[old] = slot
		g := t.groups.at(slot)
		*g = *groups.at(old)
		t.setOwner(g.place, slot)
		t.moveRun(g, slot, &entries, &runs)
	}
	words := t.index.words
	t.index.words = make([]uint64, 64)
	t.index.mask, t.index.n = 63, 0
	t.index.reserve(t.groups.live())
	for _, w := range words {
		if w != 0 {
			t.index.insert(w>>32, slots[uint32(w)-1])
		}
	}
	t.trimAll()
}

// trimAll gives all lists back.
func (t *Table) trimAll() {
	t.dirty, t.marks, t.wants, t.filled, t.sorting, t.gather = nil, nil, nil, 0, nil, nil
}

func (t *Table) setOwner(place, owner uint32) {
	binary.LittleEndian.PutUint32(t.arena.at(place), owner)
}

// moveRun moves the entries of a group that was copied from among the old records.
func (t *Table) moveRun(g *group, slot uint32, entries *pool[entry], runs *runs) {
	move := func(id uint32) uint32 {
		fresh := t.entries.take()
		e := t.entries.at(fresh)
		*e = *entries.at(id)
		e.group = slot
		t.setOwner(e.place, fresh|isEntry)
		return fresh
	}
	moveAll := func(kind runKind, root, n uint32) uint32 {
		fresh := t.runs.take(kind)
		from, to := runs.ids(kind, root), t.runs.ids(kind, fresh)
		for i := range n {
			to[i] = move(from[i])
		}
		return fresh
	}
	switch {
	case g.n == 0:
	case g.kind == one:
		g.root = move(g.root)
	case g.kind == tree:
		d := directory{leaves: make([]leaf, len(runs.dirs.at(g.root).leaves))}
		copy(d.leaves, runs.dirs.at(g.root).leaves)
		for i := range d.leaves {
			l := &d.leaves[i]
			l.run = moveAll(run64, l.run, l.n)
		}
		g.root = t.runs.dirs.take()
		*t.runs.dirs.at(g.root) = d
		t.runs.leaves += int64(cap(d.leaves))
	default:
		g.root = moveAll(g.kind, g.root, g.n)
	}
}
