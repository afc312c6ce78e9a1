package arrange

// Suffix is an entry's suffix, borrowed.
func (t *Table) Suffix(id uint32) []byte {
	e := t.entries.at(id)
	return t.arena.at(e.place)[unit : unit+e.slen]
}

// Value is an entry's value, borrowed. It may be written in place after ChangeEntry has been called.
func (t *Table) Value(id uint32) []byte {
	e := t.entries.at(id)
	from := unit + e.slen
	return t.arena.at(e.place)[from : from+e.vlen : from+e.vlen]
}

// Get is the id of the entry with a suffix.
func (t *Table) Get(slot uint32, suffix []byte) (id uint32, found bool) {
	return t.find(t.groups.at(slot), suffix)
}

// Put adds an entry, or changes its value.
func (t *Table) Put(slot uint32, suffix, value []byte) (id uint32) {
	id, found := t.Get(slot, suffix)
	if found {
		t.SetValue(id, value)
		return id
	}
	return t.Add(slot, suffix, value)
}

// Add is Put of an entry that is not there.
func (t *Table) Add(slot uint32, suffix, value []byte) (id uint32) {
	id = t.newEntry(slot, suffix, value)
	t.ChangeEntry(id)
	t.place(slot, id, suffix)
	return id
}

func (t *Table) newEntry(slot uint32, suffix, value []byte) uint32 {
	id := t.entries.take()
	e := t.entries.at(id)
	*e = entry{place: t.arena.alloc(id|isEntry, len(suffix)+len(value)), slen: uint32(len(suffix)), vlen: uint32(len(value)), group: slot}
	b := t.arena.data(e.place)
	copy(b[copy(b, suffix):], value)
	return id
}

// SetValue changes an entry's value. value may be a part of the old one.
func (t *Table) SetValue(id uint32, value []byte) {
	t.ChangeEntry(id)
	e := t.entries.at(id)
	b := t.arena.data(e.place)
	if n := int(e.slen) + len(value); n > len(b) || len(b) > 2*n+64 {
		place := t.arena.alloc(id|isEntry, n)
		to := t.arena.data(place)
		copy(to, b[:e.slen])
		copy(to[e.slen:], value)
		t.arena.release(e.place)
		e.place = place
	} else {
		copy(b[e.slen:], value)
	}
	e.vlen = uint32(len(value))
}

// Delete takes an entry out. Cursors of its group end.
func (t *Table) Delete(id uint32) {
	e := t.entries.at(id)
	slot := e.group
	t.displace(slot, id)
	if e.flags&inStore == 0 {
		if g := t.groups.at(slot); g.chain == id+1 {
			g.chain = e.next
			t.arena.release(e.place)
			t.entries.put(id)
			return
		}
	}
	t.ChangeEntry(id)
	e.flags |= deleted
}

// Cursor walks over a group's entries in the order of their suffixes. It ends with
// the next change of the group's entries; changing values is no such change.
type Cursor struct {
	t    *Table
	ids  []uint32
	at   int
	slot uint32
	leaf int
	one  [1]uint32
}

// First is a cursor at the first entry.
func (t *Table) First(slot uint32) Cursor {
	c := Cursor{t: t, slot: slot}
	c.load(0)
	return c
}

// Last is a cursor at the last entry.
func (t *Table) Last(slot uint32) Cursor {
	c := Cursor{t: t, slot: slot}
	if g := t.groups.at(slot); g.kind == tree {
		c.load(len(t.runs.dirs.at(g.root).leaves) - 1)
	} else {
		c.load(0)
	}
	c.at = len(c.list()) - 1
	return c
}

// Seek is a cursor at the first entry whose suffix is not below the given one.
func (t *Table) Seek(slot uint32, suffix []byte) Cursor {
	c := Cursor{t: t, slot: slot}
	if g := t.groups.at(slot); g.kind == tree {
		c.load(t.leafOf(t.runs.dirs.at(g.root), suffix))
	} else {
		c.load(0)
	}
	c.at, _ = t.search(c.list(), suffix)
	if c.at == len(c.list()) && c.at > 0 {
		c.at--
		c.Next()
	}
	return c
}

// load takes the entries of a leaf, or of the whole group if it has no leaves.
func (c *Cursor) load(leaf int) {
	g := c.t.groups.at(c.slot)
	c.leaf, c.at = leaf, 0
	switch {
	case g.n == 0:
		c.ids = nil
	case g.kind == one:
		c.one[0] = g.root
		c.at, c.ids, c.leaf = 0, nil, -1
	case g.kind == tree:
		l := c.t.runs.dirs.at(g.root).leaves[leaf]
		c.ids = c.t.runs.long.at(l.run)[:l.n]
	default:
		c.ids = c.t.flat(g)
	}
}

// list is the entries at hand: a copied cursor must not point into the other's only entry.
func (c *Cursor) list() []uint32 {
	if c.leaf < 0 {
		return c.one[:]
	}
	return c.ids
}

// Valid tells whether the cursor is at an entry.
func (c *Cursor) Valid() bool { return c.at >= 0 && c.at < len(c.list()) }

// ID is the entry at hand.
func (c *Cursor) ID() uint32 { return c.list()[c.at] }

// Next goes to the entry after it.
func (c *Cursor) Next() {
	if c.at++; c.at < len(c.list()) || c.leaf < 0 {
		return
	}
	if g := c.t.groups.at(c.slot); g.kind == tree && g.n > 0 && c.leaf+1 < len(c.t.runs.dirs.at(g.root).leaves) {
		c.load(c.leaf + 1)
	}
}

// Prev goes to the entry before it.
func (c *Cursor) Prev() {
	if c.at--; c.at >= 0 || c.leaf <= 0 {
		return
	}
	c.load(c.leaf - 1)
	c.at = len(c.ids) - 1
}
