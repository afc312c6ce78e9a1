package op

import (
	"encoding/binary"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// Values of an Upsert's first input column: as in package row.
const (
	UpsertInsert   = 'I' // or a row of a snapshot
	UpsertUpdate   = 'U'
	UpsertDelete   = 'D'
	UpsertTruncate = 'T'
)

// UpsertConfig describes an Upsert.
type UpsertConfig struct {
	Kinds []zset.Kind // of the table's columns
	Key   []int       // primary key; nil: none
	// OldRows, without a Key: changes carry the whole old row. Else the table only takes inserts.
	OldRows bool
	Print   RowPrinter
}

// Upsert is the table of a relation that others write: it turns logged changes into
// exact rows, -1 for what was and +1 for what is. Its input has one row for each change,
// in the order of the log, with these columns:
//
//	op        Int: one of the Upsert… constants
//	new       as Kinds: the new row; of no interest for a delete or a truncate
//	old       with a Key: the key columns of the row that the change is about, in Key's order, when they
//	          are not the new row's: of a delete, or an update that changes the key. Else the first
//	          of them is NULL.
//	          without a Key, with OldRows: as Kinds, the whole old row of an update or delete.
//	unchanged Bytes: a bitmap, bit c of byte c/8 is set when the new value of column c is the old
//	          row's (the log does not repeat large values). NULL or short: the rest is not.
//
// An insert of a key that is there acts as an update; a delete of one that is not does
// nothing. A truncate takes all rows back: it must be given to every shard. The rows of one chunk are netted by key.
//
// Its Table is read as Stored says.
type Upsert struct {
	queue
	c      UpsertConfig
	table  *arrange.Table
	at     int // row of the first chunk
	batch  arrange.Batch
	slots  []uint32
	keys   []int32 // place in the batch of row i's key, 2 of each row: the new one, the old one; -1: none
	before befores
	fresh  []int32  // row whose new columns a marked group has; -1: it must be decoded
	data   rowBytes // new heads, by place in the batch
	row    []byte
	rowKey []byte
	rows   emitter
	clear  truncating
	oldOff int // first column of old
	mark   int // column unchanged
}

// NewUpsert makes an Upsert.
func NewUpsert(c UpsertConfig) *Upsert {
	u := &Upsert{c: c, table: arrange.New(), rows: emitter{kinds: c.Kinds}}
	u.oldOff = 1 + len(c.Kinds)
	u.mark = u.oldOff + len(c.Key)
	if c.Key == nil && c.OldRows {
		u.mark = u.oldOff + len(c.Kinds)
	}
	u.clear.shards = 1
	if c.Key == nil {
		u.table.Reserve(1)
	}
	return u
}

// InputKinds are the kinds of the input's columns.
func (c *UpsertConfig) InputKinds() []zset.Kind {
	kinds := append([]zset.Kind{zset.Int}, c.Kinds...)
	for _, k := range c.Key {
		kinds = append(kinds, c.Kinds[k])
	}
	if c.Key == nil && c.OldRows {
		kinds = append(kinds, c.Kinds...)
	}
	return append(kinds, zset.Bytes)
}

// Stored is how the rows lie in the store.
func (u *Upsert) Stored() *Stored { return &Stored{Kinds: u.c.Kinds, Key: u.c.Key} }

// SetShard says which of n shards this is: a truncate takes the rows of its buckets only.
func (u *Upsert) SetShard(i, n int) { u.clear.shard, u.clear.shards = i, n }

// Tables implements Operator.
func (u *Upsert) Tables() []Table { return []Table{u.table} }

// Run implements Operator.
func (u *Upsert) Run(out *Output, budget int) Status {
	for p := u.first(); p != nil; p = u.first() {
		for u.at < p.in.N {
			if budget <= 0 {
				return More
			}
			if p.in.Cols[0].Ints[u.at] == UpsertTruncate {
				if s := u.truncate(out, &budget); s != Done || out.Fault != nil {
					return s
				}
				u.at++
				continue
			}
			end := u.at + 1
			for end < p.in.N && p.in.Cols[0].Ints[end] != UpsertTruncate {
				end++
			}
			if !u.segment(p.in, end, out) {
				return Miss
			}
			if out.Fault != nil {
				return Done
			}
			budget -= end - u.at
			u.at = end
			u.table.Tick()
		}
		u.at = 0
		u.pop()
	}
	u.flushing = false
	return Done
}

// segment works on the rows up to end, none of which is a truncate; false: groups are missing.
func (u *Upsert) segment(in *zset.Chunk, end int, out *Output) bool {
	if u.c.Key == nil {
		return u.segmentByRow(in, end, out)
	}
	u.encode(in, end)
	if u.table.FindOrInsert(&u.batch, u.slots) {
		return false
	}
	for i := u.at; i < end; i++ {
		if err := u.change(in, i); err != nil {
			out.Fault = err
			return true
		}
	}
	u.emit(in, out)
	return true
}

// encode lists the keys of the rows.
func (u *Upsert) encode(in *zset.Chunk, end int) {
	u.batch.Reset()
	u.keys = u.keys[:0]
	u.data.start()
	for i := u.at; i < end; i++ {
		place, old := int32(-1), int32(-1)
		if in.Cols[0].Ints[i] != UpsertDelete {
			place = int32(u.batch.Len())
			for _, c := range u.c.Key {
				u.batch.Data = zset.AppendKey(u.batch.Data, in.Cols[1+c], i, zset.Order{})
			}
			u.batch.End()
			u.data.bytes = append(u.data.bytes, 2) // the weight 1
			u.data.bytes = zset.AppendExactRow(u.data.bytes, in.Cols[1:u.oldOff], i)
			u.data.end()
			u.batch.Heads = append(u.batch.Heads, uint32(len(u.data.at(len(u.data.ends)-1))))
		}
		if !in.Cols[u.oldOff].Null(i) {
			old = int32(u.batch.Len())
			for k := range u.c.Key {
				u.batch.Data = zset.AppendKey(u.batch.Data, in.Cols[u.oldOff+k], i, zset.Order{})
			}
			u.batch.End()
			u.batch.Heads = append(u.batch.Heads, 0)
			u.data.end()
		}
		u.keys = append(u.keys, place, old)
	}
	u.slots = grow(u.slots, u.batch.Len())
}

// change carries out the change of row i.
func (u *Upsert) change(in *zset.Chunk, i int) error {
	place, old := u.keys[2*(i-u.at)], u.keys[2*(i-u.at)+1]
	if place < 0 {
		if old >= 0 {
			u.touch(u.slots[old], -1)
			u.table.DropHead(u.slots[old])
		}
		return nil
	}
	slot := u.slots[place]
	from := slot // where unchanged values are
	if old >= 0 {
		from = u.slots[old]
	}
	fresh := int32(i)
	row := u.data.at(int(place))
	if marks := in.Cols[u.mark]; !marks.Null(i) && len(marks.Bytes(i)) > 0 {
		fresh = -1
		var err error
		if u.row, err = u.filled(append(u.row[:0], 2), in, i, marks.Bytes(i), u.table.Head(from)); err != nil {
			return err
		}
		row = u.row
	}
	if from != slot {
		u.touch(from, -1)
		u.table.DropHead(from)
	}
	u.touch(slot, fresh)
	copy(u.table.SetHead(slot, len(row)), row)
	return nil
}

// filled appends row i with the values of the old row where it says so.
func (u *Upsert) filled(dst []byte, in *zset.Chunk, i int, marks, head []byte) ([]byte, error) {
	if len(head) == 0 {
		return dst, weirerr.New(weirerr.StoreBehind, "an update leaves values as they were in a row that is not there").
			With("row", u.text(in, i)).Hint("the table's state is older than the log: create the table again")
	}
	_, n := binary.Varint(head)
	rest := head[n:]
	for c, kind := range u.c.Kinds {
		next, err := zset.SkipExact(kind, rest)
		if err != nil {
			return dst, corrupt("upsert", err)
		}
		if c>>3 < len(marks) && marks[c>>3]>>(c&7)&1 != 0 {
			dst = append(dst, rest[:len(rest)-len(next)]...)
		} else {
			dst = zset.AppendExact(dst, in.Cols[1+c], i)
		}
		rest = next
	}
	return dst, nil
}

func (u *Upsert) text(in *zset.Chunk, i int) string {
	if u.c.Print == nil {
		return ""
	}
	return string(u.c.Print(nil, &zset.Chunk{N: in.N, Cols: in.Cols[1:u.oldOff]}, i))
}

// touch remembers what a key's row was before this chunk, and where its new one is.
func (u *Upsert) touch(slot uint32, fresh int32) {
	if u.table.Mark(slot, false) {
		u.before.begin()
		u.before.data = append(u.before.data, u.table.Head(slot)...)
		u.fresh = append(u.fresh, fresh)
		return
	}
	u.fresh[u.table.MarkIndex(slot)] = fresh
}

// emit gives out what the changes of the chunk come to.
func (u *Upsert) emit(in *zset.Chunk, out *Output) {
	var sel []int32
	for k, slot := range u.table.Marked() {
		old, now := u.before.at(k), u.table.Head(slot)
		if string(old) == string(now) {
			continue
		}
		if len(old) > 0 {
			u.decode(old, -1, out)
		}
		switch {
		case len(now) == 0:
		case u.fresh[k] >= 0:
			sel = append(sel, u.fresh[k])
		default:
			u.decode(now, 1, out)
		}
	}
	u.rows.flush(out)
	if len(sel) > 0 {
		c := &zset.Chunk{N: len(sel)}
		for _, v := range in.Cols[1:u.oldOff] {
			c.Cols = append(c.Cols, v.Gather(sel))
		}
		out.Chunks = append(out.Chunks, c)
	}
	u.table.Unmark()
	u.before.reset()
	u.fresh = u.fresh[:0]
}

// decode gives out the row of a head.
func (u *Upsert) decode(head []byte, w int64, out *Output) {
	_, n := binary.Varint(head)
	if _, err := zset.DecodeExactRow(u.rows.cols(), head[n:]); err != nil {
		out.Fault = corrupt("upsert", err)
		return
	}
	u.rows.add(w, out)
}
