package op

import (
	"github.com/weirstream/weir/internal/arrange"
	"github.com/weirstream/weir/internal/zset"
)

// keyer encodes the keys of a chunk's rows for a Table.
type keyer struct {
	cols  []int
	safe  []bool // NULL-safe, by column; nil: all
	batch arrange.Batch
	rows  []int32 // rows of the chunk that have a key, by place in the batch
	nulls []int32 // rows without: a column that is not NULL-safe is NULL
	slots []uint32
	row   []byte // keys of one row
}

// encode fills the batch with the keys of the rows of in whose weight is not 0.
func (k *keyer) encode(in *zset.Chunk) {
	k.batch.Reset()
	k.rows, k.nulls = k.rows[:0], k.nulls[:0]
	strict := k.strict(in)
	for i := range in.N {
		if in.W != nil && in.W[i] == 0 {
			continue
		}
		if strict && k.null(in, i) {
			k.nulls = append(k.nulls, int32(i))
			continue
		}
		for _, c := range k.cols {
			k.batch.Data = zset.AppendKey(k.batch.Data, in.Cols[c], i, zset.Order{})
		}
		k.batch.End()
		k.rows = append(k.rows, int32(i))
	}
	k.slots = grow(k.slots, k.batch.Len())
}

// strict tells whether a key can be NULL in a column where that matters.
func (k *keyer) strict(in *zset.Chunk) bool {
	for i, c := range k.cols {
		if k.safe != nil && !k.safe[i] && in.Cols[c].Nulls != nil {
			return true
		}
	}
	return false
}

func (k *keyer) null(in *zset.Chunk, i int) bool {
	for j, c := range k.cols {
		if !k.safe[j] && in.Cols[c].Null(i) {
			return true
		}
	}
	return false
}

// grow is s with length n, its contents of no interest.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n+n/4)[:n]
	}
	return s[:n]
}
