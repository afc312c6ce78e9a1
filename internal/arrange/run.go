package arrange

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// runKind is where a group's entries are.
type runKind uint8

const (
	one   runKind = iota // none, or one: root is its id
	run4                 // root is a run of up to 4 ids
	run16                // of 16
	run64                // of 64
	tree                 // root is a directory
)

// Lengths of runs.
const (
	short  = 4
	middle = 16
	long   = 64
)

// runs is the memory of sorted runs of entry ids.
type runs struct {
	short  pool[[short]uint32]
	middle pool[[middle]uint32]
	long   pool[[long]uint32]
	dirs   pool[directory]
	leaves int64 // capacity of all directories
}

// directory lists the runs of a group that has many, in order.
type directory struct{ leaves []leaf }

// leaf is a run with the number of its ids and the first 8 bytes of its first suffix.
type leaf struct {
	first uint64
	run   uint32
	n     uint32
}

const leafSize = 16

func newRuns() runs { return runs{} }

func (r *runs) bytes() int64 {
	return r.short.bytes(short*4) + r.middle.bytes(middle*4) + r.long.bytes(long*4) + r.dirs.bytes(24) + r.leaves*leafSize
}

// ids is a run's memory.
func (r *runs) ids(kind runKind, root uint32) []uint32 {
	switch kind {
	case run4:
		return r.short.at(root)[:]
	case run16:
		return r.middle.at(root)[:]
	}
	return r.long.at(root)[:]
}

func (r *runs) take(kind runKind) uint32 {
	switch kind {
	case run4:
		return r.short.take()
	case run16:
		return r.middle.take()
	}
	return r.long.take()
}

func (r *runs) put(kind runKind, root uint32) {
	switch kind {
	case run4:
		r.short.put(root)
	case run16:
		r.middle.put(root)
	case run64:
		r.long.put(root)
	}
}

// prefix is the first 8 bytes of a suffix, which decide most comparisons.
func prefix(suffix []byte) uint64 {
	if len(suffix) >= 8 {
		return binary.BigEndian.Uint64(suffix)
	}
	var b [8]byte
	copy(b[:], suffix)
	return binary.BigEndian.Uint64(b[:])
}

// search finds a suffix in a sorted run: its place or where it belongs. Appending is tried first.
func (t *Table) search(ids []uint32, suffix []byte) (at int, found bool) {
	low, high := 0, len(ids)
	if high > 0 {
		switch c := bytes.Compare(suffix, t.Suffix(ids[high-1])); {
		case c > 0:
			return high, false
		case c == 0:
			return high - 1, true
		}
		high--
	}
	for low < high {
		mid := (low + high) / 2
		switch c := bytes.Compare(t.Suffix(ids[mid]), suffix); {
		case c == 0:
			return mid, true
		case c < 0:
			low = mid + 1
		default:
			high = mid
		}
	}
	return low, false
}

// leafOf is the leaf that has a suffix, or should.
func (t *Table) leafOf(d *directory, suffix []byte) int {
	p := prefix(suffix)
	low, high := 0, len(d.leaves)
	for low < high {
		mid := (low + high) / 2
		l := &d.leaves[mid]
		before := l.first < p || l.first == p && bytes.Compare(t.Suffix(t.runs.long.at(l.run)[0]), suffix) <= 0
		if before {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return max(low-1, 0)
}

// flat is the group's run when it has one, of n ids.
func (t *Table) flat(g *group) []uint32 {
	if g.kind == one {
		return nil
	}
	return t.runs.ids(g.kind, g.root)[:g.n]
}

// find is the id of the entry with a suffix.
func (t *Table) find(g *group, suffix []byte) (id uint32, found bool) {
	switch {
	case g.n == 0:
		return 0, false
	case g.kind == one:
		return g.root, bytes.Equal(t.Suffix(g.root), suffix)
	case g.kind == tree:
		d := t.runs.dirs.at(g.root)
		l := d.leaves[t.leafOf(d, suffix)]
		ids := t.runs.long.at(l.run)[:l.n]
		at, found := t.search(ids, suffix)
		if !found {
			return 0, false
		}
		return ids[at], true
	}
	ids := t.flat(g)
	at, found := t.search(ids, suffix)
	if !found {
		return 0, false
	}
	return ids[at], true
}

// place puts a new entry into its group's order.
func (t *Table) place(slot, id uint32, suffix []byte) {
	g := t.groups.at(slot)
	if g.n == 0 {
		g.root, g.n = id, 1
		return
	}
	switch {
	case g.kind == one:
		t.grow(g, run4)
	case g.kind == run4 && g.n == short:
		t.grow(g, run16)
	case g.kind == run16 && g.n == middle:
		t.grow(g, run64)
	case g.kind == run64 && g.n == long:
		t.growTree(g)
	}
	if g.kind == tree {
		t.placeLeaf(g, id, suffix)
	} else {
		ids := t.runs.ids(g.kind, g.root)
		at, _ := t.search(ids[:g.n], suffix)
		copy(ids[at+1:g.n+1], ids[at:g.n])
		ids[at] = id
	}
	g.n++
}

// grow moves the ids to a longer run.
func (t *Table) grow(g *group, kind runKind) {
	root := t.runs.take(kind)
	ids := t.runs.ids(kind, root)
	if g.kind == one {
		ids[0] = g.root
	} else {
		copy(ids, t.flat(g))
		t.runs.put(g.kind, g.root)
	}
	g.kind, g.root = kind, root
}

func (t *Table) growTree(g *group) {
	root := t.runs.dirs.take()
	d := t.runs.dirs.at(root)
	t.insertLeaf(d, 0, leaf{prefix(t.Suffix(t.runs.long.at(g.root)[0])), g.root, long})
	g.kind, g.root = tree, root
}

func (t *Table) insertLeaf(d *directory, at int, l leaf) {
	t.runs.leaves -= int64(cap(d.leaves))
	d.leaves = slices.Insert(d.leaves, at, l)
	t.runs.leaves += int64(cap(d.leaves))
}

// placeLeaf puts an id into its leaf, which is split when it is full: in the
// middle, or, when the id comes last of all, into a full one and one for what follows.
func (t *Table) placeLeaf(g *group, id uint32, suffix []byte) {
	d := t.runs.dirs.at(g.root)
	i := t.leafOf(d, suffix)
	l := &d.leaves[i]
	ids := t.runs.long.at(l.run)
	at, _ := t.search(ids[:l.n], suffix)
	if l.n == long {
		keep := uint32(long / 2)
		if at == long && i == len(d.leaves)-1 {
			keep = long
		}
		next := leaf{run: t.runs.long.take(), n: long - keep}
		copy(t.runs.long.at(next.run)[:], ids[keep:])
		l.n = keep
		if next.n > 0 {
			next.first = prefix(t.Suffix(ids[keep]))
		}
		t.insertLeaf(d, i+1, next)
		l = &d.leaves[i]
		if at > int(keep) || keep == long {
			i++
			l = &d.leaves[i]
			at -= int(keep)
		}
		ids = t.runs.long.at(l.run)
	}
	copy(ids[at+1:l.n+1], ids[at:l.n])
	ids[at] = id
	l.n++
	if at == 0 {
		l.first = prefix(suffix)
	}
}

// displace takes an entry out of its group's order.
func (t *Table) displace(slot, id uint32) {
	g := t.groups.at(slot)
	g.n--
	switch {
	case g.kind == tree:
		t.displaceLeaf(g, id)
	case g.kind != one:
		ids := t.runs.ids(g.kind, g.root)[:g.n+1]
		at, _ := t.search(ids, t.Suffix(id))
		copy(ids[at:], ids[at+1:])
		if g.n <= 1 {
			last := ids[0]
			t.runs.put(g.kind, g.root)
			g.kind, g.root = one, last
		}
	}
}

func (t *Table) displaceLeaf(g *group, id uint32) {
	d := t.runs.dirs.at(g.root)
	suffix := t.Suffix(id)
	i := t.leafOf(d, suffix)
	l := &d.leaves[i]
	ids := t.runs.long.at(l.run)
	at, _ := t.search(ids[:l.n], suffix)
	copy(ids[at:], ids[at+1:l.n])
	l.n--
	switch {
	case l.n == 0:
		t.removeLeaf(d, i)
	case at == 0:
		l.first = prefix(t.Suffix(ids[0]))
	}
	if i = max(i, 1); i < len(d.leaves) && d.leaves[i-1].n+d.leaves[i].n <= long/2 {
		t.mergeLeaf(d, i)
	}
	if len(d.leaves) == 1 {
		run := d.leaves[0].run
		t.dropDirectory(g.root)
		g.kind, g.root = run64, run
	}
}

func (t *Table) removeLeaf(d *directory, i int) {
	t.runs.long.put(d.leaves[i].run)
	d.leaves = slices.Delete(d.leaves, i, i+1)
}

// mergeLeaf moves a leaf's ids to the end of the one before it.
func (t *Table) mergeLeaf(d *directory, i int) {
	l, r := &d.leaves[i-1], &d.leaves[i]
	copy(t.runs.long.at(l.run)[l.n:], t.runs.long.at(r.run)[:r.n])
	l.n += r.n
	t.removeLeaf(d, i)
}

func (t *Table) dropDirectory(root uint32) {
	d := t.runs.dirs.at(root)
	t.runs.leaves -= int64(cap(d.leaves))
	d.leaves = nil
	t.runs.dirs.put(root)
}

// dropRun forgets the group's entries, all of which are as in the store.
func (t *Table) dropRun(slot uint32) {
	for c := t.First(slot); c.Valid(); c.Next() {
		t.arena.release(t.entries.at(c.ID()).place)
		t.entries.put(c.ID())
	}
	g := t.groups.at(slot)
	if g.kind == tree {
		for _, l := range t.runs.dirs.at(g.root).leaves {
			t.runs.long.put(l.run)
		}
		t.dropDirectory(g.root)
	} else {
		t.runs.put(g.kind, g.root)
	}
	g.kind, g.n = one, 0
}
