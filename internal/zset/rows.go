package zset

import "github.com/zeebo/xxh3"

// Rows is encoded rows, one after the other. The zero Rows is empty; its memory is
// used again by each Encode call.
type Rows struct {
	Data []byte
	Off  []uint32 // row i is Data[Off[i]:Off[i+1]]
}

// Len is the number of rows.
func (r *Rows) Len() int { return max(len(r.Off)-1, 0) }

// At is row i, borrowed.
func (r *Rows) At(i int) []byte { return r.Data[r.Off[i]:r.Off[i+1]:r.Off[i+1]] }

// EncodeKeys fills r with the key encodings of n rows of cols, column after column
// (see AppendKey). order may be nil: ascending, NULLs last.
func (r *Rows) EncodeKeys(cols []*Vec, n int, order []Order) {
	r.start(n)
	if len(cols) == 1 && order == nil {
		r.oneColumn(cols[0], n)
		return
	}
	dst := r.Data
	for i := range n {
		for k, v := range cols {
			var o Order
			if order != nil {
				o = order[k]
			}
			dst = AppendKey(dst, v, i, o)
		}
		r.Off = append(r.Off, uint32(len(dst)))
	}
	r.Data = dst
}

func (r *Rows) start(n int) {
	if cap(r.Off) < n+1 {
		r.Off = make([]uint32, 0, n+1)
	}
	r.Data, r.Off = r.Data[:0], append(r.Off[:0], 0)
}

// oneColumn is the common case without looking at the kind row by row.
func (r *Rows) oneColumn(v *Vec, n int) {
	dst := r.Data
	for i := range n {
		switch {
		case v.Null(i):
			dst = append(dst, keyNullLast)
		case v.Kind == Int:
			dst = appendIntKey(dst, v.Ints[i])
		case v.Kind == Bytes:
			dst = appendBytesKey(dst, v.Bytes(i))
		default:
			dst = AppendKey(dst, v, i, Order{})
		}
		r.Off = append(r.Off, uint32(len(dst)))
	}
	r.Data = dst
}

// EncodeExact fills r with the exact encodings of n rows of cols (see AppendExact).
func (r *Rows) EncodeExact(cols []*Vec, n int) {
	r.start(n)
	dst := r.Data
	for i := range n {
		dst = AppendExactRow(dst, cols, i)
		r.Off = append(r.Off, uint32(len(dst)))
	}
	r.Data = dst
}

// Hash appends the xxh3 hash of every row. It is stable: it may be stored.
func (r *Rows) Hash(dst []uint64) []uint64 {
	for i := range r.Len() {
		dst = append(dst, xxh3.Hash(r.At(i)))
	}
	return dst
}

// Hash is the hash of one encoded row, as Rows.Hash gives it.
func Hash(encoded []byte) uint64 { return xxh3.Hash(encoded) }
