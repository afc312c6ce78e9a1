package op

import (
	"bytes"
	"encoding/binary"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/expr"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// list keeps all items of array_agg or string_agg in order: entries item ─► how many. The
// whole list is written again whenever its group changes.
type list struct {
	extreme
	fn   *expr.Aggregate
	item zset.Vec
}

func newList(t *arrange.Table, k int, fn *expr.Aggregate) accumulator {
	return &list{extreme: extreme{table: t, prefix: prefixOf(k), kind: zset.Bytes}, fn: fn}
}

func (a *list) addRows(d *groupDelta, places []int32, v *zset.Vec, off int) {
	addEach(a, d, places, v, off)
}

// rest is the text of the list, behind a byte that says there is one.
func (a *list) rest(slot uint32, dst []byte) []byte {
	first := true
	for c := a.table.Seek(slot, a.prefix); c.Valid(); c.Next() {
		key, mine := bytes.CutPrefix(a.table.Suffix(c.ID()), a.prefix)
		if !mine {
			break
		}
		a.item.Kind = zset.Bytes
		a.item.Reset()
		if _, err := zset.DecodeKey(&a.item, key, zset.Order{}); err != nil {
			continue // what cannot be read was not written here
		}
		n, _ := binary.Varint(a.table.Value(c.ID()))
		for range max(n, 0) {
			if first {
				dst = append(dst, 1)
			}
			dst = a.fn.AppendItem(dst, a.item.Bytes(0), first)
			first = false
		}
	}
	if !first {
		dst = a.fn.EndList(dst)
	}
	return dst
}

func (a *list) result(_, rest []byte, out *zset.Vec) *sql.Error {
	if len(rest) == 0 {
		out.AppendNull()
	} else {
		out.AppendBytes(rest[1:])
	}
	return nil
}
