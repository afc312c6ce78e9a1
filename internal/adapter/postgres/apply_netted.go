package postgres

// ref is one row to write: its new image, and the key it has at the target.
type ref struct{ image, key span }

// group is rows of one table that take the same statement: the same columns are
// unchanged (mask, a byte a column, 1 where unchanged; nil when none is).
type group struct {
	mask []byte
	rows []ref
}

// netted is what is left of a table's changes after netting. Its parts are
// applied in this order. Updates never change a key; moves do, and one that comes
// later in the list takes keys that earlier ones have left.
type netted struct {
	deletes []ref
	updates []group
	moves   []group
	inserts []ref
}

// maxWaves bounds how many statements a chain of key changes may become.
const maxWaves = 64

// collect sorts the entries into out. It is false when moves form a cycle or a
// long chain: the order of the changes themselves resolves that.
func (t *netter) collect(out *netted) bool {
	out.reset()
	var moved []int32
	for i := range t.entries {
		e := &t.entries[i]
		switch {
		case !e.there && e.live:
			out.inserts = append(out.inserts, ref{image: t.whole(e)})
		case !e.there: // came and went
		case !e.live:
			out.deletes = append(out.deletes, ref{key: e.orig})
		case t.same(e.orig, e.cur):
			out.updates = t.put(out.updates, e, 0)
		default:
			moved = append(moved, int32(i))
		}
	}
	return len(moved) == 0 || t.order(moved, out)
}

// order lays moves out in waves: a row moves after the row that holds its new key
// has left it.
func (t *netter) order(moved []int32, out *netted) bool {
	held := make(map[string]bool, len(moved))
	for _, i := range moved {
		held[string(t.p.bytes(t.entries[i].orig))] = true
	}
	for len(moved) > 0 {
		wave := len(out.moves)
		var wait []int32
		for _, i := range moved {
			if e := &t.entries[i]; held[string(t.p.bytes(e.cur))] {
				wait = append(wait, i)
			} else {
				out.moves = t.put(out.moves, e, wave)
			}
		}
		if len(wait) == len(moved) || len(out.moves) > maxWaves {
			return false
		}
		for _, g := range out.moves[wave:] {
			for _, r := range g.rows {
				delete(held, string(t.p.bytes(r.key)))
			}
		}
		moved = wait
	}
	return true
}

// put adds an entry to the group of its mask among groups[from:].
func (t *netter) put(groups []group, e *entry, from int) []group {
	r := ref{image: t.whole(e), key: e.orig}
	mask := t.p.mask(r.image, t.mask[:0])
	t.mask = mask[:0]
	for i := from; i < len(groups); i++ {
		if string(groups[i].mask) == string(mask) {
			groups[i].rows = append(groups[i].rows, r)
			return groups
		}
	}
	if len(groups) < cap(groups) {
		// Reuse the rows of a group of an earlier piece.
		groups = groups[:len(groups)+1]
	} else {
		groups = append(groups, group{})
	}
	g := &groups[len(groups)-1]
	g.mask, g.rows = append(g.mask[:0], mask...), append(g.rows[:0], r)
	return groups
}

func (n *netted) reset() {
	n.deletes, n.inserts = n.deletes[:0], n.inserts[:0]
	n.updates, n.moves = n.updates[:0], n.moves[:0]
}
