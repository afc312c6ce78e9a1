package op

import (
	"encoding/binary"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/weirerr"
	"github.com/weirstream/weir/internal/zset"
)

// segmentByRow is segment for a table without a key: rows are counted.
func (u *Upsert) segmentByRow(in *zset.Chunk, end int, out *Output) bool {
	ops := in.Cols[0].Ints
	olds, news := zset.NewChunk(u.c.Kinds, 0), zset.NewChunk(u.c.Kinds, end-u.at)
	for i := u.at; i < end; i++ {
		if ops[i] != UpsertInsert && !u.c.OldRows {
			out.Fault = weirerr.New(weirerr.NegativeWeight, "a table without a key had a row changed, and the change does not say which").
				Hint("give the table a primary key, or REPLICA IDENTITY FULL, and create it again")
			return true
		}
		if ops[i] != UpsertInsert {
			for k, v := range olds.Cols {
				v.AppendFrom(in.Cols[u.oldOff+k], i)
			}
			olds.AppendWeight(-1)
		}
		if ops[i] != UpsertDelete {
			for k, v := range news.Cols {
				v.AppendFrom(u.newValue(in, i, k), i)
			}
			news.AppendWeight(1)
		}
	}
	u.batch.Reset()
	for _, c := range []*zset.Chunk{olds, news} {
		for i := range c.N {
			u.batch.Data = zset.AppendExactRow(u.batch.Data, c.Cols, i)
			u.rowKey = appendRowKey(u.rowKey[:0], c.Cols, i)
			u.batch.EndIn(arrange.BucketOf(arrange.Hash(u.rowKey)))
		}
	}
	u.slots = grow(u.slots, u.batch.Len())
	if u.table.FindOrInsert(&u.batch, u.slots) {
		return false
	}
	u.countRows(olds.N, out)
	for _, c := range []*zset.Chunk{olds, news} {
		if c.N > 0 && out.Fault == nil {
			out.Chunks = append(out.Chunks, c)
		}
	}
	return true
}

// newValue is the column that has the new value of column k.
func (u *Upsert) newValue(in *zset.Chunk, i, k int) *zset.Vec {
	if marks := in.Cols[u.mark]; !marks.Null(i) {
		if b := marks.Bytes(i); k>>3 < len(b) && b[k>>3]>>(k&7)&1 != 0 {
			return in.Cols[u.oldOff+k]
		}
	}
	return in.Cols[1+k]
}

// countRows counts the rows of the batch: the first olds of them once less, the others once more.
func (u *Upsert) countRows(olds int, out *Output) {
	for k, slot := range u.slots[:u.batch.Len()] {
		w := int64(1)
		if k < olds {
			w = -1
		}
		if u.table.Mark(slot, false) {
			u.before.begin() // only the list of marks is used
		}
		n, _ := binary.Varint(u.table.Head(slot))
		if n += w; n == 0 {
			u.table.DropHead(slot)
			continue
		}
		u.row = binary.AppendVarint(u.row[:0], n)
		copy(u.table.SetHead(slot, len(u.row)), u.row)
	}
	for _, slot := range u.table.Marked() {
		if n, _ := binary.Varint(u.table.Head(slot)); n < 0 && out.Fault == nil {
			out.Fault = negativeWeight("upsert", u.c.Kinds, u.table.Key(slot), n, u.c.Print)
		}
	}
	u.table.Unmark()
	u.before.reset()
}

// truncating is how far a truncate has come: through the groups in memory, then through the
// store's buckets.
type truncating struct {
	shard, shards int
	walked        bool
	slot          uint32   // where the walk through memory goes on
	bucket        int      // the next one to ask for
	loaded        []uint32 // what the last one brought
}

// truncate takes all rows back.
func (u *Upsert) truncate(out *Output, budget *int) Status {
	c := &u.clear
	for {
		c.loaded = append(c.loaded, u.table.Loaded()...)
		for slot := u.nextRow(); slot != arrange.None; slot = u.nextRow() {
			if *budget <= 0 {
				u.rows.flush(out)
				return More
			}
			u.takeBack(slot, out)
			*budget--
		}
		u.rows.flush(out)
		if out.Fault != nil {
			return Done
		}
		for c.bucket < 256 && c.bucket%c.shards != c.shard {
			c.bucket++
		}
		if c.bucket >= 256 || !u.table.Cold() {
			c.walked, c.slot, c.bucket = false, 0, 0
			u.table.Tick()
			return Done
		}
		u.table.WantBucket(byte(c.bucket))
		c.bucket++
		return Miss
	}
}

// nextRow is a group in memory that still has a row.
func (u *Upsert) nextRow() uint32 {
	c := &u.clear
	for !c.walked {
		slot := u.table.Next(c.slot)
		if slot == arrange.None {
			c.walked = true
			break
		}
		c.slot = slot
		if u.table.Head(slot) != nil {
			return slot
		}
		c.slot++
	}
	for last := len(c.loaded) - 1; last >= 0; last-- {
		if slot := c.loaded[last]; u.table.Head(slot) != nil {
			return slot
		}
		c.loaded = c.loaded[:last]
	}
	return arrange.None
}

// takeBack takes a group's row away.
func (u *Upsert) takeBack(slot uint32, out *Output) {
	head := u.table.Head(slot)
	if u.c.Key != nil {
		u.decode(head, -1, out)
	} else {
		n, _ := binary.Varint(head)
		if _, err := zset.DecodeExactRow(u.rows.cols(), u.table.Key(slot)); err != nil {
			out.Fault = corrupt("upsert", err)
		} else {
			u.rows.add(-n, out)
		}
	}
	u.table.DropHead(slot)
}
