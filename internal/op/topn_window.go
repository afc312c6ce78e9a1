package op

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/weirstream/weir/internal/plan"
	"github.com/weirstream/weir/internal/zset"
)

// windowRow is a row in a group's window, with the weight that is in it.
type windowRow struct {
	suffix []byte
	w      int64
	rank   int64
}

// window is a group's window, in order.
type window struct {
	data []byte
	rows []windowRow
}

// save appends a group's window as it is now: length of the suffix, weight and rank
// (varints), suffix, of each row.
func (t *TopN) save(slot uint32, dst []byte) []byte {
	if t.c.Limit == 0 {
		return dst
	}
	var before, rank, dense int64 // rows before; rank of the peers at hand
	var peers []byte
	for c := t.table.First(slot); c.Valid(); c.Next() {
		suffix := t.table.Suffix(c.ID())
		w, _ := binary.Varint(t.table.Value(c.ID()))
		if t.c.Rank != plan.RowNumber {
			if order := suffix[:t.layout.orderLen(suffix)]; peers == nil || !bytes.Equal(order, peers) {
				dense++
				peers, rank = order, before+1
			}
			if t.c.Rank == plan.DenseRank {
				rank = dense
			}
			if t.c.Limit >= 0 && rank > t.end() {
				break
			}
			if rank > t.c.Offset {
				dst = appendWindowRow(dst, suffix, w, rank)
			}
		} else {
			from, to := max(before, t.c.Offset), before+w
			if t.c.Limit >= 0 {
				to = min(to, t.end())
			}
			dst = t.numbered(dst, suffix, from, to)
			if t.c.Limit >= 0 && before+w >= t.end() {
				break
			}
		}
		before += w
	}
	return dst
}

// numbered appends a row that has the numbers from+1 to to.
func (t *TopN) numbered(dst, suffix []byte, from, to int64) []byte {
	if !t.c.EmitRank {
		if to > from {
			dst = appendWindowRow(dst, suffix, to-from, 0)
		}
		return dst
	}
	for ; from < to; from++ {
		dst = appendWindowRow(dst, suffix, 1, from+1)
	}
	return dst
}

func appendWindowRow(dst, suffix []byte, w, rank int64) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(suffix)))
	dst = binary.AppendVarint(binary.AppendVarint(dst, w), rank)
	return append(dst, suffix...)
}

// load reads what save wrote.
func (w *window) load(b []byte) {
	w.rows = w.rows[:0]
	for len(b) > 0 {
		n, k := binary.Uvarint(b)
		weight, l := binary.Varint(b[k:])
		rank, m := binary.Varint(b[k+l:])
		b = b[k+l+m:]
		w.rows = append(w.rows, windowRow{b[:n], weight, rank})
		b = b[n:]
	}
}

// rowLayout is how a row is spread over a group's key and an entry's suffix: order
// columns, other columns, then exact forms.
type rowLayout struct {
	kinds  []zset.Kind
	group  []int
	parts  []part // of the suffix: order columns, then the others
	orders int
	exact  []int // columns whose exact form is in the suffix
}

// part is a column's key in a suffix.
type part struct {
	col   int
	order zset.Order
	again bool // its value comes from elsewhere
}

func newRowLayout(kinds []zset.Kind, group []int, order []plan.SortKey) rowLayout {
	l := rowLayout{kinds: kinds, group: group}
	placed := make([]bool, len(kinds))
	for _, c := range group {
		placed[c] = true
	}
	for _, o := range order {
		l.parts = append(l.parts, part{o.Col, zset.Order{Desc: o.Desc, NullsFirst: o.NullsFirst}, placed[o.Col]})
		placed[o.Col] = true
	}
	l.orders = len(l.parts)
	for c := range kinds {
		if !placed[c] {
			l.parts = append(l.parts, part{col: c})
		}
		if lossy(kinds[c]) {
			l.exact = append(l.exact, c)
		}
	}
	return l
}

func (l *rowLayout) appendOrder(dst []byte, in *zset.Chunk, i int) []byte {
	for _, p := range l.parts[:l.orders] {
		dst = zset.AppendKey(dst, in.Cols[p.col], i, p.order)
	}
	return dst
}

func (l *rowLayout) appendRest(dst []byte, in *zset.Chunk, i int) []byte {
	for _, p := range l.parts[l.orders:] {
		dst = zset.AppendKey(dst, in.Cols[p.col], i, p.order)
	}
	for _, c := range l.exact {
		dst = zset.AppendExact(dst, in.Cols[c], i)
	}
	if len(dst) == 0 {
		dst = append(dst, 0) // an entry needs a suffix
	}
	return dst
}

// orderLen is how much of a suffix is order columns.
func (l *rowLayout) orderLen(suffix []byte) int {
	rest := suffix
	for _, p := range l.parts[:l.orders] {
		next, err := zset.SkipKey(l.kinds[p.col], rest, p.order)
		if err != nil {
			return len(suffix)
		}
		rest = next
	}
	return len(suffix) - len(rest)
}

// decode appends a row to cols.
func (l *rowLayout) decode(cols []*zset.Vec, key, suffix []byte) (err error) {
	for at, c := range l.group {
		if lossy(l.kinds[c]) || slices.Contains(l.group[:at], c) {
			key, err = zset.SkipKey(l.kinds[c], key, zset.Order{})
		} else {
			key, err = zset.DecodeKey(cols[c], key, zset.Order{})
		}
		if err != nil {
			return err
		}
	}
	for _, p := range l.parts {
		if lossy(l.kinds[p.col]) || p.again {
			suffix, err = zset.SkipKey(l.kinds[p.col], suffix, p.order)
		} else {
			suffix, err = zset.DecodeKey(cols[p.col], suffix, p.order)
		}
		if err != nil {
			return err
		}
	}
	for _, c := range l.exact {
		if suffix, err = zset.DecodeExact(cols[c], suffix); err != nil {
			return err
		}
	}
	return nil
}
