package op

import (
	"encoding/binary"

	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/zset"
)

// Stored is how the rows of a relation lie in the store: the Table of an Upsert
// or a Materialize, for readers of a snapshot.
//
//	keyed       key:    prefix │ keys of the key columns
//	            value:  weight (varint) │ all columns, exact
//	            (a second row of the same key:  key: … │ all columns, exact;  value: weight)
//	by row      key:    prefix │ all columns, exact;  value: weight
//	            the bucket in the prefix is that of the columns' keys, by which rows find their shard
type Stored struct {
	Kinds []zset.Kind
	Key   []int // key columns; nil: by row
}

// DecodeRow appends the row of an entry to a chunk of Stored's kinds, with its weight.
// key is the entry's, from the prefix on.
func (s *Stored) DecodeRow(key, value []byte, to *zset.Chunk) error {
	w, n := binary.Varint(value)
	if n <= 0 || len(key) < arrange.PrefixLen {
		return zset.ErrCorrupt
	}
	row := key[arrange.PrefixLen:]
	if s.Key != nil {
		for _, c := range s.Key {
			rest, err := zset.SkipKey(s.Kinds[c], row, zset.Order{})
			if err != nil {
				return err
			}
			row = rest
		}
		if len(row) == 0 {
			row = value[n:]
		}
	}
	rest, err := zset.DecodeExactRow(to.Cols, row)
	if err == nil && len(rest) > 0 {
		err = zset.ErrCorrupt
	}
	if err != nil {
		return err
	}
	to.AppendWeight(w)
	return nil
}

// AppendKey appends prefix and group of a key, whose columns stand in cols in the
// order of Key: what its entries begin with.
func (s *Stored) AppendKey(dst []byte, cols []*zset.Vec, i int) []byte {
	return arrange.AppendGroup(dst, appendRowKey(nil, cols, i))
}

// encodeRows fills a batch with the exact encodings of rows; weightless ones are left out.
func encodeRows(k *keyer, cols []*zset.Vec, in *zset.Chunk, from, to int) {
	k.batch.Reset()
	k.rows = k.rows[:0]
	for i := from; i < to; i++ {
		if in.Weight(i) == 0 {
			continue
		}
		k.batch.Data = zset.AppendExactRow(k.batch.Data, cols, i)
		k.batch.EndIn(k.rowBucket(cols, i))
		k.rows = append(k.rows, int32(i))
	}
	k.slots = grow(k.slots, k.batch.Len())
}

// rowBucket is the bucket of a row that is stored by itself: that of the keys of all its
// columns, by which rows find their shard too.
func (k *keyer) rowBucket(cols []*zset.Vec, i int) byte {
	k.row = appendRowKey(k.row[:0], cols, i)
	return arrange.BucketOf(arrange.Hash(k.row))
}

func appendRowKey(dst []byte, cols []*zset.Vec, i int) []byte {
	for _, v := range cols {
		dst = zset.AppendKey(dst, v, i, zset.Order{})
	}
	return dst
}
