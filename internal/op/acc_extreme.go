package op

import (
	"bytes"
	"encoding/binary"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/sql"
	"github.com/weirstream/weir/internal/zset"
)

// lossy tells whether keys of a kind forget how a value is written.
func lossy(kind zset.Kind) bool { return kind != zset.Int && kind != zset.Bytes }

// best is the order in which the value that counts comes first.
func best(max bool) zset.Order { return zset.Order{Desc: max} }

// newFinal keeps the smallest (largest) value of an input that only grows.
func newFinal(t *arrange.Table, k int, max bool, kind zset.Kind) accumulator {
	if kind == zset.Int {
		return &finalInt{max: max}
	}
	return &final{spills: spills{t, prefixOf(k)}, order: best(max), kind: kind}
}

// finalInt is whether there is a value, and the value.
type finalInt struct {
	headOnly
	max bool
}

func (*finalInt) size() int { return 16 }

func (a *finalInt) add(_ uint32, b []byte, v *zset.Vec, i int, _ int64) {
	x, have := v.Ints[i], getInt(b[8:])
	if getInt(b) == 0 || a.max && x > have || !a.max && x < have {
		putInt(b, 1)
		putInt(b[8:], x)
	}
}

func (a *finalInt) addRows(d *groupDelta, places []int32, v *zset.Vec, off int) {
	addEach(a, d, places, v, off)
}

func (a *finalInt) result(b, _ []byte, out *zset.Vec) *sql.Error {
	if getInt(b) == 0 {
		out.AppendNull()
	} else {
		out.AppendInt(getInt(b[8:]))
	}
	return nil
}

// final keeps the value as an entry: its key, then its exact encoding.
type final struct {
	spills
	order zset.Order
	kind  zset.Kind
	buf   []byte
}

func (*final) size() int { return 0 }

func (a *final) add(slot uint32, _ []byte, v *zset.Vec, i int, _ int64) {
	a.buf = zset.AppendKey(a.buf[:0], v, i, a.order)
	if have := a.get(slot); have != nil && bytes.Compare(have[:min(len(have), len(a.buf))], a.buf) <= 0 {
		return
	}
	a.buf = zset.AppendExact(a.buf, v, i)
	a.set(slot, a.buf)
}

func (a *final) addRows(d *groupDelta, places []int32, v *zset.Vec, off int) {
	addEach(a, d, places, v, off)
}

func (a *final) rest(slot uint32, dst []byte) []byte { return append(dst, a.get(slot)...) }
func (a *final) keepsRest() bool                     { return true }

func (a *final) result(_, rest []byte, out *zset.Vec) *sql.Error {
	return appendKeyed(out, rest, a.kind, a.order, true)
}

// appendKeyed appends the value of a key, or of the exact encoding behind it; NULL of nothing.
func appendKeyed(out *zset.Vec, b []byte, kind zset.Kind, o zset.Order, exact bool) *sql.Error {
	if len(b) == 0 {
		out.AppendNull()
		return nil
	}
	var err error
	if !exact {
		_, err = zset.DecodeKey(out, b, o)
	} else if b, err = zset.SkipKey(kind, b, o); err == nil {
		_, err = zset.DecodeExact(out, b)
	}
	if err != nil {
		return &sql.Error{Code: sql.InternalError, Message: "a value in the state of an aggregate cannot be read", Pos: -1}
	}
	return nil
}

// extreme keeps all values, the one that counts first: entries key (and exact encoding, if
// the key does not say all) ─► how many.
type extreme struct {
	table  *arrange.Table
	prefix []byte
	order  zset.Order
	kind   zset.Kind
	buf    []byte
	n      []byte
}

func newExtreme(t *arrange.Table, k int, max bool, kind zset.Kind) accumulator {
	return &extreme{table: t, prefix: prefixOf(k), order: best(max), kind: kind}
}

func (*extreme) size() int { return 0 }

func (a *extreme) add(slot uint32, _ []byte, v *zset.Vec, i int, w int64) {
	a.buf = zset.AppendKey(append(a.buf[:0], a.prefix...), v, i, a.order)
	if lossy(a.kind) {
		a.buf = zset.AppendExact(a.buf, v, i)
	}
	id, found := a.table.Get(slot, a.buf)
	if found {
		have, _ := binary.Varint(a.table.Value(id))
		if w += have; w == 0 {
			a.table.Delete(id)
			return
		}
	}
	a.n = binary.AppendVarint(a.n[:0], w)
	if found {
		a.table.SetValue(id, a.n)
	} else {
		a.table.Add(slot, a.buf, a.n)
	}
}

func (a *extreme) addRows(d *groupDelta, places []int32, v *zset.Vec, off int) {
	addEach(a, d, places, v, off)
}

func (a *extreme) rest(slot uint32, dst []byte) []byte {
	if c := a.table.Seek(slot, a.prefix); c.Valid() {
		if first, ok := bytes.CutPrefix(a.table.Suffix(c.ID()), a.prefix); ok {
			return append(dst, first...)
		}
	}
	return dst
}

func (a *extreme) keepsRest() bool { return true }

func (a *extreme) result(_, rest []byte, out *zset.Vec) *sql.Error {
	return appendKeyed(out, rest, a.kind, a.order, lossy(a.kind))
}
