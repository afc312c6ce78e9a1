package zset

import "bytes"

// Consolidator merges the equal rows of chunks. It keeps its memory between calls;
// one goroutine uses it at a time.
type Consolidator struct {
	rows   Rows
	hashes []uint64
	table  []int32 // open addressing, by hash: position in sel, + 1; 0: free
	sel    []int32
	sums   []int64
}

// Consolidate is c with every row once, in the order of first occurrence, with the
// sum of its weights; rows whose sum is 0 are gone. Rows are equal when their exact
// encodings are: 1.10 and 1.1 stay apart. The result shares c's Data.
func (k *Consolidator) Consolidate(c *Chunk) *Chunk {
	if c.N == 0 || c.N == 1 && c.Weight(0) != 0 {
		return c
	}
	k.rows.EncodeExact(c.Cols, c.N)
	k.hashes = k.rows.Hash(k.hashes[:0])
	k.clear(c.N)
	mask := uint64(len(k.table) - 1)
	for i, h := range k.hashes {
		slot := h & mask
		for ; k.table[slot] != 0; slot = (slot + 1) & mask {
			p := k.table[slot] - 1
			first := k.sel[p]
			if k.hashes[first] == h && bytes.Equal(k.rows.At(int(first)), k.rows.At(i)) {
				k.sums[p] += c.Weight(i)
				break
			}
		}
		if k.table[slot] == 0 {
			k.sel = append(k.sel, int32(i))
			k.sums = append(k.sums, c.Weight(i))
			k.table[slot] = int32(len(k.sel))
		}
	}
	return k.result(c)
}

// clear readies an empty table, at most half full with n rows.
func (k *Consolidator) clear(n int) {
	size := 16
	for size < 2*n {
		size *= 2
	}
	if cap(k.table) < size {
		k.table = make([]int32, size)
	}
	k.table = k.table[:size]
	clear(k.table)
	k.sel, k.sums = k.sel[:0], k.sums[:0]
}

func (k *Consolidator) result(c *Chunk) *Chunk {
	kept, ones := 0, true
	for p, w := range k.sums {
		if w == 0 {
			continue
		}
		k.sel[kept], k.sums[kept] = k.sel[p], w
		ones = ones && w == 1
		kept++
	}
	if kept == c.N {
		return c // no two rows were equal
	}
	out := &Chunk{N: kept, Cols: make([]*Vec, len(c.Cols))}
	for i, v := range c.Cols {
		out.Cols[i] = v.Gather(k.sel[:kept])
	}
	if !ones {
		out.W = append([]int64(nil), k.sums[:kept]...)
	}
	return out
}
