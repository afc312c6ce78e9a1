package postgres

import (
	"encoding/binary"

	"github.com/weirstream/weir/internal/row"
)

const textOID = 25

// arrays builds the parameters of a stmt: one text array a column, in the binary
// format, which needs no escapes. Its memory is reused.
//
//	ndim=1  hasnull  elemtype  n  lower=1  { len value }…   len -1 is NULL
type arrays struct {
	cols  []textArray
	param [][]byte
	slot  []int // array of a source column of the new image, or -1
}

type textArray struct {
	buf   []byte
	n     uint32
	nulls bool
}

const arrayHeader = 20

func (a *textArray) reset() {
	a.buf = append(a.buf[:0], make([]byte, arrayHeader)...)
	a.n, a.nulls = 0, false
}

func (a *textArray) value(v []byte) {
	a.buf = binary.BigEndian.AppendUint32(a.buf, uint32(len(v)))
	a.buf = append(a.buf, v...)
	a.n++
}

func (a *textArray) null() {
	a.buf = binary.BigEndian.AppendUint32(a.buf, 1<<32-1)
	a.n, a.nulls = a.n+1, true
}

func (a *textArray) finish() []byte {
	h := a.buf[:arrayHeader]
	binary.BigEndian.PutUint32(h[0:], 1)
	binary.BigEndian.PutUint32(h[4:], 0)
	if a.nulls {
		binary.BigEndian.PutUint32(h[4:], 1)
	}
	binary.BigEndian.PutUint32(h[8:], textOID)
	binary.BigEndian.PutUint32(h[12:], a.n)
	binary.BigEndian.PutUint32(h[16:], 1)
	return a.buf
}

// begin prepares for a statement and a number of source columns.
func (a *arrays) begin(s *stmt, columns int) {
	n := len(s.olds) + len(s.news)
	for len(a.cols) < n {
		a.cols = append(a.cols, textArray{})
	}
	for i := range n {
		a.cols[i].reset()
	}
	a.slot = a.slot[:0]
	for range columns {
		a.slot = append(a.slot, -1)
	}
	for i, c := range s.news {
		a.slot[c] = len(s.olds) + i
	}
	a.param = a.param[:0]
}

// key adds a row's key.
func (a *arrays) key(key []byte) {
	keyValues(key, func(i int, v []byte) { a.cols[i].value(v) })
}

// old adds a row's whole old image.
func (a *arrays) old(s *stmt, t row.Tuple) {
	i := 0
	for c, it := 0, t.Iter(); it.Next() && i < len(s.olds); c++ {
		if s.olds[i] == c {
			a.put(i, &it)
			i++
		}
	}
}

// image adds a row's new image.
func (a *arrays) image(t row.Tuple) {
	for c, it := 0, t.Iter(); it.Next() && c < len(a.slot); c++ {
		if i := a.slot[c]; i >= 0 {
			a.put(i, &it)
		}
	}
}

func (a *arrays) put(i int, it *row.TupleIter) {
	if it.State == row.Present {
		a.cols[i].value(it.Value)
	} else {
		a.cols[i].null()
	}
}

// finish gives the parameters, good until the next begin.
func (a *arrays) finish(s *stmt) [][]byte {
	for i := range len(s.olds) + len(s.news) {
		a.param = append(a.param, a.cols[i].finish())
	}
	return a.param
}
